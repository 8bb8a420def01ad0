"""A pid that is used again is another process: two programs of one pid are two processes, while a
new title of the same program is not."""
import shutil
import subprocess

import kit


def pid_of(text):
    return text.split(b":", 1)[0]


def live():
    """Captures of different programs that had one pid, each in a pid namespace of its own."""
    if not shutil.which("unshare") or not shutil.which("pmap"):
        return []
    texts = []
    for program in ("sleep 9", "tail -f /dev/null", "sleep 9"):
        script = program + " & sleep 0.3; pmap -x $!; kill $!"
        done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", script],
                              capture_output=True, check=False)
        if done.returncode or b"total" not in done.stdout:
            return []
        texts.append(done.stdout)
    return texts if len({pid_of(t) for t in texts}) == 1 else []


def cut():
    """The same from workloads: three programs' captures under the pid of the first."""
    with kit.Place() as place:
        texts = []
        for name in ("c_mmap", "redis", "nginx"):
            workload = kit.Workload(name)
            beat = workload.beats[:1]
            path = workload.unpack(place / name, beat, "x", pids={beat[0][1][0]})[0]
            texts.append(path.read_bytes())
    return [pid_of(texts[0]) + t[t.index(b":"):] for t in texts]


def lives(check, what, texts):
    """Two captures of each life, the second under a new title."""
    with kit.Place() as place:
        for i, text in enumerate(texts):
            head, _, rest = text.partition(b"\n")
            title = head.split(b":", 1)[0] + b":   worker: busy with something else"
            (place / ("%d-a.txt" % (1700000000 + 100 * i))).write_bytes(text)
            (place / ("%d-b.txt" % (1700000050 + 100 * i))).write_bytes(title + b"\n" + rest)
        for how, paths in (("together", [place]),
                           ("one by one", sorted(place.glob("*.txt"), reverse=True))):
            db = place / (how.replace(" ", "-") + ".db")
            for path in paths:
                kit.run("import", path, db=db)
            got = kit.rows("processes", db=db)
            check.equal("%s, %s: snapshots of each process" % (what, how),
                        sorted(r["snapshots"] for r in got), ["2"] * len(texts))
            check.equal("%s, %s: pids" % (what, how), len({r["pid"] for r in got}), 1)


def main():
    check = kit.Check()
    texts = live()
    if texts:
        lives(check, "live", texts)
    else:
        print("no pid namespace here: only texts cut from workloads")
    lives(check, "cut", cut())
    check.finish()


if __name__ == "__main__":
    main()
