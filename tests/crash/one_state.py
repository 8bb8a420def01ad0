"""Each command answers from one state of the store while another process writes.

    one_state.py [--full]

A writer removes the newest moment from the store and puts it back, as fast as it can. So the store
has two states, and each command has two correct answers, which are recorded before the writer starts.
A command that reads twice without a transaction mixes the two.
"""
import sqlite3
import subprocess
import sys
import textwrap

import world
import kit

TIMES = 12 if kit.full else 2
WRITER = textwrap.dedent("""
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
    print("begun", flush=True)
    while True:
        for statement in sys.argv[2:4]:
            db.execute(statement)
    """)
OUT = "DELETE FROM snapshot WHERE snapshot_id IN (SELECT snapshot_id FROM away)"
SIZES = (b'"size"', b'"free"', b'"disk"')  # rows of `doctor` about the files themselves
MORE = [["diff"], ["diff", "--by", "lineage"], ["diff", "--by", "object"], ["diff", "--from", "prev"],
        ["diff", "--threshold", "rss:1k", "-f", "csv"], ["leaks", "--all"], ["mappings", "--regions"],
        ["check", "-w", "1G"], ["growth", "--top", "5"], ["doctor", "-f", "csv"], ["rules", "--explain", "heap"],
        ["groups", "--by", "name"]]


def commands():
    names = [r["name"] for r in kit.rows("query", "--list", db=None)]
    return [[name, "-f", "csv"] for name in names] + MORE


def answer(db, command):
    done = kit.run(*command, db=db, expect=None)
    lines = [line for line in done.stdout.splitlines() if not line.startswith(SIZES)]
    return done.returncode, b"\n".join(lines), done.stderr


def prepare(place):
    """Makes a store of two processes of one name, with a copy of its newest moment in the table away."""
    db = place / "one.db"
    for pid in (4700, 4701):
        kit.run("import", "-q", "--name", "server", *world.write(place / str(pid), 6, pids=(pid,), mappings=120), db=db)
    shell = sqlite3.connect(db, isolation_level=None)
    columns = [r[1] for r in shell.execute("PRAGMA table_info(snapshot)")]
    shell.execute("CREATE TABLE away AS SELECT %s FROM snapshot WHERE moment_ms = (SELECT max(moment_ms) "
                  "FROM snapshot)" % ", ".join(columns))
    return db, shell, "INSERT INTO snapshot (%s) SELECT * FROM away" % ", ".join(columns)


def answers_of_one_state(check, place):
    db, shell, back = prepare(place)
    asked = commands()
    kit.leak_checks.update({c[0]: 3 for c in asked})  # other tests look for leaks
    right = [{answer(db, c)} for c in asked]
    shell.execute(OUT)
    for command, answers in zip(asked, right):
        answers.add(answer(db, command))
    shell.execute(back)
    shell.close()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(db), OUT, back], stdout=subprocess.PIPE)
    writer.stdout.readline()
    try:
        for command, answers in zip(asked, right):
            for _ in range(TIMES if len(answers) > 1 else 1):
                got = answer(db, command)
                check.true(" ".join(command), got in answers, got[1][-400:] + got[2][-400:])
    finally:
        writer.kill()
        writer.wait()
    # Many queries have no rows here; of those with rows, most must differ between the states.
    told = [(c, a) for c, a in zip(asked, right) if any(b"\n" in out for _, out, _ in a)]
    check.true("most answers with rows differ", sum(len(a) > 1 for _, a in told) > len(told) // 2,
               [" ".join(c) for c, a in told if len(a) == 1])


kit.main(answers_of_one_state)
