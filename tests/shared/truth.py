"""The contents of the raw text, read by the shortest possible code: the truth of every check.

Written from the formats and the contract alone; it shares nothing with pmapdb. Text stays
bytes. A row is a dict: start, end, perms, offset, device, inode, path, flags and the columns of
COLUMN that are in the text; others are absent. base is its slug by the table of the contract,
category the category by the rules (refine, below).
"""
import bisect
import functools
import pathlib
import re

import rules_truth

COLUMN = {
    b"Size": "size_kib",
    b"KernelPageSize": "kernel_page_kib",
    b"MMUPageSize": "mmu_page_kib",
    b"Rss": "rss_kib",
    b"Pss": "pss_kib",
    b"Pss_Dirty": "pss_dirty_kib",
    b"Shared_Clean": "shared_clean_kib",
    b"Shared_Dirty": "shared_dirty_kib",
    b"Private_Clean": "private_clean_kib",
    b"Private_Dirty": "private_dirty_kib",
    b"Referenced": "referenced_kib",
    b"Anonymous": "anonymous_kib",
    b"KSM": "ksm_kib",
    b"LazyFree": "lazy_free_kib",
    b"AnonHugePages": "anon_huge_kib",
    b"ShmemPmdMapped": "shmem_pmd_kib",
    b"FilePmdMapped": "file_pmd_kib",
    b"Shared_Hugetlb": "shared_hugetlb_kib",
    b"Private_Hugetlb": "private_hugetlb_kib",
    b"Swap": "swap_kib",
    b"SwapPss": "swap_pss_kib",
    b"Locked": "locked_kib",
    b"THPeligible": "thp_eligible",
    b"ProtectionKey": "protection_key",
}
TEXTS = ("perms", "device", "path", "flags")
METRICS = ("mappings", "size_kib", "rss_kib", "pss_kib", "private_kib", "private_dirty_kib",
           "swap_kib")

HEAD = re.compile(rb"([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) (\S+) (\d+) *(.*)")
X_ROW = re.compile(rb"([0-9a-f]+) +(\d+) +(\d+) +(\d+) (\S{5}) (.*)", re.S)


BLOCK = re.compile(HEAD.pattern + rb"(?:\n|\Z)((?:[A-Z].*(?:\n|\Z))*)")


def derive(row):
    """Adds the two sums that are columns of the store."""
    if "private_clean_kib" in row and "private_dirty_kib" in row:
        row["private_kib"] = row["private_clean_kib"] + row["private_dirty_kib"]
    if "shared_dirty_kib" in row and "private_dirty_kib" in row:
        row["dirty_kib"] = row["shared_dirty_kib"] + row["private_dirty_kib"]


@functools.lru_cache(1 << 16)
def numbers(lines):
    """The numbers below the first line of a mapping. Cached: most texts return in the next capture."""
    row = {}
    for line in lines.splitlines():
        key, _, rest = line.partition(b":")
        if key == b"VmFlags":
            row["flags"] = b" ".join(rest.split())
        else:
            row[COLUMN[key]] = int(rest.split()[0])
    derive(row)
    return row


def smaps(text):
    """The rows of /proc/PID/smaps."""
    rows, read = [], 0
    for block in BLOCK.finditer(text):
        if block.start() != read:
            break
        start, end, perms, offset, device, inode, path, below = block.groups()
        rows.append({"start": int(start, 16), "end": int(end, 16), "perms": perms,
                     "offset": int(offset, 16), "device": device, "inode": int(inode),
                     "path": path} | numbers(below))
        read = block.end()
    if read != len(text):
        raise ValueError("no mapping: %r" % text[read:read + 80])
    return rows


def pmap_xx(text):
    """The rows of pmap -XX for one process: Address Perm Offset Device Inode, numbers, flags, name.

    Flags are right-aligned under their title, so they end where the title ends."""
    lines = text.split(b"\n")
    titles = lines[1].split()
    numbers = titles[5:titles.index(b"VmFlags")]
    flags_end = lines[1].index(b"VmFlags") + len(b"VmFlags")
    rows = []
    for line in lines[2:]:
        if line.lstrip().startswith(b"="):
            break
        words = line[:flags_end].split()
        if line[flags_end:flags_end + 1] != b" ":
            raise ValueError("flags do not end under their title: %r" % line)
        row = {"start": int(words[0], 16), "perms": words[1], "offset": int(words[2], 16),
               "device": words[3], "inode": int(words[4]),
               "flags": b" ".join(words[5 + len(numbers):]), "path": line[flags_end + 1:]}
        for title, value in zip(numbers, words[5:]):
            row[COLUMN[title]] = int(value)
        row["end"] = row["start"] + row["size_kib"] * 1024
        derive(row)
        rows.append(row)
    return rows


def pmap_x(text):
    """The rows of pmap -x for one process, names as printed."""
    rows = []
    for line in text.split(b"\n")[2:]:
        if line.startswith(b"---"):
            break
        start, size, rss, dirty, mode, name = X_ROW.fullmatch(line).groups()
        perms = mode[:3] + (b"s" if mode[3:4] == b"s" else b"p")
        rows.append({"start": int(start, 16), "end": int(start, 16) + int(size) * 1024,
                     "size_kib": int(size), "rss_kib": int(rss), "dirty_kib": int(dirty),
                     "perms": perms, "path": name})
    return rows


def is_library(path):
    return re.search(rb"\.so(\.|$)", path.removesuffix(b" (deleted)")) is not None


@functools.lru_cache(None)
def plain_category(path, perms):
    """The category of the row alone, or None if it depends on the program's path."""
    if path == b"[heap]":
        return "heap"
    if path == b"[stack]" or path.startswith(b"[stack:"):
        return "stack"
    if re.fullmatch(rb"\[(vdso|vvar.*|vsyscall|vectors|sigpage|uprobes)\]", path):
        return "kernel"
    if path.startswith(b"/memfd:"):
        return "memfd"
    if (path == b"/dev/zero (deleted)" or path.startswith((b"/SYSV", b"/dev/shm/", b"[anon_shmem:",
                                                           b"[ shmid="))
            or (not path and perms[3:4] == b"s")):
        return "shared-memory"
    if path.startswith(b"["):
        return "anonymous"
    if not path:
        return "reserve" if perms[:3] == b"---" else "anonymous"
    return "shared-library" if is_library(path) else None


def categorize(rows):
    """Gives every row of a smaps or -XX its slug, which is also its category before the rules. Returns
    rows."""
    program = next((r["path"].removesuffix(b" (deleted)") for r in rows
                    if b"x" in r["perms"] and plain_category(r["path"], r["perms"]) is None), None)
    for row in rows:
        category = plain_category(row["path"], row["perms"])
        if category is None:
            path = row["path"]
            if path.removesuffix(b" (deleted)") == program:
                category = "program"
            else:
                category = "deleted-file" if path.endswith(b" (deleted)") else "mapped-file"
        row["base"] = row["category"] = category
    return rows


def rule_set(name):
    """Reads a built-in set."""
    rules = pathlib.Path(__file__).resolve().parents[2] / "rules"
    return rules_truth.Rules(rules / (name + ".csv"))


RULES = rule_set("default")


def kind_of(row):
    """The properties that a mapping keeps for life; for a file, also the file offset of address 0."""
    inode = row.get("inode")
    return (row["perms"], row["path"], row.get("device"), inode,
            row["offset"] - row["start"] if inode else None)


class Lives:
    """The mappings of the previous capture, to find the lives that continue. (A part of a
    file that has moved begins a new life here: no rule for files depends on the place.)"""

    def __init__(self, rows):
        self.same, self.kinds = {}, {}
        for row in sorted(rows, key=lambda r: r["start"]):
            kind = kind_of(row)
            self.same[row["start"], row["end"], kind] = row["life"]
            starts, of = self.kinds.setdefault(kind, ([], []))
            starts.append(row["start"])
            of.append(row)

    def goes_on(self, row):
        """Returns the life with most bytes in common, the lower of equals; None if the row is new."""
        kind = kind_of(row)
        life = self.same.get((row["start"], row["end"], kind))
        if life is not None or kind not in self.kinds:
            return life
        starts, of = self.kinds[kind]
        shared = {}
        for i in range(max(0, bisect.bisect(starts, row["start"]) - 1),
                       bisect.bisect_left(starts, row["end"])):
            common = min(of[i]["end"], row["end"]) - max(of[i]["start"], row["start"])
            if common > 0:
                shared.setdefault(id(of[i]["life"]), [0, of[i]["life"]])[0] += common
        return max(shared.values(), key=lambda s: s[0])[1] if shared else None


def refine(captures):
    """The captures of one process in one dialect, in time order: a mapping keeps the category that the rules
    give it in the first capture of its life. Returns captures."""
    before = Lives([])
    for rows in captures:
        asked = rules_truth.Capture(RULES, rows)
        for row in rows:
            row["life"] = before.goes_on(row) or [asked.category(row)]
        for row in rows:
            row["category"] = row["life"][0] or row["base"]
        before = Lives(rows)
    for rows in captures:
        for row in rows:
            row.pop("life", None)
    return captures


def refine_moments(moments):
    """Refines {milliseconds: {pid: rows}}. Returns moments."""
    for pid in {pid for of in moments.values() for pid in of}:
        refine([moments[t][pid] for t in sorted(moments) if pid in moments[t]])
    return moments


def is_of(category, asked):
    """True if the category is `asked` or below it: anonymous/thread-stack is below anonymous."""
    return (category + "/").startswith(asked + "/")


def by_category(row):
    return row["category"]


def by_object(row):
    return row["category"], (row["path"] or b"[anon]").decode("utf-8", "surrogateescape")


def everything(_row):
    return "all"


def sums(rows, key):
    """key(row) -> {metric: sum}; a metric that any row of the group lacks is None."""
    out = {}
    for row in rows:
        group = out.setdefault(key(row), dict.fromkeys(METRICS, 0))
        group["mappings"] += 1
        for metric in METRICS[1:]:
            known = metric in row and group[metric] is not None
            group[metric] = group[metric] + row[metric] if known else None
    return out


READERS = {"smaps": smaps, "XX": pmap_xx, "x": pmap_x}


def read(path):
    """The rows of one file of a workload, by its suffix."""
    with open(path, "rb") as f:
        rows = READERS[path.suffix[1:]](f.read())
    return rows if path.suffix == ".x" else categorize(rows)
