"""Merge: stores that each have a part of real captures, merged, answer as one store with all captures
(order.py compares, ids aside). A merge keeps the lineages of a pruned store, and all that a live
store has besides mappings."""
import subprocess
import time

import kit
import order

# name -> (beats by default, in full)
SETS = {"c_mmap": (12, 120), "nginx": (6, 60), "memfd": (3, 20)}

LONG = {("halves", "backwards"), ("turns", "into a new one")}  # only with --full

# Everything in a live store except ids.
LIVE = (
    "SELECT h.name, p.pid, n.name, p.name_rank, p.name_ms, p.boot_id, p.start_time, p.command, "
    "p.command_ms, p.identity, p.stack_end, p.vdso_start, p.libc_start, p.ld_start, p.exe_start, "
    "p.clock_mono_ns, p.clock_utc_ms FROM process p JOIN name n ON n.name_id = p.name_id "
    "JOIN host h ON h.host_id = p.host_id",
    "SELECT p.pid, s.taken_ms, s.moment_ms, s.preferred, s.time_source, s.dialect, s.state, "
    "s.checked, s.hash, s.mappings, s.rss_kib, s.tool_size_kib, s.tool_rss_kib, coalesce(replace(f.file, '*', c.number), f.file), "
    "f.folder, w.started_ms, w.ended_ms, i.mono_ns, i.read_us, i.cpu_us, i.longest_us, i.predicted_us, "
    "i.degraded, i.threads, i.hwm_kib, i.swap_kib, i.page_tables_kib, i.anon_kib, i.file_kib, "
    "i.shmem_kib, t.hash, t.ppid, t.comm, t.exe, t.cmdline, t.uid, t.user, t.cgroup, "
    "t.memory_max_kib, t.address_limit_kib, t.stack_limit_kib, t.max_map_count FROM snapshot s "
    "JOIN process p ON p.process_id = s.process_id JOIN capture c ON c.capture_id = s.capture_id "
    "JOIN origin f ON f.origin_id = c.origin_id "
    "JOIN beat w ON w.capture_id = s.capture_id "
    "JOIN live_reading i ON i.snapshot_id = s.snapshot_id "
    "JOIN live_process t ON t.live_process_id = i.live_process_id",
    "SELECT t.hash, e.name, e.value FROM environment e "
    "JOIN live_process t ON t.live_process_id = e.live_process_id",
    "SELECT h.name, j.boot_id, j.selection, j.every_ms, w.started_ms, w.ended_ms, w.mono_ns, "
    "w.missed, w.unreadable, w.vanished, w.degraded, w.unmoved, w.changed FROM beat w JOIN schedule j ON "
    "j.schedule_id = w.schedule_id JOIN host h ON h.host_id = j.host_id",
    "SELECT p.pid, s.taken_ms, m.start, m.end, m.perms, m.offset, m.device, m.inode, m.category, "
    "m.flags, m.path, m.size_kib, m.rss_kib, m.pss_kib, m.referenced_kib, m.anonymous_kib, "
    "m.extra FROM mappings m JOIN snapshot s ON s.snapshot_id = m.snapshot_id "
    "JOIN process p ON p.process_id = s.process_id",
)


def merge(into, *others):
    """Merges all others. Returns (new, known)."""
    rows = kit.rows("merge", *others, db=into)
    return sum(int(r["new"]) for r in rows), sum(int(r["known"]) for r in rows)


def same(check, what, db, want, process, moments, n):
    given = order.answers(db, process, moments)
    check.equal("%s: snapshots" % what, len(given["snapshots"]), n)
    order.compare(check, what, given, want)


def parts(check, name, place, paths, process, moments):
    one = place / "one.db"
    kit.run("import", *paths, db=one)
    want, n = order.answers(one, process, moments), len(paths)
    third = n // 3
    # halves: two successive parts, a third in both; turns: every other capture
    cuts = {"halves": (paths[:2 * third], paths[third:])}
    if kit.full or name != "memfd":
        cuts["turns"] = paths[0::2], paths[1::2]
    for how, cut in cuts.items():
        stores = [place / ("%s%d.db" % (how, i)) for i in range(2)]
        for db, some in zip(stores, cut):
            kit.run("import", *some, db=db)
        overlap = len(set(cut[0]) & set(cut[1]))
        for what, into, others in (("into a new one", place / (how + ".db"), stores),
                                   ("backwards", place / (how + "-back.db"), stores[::-1]),
                                   ("into one of them", stores[0], stores[1:])):
            if not kit.full and (how, what) in LONG:
                continue
            title = "%s %s %s" % (name, how, what)
            new = n if len(others) == 2 else n - len(cut[0])
            check.equal(title + ": news", merge(into, *others), (new, overlap))
            same(check, title, into, want, process, moments, n)
            check.equal(title + ": again", merge(into, *others)[0], 0)
    return one


def pruned(check, name, place, one, process, moments):
    """The remaining snapshots keep their lineages when they are merged elsewhere."""
    thin, taken = place / "thin.db", place / "taken.db"
    merge(thin, one)
    kit.run("prune", "--keep-last", "3", "--keep-within", "1s", db=thin)
    left = kit.rows("snapshots", db=thin)
    moments = [r["taken_at"] for r in left[:1]]
    want = order.answers(thin, process, moments)
    merge(taken, thin)
    same(check, "%s pruned" % name, taken, want, process, moments, len(left))
    # Pruned snapshots do not come back.
    check.equal("%s pruned: comes back" % name, merge(thin, one)[0], 0)
    check.equal("%s pruned: snapshots" % name, len(kit.rows("snapshots", db=thin)), len(left))


def live(check, place):
    one, many = place / "live.db", place / "all.db"
    children = [subprocess.Popen(["sleep", "600"]), subprocess.Popen(["tail", "-f", "/dev/null"])]
    try:
        time.sleep(0.1)
        for _ in range(2):
            kit.run("capture", *[c.pid for c in children], "--every", "100ms", "--count", "3",
                    "--keep-env", "PATH,HOME", db=one)
    finally:
        for child in children:
            child.kill()
            child.wait()
    n = len(kit.rows("snapshots", db=one))
    check.true("live: snapshots", n >= 10, "only %d" % n)
    check.equal("live: news", merge(many, one), (n, 0))
    check.equal("live: again", merge(many, one), (0, n))
    connections = [kit.plain(one), kit.plain(many)]
    for sql in LIVE:
        rows = [sorted(c.execute(sql).fetchall(), key=repr) for c in connections]
        check.true("live: rows", len(rows[0]) > 0, sql)
        check.equal("live: %.60s" % sql, rows[1], rows[0])
    for connection in connections:
        connection.close()
    # The pruned sweeps are known, because the other process has them: the snapshots do not come back.
    kit.run("prune", "--keep-last", "2", "--process", "sleep", db=many)
    left = len(kit.rows("snapshots", db=many))
    check.true("live: pruned", left < n, "%d of %d are left" % (left, n))
    check.equal("live: comes back", merge(many, one)[0], 0)


def main():
    check = kit.Check()
    with kit.Place() as place:
        live(check, place)
    for name, (few, many) in SETS.items():
        workload = kit.Workload(name)
        beats = workload.beats[:many if kit.full else few]
        moments = [order.iso(beats[len(beats) // 3]), order.iso(beats[-1])]
        process = str(beats[0][1][0])
        with kit.Place() as place:
            paths = workload.unpack(place / "in", beats, "smaps", "x")
            one = parts(check, name, place, paths, process, moments)
            pruned(check, name, place, one, process, moments)
    check.finish()


main()
