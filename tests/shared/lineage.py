"""Lineage: a mapping that moves keeps its lineage, another mapping at the same place has another lineage,
and each thread stack keeps its own lineage."""
import kit
import truth


def lineages(db):
    """{milliseconds: {start: lineage_id}} of the whole store."""
    out = {}
    connection = kit.plain(db)
    for taken_ms, start, lineage_id in connection.execute(
            "select s.taken_ms, m.start, m.lineage_id from snapshot s"
            " join mappings m on m.snapshot_id = s.snapshot_id"):
        out.setdefault(taken_ms, {})[start & ((1 << 64) - 1)] = lineage_id
    connection.close()
    return out


def load(name, beats, place):
    workload = kit.Workload(name)
    paths = workload.unpack(place / "in", workload.beats[:beats], "smaps")
    kit.run("import", place / "in", db=place / "t.db")
    found = lineages(place / "t.db")
    return paths, [(truth.read(p), found[kit.when(p)[0]]) for p in paths]


def told_history(check, db, ids, times, leak):
    """lineage_history of the leaking mapping: each capture lies in one stretch with the place and
    the size of the mapping."""
    connection = kit.plain(db)
    history = [r for i in ids for r in connection.execute(
        "select first_ms, last_ms, start, end, rss_kib from lineage_history where lineage_id = ?",
        (i,))]
    connection.close()
    for taken_ms, row in zip(times, leak):
        got = [r[2:] for r in history if r[0] <= taken_ms <= r[1]]
        check.equal("c_mmap lineage_history: at %d" % taken_ms, got,
                    [(row["start"], row["end"], row["rss_kib"])])


def moving(check, place):
    """c_mmap: the kernel merges each new region below the old one, so the start moves; the end,
    where libc begins, does not."""
    paths, captures = load("c_mmap", None, place)
    libc = min(r["start"] for r in captures[0][0] if r["path"].endswith(b"/libc.so.6"))
    leak = [next(r for r in rows if r["end"] == libc) for rows, _ in captures]
    check.true("c_mmap text: the start moves", len({r["start"] for r in leak}) > 190)
    ids = {found[r["start"]] for r, (_, found) in zip(leak, captures)}
    check.equal("c_mmap: lineages of the leaking mapping", len(ids), 1)
    others = {i for (_, found), r in zip(captures, leak) for s, i in found.items()
              if s != r["start"]}
    check.equal("c_mmap: other mappings in its lineage", ids & others, set())
    told_history(check, place / "t.db", ids, [kit.when(p)[0] for p in paths], leak)
    size = [(r["end"] - r["start"]) // 1024 for r in leak]
    told = [r for r in kit.rows("diff", "--by", "lineage", db=place / "t.db")
            if int(r["lineage_id"]) in ids]
    check.equal("c_mmap: the row of the leaking mapping in the diff",
                [(r["change"], int(r["size_kib_from"]), int(r["size_kib_to"])) for r in told],
                [("grown", size[0], size[-1])])


def reused(check, place):
    """memfd: the same start with another file offset in the next capture is another mapping."""
    _, captures = load("memfd", None if kit.full else 12, place)
    n = kept = 0
    for (old, old_ids), (new, new_ids) in zip(captures, captures[1:]):
        before = {r["start"]: r for r in old}
        for row in new:
            was = before.get(row["start"])
            if was is None or not row["path"].startswith(b"/memfd:"):
                continue
            same = all(was[k] == row[k] for k in ("end", "perms", "offset", "inode", "path"))
            a, b = old_ids[row["start"]], new_ids[row["start"]]
            if same:
                kept += 1
                check.equal("memfd kept: %x" % row["start"], b, a)
            elif was["offset"] != row["offset"]:
                n += 1
                check.true("memfd reused: %x" % row["start"], a != b,
                           "still lineage %d at offset %x, was %x" % (b, row["offset"],
                                                                      was["offset"]))
    check.true("memfd text: has reused places", n > 0 and kept > 1000, "%d, %d" % (n, kept))


def stacks(check, place):
    """c_thread: each stack has 8192 KiB, and no thread ends during the run."""
    _, captures = load("c_thread", None, place)
    life = {}
    for rows, found in captures:
        for r in rows:
            if r["end"] - r["start"] == 8192 << 10 and r["perms"] == b"rw-p" and not r["path"]:
                life.setdefault(r["start"], []).append(found[r["start"]])
    check.true("c_thread text: threads", len(life) > 150, len(life))
    for start, ids in life.items():
        check.equal("c_thread: lineages of the stack at %x" % start, len(set(ids)), 1)
    every = {i for ids in life.values() for i in ids}
    check.equal("c_thread: lineages of all stacks", len(every), len(life))
    owners = {ids[0]: start for start, ids in life.items()}
    for _, found in captures:
        for start, lineage_id in found.items():
            check.true("c_thread: no other mapping has the lineage of a stack",
                       owners.get(lineage_id, start) == start, "%x" % start)


kit.main(moving, reused, stacks)
