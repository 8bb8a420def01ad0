/* newest: what is known of the process after the last snapshot that shows its keys.
 *
 * maps has no resident sizes, and a live capture reads maps if smaps would stall the process; such
 * snapshots state VmRSS. The newest data decide: a verdict on a key whose rows end earlier counts
 * only as far as the process goes on growing.
 */
#include "stats/leaks/work.h"

#include <math.h>

const char *const pm_leak_rss_names[] = {[PM_RSS_NOT_ASKED] = "",
                                         [PM_RSS_UNKNOWN] = "unknown",
                                         [PM_RSS_MAPPINGS] = "mappings",
                                         [PM_RSS_STATUS] = "VmRSS"};

static bool asks_for_rss(const pm_leak_work *work)
{
    return work->options->metric < 0 || work->options->metric == PM_METRIC_RSS;
}

/* Fits the values at the places begin..end - 1 of a series of the whole; the others count as
 * unknown. */
static pm_trend fit(pm_leak_work *work, pm_metric metric, size_t begin, size_t end)
{
    for (size_t i = 0; i < work->process->n; i++)
        work->scratch[i] = i >= begin && i < end ? work->whole.series[metric][i] : NAN;
    return pm_leaks_trend(work, work->scratch, metric);
}

static double hours_after_keys(const pm_leak_work *work)
{
    const pm_leak_process *p = work->process;

    return (double)(p->ms[p->n - 1] - p->ms[work->shown - 1]) / 3600000.0;
}

/* ---- the process ---- */

/* Growth of rss after the keys may continue at the rate before, further growth is unexplained. */
static void compare_later(pm_leak_work *work)
{
    const pm_leak_process *p = work->process;
    const double *v = work->whole.series[PM_METRIC_RSS];
    size_t seen = pm_leaks_known_until(v, work->shown), end = pm_leaks_known_until(v, p->n);
    double more, explained = 0;
    pm_trend before;

    if (seen == 0 || end <= seen)
        return;
    before = fit(work, PM_METRIC_RSS, 0, work->shown);
    more = v[end - 1] - v[seen - 1];
    if (pm_leaks_flagged(before.verdict))
        explained = PM_MATERIAL_KIB + PM_LATER_MORE * fmax(0, before.rate) * hours_after_keys(work);
    work->later = (p->life && p->life[end - 1] != p->life[seen - 1]) || more > explained;
}

/* ---- the keys ---- */

/* The growth per hour that the flagged keys claim, in that metric. */
static double claimed(const pm_leak_work *work, const pm_leak *rows, pm_metric metric)
{
    double sum = 0;

    for (size_t k = 0; k < work->process->n_keys; k++)
        if (pm_leaks_flagged(rows[k].verdict) && rows[k].metric == metric)
            sum += fmax(0, rows[k].trend.rate);
    return sum;
}

static void take_back(pm_leak *row, pm_verdict now, const pm_trend *after)
{
    pm_trend *t = &row->trend;

    row->verdict = now;
    row->reason[0] = '\0';
    pm_leaks_say(row, "the %s of the process %s since then", pm_metric_names[row->metric],
                 pm_leaks_flagged(after->verdict) ? "hardly grows" : "does not grow");
    t->rate = now == PM_VERDICT_SUSPECT ? fmin(t->rate, fmax(0, after->rate)) : NAN;
    t->low = now == PM_VERDICT_SUSPECT ? fmin(t->low, after->low) : NAN;
    t->high = now == PM_VERDICT_SUSPECT ? fmin(t->high, fmax(0, after->high)) : NAN;
    if (now != PM_VERDICT_SUSPECT)
        row->confidence = after->confidence;
}

/* True if the snapshots after the keys would show such a growth, and do not. */
static bool is_over(const pm_trend *after, double rate)
{
    if (after->verdict == PM_VERDICT_TOO_FEW)
        return false;
    return pm_leaks_flagged(after->verdict) ? after->high < PM_LATER_LESS * rate
                                            : after->detectable < rate;
}

/* Takes back what the snapshots after the keys deny. The growth may come in steps: then the curve
 * of all snapshots still grows. */
static void look_after_keys(pm_leak_work *work, pm_metric metric, pm_leak *rows)
{
    double rate = claimed(work, rows, metric);
    pm_trend after;
    pm_verdict now;

    if (!(rate > 0))
        return;
    after = fit(work, metric, work->shown, work->process->n);
    if (!is_over(&after, rate))
        return;
    now = pm_leaks_flagged(fit(work, metric, 0, work->process->n).verdict) ? PM_VERDICT_SUSPECT
                                                                           : PM_VERDICT_PLATEAU;
    for (size_t k = 0; k < work->process->n_keys; k++)
        if (pm_leaks_flagged(rows[k].verdict) && rows[k].metric == metric)
            take_back(&rows[k], now, &after);
}

static void say_when_keys_end(const pm_leak_work *work, pm_leak *rows)
{
    if (work->process->n - work->shown < PM_LATER_MIN)
        return;
    for (size_t k = 0; k < work->process->n_keys; k++)
        if (pm_leaks_flagged(rows[k].verdict) || isnan(rows[k].trend.rate))
            pm_leaks_say_first(&rows[k], "its rows end %s before the newest snapshot",
                               pm_leaks_span(hours_after_keys(work)).text);
}

void pm_leaks_newest(pm_leak_work *work, pm_leak *rows)
{
    if (asks_for_rss(work))
        work->total = pm_leaks_trend(work, work->whole.series[PM_METRIC_RSS], PM_METRIC_RSS);
    if (work->shown == 0 || work->shown == work->process->n)
        return;
    if (asks_for_rss(work))
        compare_later(work);
    look_after_keys(work, PM_METRIC_RSS, rows);
    look_after_keys(work, PM_METRIC_SIZE, rows);
    look_after_keys(work, PM_METRIC_MAPPINGS, rows);
    say_when_keys_end(work, rows);
}

/* ---- the source of rss ---- */

void pm_leaks_say_vm_rss(const pm_leak_work *work, pm_leak *whole)
{
    if (work->vm_rss)
        pm_leaks_say_first(whole, "from VmRSS: the maps were read without sizes in memory");
}

void pm_leaks_rss_from(const pm_leak_work *work, pm_leak *whole)
{
    size_t all = work->process->n, n = pm_leaks_known_until(work->whole_rss, all);
    bool quiet = whole->verdict != PM_VERDICT_TOO_FEW && !pm_leaks_flagged(whole->verdict);
    bool too_few = whole->metric != PM_METRIC_RSS && !work->known[PM_METRIC_RSS] &&
                   work->total.verdict == PM_VERDICT_TOO_FEW;

    if (!asks_for_rss(work))
        return;
    whole->rss_from = PM_RSS_UNKNOWN;
    if (too_few && quiet && n > 0)
        pm_leaks_say_first(whole, "resident memory is known of %zu snapshot%s: %d are needed",
                           work->total.snapshots, work->total.snapshots == 1 ? "" : "s",
                           PM_TREND_MIN);
    else if (too_few && quiet)
        pm_leaks_say_first(whole, "resident memory is unknown");
    else if (!too_few && quiet && all - n >= PM_LATER_MIN)
        pm_leaks_say_first(whole, "resident memory is unknown in the last %zu snapshots", all - n);
    else if (!too_few && n > 0)
        whole->rss_from = work->vm_rss ? PM_RSS_STATUS : PM_RSS_MAPPINGS;
}
