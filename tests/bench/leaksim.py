#!/usr/bin/env python3
"""Simulates processes with known leaks, and writes their memory as labelled series.

    leaksim.py --seed S --out DIR [--per-class 12] [--classes a,b] [--blind]

Writes series.csv (series_id, label, ts, kb, pid), meta.csv (what a tool may know), labels.csv (the
truth) and context.csv (series_id, ts, size_kb, private_kb, mappings; for the series that need it).
The simulation has no curves: requests arrive, objects are born and die, heaps trim at their top only,
collectors run at their thresholds, pools and caches fill, incidents come and go. Uses the standard
library only, and random.Random.random() alone, with one stream for each series, so that a seed gives
the same files everywhere.

Labels: a leak runs beside a twin of the same seed that does not leak. What the leak adds must be at
least 3 % of the base and twice the disturbance of the twin, go on in the second half, and come in at
least eight rises; otherwise the series is run again with a larger leak. Processes of the kind fill run
for a second window. If little more comes, the label is ok; if much more comes, watch; in between (or
after a straight line or a pause) the series is drawn again. true_kb_h is what leaked per hour of the
active part; it is empty if memory does not follow the leak one to one.
"""
import argparse
import csv
import math
import os

import simheap
import simops
import simserve
from simworld import DAY, Clock, Process, Rng

# period in seconds, samples at most
CLOCKS = ((30, 420), (60, 500), (120, 360), (300, 480), (900, 400), (1800, 336), (3600, 300),
          (10800, 200), (21600, 120), (86400, 75))
LONG = tuple(c for c in CLOCKS if 3 * DAY <= c[0] * c[1])

ALL = ("flat", "flat", "daily", "weekly", "bursty")
FLAT = ("flat",)
# name -> (mechanism, kind, traffic, clocks, category, most samples); kind: leak, ok, watch, fill
CLASSES = {}


def add(name, make, kind, traffic=ALL, clocks=CLOCKS, category="anon", most=10 ** 6):
    CLASSES[name] = (make, kind, traffic, clocks, category, most)


add("heap_churn_fill", simheap.heap_first_fit, "fill", FLAT, category="heap", most=320)
add("heap_churn_leak", simheap.heap_balanced, "leak", category="heap", most=320)
add("thread_arenas", simheap.thread_arenas, "fill", FLAT)
add("thread_arenas_leak", simheap.thread_arenas, "leak")
add("vector_leak", simheap.vector, "leak", category="heap")
add("hash_tables_leak", simheap.hash_tables, "leak")
add("dataset_fill", simheap.dataset, "fill", FLAT)
add("object_pool", simheap.object_pool, "fill", FLAT)
add("object_pool_daily", simheap.object_pool, "fill", ("daily", "weekly"), LONG)
add("object_pool_leak", simheap.object_pool, "leak")
add("message_buffers", simheap.message_buffers, "fill", FLAT, category="heap")
add("gc_go", simheap.gc_go, "ok")
add("gc_go_leak", simheap.gc_go, "leak")
add("gc_node", simheap.gc_node, "ok")
add("gc_node_leak", simheap.gc_node, "leak")
add("gc_jvm_fill", simheap.gc_jvm, "fill", FLAT)
add("gc_jvm_leak", simheap.gc_jvm, "leak")
add("cache_lru_fill", simserve.cache_lru, "fill", FLAT)
add("cache_ttl", simserve.cache_ttl, "ok")
add("cache_endless_leak", simserve.cache_endless, "leak")
add("labels_seen", simserve.labels_seen, "watch", FLAT)
add("jit_code_fill", simserve.jit_code, "fill", FLAT, category="jit")
add("class_loaders_leak", simserve.class_loaders, "leak")
add("lazy_modules_fill", simserve.lazy_modules, "fill", FLAT)
add("thread_pool_fill", simserve.thread_pool, "fill", FLAT, category="stack")
add("thread_leak", simserve.thread_leak, "leak", category="stack")
add("connections", simserve.connections, "ok", category="heap")
add("connections_leak", simserve.connections, "leak", category="heap")
add("slow_loris", simserve.slow_loris, "ok", category="heap")
add("sessions_daily", simserve.sessions, "ok", ("daily", "weekly"), LONG)
add("sessions_leak", simserve.sessions, "leak", ("daily", "weekly"), LONG)
add("tenants", simserve.tenants, "ok")
add("incident_once", simops.incident_once, "ok")
add("incident_again_leak", simops.incident_again, "leak")
add("dead_sink_leak", simops.dead_sink, "leak")
add("retry_timers_leak", simops.retry_timers, "leak", ("flat",))
add("log_buffer", simops.log_buffer, "ok")
add("nightly_job", simops.nightly_job, "ok")
add("traffic_level", simops.in_use, "ok", ("ramp",))
add("traffic_leak", simops.in_use, "leak")
add("reclaim", simops.reclaim, "ok")
add("reclaim_leak", simops.reclaim, "leak")
add("deploys", simops.deploys, "ok")
add("deploys_leak", simops.deploys, "leak")
add("shared_touch", simops.shared_touch, "ok", FLAT, category="shmem")
add("shared_create_leak", simops.shared_create, "leak", category="shmem")
add("file_segments_leak", simops.file_segments, "leak", category="file")
add("file_append", simops.file_append, "watch", category="file")
add("file_scan", simops.file_scan, "ok", category="file")
add("huge_pages_fill", simops.huge_pages, "fill", FLAT, category="heap")


# ---- runs and labels ------------------------------------------------------------------------
def live(key, spec, scale, windows=1):
    """One process: its rows, the judged series, and its rss at every step."""
    make, _, traffic, clocks, category, most = spec
    c = Clock(Rng(key + ":clock"), clocks, most)
    r = Rng(key)
    p = Process(r, c, scale, traffic)
    step = make(p, r, c)
    p.rows, p.every, p.beside, before, dt = [], [], [], None, c.period / float(c.sub)
    for i in range(c.n * c.sub * windows):
        t = i * dt
        rss = step(t, dt, t / c.span)
        if before is None and t >= p.onset * c.span:
            before = p.leaked
        p.every.append(p.size if category == "stack" else rss)
        p.beside.append(rss)
        if i < c.n * c.sub and i % c.sub == 0 and i // c.sub in c.seen:
            p.rows.append((c.seen[i // c.sub], rss, p.size, p.private, p.count, p.pid))
    hours = c.span * (1 - p.onset) / 3600
    p.rate = None if p.follows is None else p.follows * (p.leaked - before) / hours
    if p.last_rate is not None:
        p.rate = p.last_rate * 3600
    return p


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    m = mean(values)
    return math.sqrt(mean([(v - m) ** 2 for v in values]))


def added(p, twin, sd):
    """Returns how far the leak exceeds the disturbance of its twin, or None if it is too small to be seen."""
    leaky, n = p.every, len(twin)
    gap = [a - b for a, b in zip(leaky, twin)]
    end, middle = mean(gap[-(n // 8):]), mean(gap[n // 2 - n // 16:n // 2 + n // 16])
    snr = end / sd if sd > 0 else 99.0
    seen = mean(leaky[-(n // 8):]) - mean(leaky[n // 8:n // 4])
    top, rises = max(leaky[:n // 8]), 0
    for y in leaky[n // 8:]:
        if y > top + 0.04 * end:
            top, rises = y, rises + 1
    if end < max(0.03 * p.base, 64) or snr < 2 or seen < max(0.5 * end * (1 - p.onset), sd):
        return None
    if rises < 8 or end - middle < 0.3 * end or (middle < 0.15 * end and not p.onset):
        return None
    return min(99.0, snr)


def filled(every, base):
    """Returns the label ok or watch of a run of two windows, or None if neither would be fair."""
    n = len(every) // 2
    start, half = every[0], mean(every[n // 2 - n // 20:n // 2 + n // 20])
    end, late = mean(every[n - n // 20:n]), mean(every[int(n * 0.82):int(n * 0.87)])
    more = mean(every[-(n // 10):]) - end
    grown = end - start
    if grown < 0.03 * base:
        return "ok"
    if more < 0.06 * grown and end - late < 0.03 * grown:
        return "ok"
    going_on = end - half > 0.15 * grown and end - late > 0.03 * grown
    if more > 0.3 * grown and going_on and end - half < 0.6 * (half - start):
        return "watch"
    return None


def leaking(key, spec, judged):
    """Returns (process, snr) with the smallest of a few leaks that can be seen, or None."""
    scale = Rng(key + ":scale").log(0.05, 1.2)
    twin = live(key, spec, 0.0, 3).every    # three windows: slow changes of traffic are disturbance, too
    sd = deviation(twin[len(twin) // 12:])
    for _ in range(7):
        p = live(key, spec, scale)
        snr = added(p, twin[:len(twin) // 3], sd) if judged else 9.0
        if snr is not None:
            return p, snr
        scale *= 1.5
    return None


def series(seed, name, index):
    """Returns (process, label, snr)."""
    spec = CLASSES[name]
    kind = spec[1]
    for again in range(400):
        key = "%s:%s:%d:%d" % (seed, name, index, again)
        if kind == "leak":
            # Deploys have no twin: each life starts from another base.
            found = leaking(key, spec, name != "deploys_leak")
            if found:
                return found[0], "leak", found[1]
        elif kind == "fill":
            p = live(key, spec, 0.0, 2)
            label = filled(p.every, p.base)
            if label and label == filled(p.beside, p.base if p.size is None else p.beside[0]):
                return p, label, 0.0
        else:
            return live(key, spec, 0.0), kind, 0.0
    raise SystemExit("%s %d: no fair process in 400" % (name, index))


# ---- files ----------------------------------------------------------------------------------
HEADS = {"series": "series_id,label,ts,kb,pid",
         "meta": "series_id,category,metric,page_kb,limit_kb,companion",
         "labels": "series_id,label,expected,class,variant,true_kb_h,snr,n,lives",
         "context": "series_id,ts,size_kb,private_kb,mappings"}
EXPECTED = {"leak": "leak", "watch": "suspect", "ok": "steady"}


def pages(kb):
    return max(0, int(kb / 4 + 0.5) * 4)


class Files:
    def __init__(self, folder, blind):
        os.makedirs(folder, exist_ok=True)
        self.blind, self.open, self.to = blind, [], {}
        for name, head in HEADS.items():
            self.open.append(open(os.path.join(folder, name + ".csv"), "w", newline="", encoding="ascii"))
            self.to[name] = csv.writer(self.open[-1], lineterminator="\n")
            self.to[name].writerow(head.split(","))

    def put(self, sid, name, found, of, meta):
        """Adds a series from column `of` of the rows; meta: category, metric, companion."""
        p, label, snr = found
        for row in p.rows:
            self.to["series"].writerow([sid, "?" if self.blind else label, row[0], pages(row[of]), row[5]])
        self.to["meta"].writerow([sid, meta[0], meta[1], 4, 0, meta[2]])
        rate = None if label != "leak" or meta[0] == "stack" and of == 1 else p.rate
        self.to["labels"].writerow([sid, label, EXPECTED[label], name, p.load.kind,
                                    "" if rate is None else "%.3f" % rate, "%.3g" % snr,
                                    len(p.rows), len({row[5] for row in p.rows})])

    def put_process(self, sid, name, found):
        p, label, _ = found
        _, kind, _, _, category, _ = CLASSES[name]
        if kind == "fill" and label == "watch":
            name += "_watch"
        if category == "stack":
            self.put(sid, name, found, 2, (category, "size", sid + "r"))
            self.put(sid + "r", name + "_rss", found, 1, (category, "rss", ""))
            return
        self.put(sid, name, found, 1, (category, "rss", ""))
        if p.private is not None:
            for row in p.rows:
                self.to["context"].writerow([sid, row[0], pages(row[2]), pages(row[3]), row[4]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--per-class", type=int, default=12)
    parser.add_argument("--classes", default=",".join(CLASSES))
    parser.add_argument("--blind", action="store_true", help="series.csv does not tell the label")
    asked = parser.parse_args()
    files = Files(asked.out, asked.blind)
    todo = [(name, i) for name in asked.classes.split(",") for i in range(asked.per_class)]
    for n, (name, i) in enumerate(todo):
        files.put_process("m%05d" % n, name, series(asked.seed, name, i))
    for f in files.open:
        f.close()


main()
