"""leaksim's operations: incidents, jobs, deploys, reclaim, shared memory and mapped files.

Mechanisms as in simheap; the last ones also set the size, the private memory and the number of
mappings.
"""
import math

from simworld import DAY, Arena, Keys


# ---- incidents and operations ---------------------------------------------------------------
def incident_once(p, r, c):
    """A burst of retries leaks for an hour and stops."""
    at, wide = r.uni(0.1, 0.8), max(2.0 / c.n, min(0.1, 3600 * r.uni(0.5, 3) / c.span))
    much, lost = p.base * r.log(0.08, 1.0), [0.0]

    def step(t, dt, part):
        load = p.load(t, part)
        if at <= part < at + wide:
            lost[0] += much * dt / c.span / wide * r.uni(0.5, 1.5)
        return p.base + p.serving(load) + lost[0]

    return step


def incident_again(p, r, c):
    """Such incidents come again and again; each leaks some memory."""
    n, todo = r.whole(12, 45), [0.0]

    def step(t, dt, part):
        load = p.load(t, part)
        if r.u() < n * dt / c.span:
            todo[0] += p.scale * p.base / n * r.exp(0.7) + p.scale * p.base / n * 0.3
        more = min(todo[0], p.scale * p.base / n * 0.5)
        todo[0] -= more
        p.leaked += more
        return p.base + p.serving(load) + p.leaked

    return step


def dead_sink(p, r, c):
    """A queue that is flushed regularly until its sink hangs; then it only grows."""
    at, queue, flush = r.uni(0.15, 0.6), [0.0], r.log(2, 15)
    per = p.base * r.uni(0.001, 0.02)
    p.onset = at

    def step(t, dt, part):
        load = p.load(t, part)
        if not p.scale or part < at:
            queue[0] += per * load * r.u()
            if r.u() < 1 / flush:
                queue[0] = 0.0
        else:
            p.drip(dt / (1 - at), load, 1.0)
        return p.base + p.serving(load) + queue[0] + p.leaked

    return step


def retry_timers(p, r, c):
    """Each forgotten timer starts some more: the leak feeds itself."""
    feed, per = r.uni(1.0, 3.0), r.uni(0.5, 20)

    def step(t, dt, part):
        load = p.load(t, part)
        much = p.scale * p.base / math.expm1(feed)
        p.last_rate = feed * (p.leaked + much) / c.span
        p.leaked += per * r.poisson(p.last_rate * dt * load / per)
        return p.base + p.serving(load) + p.leaked

    return step


def log_buffer(p, r, c):
    """A buffer that is flushed when it is full or the minute is over."""
    full, rate = p.base * r.log(0.05, 1.0), r.log(3, 80)
    have, top = [0.0], Arena(r, r.pick((0.0, 0.3, 1.0)))

    def step(t, dt, part):
        load = p.load(t, part)
        have[0] += full / rate * load * r.uni(0.5, 1.5)
        if have[0] > full:
            have[0] = 0.0
        return p.base + p.serving(load) + top.step(have[0])

    return step


def nightly_job(p, r, c):
    """A job of varying size at a fixed hour; afterwards the heap is trimmed at its top."""
    every = DAY if c.span > 3 * DAY else c.span / r.uni(4, 12)
    long, much, heap = r.uni(0.02, 0.15), p.base * r.log(0.1, 2), Arena(r, r.uni(0.2, 1.0))
    now = [-1, 0.0]

    def step(t, dt, part):
        day = int(t / every)
        if day != now[0]:
            now[:] = [day, r.uni(0.5, 1.0)]
        inside = (t / every) % 1.0 < long
        return p.base + p.serving(p.load(t, part)) + heap.step(much * now[1] if inside else 0.0)

    return step


def in_use(p, r, c):
    """Memory that follows the traffic, and a leak in addition."""
    share, piece = p.base * r.log(0.1, 0.8), r.log(0.1, 100)

    def step(t, dt, part):
        load = p.load(t, part)
        p.drip(dt, load, piece)
        return p.base + share * load + p.serving(load) + p.leaked

    return step


def reclaim(p, r, c):
    """A cgroup near its limit: file pages are reclaimed at times, and come back when they are read."""
    files, have, press = p.base * r.uni(0.1, 0.5), [0.0], r.log(0.01, 0.15)
    back, piece = min(0.3, r.log(8, 200) / (c.n * c.sub)), r.uni(1, 50)

    def step(t, dt, part):
        load = p.load(t, part)
        have[0] += (files - have[0]) * back * load
        if r.u() < press:
            have[0] *= r.uni(0.2, 0.9)
        p.drip(dt, load, piece)
        return p.base + p.serving(load) + have[0] + p.leaked

    return step


def deploys(p, r, c):
    """Each deploy has another base, warm-up and pid; a leak is in each life."""
    n = r.whole(2, 7)
    ends = [(i + 1.0 + r.uni(-0.2, 0.2)) / n for i in range(n - 1)] + [9.0]
    warm, own = r.pick((0.0, 0.1, 0.5)) * p.base, [p.base, 0.0, 0.0]
    fast, piece = r.uni(0.01, 0.08), r.log(0.1, 50)
    p.scale *= n * 0.8

    def step(t, dt, part):
        load = p.load(t, part)
        if part > ends[0]:
            ends.pop(0)
            own[:] = [p.base * r.uni(0.85, 1.15), part, p.leaked]
            p.pid += r.whole(50, 4000)
        p.drip(dt, load, piece)
        young = warm * (1 - math.exp(-(part - own[1]) * n / fast))
        return own[0] + young + p.serving(load) + p.leaked - own[2]

    return step


# ---- with context: size, private and the number of mappings ---------------------------------
def shared_touch(p, r, c):
    """A worker touches one page after another of a segment that other processes have filled."""
    p.base = r.log(5e4, 4e6)
    pages = p.base / 4
    keys = Keys(r, pages, r.uni(0.0, 0.9))
    speed, scan = pages / c.span * r.log(0.15, 3), r.u() < 0.4

    def step(t, dt, part):
        load = p.load(t, part)
        seen = keys.step(speed * dt * load) if not scan else min(pages, speed * t)
        p.size, p.private, p.count = p.base, 0.002 * p.base * r.u(), 1
        return 0.02 * p.base + 0.98 * 4 * min(pages, seen)

    return step


def shared_create(p, r, c):
    """Each job makes a segment of shared memory that is never removed."""
    each = 4 * r.whole(16, 2048)
    have = r.whole(1, 20)
    p.base = float(have * each)
    p.scale = max(p.scale, 10.0 / have) if p.scale else 0.0

    def step(t, dt, part):
        p.drip(dt, p.load(t, part), each)
        n = have + int(p.leaked / each + 0.5)
        p.size, p.private, p.count = float(n * each), 0.3 * n * each, n
        return float(n * each)

    return step


def file_segments(p, r, c):
    """Files are mapped, read and never unmapped."""
    step = shared_create(p, r, c)

    def also(t, dt, part):
        rss = step(t, dt, part)
        p.private = rss
        return rss

    return also


def file_append(p, r, c):
    """A growing database file is mapped as a whole: page cache, which the kernel can drop."""
    have, more = p.base, p.base * r.log(0.2, 2)
    kept = [0.5 * have]

    def step(t, dt, part):
        load = p.load(t, part)
        size = have + more * part
        kept[0] += (size * 0.9 - kept[0]) * 0.2 * load * r.u()
        p.size, p.private, p.count = size, 0.01 * have, 1
        return kept[0]

    return step


def file_scan(p, r, c):
    """Workers read a mapped file; its pages become resident, and some are reclaimed."""
    have, speed = [0.0], r.log(0.3, 4)

    def step(t, dt, part):
        load = p.load(t, part)
        have[0] += (p.base * 3 - have[0]) * min(1, speed * dt / c.span) * load
        if r.u() < 0.01:
            have[0] *= r.uni(0.7, 1)
        p.size, p.private, p.count = p.base * 4, 0.02 * p.base, 3
        return have[0]

    return step


def huge_pages(p, r, c):
    """A daemon turns half-used pieces (2 MiB) of a heap of constant size into huge pages."""
    pieces = max(8, int(p.base / 2048))
    room = pieces * 2048.0
    part_used, done, speed = r.uni(0.3, 0.8), [0], r.log(0.5, 12)

    def step(t, dt, part):
        load = p.load(t, part)
        done[0] = min(pieces, done[0] + r.poisson((pieces - done[0]) * speed * dt / c.span))
        p.size, p.count = room, 2
        p.private = room * part_used + done[0] * 2048 * (1 - part_used)
        return p.private + 4 * r.poisson(20 * load)

    return step
