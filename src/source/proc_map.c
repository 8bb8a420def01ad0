/* proc_map: reads smaps and maps of a process and delays the process as little as possible. */
#include "source/proc.h"

#include "base/clock/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The kernel fills one page per read(2). Text that does not fit is generated again by the next
 * read, so the page tables of the mapping at the end of the page are walked twice. If the layout is
 * unlucky, this mapping is the one big heap. With pieces of 3 KiB or less this never happens to
 * mappings with paths of up to 200 bytes (CPU in ms on kernel 6.18; after the slash, the
 * longest single read in us):
 *
 *     read(2) of        512 B         2 KiB         3 KiB         4 KiB        64 KiB
 *     2 GiB         16.3/16114    16.0/15826    16.1/16059    32.5/16405    32.7/16791   (1)
 *     1,024 x 4 MiB   36.3/111      34.8/195      34.1/245      38.2/268      39.2/282
 *     4,000 x 4 KiB    24.9/54       19.2/61       18.3/69       19.9/67       19.8/66
 *     300 x 64 KiB      2.1/28        1.7/23        1.6/24        1.7/29        1.7/38
 *
 * (1) one mapping after 2, 7 or 12 small ones; after 0, 1 or 13, all sizes take 16 to 17 ms. */
#define PIECE_MAX ((size_t)64 << 10)

/* A reader that reads piece after piece locks the map again before the process, which waits for the
 * lock, has woken up; the kernel allows this for 4 ms each time. A reader that is preempted in the
 * middle of a piece keeps the lock meanwhile. Therefore the reader stops reading after every
 * TURN_NS to parse what it has read. If that takes less than PAUSE_NS, it sleeps for the rest. The
 * longest stall of a process of 4 GiB in ms, median of 7 (tests/bench/stall.py); after the slash,
 * with two busy programs on two processors:
 *
 *     mappings                 1,024        64          4
 *     without pauses         15/12      20/54      51/188
 *     with pauses           1.0/0.1    1.8/4.4     15/60 */
#define TURN_NS ((int64_t)1000000)
#define PAUSE_NS ((int64_t)60000)

/* Handles a failed open or read: sets a fate if the process caused it, fails if the system did. */
static pmapdb_status read_failed(const pm_proc *p, const char *file, int os_errno,
                                 pm_proc_fate *fate, pmapdb_error *err)
{
    if (pm_proc_caused(os_errno, fate))
        return PMAPDB_OK;
    return pm_fail_io(err, os_errno, "cannot read /proc/%lld/%s", (long long)p->pid, file);
}

typedef struct map_file {
    const pm_proc *p;
    const char *name;
    int fd;
    size_t piece;
    int64_t now_ns;  /* just before the next read(2) */
    int64_t turn_ns; /* start of the current turn */
    int64_t longest_ns;
} map_file;

/* Call after `feed`. If that took PAUSE_NS, a new turn begins. If not, and the turn is over, the
 * reader sleeps for the rest. */
static void pause_between(map_file *f)
{
    int64_t read_ns = f->now_ns, rest_ns;

    f->now_ns = pm_now_ns(CLOCK_MONOTONIC);
    rest_ns = read_ns + PAUSE_NS - f->now_ns;
    if (rest_ns > 0) {
        if (f->now_ns - f->turn_ns < TURN_NS)
            return;
        clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = rest_ns}, NULL);
        f->now_ns = pm_now_ns(CLOCK_MONOTONIC);
    }
    f->turn_ns = f->now_ns;
}

/* Reads one piece and repeats read(2) after EINTR. Returns -1 and sets errno on failure. */
static ssize_t read_piece(map_file *f, char *block)
{
    int64_t began = f->now_ns, took;
    ssize_t n;

    n = TEMP_FAILURE_RETRY(read(f->fd, block, f->piece));
    f->now_ns = pm_now_ns(CLOCK_MONOTONIC);
    took = f->now_ns - began;
    f->longest_ns = took > f->longest_ns ? took : f->longest_ns;
    return n;
}

/* Collects the pieces of a turn, because each row that is split between two calls of `feed` costs
 * more. */
static pmapdb_status read_all(map_file *f, pm_proc_feed feed, void *ctx, pm_proc_fate *fate,
                              pmapdb_error *err)
{
    char text[PIECE_MAX];
    size_t len = 0;
    ssize_t n = 1;
    pmapdb_status st = PMAPDB_OK;

    f->now_ns = pm_now_ns(CLOCK_MONOTONIC);
    while (n > 0 && st == PMAPDB_OK) {
        n = read_piece(f, text + len);
        if (n < 0)
            return read_failed(f->p, f->name, errno, fate, err);
        len += (size_t)n;
        if (len && (n == 0 || len + f->piece > sizeof text || f->now_ns - f->turn_ns >= TURN_NS)) {
            st = feed(ctx, text, len, err);
            len = 0;
            if (n > 0 && st == PMAPDB_OK)
                pause_between(f);
        }
    }
    return st;
}

/* True if the process still has the same memory. A handle on maps belongs to the memory that the
 * process had when the handle was opened, and reads as empty after exit or exec. After an exec the
 * rest of smaps is missing without an error. If addresses are not randomised, only this check
 * detects an exec. */
static bool still_there(int guard)
{
    char byte;

    return TEMP_FAILURE_RETRY(pread(guard, &byte, 1, 0)) == 1;
}

static pmapdb_status read_guarded(map_file *f, pm_proc_feed feed, void *ctx, pm_proc_fate *fate,
                                  pmapdb_error *err)
{
    int guard = openat(f->p->dir, "maps", O_RDONLY | O_CLOEXEC);
    pmapdb_status st;

    if (guard < 0 && errno == ENOENT) /* a copy of /proc may lack maps */
        guard = openat(f->p->dir, f->name, O_RDONLY | O_CLOEXEC);
    if (guard < 0)
        return read_failed(f->p, "maps", errno, fate, err);
    f->fd = openat(f->p->dir, f->name, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0) {
        st = read_failed(f->p, f->name, errno, fate, err);
    } else {
        st = read_all(f, feed, ctx, fate, err);
        close(f->fd);
    }
    if (st == PMAPDB_OK && *fate == PM_PROC_GOOD) {
        bool there = still_there(guard);

        *fate = pm_proc_same(f->p);
        if (*fate == PM_PROC_GOOD && !there)
            *fate = PM_PROC_CHANGED;
    }
    close(guard);
    return st;
}

pmapdb_status pm_proc_read_map(const pm_proc *p, const char *file, size_t piece, pm_proc_feed feed,
                               void *ctx, pm_live *out, pm_proc_fate *fate, pmapdb_error *err)
{
    map_file f = {.p = p, .name = file, .piece = piece};
    int64_t cpu = pm_now_ns(CLOCK_THREAD_CPUTIME_ID), mono = pm_now_ns(CLOCK_MONOTONIC);
    int64_t utc = pm_now_ns(CLOCK_REALTIME);
    pm_proc_fate found = PM_PROC_GOOD;
    pmapdb_status st;

    f.turn_ns = mono;
    if (f.piece > PIECE_MAX)
        f.piece = PIECE_MAX;
    st = read_guarded(&f, feed, ctx, &found, err);
    if (st != PMAPDB_OK)
        return st;
    *fate = found;
    if (out) {
        out->mono_ns = mono;
        out->utc_ms = utc / 1000000;
        out->read_us = (pm_now_ns(CLOCK_MONOTONIC) - mono) / 1000;
        out->cpu_us = (pm_now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) / 1000;
        out->longest_us = f.longest_ns / 1000;
    }
    return PMAPDB_OK;
}
