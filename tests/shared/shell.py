"""The plain sqlite3 shell: SQL that people type gives the right numbers on the views, the tables name their
parents, and no view scans a stored table for one snapshot or process."""
import re
import shutil
import sqlite3
import subprocess

import kit
import truth

LATEST = ("select category, sum(rss_kib) from mappings where snapshot_id = (select snapshot_id from"
          " snapshot order by taken_ms desc limit 1) group by 1")


def ask(db, sql):
    """Asks the shell, as people do, or Python's SQLite if there is no shell."""
    if shutil.which("sqlite3"):
        done = subprocess.run(["sqlite3", str(db), sql], capture_output=True, check=True)
        return [tuple(line.split("|")) for line in done.stdout.decode().splitlines()]
    return [tuple(c.decode() if isinstance(c, bytes) else str(c) for c in row)
            for row in kit.plain(db).execute(sql)]


def check_answers(check, db, paths):
    rows = truth.refine([truth.read(p) for p in paths])[-1]
    want = truth.sums(rows, truth.by_category)
    check.equal("latest categories", sorted(ask(db, LATEST)),
                sorted((c, str(s["rss_kib"])) for c, s in want.items()))
    snapshot_id = kit.snapshot_ids(db)[kit.when(paths[-1]) + ("smaps",)]
    got = ask(db, "select path, sum(pss_kib) from mappings where snapshot_id = %d group by path"
              % snapshot_id)
    by_path = {}
    for row in rows:
        path = row["path"].decode()
        by_path[path] = by_path.get(path, 0) + row["pss_kib"]
    check.equal("pss by path", sorted(got), sorted((p, str(n)) for p, n in by_path.items()))


def check_parents(check, connection):
    tables = [r[0].decode() for r in connection.execute(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")]
    keys = {t: {r[1].decode() for r in connection.execute("pragma table_info(\"%s\")" % t) if r[5]}
            for t in tables}
    own = {c for t in tables if len(keys[t]) == 1 for c in keys[t]
           if c.endswith("_id")}
    for table in tables:
        declared = {r[3].decode(): r[2].decode()
                    for r in connection.execute("pragma foreign_key_list(\"%s\")" % table)}
        check.true("parents exist: " + table, set(declared.values()) <= set(tables), declared)
        columns = [r[1].decode() for r in connection.execute("pragma table_info(\"%s\")" % table)]
        for column in columns:
            # host_id of tables of push is 0 if the host is unknown.
            if column in own and keys[table] != {column} and (table[:5], column) != ("push_", "host_id"):
                check.true("parent named: %s.%s" % (table, column), column in declared, declared)
    check.equal("foreign_key_check", list(connection.execute("pragma foreign_key_check")), [])
    check.equal("integrity_check", list(connection.execute("pragma integrity_check")), [(b"ok",)])
    for pragma in ("application_id", "user_version"):
        check.true(pragma, connection.execute("pragma " + pragma).fetchone()[0] != 0, "is 0")


def unmeasured(db):
    """A copy without statistics: with the statistics of a store with one process, the planner scans a table of
    one row, which says nothing about a large store."""
    copy = db.with_name("unmeasured.db")
    connection = sqlite3.connect(db)
    connection.execute("vacuum into ?", (str(copy),))
    connection.close()
    connection = sqlite3.connect(copy)
    if connection.execute("select 1 from sqlite_master where name = 'sqlite_stat1'").fetchone():
        connection.execute("delete from sqlite_stat1")
    connection.commit()
    connection.close()
    return copy


def check_plans(check, connection):
    """A SCAN of rows that the view itself computed (a coroutine, a subquery) is not a scan of a table."""
    views = [r[0].decode() for r in connection.execute(
        "select name from sqlite_master where type = 'view'")]
    check.true("views exist", {"mappings", "categories", "category_runs", "lineage_history"}
               <= set(views), views)
    for view in views:
        columns = [r[1].decode() for r in connection.execute("pragma table_info(\"%s\")" % view)]
        for column in ("snapshot_id", "process_id", "lineage_id"):
            # Only lineage_history is made for one lineage; mappings reads everything.
            if column not in columns or (column == "lineage_id" and view != "lineage_history"):
                continue
            plan = [r[3].decode() for r in connection.execute(
                "explain query plan select * from \"%s\" where %s = 1" % (view, column))]
            if view == "categories":   # category (c) has few rows: a scan is right
                plan = [p for p in plan if not re.match(r"SCAN (TABLE category AS )?c\b", p)]
            if view == "processes":    # process (q) has few rows: a scan finds the newest text of each host
                plan = [p for p in plan if not re.match(r"SCAN (TABLE process AS )?q\b", p)]
            made = {m.group(1) for p in plan
                    if (m := re.match(r"(?:CO-ROUTINE|MATERIALIZE) (\S+)", p))}
            walks = [p for p in plan if (m := re.match(r"SCAN (?:TABLE )?([^( ]\S*)", p))
                     and m.group(1) not in made | {"CONSTANT", "SUBQUERY"}]
            check.true("plan: %s by %s" % (view, column), not walks, "%s\n  in %s" % (walks, plan))


def stock_shell(check, place):
    workload = kit.Workload("redis")
    paths = workload.unpack(place / "in", workload.sample(30), "smaps")
    db = place / "t.db"
    kit.run("import", place / "in", db=db)
    check_answers(check, db, paths)
    connection = kit.plain(db)
    check_parents(check, connection)
    connection.close()
    connection = kit.plain(unmeasured(db))
    check_plans(check, connection)
    connection.close()


kit.main(stock_shell)
