/* totals: VmRSS of the process for snapshots whose mappings lack rss.
 *
 * maps has no resident sizes, and live captures read maps if smaps would stall the process. Such
 * snapshots occur singly or as the last stretch; every one has VmRSS. So the series of VmRSS covers
 * snapshots of every kind, and shows what happened while the mappings had no rss.
 */
#include "stats/leaks/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pm_leak_rss_name(pm_leak_rss from)
{
    static const char *const names[] = {[PM_RSS_NOT_ASKED] = "",
                                        [PM_RSS_UNKNOWN] = "unknown",
                                        [PM_RSS_MAPPINGS] = "mappings",
                                        [PM_RSS_TOTALS] = "VmRSS"};

    return (unsigned)from <= PM_RSS_TOTALS ? names[from] : "";
}

/* Swapped pages count, unless a snapshot does not know how many there are. */
static void add_swap(const pm_leak_work *work, const pm_leak_totals *t, double *v)
{
    bool any = false;

    for (size_t i = 0; i < t->n; i++) {
        if (!isnan(t->rss[i]) && isnan(t->swap[i]))
            return;
        any = any || t->swap[i] > 0;
    }
    for (size_t i = 0; i < t->n && any && work->options->metric < 0; i++)
        v[i] += t->swap[i];
}

/* True if the mappings know rss at that time. Both timelines ascend, and *place follows. */
static bool is_seen(const pm_leak_work *work, int64_t ms, size_t *place)
{
    const pm_leak_process *p = work->process;

    while (*place < p->n && p->ms[*place] < ms)
        ++*place;
    return *place < p->n && p->ms[*place] == ms && !isnan(work->whole_rss[*place]);
}

static pmapdb_status fit(const pm_leak_work *work, const pm_leak_totals *t, double *v,
                         pm_trend *out, pmapdb_error *err)
{
    pm_leak_process process = {.ms = t->ms, .life = t->life, .n = t->n};
    pm_leak_work own = {.process = &process, .options = work->options};
    pm_leak_dense dense = {.memory = v};

    dense.series[PM_METRIC_RSS] = v;
    return pm_leaks_trend(&own, &dense, PM_METRIC_RSS, out, err);
}

/* Judges VmRSS after the last snapshot whose mappings know rss: growth that the mappings explain as
 * bounded may continue at its rate, further growth is unexplained. */
static pmapdb_status judge_after_mappings(pm_leak_own *own, const pm_leak_work *work,
                                          const pm_leak_totals *t, double *v, pmapdb_error *err)
{
    size_t seen = t->n, end = t->n, place = 0;
    double hours, more, explained = 0;
    pm_trend before;
    pmapdb_status st;

    while (end > 0 && isnan(v[end - 1]))
        end--;
    for (size_t i = 0; i < end; i++) {
        if (is_seen(work, t->ms[i], &place))
            seen = i;
        else
            v[i] = NAN;
    }
    if (seen == t->n || end <= seen + 1)
        return PMAPDB_OK;
    st = fit(work, t, v, &before, err);
    if (st != PMAPDB_OK)
        return st;
    hours = (double)(t->ms[end - 1] - t->ms[seen]) / 3600000.0;
    more = own->last - v[seen];
    if (pm_leaks_flagged(before.verdict))
        explained = PM_MATERIAL_KIB + PM_TOTALS_MORE * fmax(0, before.rate) * hours;
    own->later = t->life[end - 1] != t->life[seen] || isnan(more) || more > explained;
    return PMAPDB_OK;
}

static void measure(pm_leak_own *own, const pm_leak_work *work, const double *v)
{
    const pm_leak_totals *t = work->process->totals;
    size_t place = 0;

    own->first = own->last = own->resident = NAN;
    for (size_t i = 0; i < t->n; i++) {
        own->silent = isnan(v[i]) && !is_seen(work, t->ms[i], &place) ? own->silent + 1 : 0;
        if (isnan(v[i]))
            continue;
        own->known++;
        own->first = isnan(own->first) ? v[i] : own->first;
        own->last = v[i];
        own->resident = t->rss[i];
    }
}

static bool asks_for_rss(const pm_leak_work *work)
{
    return work->options->metric < 0 || work->options->metric == PM_METRIC_RSS;
}

pmapdb_status pm_leaks_totals(pm_leak_work *work, pmapdb_error *err)
{
    const pm_leak_totals *t = work->process->totals;
    size_t n = t ? t->n : 0;
    pm_leak_own *own = &work->own;
    pmapdb_status st;
    double *v;

    if (n == 0 || !asks_for_rss(work))
        return PMAPDB_OK;
    v = calloc(2 * n, sizeof *v);
    if (!v)
        return pm_fail_nomem(err);
    memcpy(v, t->rss, n * sizeof *v);
    add_swap(work, t, v);
    measure(own, work, v);
    st = fit(work, t, v, &own->trend, err);
    if (st == PMAPDB_OK && own->trend.verdict != PM_VERDICT_TOO_FEW) {
        pm_leak_process process = {.life = t->life, .n = n};

        own->grown = pm_leaks_growth(&process, v, v + n);
        if (work->known[PM_METRIC_RSS])
            st = judge_after_mappings(own, work, t, v, err);
        else
            own->later = true;
    }
    free(v);
    if (own->later && work->process->n) { /* the newest known rss, for the limits */
        work->whole_rss[work->process->n - 1] = own->resident;
        work->whole_grown = own->grown;
    }
    return st;
}

/* ---- the whole ---- */

#define FROM_TOTALS "from VmRSS: the maps were read without sizes in memory"

static void take(const pm_leak_work *work, pm_leak *whole)
{
    const pm_leak_own *own = &work->own;

    if (!pm_leaks_flagged(whole->verdict))
        whole->reason[0] = '\0';
    if (own->trend.reason[0] != '\0')
        pm_leaks_say_first(whole, "%s", own->trend.reason);
    pm_leaks_say_first(whole, FROM_TOTALS);
    whole->verdict = own->trend.verdict;
    whole->metric = whole->why_metric = PM_METRIC_RSS;
    whole->trend = own->trend;
    whole->confidence = own->trend.confidence;
    whole->first = own->first;
    whole->last = own->last;
    whole->eta_h = NAN;
    whole->rss_from = PM_RSS_TOTALS;
    pm_leaks_limit(work, &(pm_leak_facts){0}, whole);
}

static void say_unknown(const pm_leak_work *work, pm_leak *whole)
{
    if (work->own.known)
        pm_leaks_say_first(whole, "resident memory is known of %zu snapshot%s: %d are needed",
                           work->own.known, work->own.known == 1 ? "" : "s", PM_TREND_MIN);
    else if (!strstr(whole->reason,
                     "resident memory is unknown")) /* from snapshots with sums only */
        pm_leaks_say_first(whole, "resident memory is unknown");
}

/* No mapping knows rss, or the totals give a worse verdict for the time after the mappings. */
static bool are_better(const pm_leak_work *work, const pm_leak *whole)
{
    const pm_leak_own *own = &work->own;
    pm_verdict said = own->trend.verdict;

    if (said == PM_VERDICT_TOO_FEW)
        return false;
    if (whole->verdict == PM_VERDICT_TOO_FEW)
        return true;
    if (work->known[PM_METRIC_RSS])
        return own->later && said > whole->verdict && pm_leaks_flagged(said);
    return said >= whole->verdict || !pm_leaks_flagged(whole->verdict);
}

void pm_leaks_take_totals(const pm_leak_work *work, pm_leak *whole)
{
    const pm_leak_own *own = &work->own;
    bool known = work->known[PM_METRIC_RSS];

    if (!asks_for_rss(work))
        return;
    whole->rss_from = known ? PM_RSS_MAPPINGS : PM_RSS_UNKNOWN;
    if (are_better(work, whole)) {
        take(work, whole);
    } else if (!known && own->trend.verdict != PM_VERDICT_TOO_FEW) {
        /* only address space grows: keep that verdict */
        pm_leaks_say(whole, "VmRSS: %s", pm_verdict_name(own->trend.verdict));
        whole->rss_from = PM_RSS_TOTALS;
    } else if (pm_leaks_flagged(whole->verdict) || whole->verdict == PM_VERDICT_TOO_FEW) {
        return; /* flagged keys say so themselves */
    } else if (!known) {
        say_unknown(work, whole);
    } else if (own->silent >= PM_TOTALS_SILENT) {
        pm_leaks_say_first(whole, "resident memory is unknown in the last %zu snapshots",
                           own->silent);
        whole->rss_from = PM_RSS_UNKNOWN;
    }
}
