"""Order: the answers do not depend on the order, the grouping or the repetition of imports, nor on
weaker dialects of the same moments in the store. Ids may differ: the test numbers them by their first
appearance in time, so that equal stores have equal numbers. (crash/together imports at the same time.)"""
import kit

DIFFS = ("category", "object", "lineage")
# name -> (beats by default, in full)
SETS = {"c_mmap": (16, 200), "nginx": (6, 120), "memfd": (3, 40)}


class Names:
    """Names of the ids of one store that do not depend on the order of imports."""

    def __init__(self, db):
        self.rows = {command: kit.rows(command, db=db) for command in ("snapshots", "processes")}
        self.snapshot = {r["snapshot_id"]: (r["taken_at"], r["pid"], r["dialect"])
                         for r in self.rows["snapshots"]}
        self.process = {r["process_id"]: (r["pid"], r["first_at"])
                        for r in self.rows["processes"]}
        self.lineage, self.partition = {}, []
        connection = kit.plain(db)
        found = [self.snapshot[str(s)] + (start, lineage_id) for s, start, lineage_id in
                 connection.execute("select snapshot_id, start, lineage_id from mappings")]
        connection.close()
        # smaps first: weaker dialects then do not change the numbers of smaps.
        for taken, pid, dialect, start, lineage_id in sorted(
                found, key=lambda r: (r[2] != "smaps",) + r):
            name = self.lineage.setdefault(str(lineage_id), len(self.lineage))
            self.partition.append((taken, pid, dialect, start, name))

    def translate(self, rows):
        maps = {"snapshot_id": self.snapshot, "process_id": self.process,
                "lineage_id": self.lineage}
        out = [tuple((k, maps[k].get(v, v) if k in maps else v) for k, v in row.items())
               for row in rows]
        return sorted(out, key=repr)


def answers(db, process, moments, dialect=()):
    """{name: the rows of one answer with the names of ids}"""
    names = Names(db)
    out = {"lineages": names.partition}
    if not dialect:
        out |= {command: names.translate(rows) for command, rows in names.rows.items()}
    one = ["--process", process, *dialect]
    for moment in moments:
        for command in ("categories", "mappings"):
            ask = [*one, "--snapshot", moment]
            out["%s at %s" % (command, moment)] = names.translate(kit.rows(command, *ask, db=db))
    for by in DIFFS:
        out["diff by " + by] = names.translate(kit.rows("diff", *one, "--by", by, db=db))
    out["growth"] = names.translate(kit.rows("growth", *one, db=db))
    return out


def compare(check, what, got, want):
    for name, expected in want.items():
        rows = got[name]
        check.done += 1
        if rows == expected:
            continue
        only_there = [r for r in expected if r not in set(rows)]
        only_here = [r for r in rows if r not in set(expected)]
        differ = list(zip(only_there, only_here))[:1]
        shown = [[pair for pair in zip(a, b) if pair[0] != pair[1]] for a, b in differ]
        check.fail("%s %s" % (what, name), "%d rows, the reference has %d; %d only here, %d only "
                   "there; the first two differ in %.600s" % (
                       len(rows), len(expected), len(only_here), len(only_there), shown))


def file_by_file(db, paths):
    for path in paths:
        kit.run("import", path, db=db)


def orders(check, name, place, paths, process, moments):
    base = place / "base.db"
    kit.run("import", place / "in", db=base)
    want = answers(base, process, moments)
    size = kit.vacuumed_size(base)

    def same(what, db, limit):
        given = answers(db, process, moments)
        check.equal("%s %s: snapshots" % (name, what), len(given["snapshots"]), len(paths))
        compare(check, "%s %s" % (name, what), given, want)
        got = kit.vacuumed_size(db)
        print("%s %s: %d bytes, %.2f of the directory's" % (name, what, got, got / size),
              flush=True)
        check.true("%s %s: size" % (name, what), got <= limit * size,
                   "%d bytes, the directory takes %d, limit %.1f x" % (got, size, limit))

    kit.run("import", place / "in", db=base)
    same("twice", base, 1.0)
    kit.run("import", *reversed(paths), db=place / "reverse.db")
    same("reverse", place / "reverse.db", 1.1)
    single = place / "single.db"
    file_by_file(single, list(reversed(paths)))
    same("file by file in reverse", single, 1.5)


def dialects(check, name, place, workload, beats, process, moments):
    """smaps alone against smaps, -XX and -x of each beat together, in two orders of import."""
    alone, together = place / "alone.db", place / "together.db"
    paths = workload.unpack(place / "mixed", beats, "smaps", "XX", "x")
    kit.run("import", *[p for p in paths if p.suffix == ".smaps"], db=alone)
    kit.run("import", place / "mixed", db=together)
    late = place / "late.db"
    for suffix in (".x", ".XX", ".smaps"):
        kit.run("import", *[p for p in paths if p.suffix == suffix], db=late)
    drop = ("snapshots", "processes")
    asks = {"smaps asked": ("--dialect", "smaps"), "default": ()}
    wanted = {how: answers(alone, process, moments, asked) for how, asked in asks.items()}
    for what, db in (("together", together), ("smaps last", late)):
        check.equal("%s %s: snapshots" % (name, what), len(kit.rows("snapshots", db=db)),
                    len(paths))
        for how, asked in asks.items():
            got = answers(db, process, moments, asked)
            got["lineages"] = [r for r in got["lineages"] if r[2] == "smaps"]
            compare(check, "%s %s, %s" % (name, what, how), got,
                    {k: v for k, v in wanted[how].items() if k not in drop})


def iso(beat):
    return kit.datetime.datetime.fromtimestamp(
        beat[0], kit.datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def main():
    check = kit.Check()
    for name, (few, many) in SETS.items():
        workload = kit.Workload(name)
        beats = workload.beats[:many if kit.full else few]
        moments = [iso(beats[len(beats) // 3]), iso(beats[-1])]
        process = str(beats[0][1][0])
        with kit.Place() as place:
            paths = workload.unpack(place / "in", beats, "smaps")
            orders(check, name, place, paths, process, moments)
        if name == "memfd" and not kit.full:
            continue
        with kit.Place() as place:
            some = beats if kit.full else beats[:few // 2 + 1]
            dialects(check, name, place, workload, some, process, [iso(beats[0])])
    check.finish()


if __name__ == "__main__":
    main()
