"""Thousands of short-lived processes start and end while `capture --all` goes on: no error, and no
snapshot that mixes two of them.

They run in a pid namespace, where each asks for its pid (clone3 with set_tid, Linux 5.5): a few pids
are used again within milliseconds. Three sources say which program a snapshot shows, and must agree:
the name (from the exe link), the program that is mapped lowest, and the command line.
--full: 10,000 processes, otherwise 1,000.
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
# Each kind is a copy of a small program with its own name. A few processes live so long that a capture on a
# busy machine finds them.
KINDS = 12

# Each spawner has 40 pids. PyDLL keeps the interpreter's lock, so that the child can go on.
SPAWNER = r"""
import ctypes, os, random, signal, struct, sys
folder, n, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(number)
clone3 = lambda *of: ctypes.PyDLL(None, use_errno=True).syscall(435, *of)
running, pid = [], 0

def start(pid, *command):
    wanted = ctypes.create_string_buffer(struct.pack("i", pid))
    asked = struct.pack("10Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(wanted), 1)
    got = clone3(ctypes.create_string_buffer(asked, 80), ctypes.c_size_t(80))
    if got == 0:
        os.execv(command[0], command)
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got

for i in range(n):
    kind = folder + "/kind%%02d" %% random.randrange(%d)
    while True:
        try:
            pid += 1
            running.append(start(1000 + 40 * number + pid %% 40, kind, str(random.choice([0, 0.01, 0.05, 0.2]) if i %% 50 else 2)))
            break
        except FileExistsError:
            pass
    if len(running) > 8:
        os.waitpid(running.pop(0), 0)
for one in running:
    os.waitpid(one, 0)
""" % KINDS

INSIDE = r"""
mount -t proc proc /proc || exit
python3 -c "$SPAWNER" {kinds} 1 0 2>{errors}.spawner || exit 77
for i in $(seq {spawners}); do python3 -c "$SPAWNER" {kinds} {each} $i & pids="$pids $!"; done
"{program}" capture --db {db} --all --every 100ms -q 2>{errors} & capture=$!
for pid in $pids; do wait $pid || exit; done
kill -TERM $capture
wait $capture
"""


def a_flood(check, place):
    own, why_not = kit.own_namespaces("--pid", "--fork", "--mount")
    if why_not:
        kit.skip(why_not)
    kinds = place / "kinds"
    kinds.mkdir()
    for i in range(KINDS):
        shutil.copy(shutil.which("sleep"), kinds / ("kind%02d" % i))
    db, errors = place / "t.db", place / "errors"
    script = INSIDE.format(spawners=SPAWNERS, kinds=kinds, each=PROCESSES // SPAWNERS,
                           program=kit.PROGRAM, db=db, errors=errors)
    done = subprocess.run(own + ["sh", "-c", script], env=kit.ENVIRONMENT | {"SPAWNER": SPAWNER},
                          capture_output=True, text=True, check=False)
    if done.returncode == 77:
        kit.skip("no process may choose its pid here")
    check.equal("status", done.returncode, 0)
    check.equal("standard error", errors.read_text() if errors.exists() else done.stderr, "")
    look(check, db)


def look(check, db):
    store = kit.sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    check.equal("integrity", store.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    rows = store.execute(
        "SELECT s.snapshot_id, CASE WHEN p.name_ms = s.taken_ms THEN n.name END, t.comm, t.exe, t.cmdline, p.pid, (SELECT path FROM mappings m"
        " WHERE m.snapshot_id = s.snapshot_id AND perms LIKE '__x%' AND path LIKE '/%'"
        " AND path NOT LIKE '%.so%' ORDER BY start LIMIT 1)"
        " FROM snapshot s JOIN process p USING (process_id) JOIN name n USING (name_id)"
        " JOIN live_reading i USING (snapshot_id) JOIN live_process t USING (live_process_id)").fetchall()
    short = [r for r in rows if "kind" in (r[3] or "") + (r[6] or "")]
    for row in short:
        base = os.path.basename(row[3] or "")  # the name is that of the first snapshot, perhaps before an exec
        names = (row[1] or base, row[2], os.path.basename(row[6] or ""))
        check.equal("one program in a snapshot", names, (base, base, base))
        check.true("its command line", os.path.basename((row[4] or base).split(" ")[0]) == base, row)
    check.equal("a live capture has its clock as hash", store.execute(
        "SELECT count(*) FROM snapshot JOIN live_reading USING (snapshot_id) WHERE hash <> mono_ns").fetchone(), (0,))
    lives = store.execute("SELECT count(*), count(DISTINCT pid || ' ' || start_time) FROM process").fetchone()
    check.equal("lives", lives[0], lives[1])
    vanished = store.execute("SELECT sum(vanished), count(*) FROM beat").fetchone()
    pids = store.execute("SELECT count(DISTINCT pid) FROM process").fetchone()[0]
    print("%d processes; %d sweeps, %d vanished while they were read, %d snapshots of short-lived ones, %d lives of %d pids"
          % (PROCESSES, vanished[1], vanished[0], len(short), lives[0], pids))
    check.true("some short-lived processes were captured", len(short) > 0)


kit.main(a_flood)
