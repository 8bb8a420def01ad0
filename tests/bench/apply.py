"""Benchmark: what other rules over all history cost beside the import of it.

    PMAPDB=build/release/pmapdb PMAPDB_SHARED=FOLDER tests/bench/apply.py [SERIES [SNAPSHOTS]]

Replays real captures (replay.py) (default: redis, 10,000 of them) and prints CPU, user and
system, per snapshot, and of all but the import the largest resident size:
  import       the text, as a tar stream, under the default rules
  diff         what pmap-dotnet would change; keeps nothing
  pmap-dotnet  these rules applied: nearly every lineage changes
  again        once more: they are the store's own
  default      and back
After each that the sums by category are the totals of every snapshot is asked in SQL, and at the
end that all tables but the ids of categories are as after the import."""
import sqlite3
import sys

from measure import child, kit
from replay import Replay

CAPTURES = 200                              # of a workload, replayed forwards and backwards

UNEXPLAINED = """SELECT count(*) FROM snapshot s JOIN (SELECT snapshot_id, sum(mappings) AS n,
  sum(size_kib) AS size, sum(rss_kib) AS rss, sum(pss_kib) AS pss, sum(private_kib) AS private,
  sum(private_dirty_kib) AS dirty, sum(swap_kib) AS swap FROM categories GROUP BY 1) t
  ON t.snapshot_id = s.snapshot_id WHERE (s.mappings, s.size_kib, s.rss_kib, s.pss_kib,
  s.private_kib, s.private_dirty_kib, s.swap_kib) IS NOT
  (t.n, t.size, t.rss, t.pss, t.private, t.dirty, t.swap)"""
CONTENT = ("SELECT lineage_id, category, rule FROM lineage JOIN category USING (category_id) "
           "ORDER BY 1",
           "SELECT region_id, category FROM region LEFT JOIN category USING (category_id) "
           "ORDER BY 1",
           "SELECT epoch_id, category, first, last, mappings, size_kib, rss_kib, pss_kib, "
           "private_kib, private_dirty_kib, swap_kib FROM category_version JOIN category "
           "USING (category_id) ORDER BY 1, 2, 3")


def ask(path, sql):
    store = sqlite3.connect(path)
    rows = store.execute(sql).fetchall()
    store.close()
    return rows


def rules(db, option, name):
    """CPU seconds and the largest resident size in MiB."""
    return child([kit.PROGRAM, "rules", "--db", db, "-q", option, name])


def show(what, seconds, snapshots, peak_mib=None):
    print("%-11s %7.2f s %8.3f ms per snapshot" % (what, seconds, 1000 * seconds / snapshots),
          "%7.0f MiB" % peak_mib if peak_mib else "", flush=True)


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "redis"
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    replay = Replay.workload(name, CAPTURES)
    with kit.Place() as place:
        db = place / "one.db"
        seconds = child([kit.PROGRAM, "import", "--db", db, "--host", "h", "-q", "-"],
                        lambda to: replay.write(to, range(n)))[0]
        print("%s, %d snapshots of %d mappings, %d lineages" % (
            name, n, replay.mappings, ask(db, "SELECT count(*) FROM lineage")[0][0]))
        show("import", seconds, n)
        before = [ask(db, sql) for sql in CONTENT]
        for what, option, rule_set in (("diff", "--diff", "pmap-dotnet"),
                                       ("pmap-dotnet", "--apply", "pmap-dotnet"),
                                       ("again", "--apply", "pmap-dotnet"),
                                       ("default", "--apply", "default")):
            seconds, peak = rules(db, option, rule_set)
            show(what, seconds, n, peak)
            unexplained = ask(db, UNEXPLAINED)[0][0]
            if unexplained:
                sys.exit("%d snapshots do not add up" % unexplained)
        if [ask(db, sql) for sql in CONTENT] != before:
            sys.exit("not as it was")


if __name__ == "__main__":
    main()
