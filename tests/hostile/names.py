"""Hostile names in every kind of input: pmapdb stores them byte for byte, finds them again by name,
prints nothing that drives a terminal, and gives other programs the same bytes. shared/formats.py checks
how each query prints such a name in each format."""
import csv
import gzip
import io
import json
import os
import re
import shutil
import tarfile

import watch
from watch import check, kit, run

ROW = b"100000000000-100000001000 r--p 00000000 08:01 77 %s\n"
WHEN = 1795226732
# No NUL: neither a path nor a word of a command line can hold it. No slash: names of files cannot hold it.
NAMES = [
    b"plain", b"two words", b" leading", b"trailing ", b"tab\there", b"cr\rhere", b"esc\x1b[2Jclear", b"\x1b]0;title\x07",
    b"\x1b]52;c;cm0gLXJm\x07", b"\x9b31mraw C1", b"\xc2\x9b31mC1", b"bell\x07", b"back\x08space", b"del\x7f",
    b"rtl \xe2\x80\xae fdp.exe", b"zero\xe2\x80\x8bwidth", b"\xef\xbb\xbfmark", b"sep \xe2\x80\xa8 line", b"bad \xff\xfe",
    b"half \xe2\x82", b"surrogate \xed\xa0\x80", b"overlong \xc0\xaf", b"beyond \xf4\x90\x80\x80", b"'single'", b'"double"',
    b"`touch x`", b"$(touch x)", b"; rm -rf x", b"| tee x", b"&& x", b"> x", b"*", b"?", b"[a-z]", b"~root", b"-rf", b"--help",
    b"=cmd|' C calc'!A0", b"+1+1", b"-2+3", b"@SUM(A1)", b"%s%n%s%n", b"%d%1000000d", b"'); DROP TABLE snapshot;--",
    b"<script>alert(1)<|script>", b"a|b|c", b"**bold** _it_ [x](y)", b"\\", b"\\n\\x1b", b'{"a":1}', b'le="1"} 1\\', b"# EOF",
    b"a,b;c", b"a\\..\\..\\b", b"CON", b"\xe6\xbc\xa2\xe5\xad\x97", b"e\xcc\x81" * 40, b"x" * 200,
    b"%02d007%%5-12345678901234567890\xff",
]
SOME = NAMES if kit.full else NAMES[::6] + [NAMES[-1], b"line\nfeed", b"\x1b]0;title\x07"]
# All bytes that may not reach a terminal, in few names: the output for a byte does not depend on its neighbours.
AT_ONCE = NAMES if kit.full else [b"x\x1b[2J\x1b]0;t\x07 \xc2\x9b31m \x9b \xff\xfe \xe2\x80\xae \xe2\x80\x8b \xe2\x80\xa8 \x08\x7f\r\ty",
                                  b"-\x1b[31m", b"%s%n%1000000d\x1b'\"", b"line\nfeed\nTry `x'"]


def text(data):
    return data.decode("utf-8", "surrogateescape")


def cells(form, data, column):
    """The values of a column, as bytes, read by Python's own csv and json."""
    if form == "csv":
        rows = csv.DictReader(io.StringIO(text(data), newline=""))
        return [r[column].encode("utf-8", "surrogateescape") for r in rows]
    rows = json.loads(data.decode("utf-8")) if form == "json" else [json.loads(x) for x in data.splitlines()]
    return [bytes.fromhex(r[column + "_hex"]) if column + "_hex" in r else r[column].encode() for r in rows]


def shown(what, *args, db, status=0):
    for form in ("table", "md"):
        r = run(*args, "--wide", "-f", form, db=db)
        watch.harmless("%s, %s" % (what, form), r.out + r.said)
        check.equal("status: %s, %s" % (what, form), r.status, status)


# ---- stored names ----

def stored(place):
    """Each name as a host, a name, the path of a mapping, a file, a folder, and a member of an archive."""
    for i, name in enumerate(SOME):
        what, db = "stored %r" % name[:40], place / "stored.db"
        if name.startswith(b"-"):
            given = ["--host=" + os.fsdecode(name), "--name=" + os.fsdecode(name)]
        else:
            given = ["--host", os.fsdecode(name), "--name", os.fsdecode(name)]
        folder = place / "in"
        folder.mkdir()
        inside = os.fsencode(folder) + b"/d" + name
        os.mkdir(inside)
        row = ROW % (b"/srv/" + name.replace(b"\n", b"\\012"))
        with open(inside + b"/" + name + b"-4711.maps", "wb") as file:
            file.write(row)
        with tarfile.open(folder / "t.tar", "w", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape") as tar:
            member = tarfile.TarInfo(text(b"d" + name + b"/" + name + b"-4712.maps"))
            member.size, member.mtime = len(row), WHEN + i
            tar.addfile(member, io.BytesIO(row))
        r = run("import", "-v", *given, str(folder), db=db)
        check.equal("status: " + what, r.status, 0)
        watch.harmless(what, r.out + r.said)
        check.equal("lines: " + what, r.out.count(b"\n"), 2)
        sql = kit.plain(db)
        got = sql.execute("SELECT h.name, n.name, p.pid FROM snapshot s JOIN process p USING (process_id)"
                          " JOIN host h USING (host_id) JOIN name n USING (name_id) ORDER BY p.pid").fetchall()
        base = os.fsencode(folder)
        check.equal("bytes: " + what, got, [(name, name, 4711), (name, name, 4712)])
        sql.close()
        rows = run("snapshots", "-f", "csv", db=db).out
        check.equal("source: " + what, dict(zip(cells("csv", rows, "pid"), cells("csv", rows, "source"))), {
            b"4711": inside + b"/" + name + b"-4711.maps",
            b"4712": base + b"/t.tar:d" + name + b"/" + name + b"-4712.maps"})
        found(what, db, name, row)
        shutil.rmtree(folder)
        for suffix in ("", "-wal", "-shm"):
            (place / ("stored.db" + suffix)).unlink(missing_ok=True)


def found(what, db, name, row):
    path = row.split(b" ", 5)[5][:-1].lstrip(b" ")
    for selector in (b"--process=" + name + b"/4711", b"--process=" + name + b"/4712"):
        r = run("mappings", os.fsdecode(selector), "-f", "csv", db=db)
        check.equal("found: " + what, (r.status, cells("csv", r.out, "path")), (0, [path]))
    for form in ("json", "ndjson"):
        check.equal("%s: %s" % (form, what), cells(form, run("processes", "-f", form, db=db).out, "name"), [name, name])
    check.equal("csv: " + what, cells("csv", run("processes", "-f", "csv", db=db).out, "host"), [name, name])
    shown(what, "processes", db=db)
    shown(what, "mappings", os.fsdecode(b"--process=" + name + b"/4711"), db=db)
    r = run("mappings", "--process", "nobody", db=db)
    watch.harmless("the known names: " + what, r.said)


def commands(place):
    """Command lines and names of mappings as pmap prints them."""
    db = place / "commands.db"
    for i, name in enumerate(n for n in NAMES if b"\n" not in n):
        block = watch.block(i + 1).replace(b"/srv/x", b"/srv/x " + name).replace(b"r-x-- x", b"r-x-- " + name)
        (place / "c.txt").write_bytes(b"%d\n" % (WHEN + i) + block)
        r = run("import", str(place / "c.txt"), db=db)
        watch.harmless("command %r" % name, r.out + r.said)
        check.equal("status: command %r" % name, r.status, 0)
    got = dict(kit.plain(db).execute("SELECT pid, command FROM process"))
    check.equal("commands", len(got), i + 1)
    check.equal("arguments are not stored", set(got.values()), {b"/srv/x"})
    shown("commands", "processes", db=db)


# ---- errors ----

def errors(place):
    db = place / "errors.db"
    run("import", "-q", str(kit.ROOT / "samples" / "captures"), db=db)
    for name in AT_ONCE:
        if name.startswith(b"-"):
            name = b"x" + name
        at = os.fsencode(place) + b"/" + name
        files = {b"": b"no capture\n", b".gz": gzip.compress(ROW * 5000)[:-20], b".csv": b"a,b\n", b".sql": b"SELECT 1\n",
                 b".tar": b"x" * 257 + b"ustar" + bytes(250)}
        for suffix, data in files.items():
            with open(at + suffix, "wb") as file:
                file.write(data)
        tries = [["import", at], ["import", at + b".none"], ["import", at + b".gz"], ["import", at + b".tar"],
                 ["import", "--explain", at], ["import-perf", at], ["import-perf", at + b".gz"], ["rules", "--apply", at + b".csv"],
                 ["rules", "--explain", at], ["mappings", "--regions", at],
                 ["leaks", "--series", at + b".csv"], ["query", at + b".sql"], ["query", at],
                 ["snapshots", "--query-dir", at], ["snapshots", "-o", at + b"/x"], ["merge", at], ["prune", "--pin", at],
                 ["sql", b"SELECT '" + name], ["sql", name], ["who", "--process", name], ["diff", "--from", name], ["explain", name],
                 ["capture", "--match", name], ["groups", "--by", b"env:" + name], ["query", name], ["leaks", name]]
        for words in tries:
            r = run(*[os.fsdecode(w) for w in words], db=db)
            what = "error %s %r" % (words[0], name[:30])
            watch.harmless(what, r.said + (b"" if words[0] in ("query", "sql") else r.out))
            check.true("short: " + what, len(r.lines()) <= (8 if b"\n" in name else 4), r.lines()[:6])
        for suffix in files:
            os.unlink(at + suffix)


def usage(place):
    """The messages of argp and getopt."""
    words = {"import": ("--pid", "--at", "--every", "--mode"), "diff": ("--by", "--threshold"), "capture": ("", "--keep-env"),
             "leaks": ("--by", "--limit"), "prune": ("--keep-last", "--keep-within"), "doctor": ("--max-size",),
             "completion": ("",), "sql": ("--param", "--timeout"), "snapshots": ("-f", "--top", "--tz"), "check": ("--rate -w",),
             "": ("",)}
    for name in AT_ONCE:
        for command, options in words.items():
            for option in options:
                line = [command] if command else []
                r = run(*(line + option.split() + [os.fsdecode(b"x" + name)]), db=place / "none.db")
                what = "usage %s %s %r" % (command, option, name[:30])
                watch.harmless(what, r.out + r.said)
                check.true("status: " + what, r.status in (2, 3), r.status)
                check.true("lines: " + what, 1 <= len(r.lines()) <= 3, r.lines())
            r = run(command or "snapshots", os.fsdecode(b"--" + name))
            if r.status != 0:  # not --help
                watch.harmless("option %r" % name[:30], r.said)


# ---- other inputs ----

def rules(place):
    """A rule can make a category of a name."""
    db, file = place / "rules.db", place / "rules.csv"
    names = [n for n in SOME if b"\n" not in n]
    (place / "7.maps").write_bytes(b"".join(b"%012x-%012x r--p 00000000 08:01 77 /srv/data/%s\n" % (
        0x100000000000 + i * 0x2000, 0x100000001000 + i * 0x2000, n) for i, n in enumerate(names)))
    run("import", "-q", str(place / "7.maps"), db=db)
    head = (kit.ROOT / "rules" / "default.csv").read_text().splitlines()[0].split(",")
    row = dict.fromkeys(head, "")
    row.update({"rule": "mine", "category": "mapped-file/%b", "base": "mapped-file", "path": "/srv/data/*"})
    file.write_text(",".join(head) + "\n" + ",".join(row[h] for h in head) + "\n")
    r = run("rules", "--apply", str(file), db=db)
    watch.harmless("rules", r.out + r.said)
    if not check.equal("rules: status", (r.status, r.said[-300:] if r.status else b""), (0, b"")):
        return
    got = {c for c, in kit.plain(db).execute("SELECT category FROM mappings")}
    check.true("categories are made of names", len(got) > len(names) // 2, sorted(got)[:9])
    for form in ("csv", "json"):
        out = cells(form, run("categories", "-f", form, db=db).out, "category")
        check.true("categories in " + form, set(out) == got, sorted(set(out) ^ got)[:4])
    shown("categories", "categories", db=db)
    r = run("categories", "-f", "prometheus", db=db)
    check.equal("prometheus", r.status, 0)


def symbols(place):
    """Symbols and threads of perf, labels of a JVM."""
    with tarfile.open(kit.ROOT / "tests/fixtures/perf/threads-fp.tar.xz") as tar:
        script = tar.extractfile("threads-fp/script.txt").read()
    names = [n for n in SOME if b"\n" not in n and b"(" not in n and b")" not in n]
    functions = sorted(set(re.findall(rb"\t *[0-9a-f]+ (\w+)\+0x", script)))[:len(names)]
    for function, name in zip(functions, names):
        script = script.replace(b" " + function + b"+0x", b" " + name + b"+0x")
    db = place / "symbols.db"
    (place / "script.txt").write_bytes(script)
    r = run("import-perf", str(place / "script.txt"), db=db)
    watch.harmless("perf", r.out + r.said)
    check.equal("perf: status", r.status, 0)
    tables = [t for t, in kit.plain(db).execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    kept = set()
    for table in map(os.fsdecode, tables):
        for row in kit.plain(db).execute('SELECT * FROM "%s"' % table):
            kept.update(v for v in row if isinstance(v, bytes))
    lost = [n for _, n in zip(functions, names) if n.strip() and not any(n in k for k in kept)]
    check.true("symbols are kept", len(lost) <= len(functions) // 4, lost)
    for args in (["recordings"], ["who"], ["sql", "SELECT * FROM symbol"]):
        r = run(*args, db=db)
        watch.harmless("perf %s" % args[0], r.out + r.said)


kit.main(stored, commands, errors, usage, rules, symbols, check=check)
