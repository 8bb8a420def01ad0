/* budget: the stall that reading smaps would cause, from what earlier readings cost. */
#include "api/capture/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE_KIB 4
#define MS_PER_HOUR (3600.0 * 1000)
#define HALF_LIFE_MS (6 * MS_PER_HOUR)    /* of a process's excess over the host's cost */
#define TRUSTED_MS (7 * 24 * MS_PER_HOUR) /* of a lower cost: huge pages may be split */
/* The contents of the largest mapping at the last reading count for this long. */
#define SHAPE_MS (2 * MS_PER_HOUR)
#define AT_A_TIME 3 /* mappings in a piece of PM_PROC_PIECE */

/* With fewer pages, the cost of each mapping itself outweighs the cost of its pages. */
#define PAGES_LEAST ((double)64 * 1024 / PAGE_KIB)
#define NS_PER_MAPPING 2500.0 /* 4,040 mappings with nothing resident: 10.3 ms */

static double pages_of(int64_t kib)
{
    return kib > 0 ? (double)kib / PAGE_KIB : 0;
}

static int64_t known_or_0(int64_t v)
{
    return v > 0 ? v : 0;
}

/* ---- cost of a page ---- */

/* Takes the longest piece, which contains the largest mapping, or one that cost even more. The
 * wall-clock time of the piece includes waits for the processor, the CPU time of the reading does
 * not. */
static double cost_by_longest(const pm_budget_reading *r)
{
    double pages = pages_of(r->largest_kib);
    int64_t us = r->longest_cpu_us;

    if (us < 0)
        us = r->kept.longest_us < r->kept.cpu_us ? r->kept.longest_us : r->kept.cpu_us;
    return pages >= PAGES_LEAST && us >= 0 ? (double)us * 1000 / pages : -1;
}

static double cost_on_average(const pm_reading *r)
{
    double pages = pages_of(known_or_0(r->resident_kib) + known_or_0(r->swap_kib));
    double ns = (double)r->cpu_us * 1000 - (double)known_or_0(r->mappings) * NS_PER_MAPPING;

    if (pages < PAGES_LEAST || r->cpu_us < 0)
        return -1;
    return ns > 0 ? ns / pages : 0;
}

/* Negative: the reading does not show the cost. */
static double cost_of(const pm_budget_reading *r)
{
    double ns = cost_by_longest(r);

    if (ns < 0)
        ns = cost_on_average(&r->kept);
    return ns < 0 ? ns : fmax(ns, PM_BUDGET_NS_LEAST);
}

void pm_budget_learn(pm_budget *own, pm_budget_host *host, const pm_budget_reading *reading)
{
    double ns = cost_of(reading);

    own->known = true;
    own->last = *reading;
    if (ns < 0 || !host)
        return;
    host->ns[host->next] = ns;
    host->next = (host->next + 1) % PM_BUDGET_READINGS;
    host->n += host->n < PM_BUDGET_READINGS;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double cost_on_host(const pm_budget_host *host)
{
    double sorted[PM_BUDGET_READINGS];

    if (!host || host->n < PM_BUDGET_READINGS_LEAST)
        return PM_BUDGET_NS_ASSUMED;
    memcpy(sorted, host->ns, host->n * sizeof *sorted);
    qsort(sorted, host->n, sizeof *sorted, ascending);
    return fmax(sorted[host->n / 2], PM_BUDGET_NS_HOST_LEAST);
}

double pm_budget_cost(const pm_budget *own, const pm_budget_host *host, int64_t now_ms)
{
    double usual = cost_on_host(host), ns = own->known ? cost_of(&own->last) : -1;
    double age = own->known ? fmax((double)(now_ms - own->last.kept.taken_ms), 0) : 0;

    if (ns < 0)
        return usual;
    if (ns > usual)
        return usual + (ns - usual) * exp2(-age / HALF_LIFE_MS);
    return age <= TRUSTED_MS ? ns : usual;
}

/* ---- pages ---- */

static int64_t all_kib(const pm_proc_extent *e)
{
    return known_or_0(e->resident_kib) + known_or_0(e->swap_kib);
}

/* The most KiB that one mapping can contain now. */
static int64_t most_kib(const pm_budget *own, int64_t now_ms, const pm_proc_extent *e)
{
    int64_t all = all_kib(e), most = all;

    if (e->largest_kib >= 0 && e->largest_kib < most)
        most = e->largest_kib;
    if (own->known && (double)(now_ms - own->last.kept.taken_ms) <= SHAPE_MS &&
        own->last.largest_kib >= 0 && own->last.kept.resident_kib >= 0) {
        int64_t before = own->last.kept.resident_kib + known_or_0(own->last.kept.swap_kib);
        int64_t since = all > before ? all - before : 0;

        if (own->last.largest_kib + since < most)
            most = own->last.largest_kib + since;
    }
    return most;
}

static int64_t stall_us(double ns, int64_t kib, int64_t small_kib)
{
    double pages = pages_of(kib), small = pages;

    if (small_kib >= 0 && pages_of(small_kib) < small)
        small = pages_of(small_kib);
    return (int64_t)ceil((small * ns + (pages - small) * PM_BUDGET_NS_LEAST) / 1000);
}

/* ---- words ---- */

static const char *say_time(char out[32], int64_t us)
{
    if (us >= 1000000)
        snprintf(out, 32, "%.1f s", (double)us / 1e6);
    else
        snprintf(out, 32, us >= 10000 ? "%.0f ms" : "%.1f ms", (double)us / 1e3);
    return out;
}

static const char *say_size(char out[32], int64_t kib)
{
    double mib = (double)kib / 1024;

    if (mib >= 1024)
        snprintf(out, 32, mib >= 10240 ? "%.0f GiB" : "%.1f GiB", mib / 1024);
    else
        snprintf(out, 32, "%.0f MiB", mib);
    return out;
}

int64_t pm_budget_predict(const pm_budget *own, const pm_budget_host *host, int64_t now_ms,
                          const pm_proc_extent *extent, int64_t max_stall_us, char why[200])
{
    char stall[32], size[32], small[32], most[32], huge[80] = "";
    double ns = pm_budget_cost(own, host, now_ms);
    int64_t all = all_kib(extent), kib = most_kib(own, now_ms, extent), us;
    bool single = all >= PM_PROC_SINGLE_KIB;

    if (!single)
        kib = kib < all / AT_A_TIME ? kib * AT_A_TIME : all;
    us = stall_us(ns, kib, extent->small_kib);
    if (!why)
        return us;
    if (extent->small_kib >= 0 && extent->small_kib < kib)
        snprintf(huge, sizeof huge, ", at most %s of it in small pages",
                 say_size(small, extent->small_kib));
    snprintf(why, 200,
             "smaps would keep its memory map busy for about %s (%s %s%s, %.*f ns a page), more "
             "than %s",
             say_time(stall, us), say_size(size, kib), single ? "in one mapping" : "at a time",
             huge, ns < 10 ? 1 : 0, ns, say_time(most, max_stall_us));
    return us;
}
