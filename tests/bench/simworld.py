"""leaksim's world: random numbers, the clock, traffic, and the parts of processes.

Uses random.Random.random() alone, one stream for each series: a seed gives the same series everywhere.
"""
import math
import random

DAY = 86400.0


class Rng:
    def __init__(self, key):
        self.u = random.Random(key).random

    def uni(self, a, b):
        return a + (b - a) * self.u()

    def log(self, a, b):
        return a * (b / a) ** self.u()

    def pick(self, some):
        return some[int(self.u() * len(some))]

    def whole(self, a, b):
        return a + int(self.u() * (b - a + 1))

    def gauss(self):
        return math.sqrt(-2 * math.log(1 - self.u())) * math.cos(2 * math.pi * self.u())

    def exp(self, mean):
        return -mean * math.log(1 - self.u())

    def poisson(self, mean):
        if mean > 30:
            return max(0, int(mean + math.sqrt(mean) * self.gauss() + 0.5))
        left, n = math.exp(-mean), -1
        p = 1.0
        while p >= left:
            p *= self.u()
            n += 1
        return max(0, n)


class Clock:
    """The times of the captures, and the finer steps of the simulation."""

    def __init__(self, r, clocks, most=10 ** 6):
        self.period, n = r.pick(clocks)
        self.n = max(36, min(most, int(n * r.uni(0.35, 1.0))))
        self.sub = max(1, min(4, 900 // self.n))
        self.span = float(self.n * self.period)
        self.start = 1710000000 + r.whole(0, 5000) * 997
        lost, late = r.pick((0, 0, 0, 0.02, 0.08)), r.pick((0, 1, 5))
        hole = r.uni(0.1, 0.85) * self.n if r.u() < 0.25 else -99
        self.seen = {}
        for i in range(self.n):
            if r.u() >= lost and not hole <= i < hole + 0.04 * self.n:
                self.seen[i] = self.start + i * self.period + int(late * r.u())


class Load:
    """Traffic with a long-term mean of 1.0: hours, weekends, bursts, a temporary drift."""

    def __init__(self, r, clock, kinds):
        allowed = [k for k in kinds if k not in ("daily", "weekly") or clock.span > 2.5 * DAY]
        self.r, self.kind = r, r.pick(allowed or ["flat"])
        self.phase, self.deep = r.uni(0, DAY), r.uni(0.25, 0.9)
        self.sd, self.keep, self.x = r.log(0.01, 0.25), r.uni(0, 0.97), 0.0
        self.on, self.busy, self.idle = False, r.uni(2, 20), r.uni(3, 60)
        self.calm = r.uni(0.4, 0.95)
        self.at, self.over, self.more = r.uni(0.1, 0.5), r.uni(0.03, 0.25), r.uni(0.4, 2.0)

    def __call__(self, t, part):
        self.x = self.keep * self.x + math.sqrt(1 - self.keep ** 2) * self.sd * self.r.gauss()
        y = math.exp(self.x - self.sd ** 2 / 2)
        if self.kind in ("daily", "weekly"):
            hour = ((t + self.phase) % DAY) / DAY
            y *= 1 + self.deep * (1 if 0.35 < hour < 0.75 else -1 if hour < 0.25 else 0.2) * 0.8
            if self.kind == "weekly" and int((t + self.phase) / DAY) % 7 > 4:
                y *= 0.5
        elif self.kind == "bursty":
            if self.r.u() < 1 / (self.busy if self.on else self.idle):
                self.on = not self.on
            y *= self.calm * (3 if self.on else 1)
        elif self.kind == "ramp":
            y *= 1 + self.more * min(1.0, max(0.0, (part - self.at) / self.over))
        return y


class Process:
    """The state that all mechanisms share: the base, the leaked memory, other numbers of smaps."""

    def __init__(self, r, clock, scale, kinds):
        self.r, self.clock, self.scale = r, clock, scale
        self.base = r.pick((r.log(3e3, 3e4), r.log(3e4, 6e5), r.log(6e5, 5e6)))
        self.load = Load(r, clock, kinds)
        self.leaked, self.onset, self.follows, self.last_rate = 0.0, 0.0, 1.0, None
        self.size = self.private = self.count = None
        self.pid, self.variant = 700 + r.whole(0, 20000), ""
        share = r.pick((0.002, 0.01, 0.03, 0.08))
        self.held = r.whole(2, 300)
        self.each = share * self.base / self.held
        self.heap = Arena(r, r.pick((0.02, 0.2, 0.7)))

    def drip(self, dt, load, piece):
        """Returns the KiB that leak in one step, in pieces; scale: share of the base that leaks in one window."""
        if not self.scale:
            return 0.0
        n = self.r.poisson(self.scale * self.base * dt * load / self.clock.span / piece)
        self.leaked += n * piece
        return n * piece

    def serving(self, load):
        """Returns the KiB of a heap with the buffers of current requests, which is trimmed at times."""
        return self.heap.step(self.r.poisson(self.held * load) * self.each)


class Arena:
    """A heap: keeps all memory below the highest live object, and returns its free top at times."""

    def __init__(self, r, trim):
        self.r, self.trim, self.top = r, trim, 0.0

    def step(self, live):
        if live >= self.top:
            self.top = live
        elif self.r.u() < self.trim:
            self.top -= (self.top - live) * self.r.u()
        return self.top


class Crowd:
    """A population with random arrivals and exponential lifetimes."""

    def __init__(self, r, mean, life):
        self.r, self.rate, self.life, self.n = r, mean / life, life, 0

    def step(self, dt, load):
        gone = self.n * (1 - math.exp(-dt / self.life))
        stay = self.life * (1 - math.exp(-dt / self.life))
        self.n += self.r.poisson(self.rate * stay * load) - min(self.n, self.r.poisson(gone))
        return self.n


class Keys:
    """Counts the different keys that were requested, of many keys with Zipf's popularity."""

    def __init__(self, r, keys, exponent):
        self.r, self.bins, edge, total = r, [], 1.0, 0.0
        while edge < keys:
            wide = max(1.0, edge * 0.4)
            weight = (edge + wide / 2) ** -exponent
            self.bins.append([wide, weight, 0.0])
            total += wide * weight
            edge += wide
        for b in self.bins:
            b[1] /= total

    def step(self, requests):
        for b in self.bins:
            fresh = b[0] - b[2]
            if fresh > 1e-3:
                mean = fresh * (1 - math.exp(-requests * b[1]))
                b[2] = min(b[0], b[2] + (self.r.poisson(mean) if mean < 1e6 else mean))
        return sum(b[2] for b in self.bins)
