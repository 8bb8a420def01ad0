#!/usr/bin/env python3
"""pmapdb answers the same from a copy of /proc with page maps as on the machine: from an archive of snap.py of
linux-mem (a tar with sparse page maps and kpageflags), from pmapdb's own archive, and from damaged archives.

Needs CAP_SYS_ADMIN, for page frames.
"""
import csv
import io
import json
import os
import random
import shutil
import struct
import subprocess

import pages
from pages import Family, PAGE, PMAPDB, check

WHO = "comm IN ('family', 'even', 'odd')"


def run(work, *args):
    """Runs pmapdb, checks that its temporary folder is empty afterwards, and returns the finished process."""
    temporary = os.path.join(work, "temporary")
    os.makedirs(temporary, exist_ok=True)
    done = subprocess.run([PMAPDB, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "TMPDIR": temporary})
    check(f"left behind by {args[0]}", os.listdir(temporary), [])
    return done


def groups(work, *args):
    done = run(work, "groups", "--exact", "--by", "comm", "--match", WHO, "-f", "csv", *args)
    drop = ("taken_at", "method", "moved_kib")
    rows = [{k: v for k, v in row.items() if k not in drop} for row in csv.DictReader(io.StringIO(done.stdout))]
    return rows, done


def copy_process(pid, folder, flags, zeroes):
    """Copies a process as snap.py does: with an entry for each page of each mapping, even if empty."""
    os.makedirs(folder)
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pagemap, \
            open(f"{folder}/pagemap", "wb") as out:
        for line in maps:
            start, end = (int(a, 16) // PAGE for a in line.split()[0].split("-"))
            if start >> 51:
                continue
            for at in range(start, end, 1 << 16):
                data = os.pread(pagemap.fileno(), 8 * min(end - at, 1 << 16), at * 8)
                if at == start or data != pages.NOTHING[:len(data)]: # this test saves time: an empty chunk stays a hole
                    out.seek(at * 8)
                    out.write(data)
                    zeroes.update(f for f in {e & (1 << 55) - 1 for e, in struct.iter_unpack("Q", data) if e >> 63}
                                  if struct.unpack("Q", os.pread(flags, 8, f * 8))[0] >> pages.KPF_ZERO & 1)
    for name in ("maps", "status", "stat", "cmdline", "statm", "smaps"):
        shutil.copyfile(f"/proc/{pid}/{name}", f"{folder}/{name}")
    os.symlink(os.readlink(f"/proc/{pid}/exe"), f"{folder}/exe")


def make_snap(work, pids, flags):
    """Makes a folder as snap.py leaves it, and its archive. Returns the path of the archive."""
    top, zeroes = os.path.join(work, "snap"), set()
    for pid in pids:
        copy_process(pid, f"{top}/proc/{pid}", flags, zeroes)
    with open(f"{top}/proc/kpageflags", "wb") as out:
        for frame in zeroes:
            out.seek(frame * 8)
            out.write(os.pread(flags, 8, frame * 8))
    os.makedirs(f"{top}/proc/sysvipc")
    for name in ("meminfo", "sysvipc/shm"):
        shutil.copyfile(f"/proc/{name}", f"{top}/proc/{name}")
    with open(f"{top}/metadata.json", "w") as f:
        json.dump({"datetime": "2026-11-23T07:20:30", "hostname": "db1"}, f, indent=4)
    subprocess.run(["tar", "czf", f"{top}.tar.gz", "--sparse", "-C", work, "snap"], check=True)
    return f"{top}.tar.gz"


def check_answers(work, family, archive, own, live):
    for name, path in (("snap", archive), ("a folder", os.path.join(work, "snap", "proc")), ("own", own)):
        rows, done = groups(work, "--proc", path)
        check(f"{name}: groups", rows, live)
        check(f"{name}: exit", (done.returncode, done.stdout.count("frame")), (0, len(rows)))
    pid = str(family.pids[0])
    for args in (["pages", pid], ["shm"]):
        now = run(work, *args, "-f", "csv").stdout
        for path in (archive, own):
            then = run(work, *args, "-f", "csv", "--proc", path).stdout
            # other programs begin and end meanwhile: whether a page of a library is mapped once changes
            drop = lambda text: [{k: v for k, v in row.items() if k not in ("thp_kib", "ksm_kib")
                                  and not (k == "own_kib" and ".so" in row["path"])}
                                 for row in csv.DictReader(io.StringIO(text)) if row.get("creator") in (None, pid)]
            check(f"{args} of {os.path.basename(path)}", drop(then), drop(now))
    largest = max(csv.DictReader(io.StringIO(run(work, "pages", pid, "-f", "csv").stdout)), key=lambda r: int(r["rss_kib"]))
    runs = [[list(r.values())[:8] for r in csv.DictReader(io.StringIO(
        run(work, "pages", pid, "--mapping", largest["start"], "-f", "csv", *where).stdout))]
        for where in ([], ["--proc", own], ["--proc", archive])]
    check("runs of pages", runs[1:], [runs[0]] * 2)


def check_stored(work, archive, own, live):
    """A capture of a copy stores the same as a capture of the machine; a second capture stores nothing more."""
    for path in (archive, own):
        db = os.path.join(work, os.path.basename(path) + ".db")
        for _ in range(2):
            done = run(work, "--db", db, "capture", "--pages", "--all", "--proc", path)
            check("capture of a copy", done.returncode, 0)
        done = subprocess.run([PMAPDB, "--db", db, "groups", "--exact", "--at", "last", "--by", "comm", "-f", "csv"],
                              stdout=subprocess.PIPE, text=True)
        rows = {r["group"]: (r["rss_kib"], r["processes"]) for r in csv.DictReader(io.StringIO(done.stdout))}
        check("stored rss", {r["group"]: rows.get(r["group"]) for r in live if r["part"] == "group"},
              {r["group"]: (r["rss_kib"], r["processes"]) for r in live if r["part"] == "group"})
        scans = subprocess.run([PMAPDB, "--db", db, "-f", "csv", "sql", "SELECT count(*) FROM page_scan"],
                               stdout=subprocess.PIPE, text=True)
        check("one scan", scans.stdout.split()[1:], ["1"])


def check_cut(work, archive, live):
    """An archive that is cut anywhere: one line, exit 2, and no group has more processes than in the whole archive."""
    most = {r["group"]: r for r in live}
    with open(archive, "rb") as f:
        whole = f.read()
    cut = os.path.join(work, "cut" + archive[archive.index("."):])
    places = sorted(random.Random(4711).sample(range(1, len(whole) - 16), 6))
    for n in places + [1]:
        with open(cut, "wb") as f:
            f.write(whole[:n])
        rows, done = groups(work, "--proc", cut)
        check(f"cut at {n}: exit", done.returncode, 2)
        said = [line for line in done.stderr.splitlines() if "uss is against" not in line and "missing" not in line]
        check(f"cut at {n}: the message", 1 <= len(said) <= 3 and "cut" in said[0], True)
        for row in rows:
            if row["part"] == "group" and int(row["processes"]) > int(most[row["group"]]["processes"]):
                check(f"cut at {n}: {row['group']}", row["processes"], most[row["group"]]["processes"])


def check_odd(work, family, own):
    """A page map of 256 TiB with an entry at its end, impossible frames, no page map, a file that is not an archive."""
    top = os.path.join(work, "odd")
    folder = f"{top}/proc/4711"
    os.makedirs(folder)
    for name in ("status", "stat", "cmdline"):
        shutil.copyfile(f"/proc/{family.pids[0]}/{name}", f"{folder}/{name}")
    first = 0x7ffffffff000 // PAGE
    with open(f"{folder}/maps", "w") as f:
        f.write(f"100000000000-{first * PAGE + PAGE:x} rw-p 00000000 00:00 0\n")
    with open(f"{folder}/pagemap", "wb") as f:
        f.seek(first * 8)
        f.write(struct.pack("Q", 1 << 63 | 1 << 56 | (1 << 55) - 1))
        f.seek(0x100000000000 // PAGE * 8)
        f.write(struct.pack("4Q", *(1 << 63 | 1 << 56 | i << 40 for i in range(1, 5))))
    done = run(work, "groups", "--exact", "-f", "csv", "--proc", f"{top}/proc")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    check("impossible frames count as pages", [r["rss_kib"] for r in rows if r["part"] == "group"], ["20"])
    subprocess.run(["tar", "czf", f"{top}.tgz", "--sparse", "-C", work, "odd"], check=True)
    done = run(work, "groups", "--exact", "-f", "csv", "--proc", f"{top}.tgz")
    check("the same packed", done.stdout.split("\n")[1].split(",")[4:5], ["20"])
    os.unlink(f"{folder}/pagemap")
    done = run(work, "groups", "--exact", "-f", "csv", "--proc", f"{top}/proc")
    check("no page map", (done.returncode, "the copy has no page maps" in done.stderr), (2, True))
    with open(f"{top}.txt", "w") as f:
        f.write("no archive\n" * 100)
    done = run(work, "groups", "--exact", "--proc", f"{top}.txt")
    check("no archive", (done.returncode, "neither a folder nor an archive" in done.stderr), (2, True))
    # pmapdb's own file of pages, damaged in the middle.
    unpacked = os.path.join(work, "own")
    os.makedirs(unpacked)
    subprocess.run(["tar", "xf", own, "-C", unpacked], check=True)
    book = os.path.join(unpacked, "proc", "book")
    with open(book, "r+b") as f:
        f.truncate(os.path.getsize(book) // 2)
    done = run(work, "groups", "--exact", "--proc", f"{unpacked}/proc", "--match", WHO)
    check("half a book", "damaged" in done.stderr or "missing" in done.stderr or done.returncode == 2, True)


def check_written(work):
    """Entries and segments as the kernel writes them, in a copy made by hand. Needs no privilege."""
    top = os.path.join(work, "written", "proc")
    os.makedirs(f"{top}/4711")
    os.makedirs(f"{top}/sysvipc")
    for name in ("status", "stat", "cmdline"):
        shutil.copyfile(f"/proc/self/{name}", f"{top}/4711/{name}")
    with open(f"{top}/4711/maps", "w") as f:
        f.write("10000000-10006000 rw-p 00000000 00:00 0\n"
                "20000000-20002000 rw-s 00000000 00:01 77 /SYSV00000000 (deleted)\n")
    with open(f"{top}/4711/pagemap", "wb") as f:
        f.seek(0x10000 * 8) # own, zero page, guard region, slot 1 of swap area 0, migrating, empty
        f.write(struct.pack("6Q", 0x8100000000434ac7, 0x8000000000003b34, 0x440000000000009f, 0x4000000000000020,
                            0x400000000000001e, 0))
        f.seek(0x20000 * 8) # shared memory that is mapped once; a page of a device
        f.write(struct.pack("2Q", 0xa1000000004a5d69, 0x81000000fe000000))
    with open(f"{top}/kpageflags", "wb") as f:
        f.seek(0x3b34 * 8)
        f.write(struct.pack("Q", 1 << pages.KPF_ZERO))
    with open(f"{top}/sysvipc/shm", "w") as f:
        f.write("       key      shmid perms       size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime "
                "     ctime   rss  swap\n"
                "         0         77  1600       8192  1     2      1      10    10    10    10  1 1 1 4096 0\n"
                "        -2          8   600    1048577  1     2      0      10    10    10    10  1 1 1 8192 4096\n"
                "damaged\n")
    rows = list(csv.DictReader(io.StringIO(run(work, "pages", "4711", "-f", "csv", "--proc", top).stdout)))
    columns = ("rss_kib", "own_kib", "anon_kib", "shmem_kib", "swap_kib", "zero_kib")
    check("entries", [[int(r[c]) for c in columns] for r in rows], [[4, 4, 4, 0, 4, 4], [4, 4, 0, 4, 0, 0]])
    rows = csv.DictReader(io.StringIO(run(work, "pages", "4711", "--mapping", "10000000", "-f", "csv", "--proc", top).stdout))
    check("runs", [[r[c] for c in ("state", "frame", "swap_type", "swap_slot", "kind", "mapped_once", "flags")] for r in rows],
          [["present", str(0x434ac7), "", "", "anonymous", "1", ""], ["present", str(0x3b34), "", "", "zero", "0", "zero"],
           ["guard", "", "", "", "", "", ""], ["swapped", "", "0", "1", "", "", ""], ["other", "", "", "", "", "", ""]])
    rows = csv.DictReader(io.StringIO(run(work, "shm", "-f", "csv", "--proc", top).stdout))
    check("segments", [[r[c] for c in ("key", "id", "size_kib", "rss_kib", "swap_kib", "attached", "processes", "state")]
                       for r in rows],
          [["0xfffffffe", "8", "1025", "8", "4", "0", "0", "orphan"],
           ["0x00000000", "77", "8", "4", "0", "1", "1", "removed, in use"]])
    rows = {r["part"]: r for r in csv.DictReader(io.StringIO(
        run(work, "groups", "--exact", "-f", "csv", "--proc", top).stdout))}
    check("groups", [rows["union"][c] for c in ("rss_kib", "anon_kib", "shmem_kib", "swap_kib", "method")],
          ["8", "4", "4", "4", "frame"])


def check_copies(work):
    flags = pages.flags_of_frames()
    family = Family(*pages.made(work), 6)
    archive = make_snap(work, family.pids, flags)
    own = os.path.join(work, "own.pages")
    pids = [str(pid) for pid in family.pids]
    done = run(work, "capture", "--archive", own, "--keep-cmdline", "(?s).*", *pids)
    check("capture --archive", (done.returncode, "7 processes in" in done.stderr), (0, True))
    only = WHO + f" AND pid IN ({', '.join(pids)})"
    globals()["WHO"] = only
    live, _ = groups(work)
    check("groups", len(live), 5)
    check_answers(work, family, archive, own, live)
    check_stored(work, archive, own, live)
    check_cut(work, archive, live)
    check_cut(work, own, live)
    check_odd(work, family, own)
    family.end()


pages.kit.main(check_written, check_copies, check=pages.counted)
