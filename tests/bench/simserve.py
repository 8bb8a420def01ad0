"""leaksim's servers: caches, code, modules, threads, connections, sessions.

Mechanisms as in simheap; those with stacks also set the size.
"""
import math

from simworld import DAY, Arena, Crowd, Keys


# ---- caches, code, modules ------------------------------------------------------------------
def cache_lru(p, r, c):
    """A cache of Zipf keys with a maximum of entries."""
    keys = Keys(r, r.log(2e3, 2e6), r.uni(0.5, 1.1))
    most, speed = r.log(300, 2e5), r.log(1, 1000)
    entry = p.base * r.log(0.2, 4) / most
    speed = most / c.span * r.log(0.8, 40)

    def step(t, dt, part):
        load = p.load(t, part)
        return p.base + p.serving(load) + entry * min(most, keys.step(speed * dt * load))

    return step


def cache_ttl(p, r, c):
    """A cache whose entries live for a fixed time."""
    slots = r.whole(2, max(3, c.n * c.sub // 5))
    ring, at = [0] * slots, [0]
    per = r.log(3, 3000)
    entry = p.base * r.log(0.1, 2) / per / slots

    def step(t, dt, part):
        load = p.load(t, part)
        ring[at[0] % slots] = r.poisson(per * load)
        at[0] += 1
        return p.base + p.serving(load) + entry * sum(ring)

    return step


def cache_endless(p, r, c):
    """A cache without a maximum; some keys are repeated, some are new."""
    again = Keys(r, r.log(100, 1e4), r.uni(0.3, 0.8))
    entry, most = r.log(0.5, 200), r.uni(0, 0.3) * p.base
    speed, size = r.log(6, 100), sum(b[0] for b in again.bins)

    def step(t, dt, part):
        load = p.load(t, part)
        known = again.step(speed * size * dt / c.span * load) / size * most
        p.drip(dt, load, entry)
        return p.base + p.serving(load) + known + p.leaked

    return step


def labels_seen(p, r, c):
    """A table of all words ever seen: new words become rarer, but never end."""
    keys, beta, per = [0.0], r.uni(0.3, 0.52), p.base * r.log(0.1, 1.0)

    def step(t, dt, part):
        load = p.load(t, part)
        keys[0] += dt * load / c.span
        return p.base + p.serving(load) + per * r.poisson(4000 * keys[0] ** beta) / 4000

    return step


def jit_code(p, r, c):
    """Functions are compiled after enough calls, into segments of code memory."""
    code = Keys(r, r.log(300, 2e4), r.uni(0.7, 1.2))
    total = sum(b[0] for b in code.bins)
    p.base = r.log(2e3, 3e4)
    segment, each = r.pick((64, 256, 2048)), p.base * r.uni(0.5, 5) / total
    speed = total / c.span * r.log(2, 400)

    def step(t, dt, part):
        have = code.step(speed * dt * p.load(t, part))
        return p.base + segment * math.ceil(have * each / segment)

    return step


def class_loaders(p, r, c):
    """Each reload or generated proxy adds classes that stay; metaspace grows in chunks."""
    chunk, classes = r.pick((64, 256, 1024)), r.log(4, 200)

    def step(t, dt, part):
        load = p.load(t, part)
        p.drip(dt, load, classes)
        return p.base + p.serving(load) + chunk * math.ceil(p.leaked / chunk)

    return step


def lazy_modules(p, r, c):
    """Modules are loaded at their first use: many at the start, some after days."""
    span = c.span
    todo = [(r.exp(span * r.log(0.0005, 0.4)), r.exp(p.base * 0.02)) for _ in range(r.whole(8, 60))]

    def step(t, dt, part):
        return p.base + p.serving(p.load(t, part)) + sum(k for at, k in todo if at <= t)

    return step


# ---- threads, connections, sessions ---------------------------------------------------------
def stack_row(p, r, c, threads):
    deep = {}
    kind, often = r.pick((8192, 8192, 2048, 1024, 256)), r.pick((0.0, 0.02, 0.2))

    def step(n):
        for i in range(len(deep), n):
            deep[i] = 4 * r.whole(2, 12)
        i = r.whole(0, max(0, n - 1))
        if n and r.u() < often:
            deep[i] = max(deep[i], 4 * r.whole(2, 40))
        p.size = float(n * (kind + 4))
        return float(sum(deep[i] for i in range(n)))

    p.base = threads * (kind + 4)
    return step, kind + 4


def thread_pool(p, r, c):
    """A pool that adds a thread if all are busy, up to a maximum; no thread ends."""
    core, most, busy = r.whole(2, 16), r.whole(16, 128), r.uni(0.3, 1.4)
    row, _ = stack_row(p, r, c, core)
    have, eager = [core], min(0.5, r.log(1, 30) * (most - core) / (c.n * c.sub))

    def step(t, dt, part):
        if r.poisson(busy * most * 0.8 * p.load(t, part)) > have[0] and r.u() < eager:
            have[0] = min(most, have[0] + 1)
        return row(have[0])

    return step


def thread_leak(p, r, c):
    """Threads that wait for ever, beside healthy threads."""
    core = r.whole(4, 60)
    row, each = stack_row(p, r, c, core)
    crowd = Crowd(r, r.pick((0.01, 2.0, 6.0)), c.period * r.uni(0.5, 10))
    p.scale = max(p.scale, 8.0 / core) if p.scale else 0.0

    def step(t, dt, part):
        load = p.load(t, part)
        p.drip(dt, load, each)
        return row(core + crowd.step(dt, load) + int(p.leaked / each + 0.5))

    return step


def crowd_of(p, r, c, mean, life, each, rate=lambda t, part: 1.0):
    """Connections or sessions, with their memory in a heap; leaked ones stay."""
    crowd, heap = Crowd(r, mean, life), Arena(r, r.pick((0.05, 0.5, 1.0)))

    def step(t, dt, part):
        load = p.load(t, part) * rate(t, part)
        p.drip(dt, load, each)
        return p.base + heap.step(each * crowd.step(dt, load) + p.leaked)

    return step


def connections(p, r, c):
    """Keep-alive connections with buffers; leak: the server forgets to close some."""
    n, life = r.log(10, 2000), min(c.period * r.log(0.3, 20), c.span / 12)
    return crowd_of(p, r, c, n, life, r.uni(0.03, 0.4) * p.base / n)


def slow_loris(p, r, c):
    """Attacks that hold connections open for as long as the server permits."""
    n, life = r.log(10, 300), c.period * r.log(0.5, 5)
    times = [(r.uni(0.05, 0.9), r.uni(0.01, 0.08), r.uni(4, 30)) for _ in range(r.whole(1, 4))]

    def rate(t, part):
        return 1 + sum(x for at, wide, x in times if at <= part < at + wide)

    return crowd_of(p, r, c, n, life, r.uni(0.02, 0.1) * p.base / n, rate)


def sessions(p, r, c):
    """A map of sessions that end hours after their last request; leak: some never do."""
    n = r.log(50, 5000)
    return crowd_of(p, r, c, n, r.log(1800, DAY / 2), r.uni(0.05, 0.6) * p.base / n)


def tenants(p, r, c):
    """A few large tenants that each stay for a good part of the window."""
    n = r.log(4, 40)
    step = crowd_of(p, r, c, n, c.span * r.log(0.03, 0.15), r.uni(0.1, 0.6) * p.base / n)
    for _ in range(300):                    # starts in balance
        step(0, c.span * 0.01, 0)
    return step
