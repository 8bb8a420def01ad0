"""Live captures of stopped processes of many kinds against the kernel's numbers at the same time:
every row of /proc/PID/maps, every number of smaps, VmRSS of status.

The short form has programs that most machines have; --full has all programs of the list below that are
installed, each with the processes that it starts. A stopped process changes nothing of its own, so
everything must be equal.
"""
import os
import pathlib
import re
import shutil
import signal
import sys
import subprocess
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit
import truth as reading

# name, command; {} is the folder of the program. SHORT is the short form.
SHORT = [
    ("sleep", "sleep 100"),
    ("python3", "python3 -c 'import time,ssl,json,threading; x=[bytes(5000) for _ in range(3000)]; time.sleep(100)'"),
    ("threads", "python3 -c 'import threading,time; [threading.Thread(target=time.sleep,args=(100,)).start() for _ in range(12)]'"),
    ("mmap", "python3 -c 'import mmap,time; a=[mmap.mmap(-1,4096*(i%9+1)) for i in range(600)]; [m.write(b\"x\") for m in a[::2]]; time.sleep(100)'"),
    ("dd", "sh -c 'dd if=/dev/zero bs=8M count=1 2>/dev/null | (sleep 100; cat)'"),
]
FULL = [
    ("bash", "bash -c 'read x'"), ("dash", "dash -c 'sleep 100; :'"), ("cat", "cat"),
    ("tail", "tail -f /dev/null"), ("vim", "vim -e"), ("less", "less -f /dev/zero"),
    ("perl", "perl -e 'my @a=(1..300000); sleep 100'"), ("awk", "awk 'BEGIN{for(i=0;i<90000;i++)a[i]=i; getline}'"),
    ("sed", "sed -n p"), ("sort", "sort -S 20M"), ("grep", "grep x"), ("bc", "bc"), ("dc", "dc"),
    ("find", "find / -exec sleep 100 ';'"), ("tar", "tar cf - -T -"), ("gzip", "gzip -9"), ("xz", "xz -6 -T2"),
    ("bzip2", "bzip2"), ("zstd", "zstd -19 -T2"), ("openssl", "openssl s_server -nocert -accept 39411"),
    ("sqlite3", "sqlite3 {}/x.db"), ("gdb", "gdb -q"), ("git", "git cat-file --batch"), ("make", "make -f - all"),
    ("ssh-agent", "ssh-agent -D"), ("tclsh", "tclsh"), ("php", "php -r '$a=range(1,400000); sleep(100);'"),
    ("ruby", "ruby -e 'a=(1..400000).map(&:to_s); sleep 100'"),
    ("node", "node -e 'const a=[];for(let i=0;i<4e5;i++)a.push({i});setInterval(()=>0,1e5)'"),
    ("node-workers", "node -e 'const {Worker}=require(\"worker_threads\");for(let i=0;i<3;i++)new Worker(\"setInterval(()=>0,1e5)\",{eval:true});setInterval(()=>0,1e5)'"),
    ("java", "java -Xmx256m {}/Wait.java"), ("java-z", "java -XX:+UseZGC -Xmx256m {}/Wait.java"),
    ("jshell", "jshell -"), ("go", "go tool compile -h; sleep 100"), ("rustc", "rustc -"),
    ("redis", "redis-server --port 0 --unixsocket {}/r.sock --dir {}"),
    ("memcached", "memcached -u root -s {}/m.sock"),
    ("nginx", "nginx -p {} -e {}/e.log -c {}/nginx.conf"),
    ("postgres", "POSTGRES"), ("mariadbd", "mariadbd --no-defaults --help --verbose"),
    ("chromium", "chromium --headless --no-sandbox --disable-gpu --user-data-dir={}/c --remote-debugging-port=0 about:blank"),
    ("valgrind", "valgrind -q sleep 100"), ("strace", "strace -o /dev/null sleep 100"),
    ("gcc", "gcc -E -"), ("clang", "clang-14 -fsyntax-only -x c -"), ("cmake", "cmake -E sleep 100"),
    ("qemu", "qemu-system-x86_64 -display none -S -m 64"), ("tmux", "tmux -D -S {}/t.sock"),
    ("perf", "perf trace -o /dev/null sleep 100"), ("screen", "screen -D -m sleep 100"),
    ("man", "man -P cat bash | sleep 100"), ("dbus", "dbus-daemon --session --nofork --print-address"),
]


def prepare(folder):
    (folder / "Wait.java").write_text(
        "public class Wait { static byte[][] a = new byte[40][];"
        " public static void main(String[] x) throws Exception {"
        " for (int i = 0; i < 40; i++) a[i] = new byte[1 << 20]; Thread.sleep(100000); } }\n")
    (folder / "nginx.conf").write_text(
        "daemon off; pid %s/n.pid; worker_processes 2; events {} http { access_log off;"
        " server { listen unix:%s/n.sock; } }\n" % (folder, folder))


def postgres(folder):
    """A command for a server as the user postgres, or None if PostgreSQL is not installed or this is not root."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found or os.getuid():
        return None
    data = folder / "pg"
    data.mkdir()
    shutil.chown(data, "postgres", "postgres")
    os.chmod(folder, 0o755)
    done = subprocess.run(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
                           found[-1], "-D", data], capture_output=True, check=False)
    return None if done.returncode else (
        "exec setpriv --reuid=postgres --regid=postgres --clear-groups %s -D %s"
        " -c listen_addresses= -c unix_socket_directories=%s"
        % (found[-1].with_name("postgres"), data, data))


def start(name, command, folder):
    """Starts a command in its own session. Returns None if the program is not installed."""
    words = command.split()
    if command == "POSTGRES":
        command = postgres(folder)
        if not command:
            return None
    elif not shutil.which(words[0]):
        return None
    prepare(folder)
    return subprocess.Popen(["sh", "-c", command.replace("{}", str(folder))], start_new_session=True,
                            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def descendants(roots):
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    children = {}
    for pid, parent in (map(int, line.split()) for line in listed.splitlines()):
        children.setdefault(parent, []).append(pid)
    found, todo = [], list(roots)
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def stopped(pid):
    try:
        stat = pathlib.Path("/proc/%d/stat" % pid).read_bytes()
    except OSError:
        return False
    return stat.rsplit(b")", 1)[1].split()[0] in (b"T", b"t")


def text(pid, name):
    return pathlib.Path("/proc/%d/%s" % (pid, name)).read_bytes()


def signed(address):
    return address - 2**64 if address >= 2**63 else address


PLACE = ("start", "end", "perms", "offset", "device", "inode", "path")
# Pss and Referenced also depend on other processes, which go on; so do the shared, clean and dirty numbers.
OTHERS = ("pss_kib", "swap_pss_kib", "pss_dirty_kib", "shared_clean_kib", "private_clean_kib", "shared_dirty_kib",
          "private_dirty_kib", "referenced_kib", "private_kib", "dirty_kib")
RESIDENT = ("shared_clean_kib", "shared_dirty_kib", "private_clean_kib", "private_dirty_kib")
COLUMNS = (*PLACE, "flags", *reading.COLUMN.values())


def status(raw, key):
    m = re.search(rb"^%s:\s*(\d+)" % key.encode(), raw, re.M)
    return int(m[1]) if m else None


def compare(check, what, snapshot, store, raw):
    """raw: maps, smaps and status as this test read them."""
    rows = [dict(zip(COLUMNS, row)) for row in store.execute(
        "SELECT %s FROM mappings WHERE snapshot_id = ? ORDER BY start < 0, start" % ", ".join(COLUMNS),
        (snapshot["snapshot_id"],))]
    place = lambda row: tuple(signed(row[c]) if c in ("start", "end") else row[c] for c in PLACE)
    check.equal(what + ": rows of maps", [place(r) for r in rows], [place(r) for r in reading.smaps(raw[0])])
    for row, want in zip(rows, reading.smaps(raw[1])):
        own = [c for c in want if c not in PLACE and c not in OTHERS]
        check.equal(what + ": numbers of a mapping", {c: row[c] or b"" if c == "flags" else row[c] for c in own},
                    {c: want[c] for c in own})
        check.equal(what + ": clean and dirty, shared and private", sum(row[c] for c in RESIDENT), want["rss_kib"])
    check.equal(what + ": rss_kib is VmRSS", snapshot["rss_kib"], status(raw[2], "VmRSS"))
    check.equal(what + ": tool_rss_kib", snapshot["tool_rss_kib"], status(raw[2], "VmRSS"))
    check.equal(what + ": tool_size_kib", snapshot["tool_size_kib"], status(raw[2], "VmSize"))
    check.equal(what + ": checked", snapshot["checked"], "status")


def open_store(db):
    store = kit.sqlite3.connect("file:%s?mode=ro" % db, uri=True)
    store.row_factory = kit.sqlite3.Row
    store.text_factory = bytes
    return store


def run_all(check, started, db):
    pids = [p for p in descendants([s[1].pid for s in started]) if text_or_none(p, "maps")]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    deadline = time.time() + 5
    while time.time() < deadline and not all(stopped(p) for p in pids):
        time.sleep(0.05)
    pids = [p for p in pids if stopped(p)]
    kit.run("capture", "-q", "--max-stall", "60s", *pids, db=db)
    store = open_store(db)
    for snapshot in store.execute(
            "SELECT s.*, p.pid, n.name FROM snapshot s JOIN process p USING (process_id)"
            " JOIN name n USING (name_id)").fetchall():
        s = {k: (snapshot[k].decode() if isinstance(snapshot[k], bytes) else snapshot[k])
             for k in snapshot.keys()}
        raw = tuple(text(s["pid"], f) for f in ("maps", "smaps", "status"))
        compare(check, "%s (%d)" % (s["name"], s["pid"]), s, store, raw)
        pids.remove(s["pid"])
    check.equal("processes that are not stored", pids, [])
    return len(store.execute("SELECT DISTINCT name_id FROM process").fetchall())


def text_or_none(pid, name):
    try:
        return text(pid, name)
    except OSError:
        return None


def programs(check, place):
    started = []
    try:
        for name, command in SHORT + (FULL if kit.full else []):
            folder = place / name
            folder.mkdir()
            process = start(name, command, folder)
            if process:
                started.append((name, process))
        time.sleep(6 if kit.full else 1.5)
        kinds = run_all(check, started, place / "t.db")
    finally:
        for pid in descendants([p.pid for _, p in started]):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        for _, process in started:
            process.wait()
    print("%d programs started, %d names captured" % (len(started), kinds))


kit.main(programs)
