/* proc_extent: estimates, before smaps is read, how much memory the kernel will walk for it. */
#include "source/proc.h"

#include "base/num.h"
#include "source/proc_text.h"
#include <sys/sysinfo.h>
#include <unistd.h>

#define MEMINFO "../meminfo" /* relative to the folder of a process */
#define MEMINFO_MAX ((size_t)8192)
#define MAPS_MAX ((size_t)1 << 30)

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

/* The resident size in stat is not exact (proc(5)). */
bool pm_proc_statm(const pm_proc *p, pm_proc_extent *out)
{
    int64_t resident;
    char block[256];
    pm_text text;

    if (!pm_proc_peek(p->dir, "statm", block, sizeof block, &text))
        return false;
    pm_proc_word(&text); /* the size */
    resident = pm_num_signed(pm_proc_word(&text));
    if (resident < 0)
        return false;
    *out = (pm_proc_extent){.resident_kib = resident * (sysconf(_SC_PAGESIZE) / 1024),
                            .swap_kib = swapped_kib(p),
                            .largest_kib = PMAPDB_UNKNOWN,
                            .small_kib = PMAPDB_UNKNOWN};
    return true;
}

/* ---- small pages ---- */

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
    all = pm_proc_number(meminfo, "AnonPages:");
    huge = pm_proc_number(meminfo, "AnonHugePages:");
    if (all < 0 || huge < 0 || all < huge)
        return PMAPDB_UNKNOWN;
    return all - huge + live.rss_kib - live.anon_kib + (live.swap_kib > 0 ? live.swap_kib : 0);
}

/* ---- the largest mapping ---- */

/* The bytes of a mapping: "7f12a4e00000-7f12a5000000 rw-p ...". 0 without any permission: such
 * mappings have no pages, and garbage collectors reserve terabytes in this way. */
static uint64_t bytes_of(pm_text line)
{
    uint64_t begin, end;

    return pm_num_take_hex(&line, &begin) && pm_text_take(&line, "-") &&
                   pm_num_take_hex(&line, &end) && !pm_text_starts(line, PM_TEXT(" ---p"))
               ? end - begin
               : 0;
}

bool pm_proc_largest(const pm_proc *p, pm_proc_extent *out)
{
    pm_buf maps = {0};
    int64_t most = out->resident_kib + out->swap_kib, largest = 0;
    bool known = pm_proc_slurp(p->dir, "maps", MAPS_MAX, &maps) == 0 && maps.len;

    for (pm_text rest = pm_buf_text(&maps); rest.len;) {
        int64_t kib = (int64_t)(bytes_of(pm_text_cut(&rest, '\n')) / 1024);

        largest = kib > largest ? kib : largest;
    }
    pm_buf_free(&maps);
    if (known) {
        out->small_kib = small_kib(p);
        out->largest_kib = largest < most ? largest : most;
    }
    return known;
}
