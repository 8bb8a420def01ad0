#!/usr/bin/env python3
"""groups --exact and capture --pages against sets of frames that this script reads from pagemap.

The processes share anonymous memory, forked pages, a segment, a memfd and files. They have huge
pages, zero pages, guard regions and a large sparse mapping. Needs CAP_SYS_ADMIN, for page frames.
"""
import csv
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))
import kit

PMAPDB, CC = os.environ["PMAPDB"], os.environ.get("CC", "cc")
KPF_HUGE, KPF_NOPAGE, KPF_ZERO, PAGE = 17, 20, 24, 4096
NOTHING = bytes(8 << 16) # entries of absent pages
counted = kit.Check(shown=20)
check = counted.equal


class Family:
    """The program family (family.c), perhaps as another user."""

    def __init__(self, program, file, n, *prefix):
        self.run = subprocess.Popen([*prefix, program, str(n), file], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        said = b""
        while said.count(b"+") < n or b"\n" not in said:
            said += os.read(self.run.stdout.fileno(), 64)
        pid = self.run.pid
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            self.pids = [pid, *map(int, f.read().split())]

    def end(self):
        self.run.stdin.close()
        self.run.wait()


def entries(pid):
    """(address, entry, line of maps) of all present pages of a process."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pagemap:
        for line in maps:
            start, end = (int(a, 16) for a in line.split()[0].split("-"))
            if start >> 63:
                continue
            for at in range(start, end, PAGE << 16):
                n = min(end - at, PAGE << 16) // PAGE
                data = os.pread(pagemap.fileno(), 8 * n, at // PAGE * 8)
                if data == NOTHING[:len(data)]:
                    continue
                for i, entry in enumerate(struct.unpack(f"{len(data) // 8}Q", data)):
                    if entry >> 63:
                        yield at + i * PAGE, entry, line


def frames(pid, flags, zero=None):
    """Returns {frame: is anonymous} of the frames that count in the RSS of a process. Adds the KiB of its zero
    pages to zero[pid]."""
    found = {}
    for _, entry, line in entries(pid):
        frame = entry & (1 << 55) - 1
        flag = struct.unpack("Q", os.pread(flags, 8, frame * 8))[0]
        if zero is not None:
            zero[pid] = zero.get(pid, 0) + (flag >> KPF_ZERO & 1) * PAGE // 1024
        if "[vvar" not in line and not flag & (1 << KPF_HUGE | 1 << KPF_NOPAGE | 1 << KPF_ZERO):
            found[frame] = not entry >> 61 & 1
    return found


def oracle(groups):
    """{group: (rss, uss, anon)} in KiB of {group: [{frame: anon}]}, and the union."""
    of = {name: set().union(*members) for name, members in groups.items()}
    anon = {f for members in groups.values() for m in members for f, a in m.items() if a}
    out = {}
    for name, mine in of.items():
        others = set().union(*(s for other, s in of.items() if other != name))
        out[name] = tuple(len(s) * PAGE // 1024 for s in (mine, mine - others, mine & anon))
    out["(union)"] = (len(set().union(*of.values())) * PAGE // 1024,)
    return out


def pmapdb(*args):
    words, db = (args[2:], args[1]) if args[0] == "--db" else (args, None)
    done = kit.run(*words, db=db, expect=None)
    if done.returncode:
        sys.exit(f"{args}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def answer(*args):
    rows = csv.DictReader(io.StringIO(pmapdb(*args, "-f", "csv")))
    return {row["group"]: row for row in rows}


def sizes(row):
    return tuple(int(row[c]) for c in ("rss_kib", "uss_kib", "anon_kib"))


def compare(what, rows, want):
    for name, numbers in want.items():
        check(f"{what}, {name}", sizes(rows[name])[:len(numbers)] if name in rows else None, numbers)
    groups = [r for r in rows.values() if r["part"] == "group"]
    check(f"{what}, adds up", sum(int(r["uss_kib"]) for r in groups) + int(rows["(several groups)"]["rss_kib"]),
          int(rows["(union)"]["rss_kib"]))


def smaps_rss(pid):
    with open(f"/proc/{pid}/smaps") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Rss:"))


def check_family(work, family, flags):
    zero = {}
    own = [frames(pid, flags, zero) for pid in family.pids]
    by_comm = oracle({"family": own[:1], "even": own[1::2], "odd": own[2::2]})
    match = f"pid = {family.pids[0]} OR descendant_of({family.pids[0]})"
    one = "iif(comm = 'family', 'parent', 'children')"
    by_one = oracle({"parent": own[:1], "children": own[1:]})
    now = ["groups", "--exact", "--match", match, "--by"]
    compare("by frame", answer(*now, "comm"), by_comm)
    compare("by identity", answer(*now, "comm", "--pages-by", "identity"), by_comm)
    check("methods", [answer(*now, "comm", "--pages-by", m)["even"]["method"] for m in ("frame", "identity")],
          ["frame", "identity"])
    store = os.path.join(work, "pages.db")
    pmapdb("--db", store, "capture", "--pages", "--match", match)
    then = ["--db", store, "groups", "--exact", "--at", "last", "--by"]
    compare("stored, by comm", answer(*then, "comm"), by_comm)
    compare("stored, by another expression", answer(*then, one), by_one)
    rows = csv.DictReader(io.StringIO(pmapdb("--db", store, "sql", "-f", "csv",
        "SELECT pid, anon_kib + file_kib + shmem_kib AS rss, zero_kib FROM page_process JOIN snapshots USING (snapshot_id)")))
    for row in rows:
        check(f"resident of {row['pid']}", int(row["rss"]), smaps_rss(row["pid"]))
        check(f"zero pages of {row['pid']}", int(row["zero_kib"]), zero[int(row["pid"])])
    check("the parent has pages of zeroes", zero[family.pids[0]] >= 1024, True)
    copies(work, store, by_comm)
    return by_comm


def check_budget(work, family):
    """If smaps would stall longer than --max-stall, pagemap gives the same numbers for every mapping."""
    pids = [str(p) for p in family.pids]
    ask = ("SELECT dialect, pid, start, m.rss_kib, m.private_kib, anonymous_kib, m.swap_kib, checked FROM mappings m "
           "JOIN snapshots USING (snapshot_id) ORDER BY pid, start")
    for turn in range(5): # private pages of a library become shared when another program starts
        stores = [os.path.join(work, "%s%d.db" % (name, turn)) for name in ("fill", "smaps")]
        pmapdb("--db", stores[0], "capture", "--max-stall", "0s", *pids)
        pmapdb("--db", stores[1], "capture", "--measure", "smaps", *pids)
        filled, smaps = (list(csv.reader(io.StringIO(pmapdb("--db", db, "sql", "-f", "csv", ask)))) for db in stores)
        if [a[1:] for a in filled] == [b[1:] for b in smaps]:
            break
    check("dialects", {row[0] for row in filled[1:]} | {row[0] for row in smaps[1:]}, {"pagemap", "smaps"})
    check("mappings", len(filled), len(smaps))
    for a, b in zip(filled, smaps):
        check("mapping by pagemap", a[1:], b[1:])
    pmapdb("--db", os.path.join(work, "again.db"), "merge", stores[0])
    again = list(csv.reader(io.StringIO(pmapdb("--db", os.path.join(work, "again.db"), "sql", "-f", "csv", ask))))
    check("merged", again, filled)


def check_commands(family, flags):
    """shm, tmpfs and pages on the family."""
    pid = str(family.pids[0])
    n = len(family.pids)
    rows = list(csv.DictReader(io.StringIO(pmapdb("shm", "-f", "csv"))))
    sysv = [r for r in rows if r["kind"] == "sysv" and r["creator"] == pid]
    check("segment", [[r[c] for c in ("key", "size_kib", "rss_kib", "swap_kib", "attached", "processes", "state")]
                      for r in sysv], [["0x00000000", "1024", "512", "0", str(n), str(n), "removed, in use"]])
    memory = [r for r in rows if r["kind"] == "memfd" and r["path"] == "/memfd:family-%s (deleted)" % pid]
    check("memfd", [[r[c] for c in ("size_kib", "rss_kib", "processes", "state")] for r in memory],
          [["1024", "256", str(n), "in use"]])
    for row in csv.DictReader(io.StringIO(pmapdb("tmpfs", "-f", "csv"))):
        check("tmpfs " + row["mount"], int(row["size_kib"] or 0) >= int(row["used_kib"]), True)
    rows = list(csv.DictReader(io.StringIO(pmapdb("pages", pid, "-f", "csv"))))
    check("pages, rss", sum(int(r["rss_kib"]) for r in rows), smaps_rss(pid))
    check("pages, rss of classes", sum(int(r[c]) for r in rows for c in ("anon_kib", "file_kib", "shmem_kib")), smaps_rss(pid))
    largest = max(rows, key=lambda r: int(r["rss_kib"]))
    runs = list(csv.DictReader(io.StringIO(pmapdb("pages", pid, "--mapping", largest["start"], "-f", "csv"))))
    check("runs", sum(int(r["pages"]) for r in runs if r["kind"] != "zero") * PAGE // 1024, int(largest["rss_kib"]))
    seen = {e & (1 << 55) - 1 for at, e, line in entries(family.pids[0])}
    check("frames of runs", {int(r["frame"]) + i for r in runs if r["kind"] != "zero" for i in range(int(r["pages"]))} - seen, set())
    check("guard regions", sum(int(r["pages"]) for start in {r["start"] for r in rows if r["size_kib"] in ("512", "1024", "256")}
          for r in csv.DictReader(io.StringIO(pmapdb("pages", pid, "--mapping", start, "-f", "csv"))) if r["state"] == "guard"), 128)


def check_pss(family):
    """The memory that only the family maps is the sum of its proportional shares: each page counts once."""
    match = f"pid = {family.pids[0]} OR descendant_of({family.pids[0]})"
    row = answer("groups", "--exact", "--match", match)["(union)"]
    pss = 0
    for pid in family.pids:
        with open(f"/proc/{pid}/smaps_rollup") as f:
            pss += sum(int(line.split()[1]) for line in f if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
    check("union is the sum of Pss, within rounding",
          abs(int(row["anon_kib"]) + int(row["shmem_kib"]) - pss) <= 2 * len(family.pids), True)


def check_prune(work, family):
    """A prune removes the page sets of its moments; the other moments give the same answers as before."""
    store = os.path.join(work, "prune.db")
    pids = [str(p) for p in family.pids]
    for _ in range(3):
        pmapdb("--db", store, "capture", "--pages", *pids)
    ask = ["--db", store, "groups", "--exact", "--at", "last", "--by", "comm"]
    scans = ["--db", store, "sql", "-f", "csv", "SELECT count(*), count(DISTINCT capture_id) FROM page_scan"]
    before = [sizes(r) for r in answer(*ask).values()]
    check("scans", pmapdb(*scans).split()[-1:], ["3,3"])
    pmapdb("--db", store, "prune", "--keep-last", "1")
    check("scans after a prune", pmapdb(*scans).split()[-1:], ["1,1"])
    check("groups after a prune", [sizes(r) for r in answer(*ask).values()], before)
    both = json.loads(pmapdb(*ask, "--by", "ppid", "-f", "json"))
    check("two groupings are one list", [r["by"] for r in both if r["part"] == "union"], ["comm", "ppid"])
    gauges = pmapdb(*ask, "--by", "ppid", "-f", "prometheus").splitlines()
    check("two groupings are gauges of one name", [re.search(r'by="(\w+)"', line)[1] for line in gauges
          if line.startswith("pmapdb_groups_exact_rss_bytes{") and 'part="union"' in line], ["comm", "ppid"])


CHURN = """
import mmap, os, sys, time
end = time.monotonic() + 60
while time.monotonic() < end:
    if os.fork() == 0:                      # pids that start and end; one in three runs another program
        if os.getpid() % 3 == 0:
            os.execv("/bin/true", ["true"])
        os._exit(0)
    areas = [mmap.mmap(-1, 1 << 16) for _ in range(50)] # a map that changes
    for area in areas:
        area[0] = 1
        area.close()
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
"""


def check_churn():
    """Processes that start, end, and change their map while they are read: the numbers add up."""
    churn = [subprocess.Popen([sys.executable, "-c", CHURN]) for _ in range(2)]
    ours = " OR ".join(f"pid = {p.pid} OR ppid = {p.pid}" for p in churn)
    try:
        for _ in range(5):
            run = subprocess.run([PMAPDB, "groups", "--exact", "--match", ours, "--by", "ppid", "-f", "csv"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            rows = list(csv.DictReader(io.StringIO(run.stdout)))
            uss = sum(int(r["uss_kib"]) for r in rows if r["part"] == "group")
            several, union = ([int(r["rss_kib"]) for r in rows if r["part"] == p] for p in ("several", "union"))
            check("churn, exit", run.returncode, 0)
            check("churn adds up", [uss + several[0]], union)
            check("churn, lines", len(run.stderr.splitlines()) <= 3, True)
    finally:
        for p in churn:
            p.kill()
            p.wait()


KERNEL_PAGES = """
import ctypes, mmap, sys
libc = ctypes.CDLL(None, use_errno=True)
keep = []
if "hugetlb" in sys.argv:
    keep.append(mmap.mmap(-1, 2 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)) # MAP_HUGETLB
    keep[-1][0] = 1
area = mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for i in range(0, 1 << 20, 4096):
    area[i] = 7 if "ksm" in sys.argv else i >> 12 & 255
if "swap" in sys.argv:
    area.madvise(21) # MADV_PAGEOUT
if "ksm" in sys.argv:
    area.madvise(mmap.MADV_MERGEABLE)
print("ready", flush=True)
sys.stdin.read()
"""


def check_kernel_pages():
    """Kinds of pages that exist only on machines that are set up for them."""
    def number(file, key):
        with open(file) as f:
            return next((int(line.split()[1]) for line in f if line.startswith(key)), 0)
    have = {"hugetlb": number("/proc/meminfo", "HugePages_Free:") > 0, "swap": number("/proc/meminfo", "SwapFree:") > 4096,
            "ksm": os.path.exists("/sys/kernel/mm/ksm/run") and open("/sys/kernel/mm/ksm/run").read().strip() == "1"}
    for name, there in have.items():
        if not there:
            print(f"SKIP: this machine has no {name}")
            continue
        child = subprocess.Popen([sys.executable, "-c", KERNEL_PAGES, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.readline()
        with open(f"/proc/{child.pid}/smaps") as f:
            smaps = [line.split() for line in f]
        total = lambda key: sum(int(w[1]) for w in smaps if w[0] == key)
        rows = list(csv.DictReader(io.StringIO(pmapdb("pages", str(child.pid), "-f", "csv"))))
        mine = lambda column: sum(int(r[column] or 0) for r in rows)
        check(f"{name}: rss", mine("rss_kib"), total("Rss:"))
        check(f"{name}: swap", mine("swap_kib"), total("Swap:"))
        check(f"{name}: hugetlb", mine("hugetlb_kib"), total("Private_Hugetlb:") + total("Shared_Hugetlb:"))
        if name == "ksm":
            check("ksm", abs(mine("ksm_kib") - total("KSM:")) <= 64, True)
        group = answer("groups", "--exact", "--match", f"pid = {child.pid}")["(union)"]
        check(f"{name}: of groups", int(group["swap_kib"]), total("Swap:"))
        child.stdin.close()
        child.wait()
        child.stdout.close()


def check_maps(work, family):
    """Pictures are complete. The sums of their legends match `pages` and the memory of the machine."""
    def legend(*args):
        file = os.path.join(work, "map.svg")
        pmapdb("map", *args, "-q", "-o", file)
        texts = [t.firstChild.data for t in xml.dom.minidom.parse(file).getElementsByTagName("text")]
        found = [re.fullmatch(r"(.*)  ([\d.]+) ([MG]iB)", t) for t in texts]
        return {m[1]: float(m[2]) * (1024 if m[3] == "GiB" else 1) for m in found if m}
    pid = str(family.pids[0])
    rows = list(csv.DictReader(io.StringIO(pmapdb("pages", pid, "-f", "csv"))))
    sums = legend(pid)
    for name, column in (("of files", "file_kib"), ("shared memory", "shmem_kib"), ("of zeroes: no memory", "zero_kib")):
        check(f"map, {name}", abs(sums[name] - sum(int(r[column]) for r in rows) / 1024) <= .06, True)
    anon = sums["its own"] + sums["anonymous, shared with forks"]
    check("map, anonymous", abs(anon - sum(int(r["anon_kib"]) for r in rows) / 1024) <= .11, True)
    whole = legend("--physical", "--by", "iif(comm IN ('family', 'odd', 'even'), 'all of the family', 'the others')")
    with open("/proc/iomem") as f:
        ram = sum(int(b, 16) - int(a, 16) + 1 for a, b in re.findall(r"^(\w+)-(\w+) : System RAM", f.read(), re.M))
    check("map --physical is all memory", abs(sum(whole.values()) / (ram / 2**20) - 1) < .01, True)
    check("map --physical has the family", 10 < whole["all of the family"] + whole["several groups"] < 40, True)
    png = os.path.join(work, "map.png")
    run = subprocess.run([PMAPDB, "map", "--physical", "-q", "-o", png], stderr=subprocess.PIPE, text=True,
                         env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}) # fontconfig keeps its memory
    if run.returncode and "libcairo" in run.stderr:
        print("SKIP: no cairo for a PNG")
    else:
        with open(png, "rb") as f:
            check("PNG", (run.returncode, f.read(8)), (0, b"\x89PNG\r\n\x1a\n"))


def check_instances(work):
    """Servers are named by their command lines and environments; a child belongs to its server."""
    source, running = os.path.join(work, "server.c"), []
    with open(source, "w") as f:
        f.write("#include <sys/prctl.h>\n#include <unistd.h>\nint main(int n, char **v) {\n"
                "if (n > 2 && fork() == 0) prctl(PR_SET_PDEATHSIG, 9);\nwrite(1, v[0], 1);\nfor (;;) pause(); }\n")
    for name, argv0, args, variables in (
            ("postgres", None, ["-D", "/srv/pg/main", "-p", "5433"], {}),
            ("postgres", None, ["--single"], {"PGDATA": "/srv/pg/other"}),
            ("mariadbd", None, ["--port=3307"], {}),
            ("mysqld", None, ["--user=x", "--datadir=/srv/my"], {}),
            ("redis-server", "redis-server *:6380", [], {}),
            ("server", "ora_pmon_PROD", [], {}),
            ("server", "oraclePROD (LOCAL=NO)", [], {}),
            ("server", "ora_smon_X", [], {"ORACLE_SID": "TEST"}),
            ("mysqld", None, [], {})):
        program = os.path.join(work, name)
        if not os.path.exists(program):
            subprocess.run([*CC.split(), "-D_GNU_SOURCE", "-w", "-o", program, source], check=True)
        running.append(subprocess.Popen([argv0 or program, *args], executable=program, env={**os.environ, **variables},
                                        stdout=subprocess.PIPE))
        for _ in range(2 if len(args) > 1 else 1):
            running[-1].stdout.read(1)
    match = " OR ".join(f"pid = {p.pid} OR ppid = {p.pid}" for p in running)
    rows = answer("groups", "--exact", "--by", "instance", "--match", match)
    check("instances", {name: row["processes"] for name, row in rows.items() if row["part"] == "group"},
          {"postgresql /srv/pg/main": "2", "postgresql /srv/pg/other": "1", "mariadb 3307": "1", "mariadb /srv/my": "2",
           "redis 6380": "1", "oracle PROD": "2", "oracle TEST": "1", f"mariadb pid {running[-1].pid}": "1"})
    for p in running:
        p.kill()
        p.wait()
        p.stdout.close()


def copies(work, store, want):
    """Stores that merge and export make have the same pages."""
    for name, args in (("merged", ["--db", os.path.join(work, "merged.db"), "merge", store]),
                       ("exported", ["--db", store, "export", os.path.join(work, "exported.db")]),
                       ("redacted", ["--db", store, "export", "--redact", os.path.join(work, "redacted.db")])):
        pmapdb(*args)
        rows = answer("--db", os.path.join(work, f"{name}.db"), "groups", "--exact", "--at", "last", "--by", "ppid")
        check(name, int(rows["(union)"]["rss_kib"]), want["(union)"][0])


def check_unprivileged(work, program, file, flags):
    """As the user nobody, by identity, against frames that root reads."""
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    copy = os.path.join(work, "pmapdb")
    subprocess.run(["cp", PMAPDB, copy], check=True)
    os.mkdir(os.path.join(work, "other"))
    os.chown(os.path.join(work, "other"), 65533, 65533)
    if subprocess.run([*prefix, copy, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        print("SKIP: the user nobody cannot run the program")
        return
    family = Family(program, file, 4, *prefix)
    own = [frames(pid, flags) for pid in family.pids]
    want = oracle({"family": own[:1], "even": own[1::2], "odd": own[2::2]})
    match = f"pid = {family.pids[0]} OR descendant_of({family.pids[0]})"
    run = subprocess.run([*prefix, copy, "groups", "--exact", "--match", match, "--by", "comm", "-f", "csv"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    compare("as nobody", {r["group"]: r for r in csv.DictReader(io.StringIO(run.stdout))}, want)
    refused = subprocess.run([*prefix, copy, "groups", "--exact", "--pages-by", "frame", "--match", match],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check("frames refused", (refused.returncode, "CAP_SYS_ADMIN" in refused.stderr), (2, True))
    archive = os.path.join(work, "nobody", "none.pages")
    os.mkdir(os.path.dirname(archive))
    os.chown(os.path.dirname(archive), 65534, 65534)
    for args in (["pages", "1"], ["map", "1"], ["groups", "--exact", "--match", "pid = 1"], ["map", "--physical"],
                 ["capture", "--archive", archive, "--match", "uid = 0"]):
        run = subprocess.run([*prefix, copy, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check(f"{args[0]} without privilege", (run.returncode, "CAP_" in run.stderr.splitlines()[-1]), (2, True))
        check(f"{args[0]} prints no numbers", run.stdout, "")
    check("no archive without processes", os.path.exists(archive), False)
    traced = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups", "--inh-caps=+sys_ptrace",
              "--ambient-caps=+sys_ptrace"]
    run = subprocess.run([*traced, copy, "--db", os.path.join(work, "other", "maps.db"), "capture", "--max-stall", "0s",
                          "-f", "csv", str(family.pids[0])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    row = next(csv.DictReader(io.StringIO(run.stdout)), {})
    check("CAP_SYS_PTRACE alone reads maps", (row.get("dialect"), row.get("degraded", "")[:5]), ("maps", "smaps"))
    family.end()


def flags_of_frames():
    """Opens /proc/kpageflags. Skips the test if this user cannot see page frames."""
    try:
        flags = os.open("/proc/kpageflags", os.O_RDONLY)
        if any(e & (1 << 55) - 1 for _, e, _ in entries(os.getpid())):
            return flags
    except OSError:
        pass
    return kit.skip("needs CAP_SYS_ADMIN, for page frames")


def made(work):
    """Builds the program family. Returns its path and the path of the file that it maps."""
    program, file = work / "family", work / "file"
    subprocess.run([*CC.split(), "-O1", "-D_GNU_SOURCE", "-o", program, pathlib.Path(__file__).with_name("family.c")], check=True)
    file.write_bytes(b"x" * (1 << 20))
    file.chmod(0o666)
    return program, file


def all_pages(work):
    flags = flags_of_frames()
    work.chmod(0o755)
    program, file = made(work)
    family = Family(program, file, 6)
    check_family(work, family, flags)
    check_budget(work, family)
    check_commands(family, flags)
    check_pss(family)
    check_prune(work, family)
    check_maps(work, family)
    check_kernel_pages()
    check_churn()
    check_instances(work)
    family.end()
    check_unprivileged(work, program, file, flags)


if __name__ == "__main__":
    kit.main(all_pages, check=counted)
