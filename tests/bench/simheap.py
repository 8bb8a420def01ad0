"""leaksim's heaps: allocators, vectors, collectors.

A mechanism takes a Process, its random numbers and its clock, and returns a function for one step, which
returns the resident KiB after the step. The leak comes from Process.drip(), which returns 0 in a twin
that does not leak.
"""
import heapq
import math

from simworld import Arena


# ---- heaps and vectors ----------------------------------------------------------------------
def heap_first_fit(p, r, c, before=(60, 400, 800)):
    """Objects with three kinds of lifetimes fill the lowest free blocks; leaked objects never die."""
    units, per = r.whole(100, 240), r.whole(4, 12)
    unit = 0.6 * p.base / units
    room, due, births, spare, now = [], {}, units / 10.8, [], [0]

    def place():
        while spare and (spare[0] >= len(room) or not room[spare[0]]):
            heapq.heappop(spare)
        if not spare:
            heapq.heappush(spare, len(room))
            room.append(per)
        return spare[0]

    def turn(load, lost):
        for b in due.pop(now[0], ()):
            room[b] += 1
            heapq.heappush(spare, b)
        for i in range(r.poisson(births * load) + lost):
            b = place()
            room[b] -= 1
            if i >= lost:
                life = r.exp(r.pick((2,) * 16 + (20,) * 3 + (200,)))
                due.setdefault(now[0] + 1 + int(life), []).append(b)
        now[0] += 1
        while room and room[-1] == per:
            room.pop()
        return 0.4 * p.base + len(room) * per * unit

    def step(t, dt, part):
        load = p.load(t, part)
        return turn(load, int(round(p.drip(dt, load, unit) / unit)))

    for _ in range(r.pick(before)):         # the process ran before the first capture
        turn(1.0, 0)
    return step


def heap_balanced(p, r, c):
    """heap_first_fit(), long after the start of the process."""
    return heap_first_fit(p, r, c, (600, 900))


def thread_arenas(p, r, c):
    """Threads take work in order; each has its own arena, which it makes at its first work. One arena
    leaks."""
    n, busy = r.whole(4, 32), r.uni(1, 6)
    trim = r.pick((0.0, 0.0, 0.002, 0.05))
    arenas = [Arena(r, trim) for _ in range(n)]
    each, lost = r.uni(0.2, 1.0) * p.base / n, [0.0]
    piece = r.uni(0.1, 20)

    def step(t, dt, part):
        load = p.load(t, part)
        used = min(n, r.poisson(busy * load * r.exp(0.6)))
        lost[0] += p.drip(dt, load, piece)
        total = 0.0
        for i, a in enumerate(arenas):
            live = each * r.u() if i < used else 0.0
            total += a.step(live + (lost[0] if i == 0 else 0.0))
        return p.base + total

    return step


def vector(p, r, c):
    """A vector that only grows. Its tail is touched when it is used; while it grows there are two copies."""
    cap, used, piece = [r.log(64, 4096)], [0.0], r.uni(0.05, 8)
    copies = r.pick((0.0, 0.05, 0.3))

    def step(t, dt, part):
        load = p.load(t, part)
        used[0] += p.drip(dt, load, piece)
        extra = 0.0
        while used[0] > cap[0]:
            extra = cap[0] if r.u() < copies else 0.0
            cap[0] *= 2
        return p.base + p.serving(load) + used[0] + extra

    return step


def hash_tables(p, r, c):
    """Maps that are copied as a whole when they double; the entries are in the heap."""
    n = r.pick((1, 2, 4, 8, 16, 64))
    factor, load_max = r.pick((1.5, 2.0, 2.0)), r.uni(0.7, 0.9)
    slots = [[r.log(0.02, 0.5) * p.base / n, 0.0] for _ in range(n)]
    start = sum(s[0] for s in slots)
    for s in slots:
        s[1] = s[0] * r.uni(0.3, load_max)
    piece = r.uni(0.05, 4)
    inside = r.uni(0.2, 0.7)                # share of an entry that is in the table
    p.follows = None

    def step(t, dt, part):
        load = p.load(t, part)
        more = p.drip(dt, load, piece)
        for s in slots:
            s[1] += more * inside / n
            while s[1] > load_max * s[0]:
                s[0] *= factor
        return p.base + p.serving(load) + sum(s[0] for s in slots) - start + p.leaked * (1 - inside)

    return step


def dataset(p, r, c):
    """A table that is read at the start of the work, at the speed of its source."""
    total, rate = p.base * r.log(0.2, 4), 0.0
    rate = total / c.span / r.uni(0.1, 1.6)
    done, speed = [0.0], [1.0]

    def step(t, dt, part):
        speed[0] = min(2.0, max(0.3, speed[0] + 0.1 * r.gauss()))
        done[0] = min(total, done[0] + rate * dt * speed[0])
        return p.base + done[0] + p.serving(p.load(t, part))

    return step


def object_pool(p, r, c):
    """The number of objects follows the traffic, the heap keeps its maximum. Leak: some objects are not
    returned; at first the leak fits into free room of the heap."""
    pool, lost = Arena(r, 0.0), [0.0]
    want, piece = p.base * r.log(0.1, 0.8), r.uni(1, 40)
    n = r.whole(20, 400)

    def step(t, dt, part):
        load = p.load(t, part)
        lost[0] += p.drip(dt, load, piece)
        return p.base + pool.step(want / n * r.poisson(n * load) + lost[0])

    return step


def message_buffers(p, r, c):
    """Each connection keeps a buffer as large as its largest message so far."""
    n, heavy = r.whole(8, 120), r.uni(0.25, 0.6)
    have, each, most = [0.0] * n, 0.3 * p.base / n, r.uni(4, 30)
    speed = r.log(0.02, 0.6)

    def step(t, dt, part):
        load = p.load(t, part)
        for i in range(n):
            if r.u() < speed * load:
                have[i] = max(have[i], each * min(most, (1 - r.u()) ** -heavy))
        return p.base + p.serving(load) + sum(have)

    return step


# ---- collectors -----------------------------------------------------------------------------
def collector(p, r, c, returns, grows):
    """Garbage grows up to a threshold, then a collection frees it. returns: share of the freed memory that
    goes back to the system; grows: threshold as a multiple of the memory in use."""
    use, lost = p.base * r.uni(0.3, 1.0), [0.0]
    room = use * grows
    garbage, top = [room * r.u()], [0.0]
    # The steps of one cycle; the young generation, which is emptied all the time.
    cycle, young = r.log(3, min(120, c.n * c.sub / 5)), p.base * r.pick((0, 0.02, 0.1))
    piece, prop = r.uni(0.1, 30), r.u() < 0.4
    made = room / cycle / c.period * c.sub
    if prop and not returns:
        p.follows = 1 + grows
    elif prop:
        p.follows = None

    def step(t, dt, part):
        load = p.load(t, part)
        lost[0] += p.drip(dt, load, piece)
        live = use * (1 + 0.05 * (load - 1)) + lost[0]
        garbage[0] += made * dt * load * r.uni(0.6, 1.4)
        goal = (live * grows if prop else room)
        if garbage[0] > goal:
            garbage[0] = r.uni(0, 0.1) * goal
            top[0] -= returns * max(0.0, top[0] - live - garbage[0])
        top[0] = max(top[0], live + garbage[0])
        return 0.3 * p.base + top[0] + young * r.u()

    return step


def gc_go(p, r, c):
    return collector(p, r, c, r.uni(0.3, 0.8), r.pick((0.5, 1.0, 2.0)))


def gc_node(p, r, c):
    return collector(p, r, c, r.uni(0.85, 1.0), r.uni(0.3, 1.2))


def gc_jvm(p, r, c):
    """A committed heap that grows when a full collection leaves it too full, and never shrinks."""
    use, lost, old = p.base * r.uni(0.2, 0.6), [0.0], [0.0]
    heap, top = [use * r.uni(1.2, 2.0)], [0.0]
    young, piece = p.base * r.uni(0.05, 0.3), r.uni(0.1, 30)
    promoted = use / r.log(5, 150) / c.period * c.sub
    warm, more = r.log(0.005, 0.05), r.pick((1.04, 1.08, 1.15))
    p.follows = None

    def step(t, dt, part):
        load = p.load(t, part)
        lost[0] += p.drip(dt, load, piece)
        live = use * (1 - math.exp(-part / warm)) + lost[0]
        old[0] = max(live, old[0] + promoted * dt * load * r.uni(0.5, 1.5))
        if old[0] > 0.75 * heap[0]:
            old[0] = live * r.uni(1.0, 1.05)
            if old[0] > 0.6 * heap[0]:
                heap[0] *= more
        top[0] = max(top[0], old[0])
        return 0.4 * p.base + top[0] + young * min(1.0, part / warm)

    return step
