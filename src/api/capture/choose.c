/* choose: smaps or pagemap for a process, by the stall that smaps would cause.
 *
 * While the kernel writes the part of smaps for one mapping, it visits every page of the mapping
 * and locks the memory map of the process: mmap, munmap, and on older kernels page faults, wait for
 * that long. The longest such wait is predicted from the votes of
 *
 *     - each of the latest readings of this process, which are in the store: its longest read(2)
 *     - the host: pages in the largest mapping x median cost of a page in all latest readings
 *
 * by their median, the lower one of two. One bad reading therefore changes nothing, and a process
 * whose pages cost less than those of others (huge pages) is known after one reading.
 *
 * The host's vote is right within a factor of DOUBT. Where that vote is the median, as for a
 * process that was never read, smaps is read if the prediction is at most DOUBT times --max-stall;
 * the next median is then a reading of the process. A process whose smaps is not read is not
 * measured: its readings count for PM_READING_CAPTURES captures, then the host's vote decides
 * again. */
#include "api/capture/run.h"
#include "render/number.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define PAGE_KIB 4
#define NS_MOST 1000.0 /* no page costs more */
#define NS_HUGE 1.0    /* a page in a huge page costs about half of this */
#define DOUBT 4

static int64_t all_kib(const pm_proc_extent *e)
{
    return e->resident_kib + e->swap_kib;
}

/* The time in us to walk through so many KiB, at most `small_kib` of them in small pages. */
static int64_t walk_us(int64_t kib, int64_t small_kib, double ns)
{
    int64_t small = small_kib >= 0 && small_kib < kib ? small_kib : kib;

    return (int64_t)ceil(((double)small * ns + (double)(kib - small) * NS_HUGE) / PAGE_KIB / 1000);
}

static void explain(pm_target *t, int64_t most_us, bool is_read_again)
{
    char stall[PM_NUMBER_TEXT], most[PM_NUMBER_TEXT],
        then[64] = "a longer --max-stall allows smaps";

    if (is_read_again)
        snprintf(then, sizeof then, "read again within %d captures", PM_READING_CAPTURES);
    pm_number_span((double)t->live.predicted_us / 1000, stall);
    pm_number_span((double)most_us / 1000, most);
    snprintf(t->degraded, sizeof t->degraded,
             "smaps would lock its memory map for about %s, more than --max-stall %s; %s", stall,
             most, then);
    t->live.degraded = t->degraded;
}

/* True if smaps may be read. Asks as little as possible: the store, then maps. */
static bool fits(pm_capture_run *run, const pm_proc *p, pm_target *t, pm_proc_extent *e)
{
    int64_t most_us = run->options->max_stall_us;
    pm_reading_ask ask = {.host = run->host,
                          .boot_id = run->boot_id,
                          .pid = t->pid,
                          .start_time = t->start_time,
                          .kib = all_kib(e)};
    pm_sql *sql = run->store->sql;
    int64_t us;
    bool measured = false;

    ask.page_ns = pm_reading_page_ns(sql, run->host);
    ask.host_us = walk_us(ask.kib, PMAPDB_UNKNOWN, (double)ask.page_ns);
    us = pm_reading_stall(sql, &ask, &measured);
    if (us > most_us && pm_proc_largest(p, e)) {
        ask.host_us = walk_us(e->largest_kib, e->small_kib, (double)ask.page_ns);
        us = pm_reading_stall(sql, &ask, &measured);
    }
    did(run, pm_sql_end(sql, &run->error));
    t->live.predicted_us = us;
    if (us <= most_us || (!measured && us / DOUBT <= most_us))
        return true;
    explain(t, most_us, ask.host_us / DOUBT <= most_us);
    return false;
}

static bool has(const pm_proc *p, const char *file)
{
    return faccessat(p->dir, file, R_OK, 0) == 0;
}

pm_dialect pm_capture_choose(pm_capture_run *run, const pm_proc *p, pm_target *t, size_t *piece)
{
    const pmapdb_capture_options *o = run->options;
    pm_proc_extent e;

    t->live.predicted_us = PMAPDB_UNKNOWN;
    *piece = PM_PROC_PIECE;
    if (o->measure == PMAPDB_MEASURE_TOTALS)
        return PM_DIALECT_ROLLUP;
    if (o->measure == PMAPDB_MEASURE_MAPS)
        return PM_DIALECT_MAPS;
    if (run->copied) /* reading a copy stalls no process */
        return has(p, "pages") && !has(p, "smaps") ? PM_DIALECT_PAGEMAP : PM_DIALECT_SMAPS;
    if (!pm_proc_statm(p, &e)) /* the process has ended */
        return PM_DIALECT_SMAPS;
    if (o->measure == PMAPDB_MEASURE_AUTO &&
        walk_us(all_kib(&e), PMAPDB_UNKNOWN, NS_MOST) > o->max_stall_us && !fits(run, p, t, &e))
        return PM_DIALECT_PAGEMAP;
    if (all_kib(&e) >= PM_PROC_SINGLE_KIB)
        *piece = PM_PROC_PIECE_SINGLE;
    return PM_DIALECT_SMAPS;
}
