"""page: a report in a browser: one request, an empty console, the numbers of the store, keys, links, print.

Skipped without Chromium. Without PMAPDB_SHARED only stores made here; --full: also 100 real backends, 10 s.
tests/bench/report.py --big looks at 9,800 snapshots of 4,000 mappings in the same way.
"""
import os
import re
import sys

import browser
import stores

kit = stores.kit
check = kit.Check()
SHELL = re.compile(r"^[\w@.,:/+ =-]+$")


def quiet(page, what, url):
    check.equal(what + ": requests", page.asked, [url])
    check.equal(what + ": console", page.said, [])


def tooltip(page, stop):
    """Returns the tooltip at a stop: snapshot, TOTAL."""
    x = page.value(f"""(() => {{ const c = document.getElementById('chart'), r = c.getBoundingClientRect(), S = pmapdbReport.S;
        scrollTo(0, r.top + scrollY - 100); const q = c.getBoundingClientRect();
        return [q.left + pmapdbReport.timeAxis(c.clientWidth).at(S.t[S.stops[{stop}]]), q.top + 150]; }})()""")
    page.mouse("mouseMoved", *x)
    text = page.value("document.getElementById('tip').textContent")
    at = re.search(r"\(@(\d+)\)", text)
    return int(at[1]) if at else None, text.rsplit("TOTAL", 1)[-1], page.value(
        f"pmapdbReport.numbersAt({stop}).total")


def numbers(page, s, what):
    """Every picture adds up; the tooltip and A to B equal the answers of the store, and the text."""
    check.equal(what + ": stretches add up", page.value("pmapdbReport.check()"), [])
    rss = {int(r["snapshot_id"]): (r["rss_kib"], r["taken_at"], r["pid"]) for r in kit.rows("snapshots", db=s.db)}
    truth, last = stores.resident(s), page.value("pmapdbReport.S.stops.length") - 1
    for stop in sorted({0, last // 3, last}):
        identity, shown, total = tooltip(page, stop)
        check.equal(f"{what}: tooltip names a snapshot: {stop}", identity in rss, True)
        known, taken, pid = rss[identity]
        if known is None:
            continue
        check.equal(f"{what}: tooltip: {stop}", total, int(known))
        check.equal(f"{what}: tooltip's words: {stop}", page.value(f"pmapdbReport.kib({total})"), shown)
        key = (kit.milliseconds(taken), kit.number(pid))
        if key in truth:
            check.equal(f"{what}: the text: {stop}", total, truth[key])
    if last > 0:
        for a, b in {(0, last), (last // 2, last), (last // 3, last // 2 + 1)}:
            between(page, s, what, a, b)


def between(page, s, what, a, b):
    page.value(f"pmapdbReport.change({{a: {a}, b: {b}, metric: pmapdbReport.S.metrics.includes('rss') ? 'rss' : 'size'}})")
    page.frame()
    shown = page.value("""({id: pmapdbReport.S.process_id, a: pmapdbReport.S.id[pmapdbReport.S.stops[pmapdbReport.state.a]],
        b: pmapdbReport.S.id[pmapdbReport.S.stops[pmapdbReport.state.b]], metric: pmapdbReport.state.metric, said: pmapdbReport.diff(),
        rows: pmapdbReport.changes().map(r => [r.c.k, r.delta]), total: document.querySelector('#diff .total').textContent})""")
    command = shown["said"].split()[2:]
    check.true(f"{what}: the command to copy", SHELL.match(shown["said"]), shown["said"])
    rows = kit.rows("diff", *command, db=s.db)
    want = {r["category"]: kit.number(r[shown["metric"] + "_kib_delta"]) for r in rows}
    got = dict(shown["rows"])
    for key, delta in want.items():
        check.equal(f"{what}: A to B: @{shown['a']} @{shown['b']} {key}", got.get(key, 0), delta)


def painted(page, what, identity):
    """More than 5 % of a canvas differs from the colour of the card, with more than 8 colours."""
    share, colours = page.value(f"""(() => {{ const c = document.getElementById('{identity}'), p = new Uint32Array(c.getContext('2d')
        .getImageData(0, 0, c.width, c.height).data.buffer), n = new Map(); for (const v of p) n.set(v, (n.get(v) || 0) + 1);
        const [r, g, b] = getComputedStyle(c.parentNode).backgroundColor.match(/[0-9]+/g).map(Number);
        return [1 - (n.get((0xff000000 | b << 16 | g << 8 | r) >>> 0) || 0) / p.length, n.size]; }})()""")
    check.true(f"{what}: {identity} is painted", share > .05 and colours > 8, f"{share:.3f} of it, {colours} colours")


def look(b, s, kind):
    path = s.report()
    page = b.open(path)
    check.true(kind + ": ready", page.took < 5, page.took)
    check.equal(kind + ": badge", page.value("document.querySelector('#badge b').textContent"), s.badge)
    numbers(page, s, kind)
    if page.value("!!document.getElementById('space')"):
        for identity in ("chart", "space", "tree"):
            painted(page, kind, identity)
    for command in page.value("[...document.querySelectorAll('.command code')].map(c => c.textContent)"):
        check.true(kind + ": a command to copy", SHELL.match(command), command)
    quiet(page, kind, path.as_uri())
    page.close()


def hostile(b, folder):
    """Names that would be markup, scripts or commands stay text."""
    s = stores.make("hostile", folder)
    look(b, s, "hostile")
    page = b.open(s.folder / "report.html")
    check.equal("hostile: nothing ran", page.value("window.ran === undefined"), True)
    check.equal("hostile: no foreign element", page.value("""[...document.querySelectorAll('img, iframe, link, object, main svg, a[href]')]
        .filter(e => e.tagName !== 'A' || !e.getAttribute('href').startsWith('#')).length"""), 0)
    check.equal("hostile: no handler", page.value("""[...document.querySelectorAll('*')].filter(e => [...e.attributes]
        .some(a => a.name.startsWith('on'))).length"""), 0)
    check.equal("hostile: no control is shown", page.value(r"/[\u202e\u001b\u0007]/.test(document.getElementById('main').textContent)"), False)
    page.close()
    planted = s.folder / "planted.html"
    planted.write_text((s.folder / "report.html").read_text().replace("<main ", "<script>window.ran = 1</script><main "))
    page = b.open(planted)
    check.equal("hostile: a script that was put in does not run", page.value("window.ran === undefined"), True)
    check.true("hostile: the policy says so", any("Content Security Policy" in line for line in page.said), page.said)
    page.close()
    page = b.open(s.folder / "report.html", script=False)
    check.true("without JavaScript: the verdict", "LEAK" in page.value("document.getElementById('said').innerText"))
    check.true("without JavaScript: the picture", page.value("document.querySelector('#static svg').getBoundingClientRect().width > 300"))
    page.close()


def hands(b, folder):
    """Keys, the link, the theme, widths, print."""
    s = stores.make("leak", folder)
    path = s.report("--limit", "16M", "--mark", "2026-11-21 00:20:00 deploy 2.3")
    page = b.open(path)
    page.value("document.getElementById('chart').focus()")
    page.key("Home")
    for _ in range(5):
        page.key("ArrowRight")
    check.true("keys: the live region speaks", "total rss" in page.value("document.getElementById('live').textContent"))
    page.key("a")
    check.equal("keys: a sets A", page.value("pmapdbReport.state.a"), 5)
    page.key("s")
    page.key("z")
    page.frame()
    link = page.value("location.hash")
    check.true("link: written", "a=@6" in link and "x=" in link, link)
    again = b.open(path, fragment=link)
    check.equal("link: read back", again.value("[pmapdbReport.state.a, pmapdbReport.state.mode, pmapdbReport.state.x0 !== null]"),
                page.value("[5, pmapdbReport.state.mode, true]"))
    again.close()
    page.key("Escape")
    check.equal("keys: Escape shows all", page.value("pmapdbReport.state.x0"), None)
    check.true("the limit is a fact", "until 16.0 MiB" in page.value("document.querySelector('.facts').textContent"))
    for width in (1440, 800, 420):
        page.size(width)
        page.value("dispatchEvent(new Event('resize')), new Promise(done => setTimeout(done, 200))")
        wide = page.value("document.documentElement.scrollWidth")
        check.true("no sideways scrolling: %d" % width, wide <= width, wide)
    check.true("paper", len(page.pdf()) > 20000)
    page.dark()
    page.frame()
    ink, back = page.value("""['color', 'backgroundColor'].map(k => getComputedStyle(document.body)[k].match(/[0-9]+/g).map(Number))""")
    check.true("dark: contrast", contrast(ink, back) >= 4.5 and sum(back) < 150, (ink, back))
    page.close()


def contrast(a, b):
    def light(colour):
        parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + .055) / 1.055) ** 2.4 for c in colour[:3]]
        return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2]
    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + .05) / (low + .05)


def host(b, folder):
    """A store of many names begins with a list of them; each links to its part, or with --all to its file."""
    s = stores.make("names", folder)
    page = b.open(s.report())
    check.equal("host: names", page.value("document.querySelectorAll('#names tbody tr').length"), 3)
    check.equal("host: the worst is first", page.value("document.querySelector('#names tbody tr').textContent.startsWith('beta')"), True)
    page.value("location.hash = document.querySelectorAll('#names a')[1].getAttribute('href')")
    page.until("!document.querySelector('main h1').textContent.startsWith('beta')")
    quiet(page, "host", page.asked[0])
    page.close()
    kit.run("report", "--all", s.folder / "all", db=s.db)
    files = sorted(p.name for p in (s.folder / "all").iterdir())
    check.equal("--all: files", len(files), 4)
    page = b.open(s.folder / "all" / "index.html")
    links = page.value("[...document.querySelectorAll('#names a')].map(a => a.getAttribute('href'))")
    check.equal("--all: links", sorted(links), [f for f in files if f != "index.html"])
    page.close()
    page = b.open(s.folder / "all" / links[0])
    check.equal("--all: a page of one process", page.value("[document.querySelector('main h1').textContent, pmapdbReport.check().length]"), ["beta/6001", 0])
    check.equal("--all: the way back", page.value("document.querySelector('header a').getAttribute('href')"), "index.html")
    page.close()


def main():
    if not browser.program():
        kit.skip("there is no Chromium")
    kinds = [k for k in stores.KINDS if k not in ("hostile", "names")]
    real = [k for k in stores.WORKLOADS if kit.full or k != "postgres"]
    if os.environ.get("PMAPDB_SHARED"):
        kinds += real
    else:
        print("skipped: %s: PMAPDB_SHARED is not set" % ", ".join(real))
    with kit.Place() as place, browser.Browser() as b:
        for kind in kinds:
            look(b, stores.make(kind, place), kind)
        for part in (hostile, hands, host):
            part(b, place / part.__name__)
    check.finish()


if __name__ == "__main__":
    sys.exit(main())
