"""Scores of verdicts against labels, for each class, with intervals.

A label is leak, watch (growth slows down, or is in address space only) or ok. Strict scores count the
verdict leak against the label leak; flagged scores count leak or suspect against leak or watch.
"""
import csv
import math
import statistics

from measure import table


def wilson(hits, n, z=1.96):
    """Returns the 95 % interval of a share; (0, 1) if n is 0."""
    if not n:
        return 0.0, 1.0
    p, zz = hits / n, z * z
    middle, half = p + zz / (2 * n), z * math.sqrt(p * (1 - p) / n + zz / (4 * n * n))
    return max(0.0, (middle - half) / (1 + zz / n)), min(1.0, (middle + half) / (1 + zz / n))


def prf(hits, false, missed):
    p = hits / (hits + false) if hits + false else 1.0
    r = hits / (hits + missed) if hits + missed else 1.0
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def number(text):
    return float(text) if text else None


# ---- scores ---------------------------------------------------------------------------------


def read_labels(folder):
    """Reads the labels. Lines with too much noise to be seen (snr <= 3) get a separate class."""
    with open(folder / "meta.csv", newline="") as f:
        metric = {row["series_id"]: row["metric"] for row in csv.DictReader(f)}
    with open(folder / "labels.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    for row in rows:
        row["metric"] = metric[row["series_id"]]
        if row["class"] == "linear_leak" and float(row["snr"]) <= 3:
            row["class"] = "linear_leak snr<=3"
    return rows


def read_verdicts(path):
    """Reads series_id -> row; two spellings of the columns of the rate are known."""
    with open(path, newline="") as f:
        rows = {r["series_id"]: r for r in csv.DictReader(f)}
    for r in rows.values():
        r["rate"] = number(r.get("rate_per_h") or r.get("rate_kb_h"))
        r["low"] = number(r.get("rate_low") or r.get("lo"))
        r["high"] = number(r.get("rate_high") or r.get("hi"))
    return rows


class Group:
    def __init__(self, label):
        self.label, self.n, self.leak, self.suspect = label, 0, 0, 0
        self.errors, self.inside = [], 0

    def add(self, truth, found):
        verdict = found["verdict"] if found else "too-few"
        self.n += 1
        self.leak += verdict == "leak"
        self.suspect += verdict == "suspect"
        true = number(truth["true_kb_h"])
        if (verdict == "leak" and self.label == "leak" and true and found["rate"] is not None
                and found["metric"] == truth["metric"]):
            self.errors.append(abs(found["rate"] - true) / true)
            self.inside += found["low"] <= true <= found["high"]

    def error(self):
        return "%.1f %%" % (100 * statistics.median(self.errors)) if self.errors else ""

    def coverage(self):
        if not self.errors:
            return ""
        low, high = wilson(self.inside, len(self.errors))
        return "%.2f [%.2f %.2f]%s" % (self.inside / len(self.errors), low, high, " !" if high < 0.85 else "")

    def row(self, name):
        low, high = wilson(self.leak, self.n)
        bad = high < 0.90 if self.label == "leak" else low > 0.02
        if name == "linear_leak snr<=3":
            bad = False
        return [name, self.label, self.n,
                "%.2f [%.2f %.2f]%s" % (self.leak / self.n, low, high, " !" if bad else ""),
                "%.2f" % (self.suspect / self.n), self.error(), self.coverage()]


# Bands of the confidence of a leak.
BANDS = (.35, .5, .6, .7, .8, .9, .95, .99, 1.01)


def reliability(labels, found):
    """Returns rows for the series called leak: the confidence, and how often it was right. Leaves out series whose
    truth depends on the other metrics of their category."""
    called = [(float(found[t["series_id"]]["confidence"]), t["label"] == "leak") for t in labels
              if not t["context"] and found.get(t["series_id"], {}).get("verdict") == "leak"]
    rows = []
    for low, high in zip(BANDS, BANDS[1:]):
        band = [(sure, right) for sure, right in called if low <= sure < high]
        if band:
            right = sum(r for _, r in band)
            rows.append(["%.2f" % low, len(band), "%.3f" % (sum(s for s, _ in band) / len(band)),
                         "%.3f [%.2f %.2f]" % (right / len(band), *wilson(right, len(band)))])
    return rows


def overall(labels, verdict_of):
    """Returns (strict P, R, F1, then flagged P, R, F1) and the counts of strict."""
    strict, flagged = [0, 0, 0, 0], [0, 0, 0, 0]
    for truth in labels:
        verdict = verdict_of.get(truth["series_id"], "too-few")
        for counts, said, is_so in (
                (strict, verdict == "leak", truth["label"] == "leak"),
                (flagged, verdict in ("leak", "suspect"), truth["label"] != "ok")):
            counts[(0 if is_so else 1) if said else (2 if is_so else 3)] += 1
    return prf(*strict[:3]) + prf(*flagged[:3]), strict


class Bench:
    """The series of several seeds with their verdicts."""

    def __init__(self):
        self.labels, self.found = [], {}

    def add(self, seed, folder, verdicts):
        context, aside = folder / "context.csv", set()
        if context.is_file():
            with context.open(newline="") as f:
                aside = {row["series_id"] for row in csv.DictReader(f)}
        for truth in read_labels(folder):
            truth["context"] = truth["series_id"] in aside
            truth["series_id"] = seed + "/" + truth["series_id"]
            self.labels.append(truth)
        for sid, row in read_verdicts(verdicts).items():
            self.found[seed + "/" + sid] = row

    def show(self):
        six, counts = overall(self.labels, {sid: row["verdict"] for sid, row in self.found.items()})
        table(["P", "R", "F1", "flagged P", "R", "F1", "tp fp fn tn"],
              [["%.3f" % v for v in six] + ["%d %d %d %d" % tuple(counts)]])
        groups, every = {}, Group("leak")
        for truth in self.labels:
            group = groups.setdefault((truth["label"], truth["class"]), Group(truth["label"]))
            group.add(truth, self.found.get(truth["series_id"]))
        for group in groups.values():
            every.errors += group.errors
            every.inside += group.inside
        table(["class", "label", "n", "called leak", "suspect", "rate error", "coverage"],
                    [groups[k].row(k[1]) for k in sorted(groups)], 2)
        table(["leaks from", "n", "confidence", "were leaks"], reliability(self.labels, self.found))
        print("rate error, median of the leaks found: %s; 90 %% interval covers %s\n" % (
            every.error(), every.coverage()))
