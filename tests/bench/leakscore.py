"""Verdicts against labels: scores per class, intervals, and naive detectors to stand beside.

A label is leak, watch (it grows, slower and slower, or only in address space) or ok. STRICT: only
the verdict leak counts, only the label leak is right. FLAGGED: leak or suspect, leak or watch.
"""
import csv
import math
import statistics

# ---- arithmetic -----------------------------------------------------------------------------


def wilson(hits, n, z=1.96):
    """The 95 % interval of a share; of nothing, anything."""
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


# ---- naive detectors: does it grow? ---------------------------------------------------------


def line_through(x, y):
    """Slope, value at the mean, standard error of the slope."""
    n, mx, my = len(x), statistics.fmean(x), statistics.fmean(y)
    sxx = sum((a - mx) ** 2 for a in x) or 1.0
    slope = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sxx
    rest = sum((b - my - slope * (a - mx)) ** 2 for a, b in zip(x, y))
    return slope, my, math.sqrt(rest / max(1, n - 2) / sxx)


def last_over_first(x, y):
    return y[-1] > y[0]


def rising_line(x, y):
    """Ordinary least squares, p < 0.05."""
    slope, _, error = line_through(x, y)
    return slope > 0 and slope > 1.96 * error


def mann_kendall(x, y):
    """p < 0.05, on 150 points at most: all pairs are compared."""
    n = len(y)
    s = sum((b > a) - (b < a) for i, a in enumerate(y) for b in y[i + 1:])
    return s > 1 + 1.96 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18)


def theil_sen(x, y):
    """Sen's lower limit says 1 % of the level in the window or more; 150 points at most."""
    n = len(y)
    slopes = sorted((y[j] - y[i]) / (x[j] - x[i]) for i in range(n) for j in range(i + 1, n)
                    if x[j] > x[i])
    if not slopes:
        return False
    rank = int((len(slopes) - 1.96 * math.sqrt(n * (n - 1) * (2 * n + 5) / 18)) / 2)
    return slopes[max(0, rank)] * (x[-1] - x[0]) > 0.01 * statistics.median(y)


def predict_linear(x, y):
    """A line through the second half says: in four more windows twice of what it is now."""
    half = len(x) // 2
    slope, level, _ = line_through(x[half:], y[half:])
    return slope * 4 * (x[-1] - x[0]) > level


NAIVE = {"last > first": last_over_first, "least squares": rising_line,
         "Mann-Kendall": mann_kendall, "Theil-Sen > 1 %": theil_sen,
         "predict_linear": predict_linear}


def naive_verdicts(folder):
    """detector -> {series_id: verdict}"""
    series = {}
    with open(folder / "series.csv", newline="") as f:
        for row in csv.DictReader(f):
            series.setdefault(row["series_id"], []).append((int(row["ts"]), float(row["kb"])))
    out = {name: {} for name in NAIVE}
    for sid, points in series.items():
        every = -(-len(points) // 150)
        x, y = zip(*points[::every])
        for name, grows in NAIVE.items():
            out[name][sid] = "leak" if len(x) > 2 and grows(x, y) else "steady"
    return out


# ---- scores ---------------------------------------------------------------------------------


def read_labels(folder):
    """Labels; a line so noisy that nothing could see it is a class of its own."""
    with open(folder / "labels.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    for row in rows:
        if row["class"] == "linear_leak" and float(row["snr"]) <= 3:
            row["class"] = "linear_leak snr<=3"
    return rows


def read_verdicts(path):
    """series_id -> row, whichever way the columns of the rate are spelled."""
    with open(path, newline="") as f:
        rows = {r["series_id"]: r for r in csv.DictReader(f)}
    for r in rows.values():
        r["rate"] = number(r.get("rate_per_h") or r.get("rate_kb_h"))
        r["low"] = number(r.get("rate_low") or r.get("lo"))
        r["high"] = number(r.get("rate_high") or r.get("hi"))
    return rows


class Group:
    """Series of one class."""

    def __init__(self, label):
        self.label, self.n, self.leak, self.suspect = label, 0, 0, 0
        self.errors, self.inside = [], 0

    def add(self, truth, found):
        verdict = found["verdict"] if found else "too-few"
        self.n += 1
        self.leak += verdict == "leak"
        self.suspect += verdict == "suspect"
        true = number(truth["true_kb_h"])
        if verdict == "leak" and self.label == "leak" and true and found["rate"] is not None:
            self.errors.append(abs(found["rate"] - true) / true)
            self.inside += found["low"] <= true <= found["high"]

    def error(self):
        return "%.1f %%" % (100 * statistics.median(self.errors)) if self.errors else ""

    def coverage(self):
        if not self.errors:
            return ""
        low, high = wilson(self.inside, len(self.errors))
        return "%.2f [%.2f %.2f]%s" % (self.inside / len(self.errors), low, high,
                                       " !" if high < 0.85 else "")

    def row(self, name):
        low, high = wilson(self.leak, self.n)
        bad = high < 0.90 if self.label == "leak" else low > 0.02
        if name == "linear_leak snr<=3":
            bad = False
        return [name, self.label, self.n,
                "%.2f [%.2f %.2f]%s" % (self.leak / self.n, low, high, " !" if bad else ""),
                "%.2f" % (self.suspect / self.n), self.error(), self.coverage()]


def overall(labels, verdict_of):
    """(strict P R F1, flagged P R F1, counts of strict)."""
    strict, flagged = [0, 0, 0, 0], [0, 0, 0, 0]
    for truth in labels:
        verdict = verdict_of.get(truth["series_id"], "too-few")
        for counts, said, is_so in (
                (strict, verdict == "leak", truth["label"] == "leak"),
                (flagged, verdict in ("leak", "suspect"), truth["label"] != "ok")):
            counts[(0 if is_so else 1) if said else (2 if is_so else 3)] += 1
    return prf(*strict[:3]) + prf(*flagged[:3]), strict


def print_table(titles, rows, left=1):
    widths = [max(len(str(r[i])) for r in [titles] + rows) for i in range(len(titles))]
    for row in [titles] + rows:
        print("  ".join(str(c).ljust(w) if i < left else str(c).rjust(w)
                        for i, (c, w) in enumerate(zip(row, widths))).rstrip())
    print(flush=True)


class Bench:
    """The series of several seeds, and what was said of them."""

    def __init__(self):
        self.labels, self.found, self.naive = [], {}, {name: {} for name in NAIVE}

    def add(self, seed, folder, verdicts):
        for truth in read_labels(folder):
            truth["series_id"] = seed + "/" + truth["series_id"]
            self.labels.append(truth)
        for sid, row in read_verdicts(verdicts).items():
            self.found[seed + "/" + sid] = row
        for name, said in naive_verdicts(folder).items():
            self.naive[name].update({seed + "/" + sid: v for sid, v in said.items()})

    def show(self):
        said = {"pmapdb": {sid: row["verdict"] for sid, row in self.found.items()}} | self.naive
        rows = []
        for name, verdict_of in said.items():
            six, counts = overall(self.labels, verdict_of)
            rows.append([name] + ["%.3f" % v for v in six] + ["%d %d %d %d" % tuple(counts)])
        print_table(["detector", "P", "R", "F1", "flagged P", "R", "F1", "tp fp fn tn"], rows)
        groups, every = {}, Group("leak")
        for truth in self.labels:
            group = groups.setdefault((truth["label"], truth["class"]), Group(truth["label"]))
            group.add(truth, self.found.get(truth["series_id"]))
        for group in groups.values():
            every.errors += group.errors
            every.inside += group.inside
        print_table(["class", "label", "n", "called leak", "suspect", "rate error", "coverage"],
                    [groups[k].row(k[1]) for k in sorted(groups)], 2)
        print("rate error, median of the leaks found: %s; 90 %% interval covers %s\n" % (
            every.error(), every.coverage()))
