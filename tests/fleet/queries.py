"""Answers of `pmapdb fleet`, calculated from the facts about the hosts, not from the rows that they push.

check() compares the program with these answers: over the random fleet of made(), whose rows are as many
pushes leave them (twice, in any order, older versions of a row beside newer ones, rows of categories
from before rules were applied again, unknown numbers, hosts with two stores), or over other hosts with
the attributes of Host.
"""
import copy
import json
import pathlib
import random
import statistics
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import served  # noqa: E402  pylint: disable=wrong-import-position

HOUR, DAY = 3600000, 86400000
NOW = 1772706000000  # 2026-03-05T10:20:00Z
NUMBERS = ["mappings", "size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib", "swap_kib"]
COLUMNS = {
    "hosts": "host_id host at_ms label_key label_value schema seq",
    "marks": "host_id host store gen through_ms pushed_ms rows seq",
    "spans": "host_id process_key store name pid boot_id command exe user cgroup memory_max_kib dialect state "
             "first_ms last_ms n seq",
    "points": "host_id name process_key gen category at_ms " + " ".join(NUMBERS),
    "hourly": "host_id name category hour gen at_ms processes " + " ".join(NUMBERS) + " seq",
    "totals": "host_id name hour at_ms processes memory_max_kib " + " ".join(NUMBERS) + " seq",
    "objects": "host_id name object category hour gen at_ms " + " ".join(NUMBERS) + " seq",
    "verdicts": "host_id name category metric process_key pid gen day judged_ms verdict shape since_ms rate_per_h "
                "rate_low rate_high could_see_per_h last_kib limit_kib limit_by eta_h snapshots processes stack_hash "
                "build seq",
    "stacks": "stack_hash host_id name category stack growth_kib share from_ms to_ms seq"}


def iso(ms):
    """A time as the program prints it."""
    import datetime  # pylint: disable=import-outside-toplevel
    return datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def field(value):
    """A value as a field of tab-separated text."""
    if isinstance(value, int):
        return str(value)
    if value is None:
        return "\\N"
    if isinstance(value, list):
        return "[" + ",".join("'" + v.replace("\\", "\\\\").replace("'", "\\'") + "'" for v in value) + "]"
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def middle(values, share=0.5):
    """quantileExact of ClickHouse: the element at that share of the sorted values, rounded down."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def total(values):
    """A sum, or None if a part is unknown."""
    values = list(values)
    return None if None in values else sum(values)


class Rows:
    """The rows to be sent: shuffled, some twice, some after an older version."""

    def __init__(self, rng):
        self.rng, self.rows = rng, {table: [] for table in COLUMNS}

    def put(self, table, **values):
        names = COLUMNS[table].split()
        row = [values.get(n, "" if n in ("boot_id", "command", "exe", "user", "cgroup", "dialect", "state", "shape",
                                         "limit_by", "build") else None if n in NUMBERS else 0) for n in names]
        self.rows[table].append(row)
        if self.rng.random() < 0.2:
            self.rows[table].append(row)

    def put_newer(self, table, wrong, **values):
        """Adds the row, and sometimes an older version of it with other values."""
        if self.rng.random() < 0.3:
            self.put(table, **{**values, **wrong, "seq": 1})
        self.put(table, **{**values, "seq": 5})

    def send(self, fleet, database):
        for table, rows in self.rows.items():
            self.rng.shuffle(rows)
            half = len(rows) // 2
            for part in (rows[:half], rows[half:]):  # two parts that the server has not merged yet
                text = "\n".join("\t".join(map(field, row)) for row in part)
                names = ", ".join(COLUMNS[table].split())
                fleet.ask(f"INSERT INTO {table} ({names}) FORMAT TabSeparated", database=database,
                          data=text.encode(), insert_distributed_sync=1)


class Host:
    """The facts about one host."""

    def __init__(self, rng, number):
        self.stacks, self.renamed = STACKS, False
        self.id, self.name = 1000 + number * 77777777777, f"host-{number:02}"
        self.gen = rng.choice([1, 1, 2])
        self.stores = [f"{number:015x}{s}" for s in range(rng.choice([1, 1, 1, 2]))]
        self.role = rng.choice(["payments", "web", ""])
        self.moved = NOW - rng.randrange(9, 14) * HOUR + 60000 if rng.random() < 0.5 else None
        self.builds = ["2.3.0", "2.3.1"] if self.moved else [rng.choice(["2.3.0", "2.3.1"])]
        self.silent = rng.choice([0, 0, 0, 3 * HOUR, 40 * HOUR])
        self.pushed = NOW - self.silent - rng.randrange(60000, 900000)
        self.through = self.pushed - rng.choice([30000, 30000, 5 * HOUR])
        self.limit = {name: rng.choice([None, 900000, 600000]) for name in ("api", "redis", "nginx")}
        self.hourly = {}   # (name, category, hour in ms): (processes, numbers)
        self.totals = {}   # (name, hour in ms): (processes, numbers)
        self.objects = {}  # (name, object, category): {hour: rss}
        self.verdicts = []

    def labels(self, at):
        """The labels at a time."""
        value = {"build": self.builds[-1] if not self.moved or at >= self.moved else self.builds[0]}
        return {**value, **({"role": self.role} if self.role else {})}


def make_hourly(rng, host):
    """A week of hours; some hosts grow, one name is missing on some, one number is unknown."""
    for name in ("api", "redis", "nginx"):
        if rng.random() < 0.2:
            continue
        for category in ("heap", "anonymous", "shared-library"):
            base, slope = rng.randrange(20000, 200000), rng.choice([0, 0, 0, rng.randrange(100, 3000)])
            if host.name[-1] == "7":  # an outlier
                base *= 9
            no_swap = rng.random() < 0.1
            first = NOW // HOUR * HOUR - rng.choice([170, 170, 170, 15, 6]) * HOUR
            for hour in range(first, host.through // HOUR * HOUR + 1, HOUR):
                faster = 3 if host.moved and hour > host.moved else 1
                rss = base + slope * faster * (hour - first) // HOUR + rng.randrange(0, 40)
                numbers = [rng.randrange(1, 50), rss * 3, None if rng.random() < 0.001 else rss, rss - 5, rss - 9,
                           rss - 11, None if no_swap else rng.randrange(0, 99)]
                host.hourly[name, category, hour] = (3, numbers)
        parts = {}
        for (n, _, hour), (_, numbers) in host.hourly.items():
            if n == name:
                parts.setdefault(hour, []).append(numbers)
        for hour, each in sorted(parts.items()):
            host.totals[name, hour] = 3 + hour // HOUR % 2, [total(column) for column in zip(*each)]


def make_objects(rng, host):
    for name in ("api", "redis"):
        for thing, category in (("[heap]", "heap"), ("[anon]", "anonymous"), ("[anon]", "reserve"), ("/lib/it's\\.so", "shared-library")):
            hours = sorted(rng.sample(range(-240, 0), rng.randrange(0, 9)))
            rss = rng.randrange(1000, 9000)
            steps = {}
            for hour in hours:
                rss = max(rss + rng.randrange(-500, 2000), 0)
                steps[NOW // HOUR * HOUR + hour * HOUR] = rss
            if steps:
                host.objects[name, thing, category] = steps


def make_verdicts(rng, host):
    day = NOW // DAY * DAY - rng.choice([0, 0, 1, 4]) * DAY
    for name in ("api", "redis"):
        for category in ("heap", "anonymous", "total"):
            leaking = host.builds[-1] == "2.3.1" and name == "api" and rng.random() < 0.7
            for process in range(rng.choice([1, 2]) if leaking else 0):
                host.verdicts.append({
                    "name": name, "category": category, "metric": "rss", "process_key": host.id + process * 10 + len(category),
                    "pid": rng.choice([None, 100 + process]), "day": day, "judged_ms": day + rng.randrange(1, 9) * HOUR,
                    "verdict": rng.choice(["leak", "leak", "suspect"]), "since_ms": rng.choice([None, day - 9 * HOUR - process]),
                    "rate_per_h": rng.randrange(100, 9000) / 4, "last_kib": 5000, "limit_kib": rng.choice([None, 90000]),
                    "limit_by": "cgroup", "eta_h": rng.choice([None, rng.randrange(0, 90) / 2]), "processes": 1,
                    "build": host.builds[-1]})
            host.verdicts.append({
                "name": name, "category": category, "metric": "rss", "process_key": 0, "pid": None, "day": day,
                "judged_ms": day, "verdict": "steady", "since_ms": None, "rate_per_h": None, "last_kib": None,
                "limit_kib": None, "limit_by": "", "eta_h": None, "processes": rng.randrange(1, 5),
                "build": host.builds[-1]})


STACKS = {("api", "heap"): [("malloc < a < main", 500), ("malloc < b < main", 900)], ("api", "anonymous"): [("mmap < c", None)]}


def put_host(rows, host):
    """Adds the rows of a host."""
    rng = rows.rng
    rows.put("hosts", host_id=host.id, host=host.name, at_ms=NOW - 9 * DAY, seq=1,
             label_key=list(host.labels(0)), label_value=list(host.labels(0).values()))
    if host.moved:
        rows.put("hosts", host_id=host.id, host=host.name, at_ms=host.moved, seq=2,
                 label_key=list(host.labels(NOW)), label_value=list(host.labels(NOW).values()))
    for store in host.stores:
        rows.put_newer("marks", {"gen": 1, "through_ms": host.through - DAY, "pushed_ms": host.pushed - DAY},
                       host_id=host.id, host=host.name, store=store, gen=host.gen, through_ms=host.through,
                       pushed_ms=host.pushed)
    for name, limit in host.limit.items():
        rows.put_newer("spans", {"last_ms": None}, host_id=host.id, process_key=host.id + 1, store=host.stores[0],
                       name=name, memory_max_kib=limit, first_ms=NOW - 8 * DAY + len(name), last_ms=None)
    for (name, category, hour), (processes, numbers) in host.hourly.items():
        values = dict(zip(NUMBERS, numbers), host_id=host.id, name=name, category=category, hour=hour // 1000,
                      at_ms=hour + 3540000, processes=processes)
        rows.put_newer("hourly", {"rss_kib": 7, "swap_kib": None}, gen=host.gen, **values)
        if host.gen == 2 and rng.random() < 0.2:
            rows.put("hourly", **{**values, "gen": 1, "category": "old", "seq": 3})
    last = {name: hour for name, hour in sorted(host.totals)}
    for (name, hour), (processes, numbers) in host.totals.items():
        limit = host.limit[name] if hour == last[name] else 9
        rows.put_newer("totals", {"rss_kib": 7, "swap_kib": None, "memory_max_kib": 8}, host_id=host.id, name=name, hour=hour // 1000,
                       at_ms=hour + 3540000, processes=processes, memory_max_kib=limit, **dict(zip(NUMBERS, numbers)))
    for (name, thing, category), steps in host.objects.items():
        for hour, rss in steps.items():
            rows.put_newer("objects", {"rss_kib": 1}, host_id=host.id, name=name, object=thing, category=category,
                           hour=hour // 1000, gen=host.gen, at_ms=hour, rss_kib=rss)
    for v in host.verdicts:
        rows.put_newer("verdicts", {"verdict": "suspect", "processes": 1}, host_id=host.id, gen=host.gen,
                       **{**v, "day": iso(v["day"])[:10]})
    for (name, category), stacks in STACKS.items():
        for stack, growth in stacks:
            rows.put("stacks", stack_hash=len(stack), host_id=host.id, name=name, category=category, stack=stack,
                     growth_kib=growth, seq=1)


# ---- the answers, from the facts ----

def sums(host, name, hour, category=""):
    """(processes, rss, swap) of a name in an hour, or None."""
    processes, numbers = (host.hourly.get((name, category, hour)) if category else host.totals.get((name, hour))) or (None, None)
    return numbers and (processes, numbers[2], numbers[6])


def names_of(host):
    """The names in the hours of a host."""
    return sorted({name for name, _ in host.totals})


def last_hour(host, since):
    """The newest hour of a host after a time."""
    return max((h for _, h in host.totals if since < h <= NOW), default=None)


def labels_text(host, at=NOW):
    return " ".join(sorted(f"{k}={v}" for k, v in host.labels(at).items()))


def hosts_answer(hosts):
    for h in hosts:
        hour = last_hour(h, NOW - 90000000)
        names = [s for s in (sums(h, n, hour) for n in names_of(h)) if s]
        yield {"host": h.name, "labels": labels_text(h), "stores": len(h.stores),
               "processes": sum(s[0] for s in names) if names else None,
               "rss_kib": total(s[1] for s in names) if names else None,
               "swap_kib": total(s[2] for s in names) if names else None,
               "through_at": iso(h.through), "pushed_at": iso(h.pushed)}


def growth_answer(hosts, category=""):
    found = {}
    for h in hosts:
        last = NOW // HOUR * HOUR - HOUR
        for hour in range(last, NOW - 7 * DAY - 1, -DAY):
            names = [s for s in (sums(h, n, hour, category) for n in names_of(h)) if s]
            if names and hour >= NOW - 7 * DAY:
                found.setdefault((h.role, hour + HOUR), []).append(names)
    for (role, at), each in sorted(found.items()):
        rss = total(s[1] for names in each for s in names)
        yield {"role": role, "at": iso(at), "hosts": len(each), "processes": sum(s[0] for n in each for s in n),
               "rss_kib": rss, "rss_kib_host": None if rss is None else rss // len(each),
               "swap_kib": total(s[2] for n in each for s in n)}


def objects_answer(hosts, since=NOW - DAY):
    found = {}
    for h in hosts:
        for (_, thing, category), steps in h.objects.items():
            seen = {t: rss for t, rss in steps.items() if t > since - 8 * DAY}
            if seen:
                before = [t for t in seen if t <= since]
                older, newer = seen[max(before) if before else min(seen)], seen[max(seen)]
                both = found.setdefault((thing, category), {}).setdefault(h, [0, 0])
                both[0] += older
                both[1] += newer
    rows = []
    for (thing, category), each in found.items():
        worst = max(each, key=lambda h: (each[h][1] - each[h][0], h.id))
        delta = sum(b - a for a, b in each.values())
        if delta:
            rows.append({"object": thing, "category": category, "hosts": len(each),
                         "grown": sum(b > a for a, b in each.values()), "rss_kib_from": sum(a for a, _ in each.values()),
                         "rss_kib_to": sum(b for _, b in each.values()), "rss_kib_delta": delta,
                         "worst_host": worst.name, "worst_kib": each[worst][1] - each[worst][0]})
    return sorted(rows, key=lambda r: (-r["rss_kib_delta"], r["object"], r["category"]))


def current(host, now):
    """The verdicts of a host on its newest day, if this is recent."""
    day = max((v["day"] for v in host.verdicts if now // DAY * DAY - DAY <= v["day"]), default=None)
    return [v for v in host.verdicts if v["day"] == day]


def leaks_answer(hosts, now=NOW):
    judged, leaking, stacks = {}, {}, {}
    for h in hosts:
        stacks.update(h.stacks)
        for v in current(h, now):
            if v["category"] != "total" and v["metric"] != "mappings":
                key = v["name"], v["category"], v["build"]
                judged.setdefault(key, set()).add(h)
                if v["verdict"] == "leak":
                    leaking.setdefault(key, {}).setdefault(h, []).append(v)
    rows = []
    for (name, category, build), each in leaking.items():
        rates = [middle([v["rate_per_h"] for v in vs]) for vs in each.values()]
        since = [v["since_ms"] for vs in each.values() for v in vs if v["since_ms"]]
        n, of = len(each), len(judged[name, category, build])
        stack = max(stacks.get((name, category), [(None, 0)]), key=lambda s: s[1] or 0)[0]
        rows.append({"name": name, "category": category, "build": build, "leaking": n, "judged": of, "share": n / of,
                     "rate_per_h": middle(rates), "rate_10": middle(rates, 0.1), "rate_90": middle(rates, 0.9),
                     "first_at": iso(min(since)) if since else None, "stack": stack})
    return sorted(rows, key=lambda r: (-r["leaking"], -r["rate_per_h"], r["name"], r["category"], r["build"]))


def limit_answer(hosts, now=NOW):
    rows = []
    for h in hosts:
        for v in current(h, now):
            left = None if v["eta_h"] is None else v["eta_h"] - (now - v["judged_ms"]) / HOUR
            if v["verdict"] in ("leak", "suspect") and left is not None and left <= 24:
                rows.append({"host": h.name, "name": v["name"], "pid": v["pid"], "category": v["category"],
                             "verdict": v["verdict"], "rate_per_h": v["rate_per_h"], "last_kib": v["last_kib"],
                             "limit_kib": v["limit_kib"], "limit_by": v["limit_by"], "eta_h": max(left, 0),
                             "judged_at": iso(v["judged_ms"]), "build": v["build"]})
    return sorted(rows, key=lambda r: (r["eta_h"], r["host"], r["name"], r["pid"] is None, r["pid"] or 0, r["category"], -r["rate_per_h"]))


def slope(pairs):
    """The slope of the line through (hour, size)."""
    return statistics.linear_regression(*zip(*pairs)).slope


def forecast_answer(hosts, name="api"):
    rows = []
    for h in hosts:
        hours = [(t // HOUR, sums(h, name, t)) for t in range((NOW - DAY) // HOUR * HOUR + HOUR, NOW, HOUR)]
        hours = [(t, s) for t, s in hours if s and s[1] is not None]
        if len(hours) < 2:
            continue
        rate, (_, last) = slope([(t, s[1]) for t, s in hours]), hours[-1]
        limit = h.limit.get(name)
        rows.append({"host": h.name, "processes": last[0], "hours": len(hours), "first_kib": hours[0][1][1],
                     "last_kib": last[1], "rate_per_h": rate, "limit_kib": limit,
                     "eta_h": None if not limit or rate <= 0 else max((limit - last[1]) / rate, 0)})
    return sorted(rows, key=lambda r: (r["eta_h"] is None, r["eta_h"] or 0, -r["rate_per_h"], r["host"]))


def changed_answer(hosts):
    found = {}
    for h in hosts:
        if not h.moved:
            continue
        turn = h.moved // HOUR
        for name in names_of(h):
            hours = [(t, sums(h, name, t * HOUR)) for t in range(turn - 8, turn + 9)]
            hours = [(t, s[1]) for t, s in hours if s and s[1] is not None and t * HOUR <= NOW]
            before, after = [p for p in hours if p[0] < turn], [p for p in hours if p[0] > turn]
            if len(before) >= 2 and len(after) >= 2:
                found.setdefault((name, *h.builds), []).append((slope(before), slope(after), before[-1][1], after[-1][1], h.moved))
    rows = []
    for (name, was, is_now), each in found.items():
        before, after, first, last, at = zip(*each)
        rows.append({"name": name, "value_from": was, "value_to": is_now, "hosts": len(each),
                     "rate_before": middle(before), "rate_after": middle(after),
                     "rate_delta": middle(after) - middle(before), "rss_kib_from": middle(first),
                     "rss_kib_to": middle(last), "changed_at": iso(min(at))})
    return sorted(rows, key=lambda r: -r["rate_delta"])


def worst_answer(hosts, name="api"):
    rows = []
    for h in hosts:
        hours = sorted(t for n, t in h.totals if n == name and NOW - DAY - 3 * HOUR < t <= NOW)
        if not hours:
            continue
        now = sums(h, name, hours[-1])
        old = [sums(h, name, t)[1] for t in hours if t + HOUR <= NOW - DAY]
        old = [rss for rss in old if rss is not None]
        rows.append({"host": h.name, "labels": labels_text(h), "processes": now[0], "rss_kib": now[1],
                     "rss_kib_delta": now[1] - old[-1] if old and now[1] is not None else None, "swap_kib": now[2],
                     "at": iso(hours[-1] + HOUR)})
    return sorted(rows, key=lambda r: (-(r["rss_kib"] or 0), r["host"]))[:20]


def outliers_answer(hosts):
    groups = {}
    for h in hosts:
        hour = last_hour(h, NOW - 3 * HOUR)
        for name in names_of(h):
            s = sums(h, name, hour) if hour else None
            if s and s[1] is not None:
                groups.setdefault((h.role, name), []).append((h, s))
    rows = []
    for (role, name), each in groups.items():
        if len(each) < 5:
            continue
        median = middle([s[1] for _, s in each])
        spread = max(1.4826 * middle([abs(s[1] - median) for _, s in each]), 0.01 * median + 1)
        for h, s in each:
            far = (s[1] - median) / spread
            if abs(far) >= 5 and abs(s[1] - median) >= 32768:
                rows.append({"host": h.name, "role": role, "name": name, "processes": s[0], "rss_kib": s[1],
                             "median_kib": median, "hosts": len(each), "deviations": far})
    return sorted(rows, key=lambda r: (-abs(r["deviations"]), r["host"], r["name"]))


def silent_answer(hosts):
    rows = []
    for h in hosts:
        for store in h.stores:
            if h.through < NOW - HOUR and not h.renamed:
                push = h.pushed < NOW - HOUR
                rows.append({"host": h.name, "store": store, "what": "push" if push else "capture",
                             "silent_h": (NOW - (h.pushed if push else h.through)) / HOUR, "through_at": iso(h.through),
                             "pushed_at": iso(h.pushed), "labels": labels_text(h)})
    return sorted(rows, key=lambda r: (-r["silent_h"], r["host"], r["store"]))


def asked(now):
    """{question: (function of its answer, its words)}; questions about verdicts are asked for the time `now`."""
    at = ["--at", iso(NOW)]
    return {
        "hosts": (hosts_answer, at), "growth-by-role": (growth_answer, ["--to", iso(NOW), "--from", iso(NOW - 7 * DAY)]),
        "top-objects": (objects_answer, ["--to", iso(NOW), "--from", iso(NOW - DAY)]),
        "leaks-by-build": (lambda hosts: leaks_answer(hosts, now), ["--at", iso(now)]),
        "near-limit": (lambda hosts: limit_answer(hosts, now), ["--at", iso(now)]),
        "forecast": (forecast_answer, ["--name", "api", "--to", iso(NOW), "--from", iso(NOW - DAY)]),
        "changed-since": (changed_answer, ["--to", iso(NOW), "--since", iso(NOW - DAY)]),
        "worst-hosts": (worst_answer, ["--name", "api", *at]), "outliers": (outliers_answer, at),
        "silent-hosts": (silent_answer, at)}


def equal(got, want):
    """Compares two rows; real numbers may differ in their last digits."""
    want = {k: v for k, v in want.items() if v is not None}
    return got.keys() == want.keys() and all(
        abs(got[k] - v) <= 1e-9 * max(1, abs(v)) if isinstance(v, float) else got[k] == v for k, v in want.items())


def compare(name, got, want):
    """Returns the differences of an answer, at most three."""
    want = list(want)
    wrong = [f"{name}: row {i}: is {g}, should be {w}" for i, (g, w) in enumerate(zip(got, want)) if not equal(g, w)]
    if len(got) != len(want):
        wrong.append(f"{name}: {len(got)} rows, should be {len(want)}")
    return wrong[:3]


looked = set()  # commands and questions that a new process has run, to look for leaks


def run(pmapdb, *words):
    """Returns standard output of a command that must succeed."""
    line, env, kind = [str(w) for w in (pmapdb, *words)], {"TZ": "UTC", "PMAPDB_CONFIG": ""}, words[:1 + (words[0] == "fleet")]
    if kind in looked:
        done = served.run(line, {**env, "ASAN_OPTIONS": "detect_leaks=0"})
    else:
        looked.add(kind)
        done = subprocess.run(line, capture_output=True, check=False, env=env)
    if done.returncode:
        raise RuntimeError(f"{' '.join(line)}: {done.stderr.decode()}")
    return done.stdout.decode()


def ask(pmapdb, url, database, words):
    """Returns the rows of a question."""
    return json.loads(run(pmapdb, "fleet", *words, "--url", url, "--database", database, "-f", "json"))


def only(host, name):
    """A copy of the host that has only one name."""
    host = copy.copy(host)
    host.hourly, host.totals, host.objects = (
        {key: v for key, v in of.items() if key[0] == name} for of in (host.hourly, host.totals, host.objects))
    host.verdicts = [v for v in host.verdicts if v["name"] == name]
    return host


def check(pmapdb, url, database, hosts, now=NOW):
    """Returns the wrong answers to all questions over hosts; if a question takes a name, also for one name."""
    wrong, named = [], [only(h, "api") for h in hosts]
    for name, (answer, words) in asked(now).items():
        one = name in ("growth-by-role", "changed-since", "outliers", "top-objects", "leaks-by-build", "near-limit")
        for of, more in [(hosts, []), (named, ["--name", "api"])][:1 + one]:
            want = list(answer(of))
            if not want:
                wrong.append(f"{name}: this fleet has no row for it")
            wrong += compare(" ".join([name, *more]), ask(pmapdb, url, database, [name, *words, *more]), want)
    words = [*asked(now)["growth-by-role"][1], "--category", "heap"]
    return wrong + compare("heap by role", ask(pmapdb, url, database, ["growth-by-role", *words]), growth_answer(hosts, "heap"))


def made(fleet, database, seed):
    """Makes a random fleet and sends its rows. Returns the hosts."""
    rng = random.Random(seed)
    hosts = [Host(rng, i) for i in range(30)]
    rows = Rows(rng)
    for h in hosts:
        for make in (make_hourly, make_objects, make_verdicts):
            make(rng, h)
        put_host(rows, h)
    gone, reused = [h for h in hosts if h.through < NOW - HOUR][:2]
    gone.renamed = True
    for h, at in (gone, gone.through), (reused, reused.through - 1):  # a new machine has the name of `reused`
        rows.put("hosts", host_id=h.id + 1, host="new-" + h.name, at_ms=at, label_key=["was"], label_value=[h.name], seq=1)
    rows.send(fleet, database)
    return hosts


def hostile(pmapdb, fleet, database):
    """Returns the parameters that escape from their SQL literal."""
    names = ["x' OR '1'='1", "x\\' OR 1=1 --", "\\", "'", "''", "x\\", "*/ x /*", "-- x", "x\n' OR 1=1", "\t\\N", ":name",
             "toInt64(1)", "$1", "# x", "\u2018x\u2019", "`", "\"", "x'); DROP TABLE hosts; --", "host-00' OR host='host-01"]
    wrong = []
    for name in names:
        try:
            rows = ask(pmapdb, fleet.urls[0], database, ["growth-by-role", "--label", name, "--name", name, "--category", name, "--to", iso(NOW)])
        except RuntimeError as e:
            rows = [str(e)]
        if rows:
            wrong.append(f"{name}: {rows[:1]}")
    fleet.ask("INSERT INTO marks (host_id, host, store) FORMAT TabSeparated", database=database,
              data=f"7\t{field(names[0])}\tx\n".encode(), insert_distributed_sync=1)
    got = ask(pmapdb, fleet.urls[0], database, ["hosts", "--at", iso(NOW)])
    if names[0] not in [r["host"] for r in got]:
        wrong.append("a host with a quote in its name is not found")
    return wrong


def schema(pmapdb, fleet, database, *options):
    """Makes the tables of a cluster."""
    text = subprocess.run([pmapdb, "fleet", "schema", "--database", database, "--cluster", "fleet", *options], capture_output=True,
                          text=True, check=True).stdout
    for server in [0] if "--replicated" in options else range(len(fleet.urls)):
        fleet.run(text, server)
