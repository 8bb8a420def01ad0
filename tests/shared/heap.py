"""heap: pmap -x does not name it; the rows that the program infers are those that smaps of the same
beat calls [heap], with the numbers of the -x text. In every workload."""
import os
import pathlib

import kit
import truth


def check_beat(check, what, x_path, smaps_path, got):
    """The -x text is a moment later than smaps, so only where the heap is comes from there."""
    starts = {r["start"] for r in truth.read(smaps_path) if r["path"] == b"[heap]"}
    want = [r for r in truth.read(x_path) if r["start"] in starts]
    check.equal("%s heap: %s" % (what, x_path.name), sorted(got),
                sorted((r["start"], r["size_kib"], r["rss_kib"]) for r in want))


def check_workload(check, name):
    workload = kit.Workload(name)
    beats = workload.sample(3)
    if not kit.full:
        beats = [(t, sorted({*pids[:3], *pids[-2:]})) for t, pids in beats]
    with kit.Place() as place:
        paths = workload.unpack(place / "in", beats, "x")
        smaps = workload.unpack(place / "smaps", beats, "smaps")
        db = place / "t.db"
        kit.run("import", place / "in", db=db)
        ids = kit.snapshot_ids(db)
        connection = kit.plain(db)
        for x_path, smaps_path in zip(paths, smaps):
            snapshot_id = ids.get(kit.when(x_path) + ("pmap-x",))
            if not check.true("%s stored: %s" % (name, x_path.name), snapshot_id is not None):
                continue
            got = connection.execute("select start, size_kib, rss_kib from mappings"
                                     " where snapshot_id = ? and category = 'heap'", (snapshot_id,))
            check_beat(check, name, x_path, smaps_path, list(got))
        connection.close()


def main():
    check = kit.Check()
    shared = os.environ.get("PMAPDB_SHARED") or kit.skip("PMAPDB_SHARED is not set")
    names = sorted(p.name.removesuffix(".tar.zst")
                   for p in (pathlib.Path(shared) / "workloads").glob("*.tar.zst"))
    if not names:
        kit.skip("no workloads in " + shared)
    for name in names:
        check_workload(check, name)
    check.finish()


if __name__ == "__main__":
    main()
