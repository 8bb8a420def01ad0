/* proc_extent: estimates, before smaps is read, how much memory the kernel will walk for it. */
#include "source/proc.h"

#include "base/line.h"
#include "base/num.h"
#include "source/proc_text.h"
#include <sys/sysinfo.h>
#include <unistd.h>

#define MEMINFO "../meminfo" /* relative to the folder of a process */
#define MEMINFO_MAX ((size_t)8192)

/* Returns VmSwap, because the entries of swapped pages are walked, too. If the host uses no swap,
 * status need not be read. */
static int64_t swapped_kib(const pm_proc *p)
{
    struct sysinfo info;
    pm_live live;

    if (sysinfo(&info) == 0 && info.totalswap == info.freeswap)
        return 0;
    if (pm_proc_status(p, &live) != 0 || live.swap_kib == PMAPDB_UNKNOWN)
        return 0;
    return live.swap_kib;
}

bool pm_proc_statm(const pm_proc *p, pm_proc_extent *out)
{
    int64_t resident;
    char block[256];
    pm_text text;

    if (!pm_proc_peek(p->dir, "statm", block, sizeof block, &text))
        return false;
    pm_proc_word(&text); /* the size */
    resident = pm_proc_number(pm_proc_word(&text));
    if (resident < 0)
        return false;
    *out = (pm_proc_extent){.resident_kib = resident * (sysconf(_SC_PAGESIZE) / 1024),
                            .swap_kib = swapped_kib(p),
                            .largest_kib = PMAPDB_UNKNOWN,
                            .small_kib = PMAPDB_UNKNOWN};
    return true;
}

/* ---- the largest mapping ---- */

typedef struct largest {
    pm_lines lines;
    uint64_t bytes;
} largest;

/* "7f12a4e00000-7f12a5000000 rw-p ...". Skips mappings without any permission, which have no pages:
 * garbage collectors reserve terabytes in this way. */
static pmapdb_status take_line(void *ctx, pm_text line, pmapdb_error *err)
{
    largest *l = ctx;
    const char *p = line.data, *end = p + line.len;
    uint64_t from, to;
    size_t n = pm_num_hex(p, end, &from), m;

    (void)err;
    if (n == 0 || n >= line.len)
        return PMAPDB_OK;
    m = pm_num_hex(p + n + 1, end, &to);
    line = pm_text_from(line, n + 1 + m);
    if (m && !pm_text_starts(line, PM_TEXT(" ---p")) && to > from && to - from > l->bytes)
        l->bytes = to - from;
    return PMAPDB_OK;
}

static pmapdb_status take_bytes(void *ctx, const char *bytes, size_t n, size_t *taken,
                                pmapdb_error *err)
{
    largest *l = ctx;

    (void)taken;
    return pm_lines_feed(&l->lines, bytes, n, err);
}

/* ---- small pages ---- */

static int64_t host_kib(pm_text meminfo, const char *key)
{
    pm_text rest = pm_proc_after(meminfo, key);

    return pm_proc_number(pm_proc_word(&rest));
}

/* Returns an upper bound of the memory of the process in small pages: the anonymous memory of the
 * whole host outside huge pages, plus the memory of the process that is not anonymous, plus its
 * swap. */
static int64_t small_kib(const pm_proc *p)
{
    char block[MEMINFO_MAX];
    pm_text meminfo;
    pm_live live;
    int64_t all, huge;

    if (!pm_proc_peek(p->dir, MEMINFO, block, sizeof block, &meminfo) ||
        pm_proc_status(p, &live) != 0 || live.rss_kib < 0 || live.anon_kib < 0)
        return PMAPDB_UNKNOWN;
    all = host_kib(meminfo, "AnonPages:");
    huge = host_kib(meminfo, "AnonHugePages:");
    if (all < 0 || huge < 0 || all < huge)
        return PMAPDB_UNKNOWN;
    return all - huge + live.rss_kib - live.anon_kib + (live.swap_kib > 0 ? live.swap_kib : 0);
}

bool pm_proc_largest(const pm_proc *p, pm_proc_extent *out)
{
    largest l = {.lines = {.fn = take_line}};
    pm_proc_reading reading;
    pm_proc_fate fate = PM_PROC_GOOD;
    int64_t most = out->resident_kib + out->swap_kib;
    pmapdb_status st;

    l.lines.ctx = &l;
    st = pm_proc_read_map(p, "maps", PM_PROC_PIECE, take_bytes, &l, &reading, &fate, NULL);
    PM_STEP(st, pm_lines_finish(&l.lines, NULL));
    pm_lines_free(&l.lines);
    if (st != PMAPDB_OK || fate != PM_PROC_GOOD)
        return false;
    out->small_kib = small_kib(p);
    out->largest_kib = (int64_t)(l.bytes / 1024) < most ? (int64_t)(l.bytes / 1024) : most;
    return true;
}
