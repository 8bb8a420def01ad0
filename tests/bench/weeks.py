#!/usr/bin/env python3
"""Benchmark: verdicts over weeks, on services with nights, weekends, deploys, restarts and autoscaling.

    PMAPDB=$PWD/build/release/pmapdb tests/bench/weeks.py [--services 24] [--seeds 1,2,3] [--weeks 8] [--bound]

The response of a server's memory to its load is measured: responses.py wrote responses.csv, for the categories
of redis, a server of node, one of Java, and PostgreSQL. The simulation gives a service such a response and
constant data, and puts it under eight weeks of traffic, with a capture every five minutes: a daily and a weekly
profile, bursts, deploys (another process with another base), crashes with a restart, and autoscaling, so that
the share of the load of one process changes in steps. From some day on, half of the services leak 1 % of their
constant data a day, in proportion to their traffic, in the memory of malloc. The traffic, the deploys, the
autoscaling and the size of the constant data (load adds 10 to 100 % to it) are assumptions.

`leaks --series` judges each category at the end of every day, by all captures until then. A service is called
a leak if one of its categories is called a leak.

    found    days from the start of the leak to the first verdict leak
    false    days on which a service that does not leak (yet) was called a leak
    suspect  such days with the verdict suspect
    bound    with --bound: how far an ideal judge sees leak and no leak apart after five days, in standard deviations
    ideal    leaks that the ideal judge finds; blind: leaks that it finds if it does not know when they began

The ideal judge knows the response, the profile and the randomness of the traffic, the deploys, and the start, the
size and the category of the leak. It does not know the bursts, the releases, the noise, and the base of each
life. It compares the likelihoods of the mean of every day and of the middle of every night (Gaussian, with the
covariance of 200 twins of the service that do not leak), at one false alarm in 10,000. A judge that is asked every
day, and does not know when the leak begins, asks 560 such questions (56 days with ten or more possible starts
each): for as few false alarms it needs 5.1 standard deviations instead of 3.7. That is `blind`.
"""
import argparse
import csv
import io
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

from measure import HERE, kit, table
from responses import profile

DAY, STEP = 86400, 300
MALLOC = "heap", "anonymous/jemalloc", "anonymous/glibc-arena"
TWINS, TWIN_STEP, BEFORE, WITHIN = 200, 1800, 10, 5  # for the bound; days before and after the start of the leak
FALSE, BLIND = 3.72, 5.1             # standard deviations for one false alarm in 10,000: one question, 560 questions


def responses():
    """Returns server -> rows, one row for each category."""
    found = {}
    with open(HERE / "responses.csv", encoding="ascii") as file:
        for row in csv.DictReader(line for line in file if line[0] != "#"):
            how = {k: v if k == "category" else float(v) for k, v in row.items() if k != "server"}
            found.setdefault(row["server"], []).append(how)
    return found


# ---- eight weeks ----------------------------------------------------------------------------


class Category:
    """The memory of one category, as responses.py describes it, step by step."""

    def __init__(self, how, step, r):
        self.how, self.r, self.last, self.now, self.noise = how, r, [], 0.0, 0.0
        self.ticks = max(1, int(how["hours"] * 3600 / step)) if how["hours"] > 1 else 1
        self.release = 1 - (1 - min(0.999, how["releases"])) ** (step / 3600)
        self.keeps = max(0.0, how["correlation"]) ** (step / 3600)

    def kib(self, load):
        how = self.how
        self.last = self.last[-self.ticks + 1:] + [load] if self.ticks > 1 else [load]
        need = sum(self.last) / len(self.last)
        if self.now > need and self.r.random() < self.release:
            self.now -= how["share"] * (self.now - need)
        self.now = max(self.now, need)
        self.noise = self.keeps * self.noise + math.sqrt(1 - self.keeps ** 2) * self.r.gauss(0, how["noise"])
        return how["base"] + how["gain"] * self.now + self.noise


class Service:
    """The processes of one service, one after the other, as `leaks --series` gets them."""

    def __init__(self, seed, number, weeks):
        r = random.Random("%s:%d" % (seed, number))
        measured = responses()
        self.server = list(measured)[number % len(measured)]
        self.name, self.days, self.hows = "%s%d" % (self.server, number), 7 * weeks, measured[self.server]
        self.leaks = number // len(measured) % 2 == 1
        self.leak_from = r.uniform(7, self.days - 8) if self.leaks else None
        self.rise = math.exp(r.uniform(math.log(0.1), 0))  # the share that the load adds to the constant data
        self.base = sum(how["gain"] for how in self.hows) / self.rise
        self.leaking = max(range(len(self.hows)), key=lambda i: (self.hows[i]["category"] in MALLOC, self.hows[i]["gain"]))
        self.lives = list(self.plan(r))
        self.rows = list(self.live(random.Random("%s:%d rows" % (seed, number)), STEP, 0, self.days, self.leaks))

    def plan(self, r):
        """Returns the start and the base of each life: a deploy about every nine days, or a crash."""
        begin, level = 0.0, 1.0
        while begin < self.days:
            yield begin, level
            begin += max(0.3, r.expovariate(1 / 9.0))
            level *= r.uniform(0.97, 1.03) if r.random() < 0.6 else 1.0

    def load(self, day):
        weekend = 0.35 if int(day) % 7 >= 5 else 1.0
        return profile(day) * weekend * self.burst

    def instances(self, load, now):
        """Autoscaling: returns the number of instances for the load, with hysteresis."""
        if load > 0.7 * now or load < 0.3 * now:
            return max(1, round(2 * load))
        return now

    def live(self, r, step, begin, end, leaks):
        """Returns times, KiB of the categories, and lives, from the life of the first day on."""
        life = max(i for i, (at, _) in enumerate(self.lives) if at <= begin) - 1
        now, lost, ends = 1, 0.0, 0.0
        self.burst, keeps = 1.0, 0.97 ** (step / STEP)
        for i in range(math.ceil(self.lives[life + 1][0] * DAY / step), int(end * DAY / step)):
            day = i * step / DAY
            self.burst = 1 + keeps * (self.burst - 1) + r.gauss(0, 0.082) * math.sqrt(1 - keeps ** 2)
            while day >= ends:
                life, lost = life + 1, 0.0
                ends = self.lives[life + 1][0] if life + 1 < len(self.lives) else self.days + 1
                categories = [Category(how, step, r) for how in self.hows]
            total = 3 * self.load(day)
            now = self.instances(total, now)
            share = min(1.0, total / now)
            if leaks and day >= self.leak_from:
                lost += 0.01 * self.base * step / DAY * share / 0.33
            kib = [category.kib(share) + category.how["gain"] / self.rise * self.lives[life][1] for category in categories]
            kib[self.leaking] += lost
            yield i * step, [max(4, int(v / 4) * 4) for v in kib], 100 + life

    def days_asked(self):
        return range(2, self.days + 1)


# ---- what an ideal judge could find ---------------------------------------------------------


def features(service, r, begin, end, leaks):
    """Returns the mean of each day and of the middle of each night, with their lives."""
    parts = {}
    for t, kib, life in service.live(r, TWIN_STEP, begin, end, leaks):
        day, hour = divmod(t / 3600, 24)
        if day >= begin:
            parts.setdefault((int(day), life, 0), []).append(kib[service.leaking])
            if 2 <= hour < 6:
                parts.setdefault((int(day), life, 1), []).append(kib[service.leaking])
    return {key: statistics.median(v) if key[2] else statistics.fmean(v) for key, v in parts.items() if len(v) >= 6}


def solved(matrix, y):
    """Returns matrix^-1 y, by elimination."""
    rows = [row[:] + [v] for row, v in zip(matrix, y)]
    for i, row in enumerate(rows):
        for other in rows[i + 1:]:
            f = other[i] / row[i]
            for k in range(i, len(row)):
                other[k] -= f * row[k]
    out = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        out[i] = (rows[i][-1] - sum(rows[i][k] * out[k] for k in range(i + 1, len(rows)))) / rows[i][i]
    return out


def bound(service):
    """Returns the distance of the leak for the ideal judge at the end of the fifth day, in standard deviations."""
    begin, end = max(0, int(service.leak_from) - BEFORE), int(service.leak_from + WITHIN)
    seeds = ["%s twin %d" % (service.name, i) for i in range(TWINS)]
    twins = [features(service, random.Random(seed), begin, end, False) for seed in seeds]
    leaks = [features(service, random.Random(seed), begin, end, True) for seed in seeds[:20]]
    keys = sorted(twins[0])
    means = [statistics.fmean(twin[key] for twin in twins) for key in keys]
    signal = [statistics.fmean(leak[key] - twin[key] for leak, twin in zip(leaks, twins)) for key in keys]
    off = [[twin[key] - mean for key, mean in zip(keys, means)] for twin in twins]
    unknown = (10 * service.base) ** 2  # the variance of the base of a life
    covariance = [[sum(row[i] * row[j] for row in off) / (TWINS - 1) + (a[1] == b[1]) * unknown + (i == j) * 16
                   for j, b in enumerate(keys)] for i, a in enumerate(keys)]
    square = sum(a * b for a, b in zip(signal, solved(covariance, signal)))
    square *= (TWINS - len(keys) - 2) / (TWINS - 1)  # the inverse of an estimated covariance is too large
    return math.sqrt(max(0.0, square))


def chance(seen, least):
    return statistics.NormalDist().cdf(seen - least)


# ---- what pmapdb finds ----------------------------------------------------------------------


def verdicts(service, folder):
    """Returns the verdict at the end of every day: the worst of the categories."""
    path = pathlib.Path(folder) / "series.csv"
    with path.open("w", encoding="ascii") as file:
        file.write("series_id,category,ts,kb,pid\n")
        for i, how in enumerate(service.hows):
            lines = [",%s,%d,%d,%d\n" % (how["category"], 1700000000 + t, kib[i], pid) for t, kib, pid in service.rows]
            for day in service.days_asked():
                file.writelines("%d/%d" % (day, i) + line for line in lines[:day * DAY // STEP])
    out = subprocess.run([kit.PROGRAM, "leaks", "--series", path, "-f", "csv"], check=True, capture_output=True,
                         text=True).stdout
    said = {}
    for row in csv.DictReader(io.StringIO(out)):
        said.setdefault(int(row["series_id"].split("/")[0]), []).append(row["verdict"])
    return {day: next((word for word in ("leak", "suspect") if word in words), "") for day, words in said.items()}


def judge(asked):
    rows, seeds, of = [], asked.seeds.split(","), {}
    wrong = early = 0
    with tempfile.TemporaryDirectory(prefix="pmapdb-weeks-") as folder:
        for seed, number in ((seed, number) for seed in seeds for number in range(asked.services)):
            service = Service(seed, number, asked.weeks)
            said = verdicts(service, folder)
            begins = service.leak_from if service.leaks else service.days + 1
            false = sum(v == "leak" for day, v in said.items() if day <= begins)
            doubt = sum(v == "suspect" for day, v in said.items() if day <= begins)
            found = min((day - begins for day, v in said.items() if day > begins and v == "leak"), default=None)
            could = bound(service) if asked.bound and service.leaks else None
            early += service.leaks and false > 0
            wrong += not service.leaks and false > 0
            if service.leaks:
                more = (1, found is not None and found <= WITHIN, found is not None and found > WITHIN,
                        chance(could or 0.0, FALSE), chance(could or 0.0, BLIND))
                for name in (service.server, "all"):
                    of[name] = tuple(map(sum, zip(of.get(name, (0,) * 5), more)))
            rows.append([seed, service.name, "%.2f" % service.rise, len(service.lives),
                         "%.1f" % begins if service.leaks else "", "" if not service.leaks else
                         "never" if found is None else "%.1f" % found, "" if could is None else "%.2f" % could, false, doubt])
    table(["seed", "service", "rise", "lives", "leaks from day", "found after", "bound", "false", "suspect"], rows)
    table(["server", "leaks", "within 5 days", "later"] + ["ideal", "blind"] * asked.bound,
          [[name, *sums[:3]] + ["%.1f" % v for v in sums[3:]] * asked.bound for name, sums in sorted(of.items())])
    print("called before they leaked: %d; of %d services that do not leak, called: %d" % (
        early, len(rows) - of.get("all", (0,))[0], wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--services", type=int, default=24)
    parser.add_argument("--weeks", type=int, default=8)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--bound", action="store_true")
    judge(parser.parse_args())


main()
