"""samples/grafana and samples/datasette name gauges, views and columns that the program has, and the
SQL of the metadata answers on a store of the samples."""
import json
import re
import sqlite3
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit  # noqa: E402 (found by the line before)

QUERIES = ("by-name", "map-count", "leaks", "doctor")


def gauges(db):
    """The gauges with their labels, as the program prints them."""
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


def main():
    check = kit.Check()
    with kit.Place() as place:
        db = place / "t.db"
        kit.run("import", "-q", kit.ROOT / "samples" / "captures", db=db)
        grafana(check, gauges(db))
        datasette(check, db)
    check.finish()


main()
