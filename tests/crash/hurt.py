"""The damages of damage.py, and the sound store to which they are done: each of its tables has rows."""
import os
import pathlib
import re
import socket
import sqlite3

import world
import kit


class Made:
    """A sound store of which every table has rows, another store, and captures that a command can add."""

    def __init__(self, place, child):
        self.place, self.child = place, child
        self.db, self.other = place / "sound.db", place / "other.db"
        paths = world.write(place / "in", 9, suffixes=("smaps", "x"), mappings=25)
        self.news, self.late = paths[-1], paths[len(paths) // 2]
        kit.run("import", "-q", *[p for p in paths[:-1] if p != self.late], db=self.db)
        (place / "log").write_bytes(b"".join(p.read_bytes() for p in paths if p.suffix == ".x" and "-4711" in p.name))
        # a day of the samples: verdicts need the last seven days of the store
        os.utime(place / "log", (1795226400, 1795226400))
        kit.run("import", "-q", "--every", "5m", place / "log", db=self.db)
        self.perf = kit.ROOT / "samples" / "perf" / "leaky.script.txt"
        kit.run("import", "-q", kit.ROOT / "samples" / "captures", db=self.db)
        kit.run("import-perf", "-q", self.perf, db=self.db)
        kit.run("push", "-q", "--to", place / "pushed", "--redact", db=self.db)
        self.captured = ["capture", "-q", self.child.pid]
        kit.run(*self.captured, "--every", "100ms", "--count", "2", "--keep-env", "PATH", db=self.db)
        kit.run("prune", "-q", "--keep-last", "6", "--process", "server4711", db=self.db)
        kit.run("prune", "-q", "--pin", "first", "--process", "server4712", "--reason", "why not", db=self.db)
        kit.run(*self.captured, "--touched", "0s", *([] if os.geteuid() else ["--pages"]), db=self.db)
        kit.run("push", "-q", "--to", place / "pushed", "--redact", "--label", "build=1", db=self.db)
        kit.run("import", "-q", *world.write(place / "else", 3, seed=5, mappings=30), db=self.other)
        odd = place / "odd"
        odd.mkdir()
        text = paths[0].read_text() # an unknown key; missing rows
        (odd / "1700000300-9.smaps").write_text(text.replace("Locked:", "Newest:    3 kB\nLocked:"))
        (odd / "1700000300-9.x").write_text(paths[1].read_text()[:-200])
        kit.run("import", "-q", odd, db=self.db, expect=(2,))
        (odd / "new.log").write_bytes((place / "log").read_bytes().replace(b"server4711", b"other")) # its times are unknown
        kit.run("import", "-q", odd / "new.log", db=self.db, expect=(2,))
        self.walled = self.with_wal()
        connection = kit.plain(self.db)
        self.page = connection.execute("pragma page_size").fetchone()[0]
        self.tables = {t.decode(): [c[1].decode() for c in connection.execute('pragma table_info("%s")' % t.decode())]
                       for t, in connection.execute("select name from sqlite_master where type = 'table'")}
        self.empty = [t for t in self.tables if not connection.execute('select 1 from "%s" limit 1' % t).fetchone()]
        connection.close()

    def with_wal(self):
        """Copies the store while its -wal still has the last import."""
        held = self.place / "held.db"
        world.copy_store(self.db, held)
        connection = sqlite3.connect(held)
        connection.execute("begin")
        connection.execute("select count(*) from snapshot").fetchone()
        kit.run("import", "-q", self.late, db=held)
        copy = world.copy_store(held, self.place / "walled.db")
        connection.close()
        return copy


# ---- damages: each makes the store at `db` from a sound store, and returns a description ----

def write_at(path, at, data):
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(data)


def cut(made, r, db):
    size = world.copy_store(made.db, db).stat().st_size
    at = r.choice([0, 1, 15, 16, 60, 99, 100, 101, 512, 4095, 4096, 4097, r.randrange(size), r.randrange(size),
                   made.page * r.randrange(size // made.page)])
    os.truncate(db, at)
    return "cut at %d of %d" % (at, size)


def flip(made, r, db):
    size = world.copy_store(made.db, db).stat().st_size
    where = r.choice(["header", "schema", "anywhere", "anywhere", "page head"])
    spots = []
    for _ in range(r.choice([1, 1, 2, 8, 64])):
        at = {"header": r.randrange(100), "schema": r.randrange(100, 12 * made.page), "anywhere": r.randrange(size),
              "page head": made.page * r.randrange(size // made.page) + r.randrange(24)}[where]
        spots.append(at)
        write_at(db, at, bytes([r.choice([0, 1, 0x7f, 0x80, 0xff, r.randrange(256)])]))
    return "%s: bytes at %s" % (where, spots[:4])


def pages(made, r, db):
    size = world.copy_store(made.db, db).stat().st_size
    data, n = db.read_bytes(), size // made.page
    a, b = r.randrange(n), r.randrange(n)
    with_what = r.choice(["another", "zeros", "noise"])
    page = {"another": data[b * made.page:(b + 1) * made.page], "zeros": bytes(made.page),
            "noise": r.randbytes(made.page)}[with_what]
    write_at(db, a * made.page, page)
    return "page %d is %s (%d)" % (a + 1, with_what, b + 1)


def wal(made, r, db):
    world.copy_store(made.walled, db)
    side = pathlib.Path(str(db) + "-wal")
    size = side.stat().st_size
    kind = r.choice(["cut", "flip", "flip", "noise", "other"])
    if kind == "cut":
        os.truncate(side, r.randrange(size))
    elif kind == "flip":
        for _ in range(r.choice([1, 4, 32])):
            write_at(side, r.choice([r.randrange(32), r.randrange(size)]), r.randbytes(1))
    elif kind == "noise":
        side.write_bytes(r.randbytes(r.choice([10, 32, 4128, 50000])))
    else: # the -wal of another store, with correct checksums
        held = world.copy_store(made.other, pathlib.Path(str(db) + "-else"))
        connection = sqlite3.connect(held)
        connection.execute("begin")
        connection.execute("select count(*) from snapshot").fetchone()
        kit.run("import", "-q", made.news, db=held)
        side.write_bytes(pathlib.Path(str(held) + "-wal").read_bytes())
        connection.close()
    return "-wal: " + kind


def shm(made, r, db):
    world.copy_store(made.walled, db)
    pathlib.Path(str(db) + "-shm").write_bytes(r.randbytes(r.choice([0, 1, 136, 32768, 65536])))
    return "-shm: noise"


def journal(made, r, db):
    """Adds the rollback journal of a program that was killed before the store was in WAL mode."""
    world.copy_store(made.db, db)
    pathlib.Path(str(db) + "-journal").write_bytes(
        b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + r.choice([r.randbytes(900), bytes(600), b"\xff" * 5000]))
    return "-journal: noise"


def no_file(made, r, db):
    kind = r.choice(["empty", "directory", "loop", "dangling", "fifo", "socket", "device", "text", "zeros", "other",
                     "ours but empty", "sqlite of one page"])
    if kind == "empty":
        db.touch()
    elif kind == "directory":
        db.mkdir()
    elif kind in ("loop", "dangling", "device"):
        db.symlink_to({"loop": db.name, "dangling": "nowhere/at-all.db", "device": "/dev/zero"}[kind])
    elif kind == "fifo":
        os.mkfifo(db)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(db))
    elif kind in ("text", "zeros"):
        db.write_bytes(b"what is this\n" * 999 if kind == "text" else bytes(8192))
    else:
        connection = sqlite3.connect(db)
        connection.executescript({
            "other": "create table snapshot (a, b); insert into snapshot values (1, 2)",
            "ours but empty": "pragma application_id = %d; pragma user_version = 1" % 0x706d6462,
            "sqlite of one page": "create table a (b); drop table a"}[kind])
        connection.close()
    return kind


HOSTILE = [None, "", "x", "-1", b"\x00\xff\xfe", -1, 0, 1, 63, 2 ** 31, 2 ** 62, -2 ** 63, 2 ** 63 - 1, 1.5, 9e307,
           "a'\";--%s%n", "\x1b[31m\r\n", "x" * 3000, b"\xff" * 3000, "../../etc/passwd"]


def with_schema(connection, change):
    """Calls `change` while the tables have no constraints, then restores the constraints."""
    connection.execute("pragma writable_schema = on")
    rows = connection.execute("select rowid, sql from sqlite_master where type = 'table' and sql not null").fetchall()
    for rowid, sql in rows:
        plain = re.sub(r"\bNOT NULL\b", "", sql)
        connection.execute("update sqlite_master set sql = ? where rowid = ?", (plain, rowid))
    connection.commit()
    connection.execute("pragma schema_version = 70001")
    connection.execute("pragma writable_schema = reset")
    connection.execute("pragma ignore_check_constraints = on")
    connection.execute("pragma foreign_keys = off")
    said = change(connection)
    connection.commit()
    connection.execute("pragma writable_schema = on")
    for rowid, sql in rows:
        connection.execute("update sqlite_master set sql = ? where rowid = ?", (sql, rowid))
    connection.commit()
    connection.execute("pragma schema_version = 70002")
    return said


def by_hand(db, change, schema=True):
    connection = sqlite3.connect(db, isolation_level=None)
    said = with_schema(connection, change) if schema else change(connection)
    connection.close()
    return said


def values(made, r, db):
    world.copy_store(made.db, db)

    def change(connection):
        said = []
        for _ in range(r.choice([1, 1, 3, 10])):
            table = r.choice([t for t in made.tables if t not in made.empty and not t.startswith("sqlite_")])
            column, value = r.choice(made.tables[table]), r.choice(HOSTILE)
            where = r.choice(["", ' where "%s" in (select "%s" from "%s" limit 1 offset %d)' % (column, column, table, r.randrange(9))])
            try:
                connection.execute('update "%s" set "%s" = ?%s' % (table, column, where), (value,))
                said.append("%s.%s = %.20r%s" % (table, column, value, "" if not where else " once"))
            except sqlite3.Error: # not unique
                pass
        return "; ".join(said) or "nothing"
    return by_hand(db, change)


def rows_gone(made, r, db):
    world.copy_store(made.db, db)

    def change(connection):
        table = r.choice([t for t in made.tables if not t.startswith("sqlite_") and t not in made.empty])
        how = r.choice(["", " where rowid % 2", " where rowid % 3"])
        try:
            connection.execute('delete from "%s"%s' % (table, how))
        except sqlite3.Error: # it has no rowid
            connection.execute('delete from "%s"' % table)
        return "rows of %s%s are gone" % (table, how)
    return by_hand(db, change)


RULES = ["", "x", "\x00", "name,category\n" * 9999, "name,path~,category\na,(a+)+$,heap\n", "name,path,category\na,*,x\n",
         "name,path~,category\na," + "(" * 5000 + ",heap\n", "position,rule\n\"", "name,path,category\n" + "a,*%b*,%b/%b\n" * 999]


FOUND = [ # damages that once crashed a command
    ("delete from object where object_id % 3", ["import", "NEWS"]),
    ("update snapshot set off = off + 9000000000000", ["rules", "--diff", "pmap-dotnet"]),
    ("update snapshot set taken_ms = 9223372036854775807 - snapshot_id", ["doctor", "--deep"]),
    ("update snapshot set taken_ms = -9223372036854775808 + snapshot_id", ["merge", "OTHER"]),
    ("update snapshot set taken_ms = -9223372036854775808 + snapshot_id", ["doctor", "--deep"]),
    ("update mapping_version set pss = 9223372036854775807, private_dirty = 9223372036854775807", ["who", "--process", "leaky"]),
    ("update mapping_version set last = 9223372036854775807", ["prune", "--keep-last", "2"]),
    ("update object set category_id = 0 where object_id > 3", ["rules", "--apply", "pmap-dotnet"]),
    ("update snapshot set epoch_id = 1, off = snapshot_id", ["merge", "OTHER"]),
    ("update snapshot set taken_ms = 3400000000000 - taken_ms", ["sql", "select * from category_runs"]),
]


def found(made, which):
    """Returns the damage, and the command that it once crashed."""
    text, words = FOUND[which]
    command = [{"NEWS": made.news, "OTHER": made.other}.get(w, w) for w in words]

    def do(made, r, db):
        world.copy_store(made.db, db)
        by_hand(db, lambda c: c.execute(text))
        return text
    return do, [(command, True)]


def rules(made, r, db):
    world.copy_store(made.db, db)
    text = r.choice(RULES + [None, b"\xff\xfe\x00"])
    by_hand(db, lambda c: c.execute("update rule_set set text = ?, hash = hash + 1", (text,)))
    return "rules: %.40r" % (text,)


LOOPS = ["update category set parent = category || '/x'", "update category set parent = 'heap'",
         "update epoch set process_id = (select max(process_id) from process)",
         "update mapping_version set last = first - 1", "update mapping_version set last = 9223372036854775807", "update mapping_version set first = -9e18",
         "update snapshot set off = off + 9000000000000", "update snapshot set off = -off - 1",
         "update snapshot set taken_ms = -9223372036854775808 + snapshot_id",
         "update snapshot set taken_ms = 9223372036854775807 - snapshot_id", "update snapshot set moment_ms = -taken_ms",
         "update region set length = -1", "update region set length = 9223372036854775807", "update region set start = -1",
         "update category_version set size_kib = -9223372036854775808", "update mapping_version set pss = 9223372036854775807, private_dirty = 9223372036854775807",
         "update snapshot set mappings = 9223372036854775807, size_kib = -1", "update process set pid = -9e18",
         "update epoch set fields = -1", "update epoch set fields = 0", "update rare_fields set own_fields = -1, rss_kib = -1, dirty_kib = 9223372036854775807",
         "update lineage set process_id = 1", "update region set lineage_id = 1", "update schedule set every_ms = 0",
         "update schedule set every_ms = -1", "update beat set mono_ns = -9223372036854775808",
         "update snapshot set snapshot_id = -snapshot_id",
         "update snapshot set epoch_id = 1, off = snapshot_id", "update process set name_id = -5",
         "insert into sqlite_stat1 values ('snapshot', 'snapshot_process', '99999999999999999999 0 -1 x')",
         "update live_reading set read_us = 9223372036854775807, cpu_us = -5", "update beat set started_ms = 1e300"]


def loops(made, r, db):
    world.copy_store(made.db, db)
    said = r.choice(LOOPS + self_references(made))

    def change(connection):
        if "sqlite_stat1" in said:
            connection.execute("analyze")
        try:
            connection.execute(said)
        except sqlite3.Error as error:
            return "not possible: %s: %s" % (said, error)
        return said
    return by_hand(db, change)


def self_references(made):
    """Returns updates of tables that refer to their own rows: each row refers to itself, the next, or the first."""
    connection = kit.plain(made.db)
    out = []
    for table, columns in made.tables.items():
        key = columns[0]
        for _, _, parent, column, *_ in connection.execute('pragma foreign_key_list("%s")' % table):
            if parent.decode() == table:
                column = column.decode()
                out += ["update %s set %s = %s" % (table, column, to) for to in (
                    key, key + " + 1", "case %s when 1 then (select max(%s) from %s) else %s - 1 end" % (
                        key, key, table, key))]
    connection.close()
    return out


ENDLESS = "with recursive c(n) as (select 1 union all select n + 1 from c) select %s from c"
SCHEMA = [ # (change, words that every command prints; None: a command may go on, or say what is missing)
    ("drop view categories; create view categories as select 1 as snapshot_id", None),
    ("drop view lineage_history", None),
    ("drop table pin", None), ("drop table forgotten", None), ("drop table rule_set", None),
    ("drop index snapshot_process", None),
    ("drop table category; create table category (category_id, category, description, parent)", None),
    ("drop table refused; create view refused as select 1 as hash, 2 as first_ms, 'x' as reason", None),
    ("alter table snapshot add column mine text", None),
    ("alter table mapping_version rename column pss to p_s_s", None),
    ("create trigger mine after insert on snapshot begin delete from pin; end", "has a trigger"),
    ("create trigger mine before delete on snapshot begin insert into name (name) select 'from a trigger'; end",
     "has a trigger"),
    ("create trigger mine after update on process begin insert into refused values (1, 1, 'from a trigger'); end",
     "has a trigger"),
    ("create trigger mine instead of insert on mappings begin select load_extension('x'); end", "has a trigger"),
    ("create view mine as select load_extension('/tmp/x.so'), writefile('/tmp/x', 'y'), fts3_tokenizer('a')", None),
    ("create table mine (a); create index mine_a on snapshot (rss_kib)", None),
    ("create view mine as " + ENDLESS % "n", None),
]


def schema(made, r, db, which=None):
    world.copy_store(made.db, db)
    text, named = r.choice(SCHEMA) if which is None else SCHEMA[which]
    by_hand(db, lambda c: c.executescript("pragma foreign_keys = off; pragma legacy_alter_table = on;" + text), schema=False)
    return text, named


DAMAGES = [cut, flip, flip, flip, pages, wal, shm, journal, no_file, values, values, values, rows_gone, rules, loops, loops]
