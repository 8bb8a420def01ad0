"""Cross: two captures of one process say the same, in the text and in the store.

pmap -x and -d of one redis: the same rows and categories. smaps and smaps_rollup: the same sums;
Pss is rounded down per mapping in smaps, so the rollup's may be larger by less than 1 KiB each."""
import re

import captures
import kit
import truth

REDIS = ("01-redis-ol6-x.txt", "02-redis-ol6-d.txt")
ROLLUPS = (
    ("pmap", "36-pcp-5.5.7-pid1-smaps.txt", "37-pcp-5.5.7-pid1-smaps_rollup.txt"),
    ("pmap", "40-pcp-5.5.7-pid291591-smaps.txt", "41-pcp-5.5.7-pid291591-smaps_rollup.txt"),
    ("versions", "awk-proc-smaps.txt", "awk-proc-smaps_rollup.txt"),
    ("versions", "node-proc-smaps.txt", "node-proc-smaps_rollup.txt"),
)
# Address, Kbytes, what the mode has before and behind the mode, the name.
X_ROW = re.compile(rb"([0-9a-f]{16}) +(\d+) +\d+ +\d+ ([-r][-w][-x][-s]-)  (.*)")
D_ROW = re.compile(rb"([0-9a-f]{16}) +(\d+) ([-r][-w][-x][-s]-) [0-9a-f]{16} \S+ (.*)")
SUMS = {"Rss": "rss_kib", "Private_Dirty": "private_dirty_kib", "Swap": "swap_kib"}


def text_rows(path, row):
    """(start, size, perms, name) by the text alone."""
    out = []
    for line in path.read_bytes().split(b"\n"):
        found = row.fullmatch(line)
        if found:
            start, size, mode, name = found.groups()
            name = {b"  [ anon ]": b"", b"  [ stack ]": b"[stack]"}.get(name, name)
            perms = mode[:3] + (b"s" if mode[3:4] == b"s" else b"p")
            out.append((int(start, 16), int(size), perms, name))
    return out


def stored_rows(stored, snapshot):
    return [(r["start"], r["size_kib"], r["perms"], r["path"] or b"")
            for r in stored.mappings(snapshot)]


def categories(stored, snapshot):
    return kit.rows("categories", "--process", "@" + snapshot["process_id"],
                    "--snapshot", "@%d" % snapshot["snapshot_id"], db=stored.db)


def check_redis(check, place, folder):
    x, d = (folder / name for name in REDIS)
    rows = text_rows(x, X_ROW)
    check.equal("redis, text: mappings", len(rows), 38)
    check.equal("redis, text: -x and -d", rows, text_rows(d, D_ROW))
    stored = captures.Stored(place / "redis.db", "--at", captures.AT, x, d)
    by = {s["dialect"]: s for s in stored.snapshots}
    if not check.equal("redis: dialects", set(by), {"pmap-x", "pmap-d"}):
        return
    for dialect, snapshot in by.items():
        check.equal("redis rows: " + dialect, stored_rows(stored, snapshot), rows)
        check.equal("redis proved: " + dialect, (snapshot["state"], snapshot["checked"]),
                    ("complete", "footer"))
    found = {dialect: {r["category"]: (kit.number(r["mappings"]), kit.number(r["size_kib"]))
                       for r in categories(stored, snapshot)} for dialect, snapshot in by.items()}
    check.equal("redis categories: -x and -d", found["pmap-x"], found["pmap-d"])
    check.equal("redis categories: all of it",
                tuple(sum(column) for column in zip(*found["pmap-x"].values())),
                (len(rows), sum(size for _, size, _, _ in rows)))
    check.equal("redis: one process", len({s["process_id"] for s in stored.snapshots}), 1)


def check_rollup(check, place, folder, smaps, rollup):
    rows = truth.smaps((folder / smaps).read_bytes())
    said = {k: int(v) for k, v in re.findall(r"(?m)^(\w+): +(\d+) kB",
                                             (folder / rollup).read_text())}
    more = said["Pss"] - sum(r["pss_kib"] for r in rows)
    check.true("rollup, text, Pss: " + smaps, 0 <= more <= len(rows), more)
    stored = captures.Stored(place / (smaps + ".db"), "--at", captures.AT, folder / smaps,
                             folder / rollup)
    by = {s["dialect"]: s for s in stored.snapshots}
    if not check.equal("rollup, dialects: " + smaps, set(by), {"smaps", "smaps_rollup"}):
        return
    whole, sums = by["smaps"], by["smaps_rollup"]
    check.equal("rollup, states: " + smaps, (whole["state"], sums["state"]),
                ("complete", "totals"))
    check.equal("rollup, mappings: " + smaps, (whole["mappings"], sums["mappings"]),
                (len(rows), None))
    for key, column in SUMS.items():
        want = sum(r[column] for r in rows)
        check.equal("rollup, text, %s: %s" % (key, smaps), said[key], want)
        check.equal("rollup, %s: %s" % (key, smaps), (whole[column], sums[column]), (want, want))
    check.equal("rollup, private: " + smaps, whole["private_kib"], sums["private_kib"])
    check.equal("rollup, Pss: " + smaps, (whole["pss_kib"], sums["pss_kib"]),
                (said["Pss"] - more, said["Pss"]))
    check.equal("rollup, categories: " + smaps,
                [(r["category"], r["mappings"], kit.number(r["rss_kib"]))
                 for r in categories(stored, sums)], [("total", None, said["Rss"])])


def main():
    check = kit.Check()
    with kit.Place() as place:
        check_redis(check, place, captures.folder("pmap"))
        for folder, smaps, rollup in ROLLUPS:
            check_rollup(check, place, captures.folder(folder), smaps, rollup)
    check.finish()


if __name__ == "__main__":
    main()
