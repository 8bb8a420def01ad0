"""samples/grafana and samples/datasette use gauges, views and columns that the program has. The SQL of the
Datasette metadata returns rows from a store of the samples. A panel of the fleet has the SQL of the command in
its description (PMAPDB_UPDATE=1 writes the SQL anew)."""
import json
import os
import re
import sqlite3
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

QUERIES = ("by-name", "map-count", "leaks", "doctor")


def gauges(db):
    """The gauges that the program prints, with their labels."""
    text = "".join(kit.run(query, "-f", "prometheus", db=db, expect=(0, 2)).stdout.decode() for query in QUERIES)
    return {name: set(re.findall(r'(\w+)="', labels))
            for name, labels in re.findall(r"^(pmapdb_\w+)\{([^}]*)\}", text, re.M)}


def grafana(check, printed):
    board = json.loads((kit.ROOT / "samples/grafana/pmapdb.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked.append(board["templating"]["list"][1]["query"])
    check.true("panels", len(board["panels"]) > 5, board["panels"])
    for expression in asked:
        for name in re.findall(r"pmapdb_\w+", expression):
            check.true("gauge %s" % name, name in printed, sorted(printed))
            for label in re.findall(r"(\w+)=~?\"", expression) + re.findall(r"by \((\w+)\)", expression):
                check.true("label %s of %s" % (label, name), label in printed.get(name, ()), printed.get(name))


def fleet(check):
    path = kit.ROOT / "samples/grafana/fleet.json"
    board = json.loads(path.read_text())
    for panel in board["panels"]:
        words = panel["description"].replace("$from", "@1999999999").replace("$to", "@2000000000").split()
        sql = kit.run(*words[1:], "--sql").stdout.decode().rsplit("FORMAT", 1)[0].strip()
        for ms, macro in ("1999999999000", "$__fromTime"), ("2000000000000", "$__toTime"):
            sql = sql.replace(f"toInt64({ms})", f"(toInt64(toUnixTimestamp({macro})) * 1000)")
        if panel["type"] == "timeseries":
            sql = f"SELECT toDateTime(intDiv(at, 1000)) AS time, role, rss_kib FROM (\n{sql}\n)\nORDER BY time"
        if "PMAPDB_UPDATE" in os.environ:
            panel["targets"][0]["rawSql"] = sql
        check.equal(panel["description"], panel["targets"][0]["rawSql"], sql)
    if "PMAPDB_UPDATE" in os.environ:
        path.write_text(json.dumps(board, indent=1) + "\n")


def datasette(check, db):
    described = json.loads((kit.ROOT / "samples/datasette/metadata.json").read_text())["databases"]["pmap"]
    with sqlite3.connect(db) as store:
        for view, text in described["tables"].items():
            columns = {row[1] for row in store.execute("PRAGMA table_info(%s)" % view)}
            unknown = (set(text["columns"]) | set(text.get("units", ()))) - columns
            check.equal("columns of %s" % view, sorted(unknown), [])
        values = {"name": "leaky", "snapshot_id": store.execute("SELECT max(snapshot_id) FROM snapshots").fetchone()[0]}
        for name, query in described["queries"].items():
            check.true("query %s" % name, store.execute(query["sql"], values).fetchall(), "no row")


def dashboards(check, place):
    db = place / "t.db"
    kit.run("import", "-q", kit.ROOT / "samples" / "captures", db=db)
    grafana(check, gauges(db))
    datasette(check, db)
    fleet(check)


kit.main(dashboards)
