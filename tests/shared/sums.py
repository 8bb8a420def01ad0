"""Sums: diff by category, object and lineage gives the sums of the raw text, to the KiB; the
rebuilt snapshots equal their captures in every field, including names."""
import sys

import kit
import truth

# The postgres backend that leaks and lives for the whole run.
PIDS = {"redis": None, "memfd": None, "steady4000": None, "postgres": 19629}
BEATS = {"redis": 20, "memfd": 3, "steady4000": 3, "postgres": 8}
WIDE = ("redis", "postgres")  # workloads that are tested with -XX by default, too
DIALECT = {"smaps": "smaps", "XX": "pmap-XX"}
NUMBERS = list(truth.COLUMN.values()) + ["private_kib", "dirty_kib"]
COLUMNS = ["start", "end", "offset", "inode"] + NUMBERS + list(truth.TEXTS) + ["base", "category"]
ZERO = dict.fromkeys(truth.METRICS, 0)


def check_metrics(check, what, row, old, new):
    """The X_from, X_to and X_delta of each metric in one row of a diff."""
    for metric in truth.METRICS:
        got = tuple(kit.number(row[metric + end]) for end in ("_from", "_to", "_delta"))
        check.equal("%s %s" % (what, metric), got,
                    (old[metric], new[metric], new[metric] - old[metric]))


def check_keyed(check, what, got, old, new, key_of):
    """A diff by category or object has the same keys, and the numbers of every key."""
    found = {key_of(row): row for row in got}
    check.equal(what + " rows: one per key", len(got), len(found))
    check.equal(what + " keys: the set", sorted(found), sorted(set(old) | set(new)))
    for key, row in found.items():
        check_metrics(check, "%s: %s" % (what, key), row, old.get(key, ZERO), new.get(key, ZERO))


def check_lineages(check, what, got, old, new):
    """A diff by lineage: each row adds up, and all rows together."""
    total = {m + e: 0 for m in truth.METRICS for e in ("_from", "_to", "_delta")}
    for row in got:
        values = {k: kit.number(row[k]) for k in total}
        for metric in truth.METRICS:
            check.equal("%s row: lineage %s" % (what, row["lineage_id"]), values[metric + "_delta"],
                        values[metric + "_to"] - values[metric + "_from"])
        there = (values["mappings_from"] > 0, values["mappings_to"] > 0)
        check.true("%s change: lineage %s" % (what, row["lineage_id"]),
                   {(True, False): ["gone"], (False, True): ["new"]}.get(
                       there, ["grown", "shrunk", "moved", "same"]).count(row["change"]) == 1,
                   "%s with %s mappings" % (row["change"], there))
        for k in total:
            total[k] += values[k]
    for metric in truth.METRICS:
        check.equal("%s total: %s" % (what, metric),
                    (total[metric + "_from"], total[metric + "_to"]), (old[metric], new[metric]))


def check_unexplained(check, what, db, by, process):
    """The line `unexplained` below the table is 0."""
    text = kit.run("diff", *process, "--by", by, "--format", "table", db=db).stdout.decode()
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("unexplained")]
    check.true(what + " unexplained: is 0", bool(lines) and lines[0].split()[1] == "0",
               lines or text[-300:])


def check_diffs(check, what, db, first, last, process):
    for by, key, key_of in (("category", truth.by_category, lambda r: r["category"]),
                            ("object", truth.by_object, lambda r: (r["category"], r["object"]))):
        got = kit.rows("diff", *process, "--by", by, "--from", "first", "--to", "last", db=db)
        check_keyed(check, "%s by %s" % (what, by), got, truth.sums(first, key),
                    truth.sums(last, key), key_of)
        check_unexplained(check, "%s by %s" % (what, by), db, by, process)
    got = kit.rows("diff", *process, "--by", "lineage", db=db)
    check_lineages(check, what + " by lineage", got, truth.sums(first, truth.everything)["all"],
                   truth.sums(last, truth.everything)["all"])
    check_unexplained(check, what + " by lineage", db, "lineage", process)


def rebuilt(connection, snapshot_id):
    """The rows of one snapshot from the view, without unknown values."""
    sql = "select %s from mappings where snapshot_id = ? order by start < 0, start" % ",".join(
        '"%s"' % c for c in COLUMNS)
    for values in connection.execute(sql, (snapshot_id,)):
        row = {c: v for c, v in zip(COLUMNS, values) if v is not None}
        for column in ("start", "end", "offset", "inode"):
            row[column] &= (1 << 64) - 1
        row |= {c: row[c].decode() for c in ("base", "category")}
        # Missing flags and a missing name are empty texts in the raw line.
        yield {k: v for k, v in row.items() if v != b""}


def check_rebuilt(check, what, db, captures):
    ids = kit.snapshot_ids(db)
    connection = kit.plain(db)
    for path, rows in captures:
        moment, pid = kit.when(path)
        snapshot_id = ids.get((moment, pid, DIALECT[path.suffix[1:]]))
        if not check.true("%s stored: %s" % (what, path.name), snapshot_id is not None, "missing"):
            continue
        want = [{k: v for k, v in row.items() if v != b""} for row in rows]
        got = list(rebuilt(connection, snapshot_id))
        check.equal("%s rebuilt rows: %s" % (what, path.name), len(got), len(want))
        for i, (a, b) in enumerate(zip(got, want)):
            if a != b:
                differ = {k: (a.get(k), b.get(k)) for k in a.keys() | b.keys()
                          if a.get(k) != b.get(k)}
                check.fail("%s rebuilt: %s row %d" % (what, path.name, i),
                           "%x: column (got, text) %s" % (b["start"], differ))
        check.done += len(want)
    connection.close()


def check_snapshots(check, what, db, captures):
    """The totals and the state of each stored snapshot."""
    stored = {(kit.milliseconds(r["taken_at"]), int(r["pid"])): r
              for r in kit.rows("snapshots", db=db)}
    check.equal(what + " snapshots: number", len(stored), len(captures))
    for path, rows in captures:
        want = truth.sums(rows, truth.everything)["all"]
        got = stored.get(kit.when(path))
        if check.true("%s totals: %s" % (what, path.name), got is not None, "missing"):
            check.equal("%s totals: %s" % (what, path.name),
                        {m: kit.number(got[m]) for m in truth.METRICS}, want)
            # pmap -XX reads smaps twice, first to measure and add up, then to print: the footer of
            # a running process is of another moment than its rows, which are complete.
            check.equal("%s state: %s" % (what, path.name), got["state"], "complete")


def main():
    check = kit.Check()
    chosen = [a for a in sys.argv[1:] if a in BEATS] or BEATS
    for name in chosen:
        workload = kit.Workload(name)
        pids = PIDS[name] and {PIDS[name]}
        beats = [(t, of) for t, of in workload.beats if not pids or pids & set(of)]
        workload.beats = beats
        suffixes = ("smaps", "XX") if kit.full or name in WIDE else ("smaps",)
        with kit.Place() as place:
            unpacked = workload.unpack(place / "in", workload.sample(BEATS[name]), *suffixes, pids=pids)
            for suffix in suffixes:
                paths = [p for p in unpacked if p.suffix == "." + suffix]
                db, what = place / (suffix + ".db"), "%s.%s" % (name, suffix)
                done = kit.run("import", *paths, db=db, expect=(0, 2))
                check.equal(what + " import: exit (standard error: %s)" % done.stderr.decode(),
                            done.returncode, 0)
                rows = truth.refine([truth.read(p) for p in paths])
                captures = list(zip(paths, rows))
                check_snapshots(check, what, db, captures)
                check_diffs(check, what, db, rows[0], rows[-1], [])
                step = 10 if kit.full else max(1, len(paths) // 4)
                check_rebuilt(check, what, db, captures[::step])
    check.finish()


main()
