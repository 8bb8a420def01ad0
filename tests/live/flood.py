"""Thousands of short-lived processes appear and vanish while `capture --all` goes on: no error, and
no snapshot that mixes two of them.

They run in a pid namespace of their own with few pids, so that a pid is used again within
milliseconds. Which program a snapshot is of is asked three times: the name (from the exe link), the
lowest program mapped in it, and the command line must agree. --full: 10,000 processes; else 1,000.
"""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

PROCESSES = 10000 if kit.full else 1000
SPAWNERS = 4
# Each is a copy of a small program under a name of its own; some live a little.
KINDS = 12

SPAWNER = r"""
import os, random, subprocess, sys
folder, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(seed)
running = []
for i in range(n):
    kind = random.randrange(%d)
    running.append(subprocess.Popen([folder + "/kind%%02d" %% kind, str(random.choice([0, 0, 0.01, 0.03]))]))
    if len(running) > 8:
        running.pop(0).wait()
for p in running:
    p.wait()
""" % KINDS

INSIDE = r"""
mount -t proc proc /proc
echo 400 >/proc/sys/kernel/pid_max 2>/dev/null
for i in $(seq {spawners}); do python3 -c "$SPAWNER" {kinds} {each} $i & pids="$pids $!"; done
"{program}" capture --db {db} --all --every 100ms -q 2>{errors} & capture=$!
wait $pids
kill -TERM $capture
wait $capture
"""


def main():
    check = kit.Check()
    if os.getuid() or not shutil.which("unshare"):
        kit.skip("needs root and unshare")
    with kit.Place() as place:
        kinds = place / "kinds"
        kinds.mkdir()
        for i in range(KINDS):
            shutil.copy(shutil.which("sleep"), kinds / ("kind%02d" % i))
        db, errors = place / "t.db", place / "errors"
        script = INSIDE.format(spawners=SPAWNERS, kinds=kinds, each=PROCESSES // SPAWNERS,
                               program=kit.PROGRAM, db=db, errors=errors)
        done = subprocess.run(["unshare", "--pid", "--mount", "--fork", "sh", "-c", script],
                              env=kit.ENVIRONMENT | {"SPAWNER": SPAWNER}, capture_output=True, text=True, check=False)
        check.equal("status", done.returncode, 0)
        check.equal("words on standard error", errors.read_text() if errors.exists() else done.stderr, "")
        look(check, db)
    check.finish()


def look(check, db):
    store = kit.sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    check.equal("integrity", store.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    rows = store.execute(
        "SELECT s.snapshot_id, n.name, t.comm, t.exe, t.cmdline, p.pid, (SELECT path FROM mappings m"
        " WHERE m.snapshot_id = s.snapshot_id AND perms LIKE '__x%' AND path LIKE '/%'"
        " AND path NOT LIKE '%.so%' ORDER BY start LIMIT 1)"
        " FROM snapshot s JOIN process p USING (process_id) JOIN name n USING (name_id)"
        " JOIN live_reading i USING (snapshot_id) JOIN live_process t USING (live_process_id)").fetchall()
    short = [r for r in rows if "kind" in (r[3] or "") + (r[6] or "")]
    for row in short:
        base = os.path.basename(row[3] or "")
        check.equal("one program in a snapshot", (row[1], row[2], os.path.basename(row[6] or "")), (base, base, base))
        check.true("its command line", os.path.basename((row[4] or base).split(" ")[0]) == base, row)
    lives = store.execute("SELECT count(*), count(DISTINCT pid || ' ' || start_time) FROM process").fetchone()
    check.equal("lives", lives[0], lives[1])
    vanished = store.execute("SELECT sum(vanished), count(*) FROM beat").fetchone()
    pids = store.execute("SELECT count(DISTINCT pid) FROM process").fetchone()[0]
    print("%d processes; %d sweeps, %d vanished while they were read, %d snapshots of short-lived ones, %d lives of %d pids"
          % (PROCESSES, vanished[1], vanished[0], len(short), lives[0], pids))
    check.true("some were met", len(short) > 0)


if __name__ == "__main__":
    main()
