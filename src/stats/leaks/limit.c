/* limit: the nearest limit of a growing key or of the whole, and the time until it. */
#include "stats/leaks/work.h"

#include <math.h>
#include <string.h>

const char *const pm_leak_limit_names[] = {[PM_LIMIT_NONE] = "",
                                           [PM_LIMIT_GIVEN] = "given",
                                           [PM_LIMIT_RESERVATION] = "reservation",
                                           [PM_LIMIT_CGROUP] = "cgroup",
                                           [PM_LIMIT_ADDRESS] = "address space",
                                           [PM_LIMIT_STACK] = "stack",
                                           [PM_LIMIT_MAP_COUNT] = "map count"};

static bool is_resident(pm_metric metric)
{
    return metric == PM_METRIC_RSS || metric == PM_METRIC_PSS || metric == PM_METRIC_PRIVATE ||
           metric == PM_METRIC_PRIVATE_DIRTY;
}

/* Near the limit a leak and a cache of fixed size are both straight lines. The limit is that of the
 * process, so everything that grows beside the cache becomes a suspect too. */
static void doubt_near_limit(double grown, double resident, double limit, pm_leak *row)
{
    double left = limit - resident;

    if (!pm_leaks_flagged(row->verdict) || row->metric != PM_METRIC_RSS ||
        !(left < PM_LIMIT_NEAR * grown) || resident > PM_LIMIT_PASSED * limit)
        return;
    row->verdict = PM_VERDICT_SUSPECT;
    pm_leaks_say_first(row, "at %.0f %% of the limit: whether it stops there cannot be told yet",
                       100 * resident / limit);
}

/* The nearest limit so far, and the distance to it. */
typedef struct left {
    double limit, kib;
    pm_leak_limit by;
} left;

/* Takes a limit that is nearer than the current one. A limit that was passed does not count. */
static void consider(left *nearest, pm_leak_limit by, double limit, double used)
{
    if (!(limit > 0) || used > PM_LIMIT_PASSED * limit)
        return;
    if (nearest->by == PM_LIMIT_NONE || limit - used < nearest->kib || isnan(nearest->kib))
        *nearest = (left){limit, limit - used, by};
}

static bool is_stack(const pm_leak_work *work, const pm_leak *row)
{
    return row->key != SIZE_MAX && strcmp(work->process->keys[row->key].category, "stack") == 0;
}

/* Growth of address space per hour: of the key, or of all keys for the whole; 0: no growth. */
static double size_rate(const pm_leak_work *work, const pm_leak_facts *facts, const pm_leak *row)
{
    double sum = 0;

    if (row->key != SIZE_MAX)
        return pm_leaks_flagged(facts->size.verdict) ? facts->size.rate : 0;
    for (size_t k = 0; k < work->process->n_keys; k++)
        if (pm_leaks_flagged(work->facts[k].size.verdict))
            sum += work->facts[k].size.rate;
    return sum;
}

/* Resident memory grows in new address space, whose limit may be reached first. */
static void consider_address(const pm_leak_work *work, const pm_leak_facts *facts,
                             const pm_leak *row, left *nearest)
{
    double limit = work->options->address_limit_kib, rate = size_rate(work, facts, row);
    double size = pm_leaks_last_known(work->whole.series[PM_METRIC_SIZE], work->process->n);
    double as_resident = (limit - size) * row->trend.rate / rate;

    if (!pm_leaks_flagged(row->verdict) || !(limit > 0) || !(rate > 0) || !(row->trend.rate > 0) ||
        !(as_resident >= 0))
        return;
    if (nearest->by == PM_LIMIT_NONE || as_resident < nearest->kib)
        *nearest = (left){limit, as_resident, PM_LIMIT_ADDRESS};
}

static left limit_of_resident(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row)
{
    const pm_leak_options *o = work->options;
    double resident = pm_leaks_last_known(work->whole_rss, work->process->n);
    left nearest = {NAN, NAN, PM_LIMIT_NONE};

    if (!isnan(o->limit_kib)) {
        doubt_near_limit(work->whole_grown, resident, o->limit_kib, row);
        return (left){o->limit_kib, o->limit_kib - resident, PM_LIMIT_GIVEN};
    }
    if (facts->fills && row->metric == PM_METRIC_RSS)
        consider(&nearest, PM_LIMIT_RESERVATION, facts->last[PM_METRIC_SIZE],
                 facts->last[PM_METRIC_RSS]);
    consider(&nearest, PM_LIMIT_CGROUP, o->memory_max_kib, resident);
    if (is_stack(work, row))
        consider(&nearest, PM_LIMIT_STACK, o->stack_limit_kib, facts->last[row->metric]);
    consider_address(work, facts, row, &nearest);
    return nearest;
}

/* Growth that fills mappings of constant size ends when they are full, unless the process reaches
 * its limit before. */
static void end_of_mapping(const pm_leak_facts *facts, left nearest, pm_leak *row)
{
    double room = facts->last[PM_METRIC_SIZE] - facts->last[PM_METRIC_RSS];

    if (facts->fixed && pm_leaks_flagged(row->verdict) && !(nearest.kib < room))
        row->verdict = facts->family == PM_FAMILY_PRIVATE ? PM_VERDICT_SUSPECT : PM_VERDICT_PLATEAU;
}

/* If KiB grow in ever more mappings, the limit of mappings may be reached first. */
static void say_map_count(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row)
{
    double all = pm_leaks_last_known(work->whole.series[PM_METRIC_MAPPINGS], work->process->n);
    double hours;

    if (!(work->options->max_map_count > 0) || row->metric == PM_METRIC_MAPPINGS ||
        !pm_leaks_flagged(row->verdict) || !pm_leaks_flagged(facts->count.verdict) ||
        !(facts->count.rate > 0))
        return;
    hours = (work->options->max_map_count - all) / facts->count.rate;
    if (hours >= 0 && !(row->eta_h <= hours))
        pm_leaks_say(row, "all of vm.max_map_count in about %.0f h", fmax(1, hours));
}

void pm_leaks_limit(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row)
{
    const pm_leak_options *o = work->options;
    const double *const *whole = (const double *const *)work->whole.series;
    size_t n = work->process->n;
    left nearest = {NAN, NAN, PM_LIMIT_NONE};

    if (is_resident(row->metric)) {
        nearest = limit_of_resident(work, facts, row);
        end_of_mapping(facts, nearest, row);
    } else if (row->metric == PM_METRIC_SIZE) {
        consider(&nearest, PM_LIMIT_ADDRESS, o->address_limit_kib,
                 pm_leaks_last_known(whole[PM_METRIC_SIZE], n));
        if (is_stack(work, row))
            consider(&nearest, PM_LIMIT_STACK, o->stack_limit_kib, facts->last[PM_METRIC_SIZE]);
    } else if (row->metric == PM_METRIC_MAPPINGS) {
        consider(&nearest, PM_LIMIT_MAP_COUNT, o->max_map_count,
                 pm_leaks_last_known(whole[PM_METRIC_MAPPINGS], n));
    }
    row->limit = nearest.limit;
    row->limit_by = nearest.by;
    if (pm_leaks_flagged(row->verdict) && row->trend.rate > 0 && !isnan(nearest.kib))
        row->eta_h = fmax(0, nearest.kib / row->trend.rate);
    say_map_count(work, facts, row);
}
