/* leaks: judges every key of a process, then the whole process. */
#include "stats/leaks/work.h"

#include <math.h>

const char *const pm_metric_names[] = {
    [PM_METRIC_MAPPINGS] = "mappings",
    [PM_METRIC_SIZE] = "size",
    [PM_METRIC_RSS] = "rss",
    [PM_METRIC_PSS] = "pss",
    [PM_METRIC_PRIVATE] = "private",
    [PM_METRIC_SWAP] = "swap",
    [PM_METRIC_PRIVATE_DIRTY] = "private_dirty",
};

static void begin_row(size_t key, pm_leak *row)
{
    *row = (pm_leak){.key = key,
                     .first = NAN,
                     .last = NAN,
                     .limit = NAN,
                     .eta_h = NAN,
                     .mappings_rate = NAN,
                     .newest_ms = INT64_MIN};
}

static void explain_too_few(const pm_leak_work *work, pm_leak *row)
{
    if (row->verdict != PM_VERDICT_TOO_FEW)
        return;
    row->reason[0] = '\0';
    if (work->process->n < PM_TREND_MIN)
        pm_leaks_say(row, "%zu snapshot%s: %d are needed", work->process->n,
                     work->process->n == 1 ? "" : "s", PM_TREND_MIN);
    else if (isnan(row->last))
        pm_leaks_say(row, "%s is unknown", pm_metric_names[row->metric]);
    else if (row->trend.snapshots < PM_TREND_MIN)
        pm_leaks_say(row, "%s is known of %zu snapshots: %d are needed",
                     pm_metric_names[row->metric], row->trend.snapshots, PM_TREND_MIN);
    else
        pm_leaks_say(row, "%d snapshots are needed, in lives of at least %d", PM_TREND_MIN,
                     PM_LIFE_MIN);
}

/* The metric whose KiB grow; for stacks and reserves the size, touched or not. Of a leak, a metric
 * whose numbers do not deny the leak. */
static pm_metric metric_of(const pm_leak_facts *f, const pm_leak *row)
{
    bool leak = row->verdict == PM_VERDICT_LEAK;
    bool space = f->family == PM_FAMILY_THREAD_STACK || f->family == PM_FAMILY_RESERVE;
    pm_metric usual = space || !f->has_rss ? PM_METRIC_SIZE : PM_METRIC_RSS;
    const pm_trend *curve = pm_leaks_curve(f, usual);

    if (!pm_leaks_flagged(row->verdict) ||
        (pm_leaks_flagged(curve->verdict) && curve->rate > 0 && !(leak && pm_leaks_denied(curve))))
        return usual;
    if (leak)
        return pm_leaks_denied(&f->size) ? row->why_metric : PM_METRIC_SIZE;
    if (f->size.rate > 0)
        return PM_METRIC_SIZE;
    return f->count.rate > 0 ? PM_METRIC_MAPPINGS : usual;
}

static void judge_key(pm_leak_work *work, pm_leak_facts *facts, pm_leak *row)
{
    facts->rss = pm_leaks_trend(work, work->key.series[PM_METRIC_RSS], PM_METRIC_RSS);
    facts->size = pm_leaks_trend(work, work->key.series[PM_METRIC_SIZE], PM_METRIC_SIZE);
    facts->count = pm_leaks_trend(work, work->key.series[PM_METRIC_MAPPINGS], PM_METRIC_MAPPINGS);
    facts->tooth = facts->rss.verdict == PM_VERDICT_LEAK &&
                   pm_leaks_collected(work->process->keys[row->key].category) &&
                   pm_leaks_one_tooth(work, work->key.series[PM_METRIC_RSS]);
    pm_leaks_decide(facts, row);
    row->metric = metric_of(facts, row);
    row->trend = *pm_leaks_curve(facts, row->metric);
    row->confidence = pm_leaks_curve(facts, row->why_metric)->confidence;
    if (work->swapped && row->metric == PM_METRIC_RSS)
        pm_leaks_say(row, "rss + swap");
}

/* Judges a key or the whole by one metric alone. */
static void judge_metric(pm_leak_work *work, const pm_leak_dense *dense, pm_leak_facts *facts,
                         pm_leak *row)
{
    pm_metric metric = (pm_metric)work->options->metric;

    row->trend = pm_leaks_trend(work, dense->series[metric], metric);
    row->metric = row->why_metric = metric;
    row->verdict = row->trend.verdict;
    row->confidence = row->trend.confidence;
    if (row->trend.reason[0] != '\0')
        pm_leaks_say(row, "%s", row->trend.reason);
    facts->count =
        metric == PM_METRIC_MAPPINGS
            ? row->trend
            : pm_leaks_trend(work, dense->series[PM_METRIC_MAPPINGS], PM_METRIC_MAPPINGS);
}

void pm_leaks_finish(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row)
{
    size_t n = facts->known[row->metric];

    row->first = facts->first[row->metric];
    row->last = facts->last[row->metric];
    row->newest_ms = n ? work->process->ms[n - 1] : INT64_MIN;
}

static void finish_row(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row)
{
    pm_leaks_finish(work, facts, row);
    if (facts->count.verdict != PM_VERDICT_TOO_FEW)
        row->mappings_rate = facts->count.rate;
    explain_too_few(work, row);
}

static void judge_keys(pm_leak_work *work, pm_leak *rows)
{
    for (size_t k = 0; k < work->process->n_keys && work->st == PMAPDB_OK; k++) {
        pm_leak_facts *facts = &work->facts[k];

        begin_row(k, &rows[k]);
        facts->family = pm_leaks_family(work->process->keys[k].category);
        facts->has_rss = work->known[PM_METRIC_RSS];
        pm_leaks_expand(work, &work->process->keys[k]);
        pm_leaks_measure(work, &work->key, facts);
        if (work->options->metric >= 0)
            judge_metric(work, &work->key, facts, &rows[k]);
        else
            judge_key(work, facts, &rows[k]);
        finish_row(work, facts, &rows[k]);
    }
}

/* Makes the verdict steady if the growth does not matter beside the whole process: too little in
 * the window, or in a reservation that is small even when it is full. */
static void drop_immaterial(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row)
{
    double hours = (double)(row->trend.last_ms - row->trend.first_ms) / 3600000.0;
    double share = row->metric == PM_METRIC_SIZE ? PM_KEY_MATERIAL_SIZE : PM_KEY_MATERIAL;
    double whole = pm_leaks_last_known(work->whole.series[row->metric], work->process->n);
    bool little = row->trend.rate * hours < share * whole;
    bool small = facts->fills && row->metric == PM_METRIC_RSS &&
                 facts->last[PM_METRIC_SIZE] < PM_SMALL_RESERVATION * whole;

    if (!pm_leaks_flagged(row->verdict) || row->metric == PM_METRIC_MAPPINGS ||
        row->why_metric == PM_METRIC_MAPPINGS || !(little || small))
        return;
    row->verdict = PM_VERDICT_STEADY;
    row->reason[0] = '\0';
    if (little)
        pm_leaks_say(row, "grows by less than %g %% of the process", 100 * share);
    else
        pm_leaks_say(row, "fills a reservation of %s, which is less than %g %% of the process",
                     pm_leaks_size(facts->last[PM_METRIC_SIZE]).text, 100 * PM_SMALL_RESERVATION);
}

static void judge_whole(pm_leak_work *work, pm_leak *rows, pm_leak *whole)
{
    pm_leak_facts facts = {.has_rss = work->known[PM_METRIC_RSS]};

    begin_row(SIZE_MAX, whole);
    if (work->options->metric < 0) {
        pm_leaks_whole(work, rows, whole);
    } else {
        pm_leaks_measure(work, &work->whole, &facts);
        judge_metric(work, &work->whole, &facts, whole);
        if (whole->metric == PM_METRIC_RSS)
            pm_leaks_say_vm_rss(work, whole);
        finish_row(work, &facts, whole);
        pm_leaks_limit(work, &facts, whole);
    }
    pm_leaks_rss_from(work, whole);
    explain_too_few(work, whole);
}

/* Each growing key shows the limit of the process, unless the key reaches its own limit first. */
static void take_end(const pm_leak *whole, pm_leak *row)
{
    if (!pm_leaks_flagged(row->verdict) || isnan(whole->eta_h) || row->eta_h <= whole->eta_h)
        return;
    row->limit = whole->limit;
    row->limit_by = whole->limit_by;
    row->eta_h = whole->eta_h;
}

/* The time that all lives lasted, and the longest of them. */
static void lives_of(const pm_leak_process *p, double *lasted_h, double *longest_h)
{
    *lasted_h = *longest_h = 0;
    for (size_t end = p->n, begin; end > 0; end = begin) {
        double hours;

        for (begin = end - 1; begin > 0 && p->life[begin - 1] == p->life[end - 1]; begin--)
            ;
        hours = (double)(p->ms[end - 1] - p->ms[begin]) / 3600000.0;
        *lasted_h += hours;
        *longest_h = fmax(*longest_h, hours);
    }
}

/* A service that is restarted lives most of the time. Short lives with long pauses are runs of a
 * command, each of which starts up and ends: the memory of several runs is not the growth of one
 * process. */
static void doubt_runs(const pm_leak_work *work, pm_leak *row)
{
    const pm_leak_process *p = work->process;
    double span_h = (double)(p->ms[p->n - 1] - p->ms[0]) / 3600000.0, lasted_h, longest_h;

    lives_of(p, &lasted_h, &longest_h);
    if (longest_h >= PM_YOUNG_H || lasted_h >= PM_RUNS_SHARE * span_h)
        return;
    row->verdict = PM_VERDICT_SUSPECT;
    pm_leaks_say_first(row, "runs of at most %s with pauses: each run may only be starting up",
                       pm_leaks_span(longest_h).text);
}

/* A process that has just started fills the memory that it needs, and so does a process whose work
 * changes. Such growth is no leak yet, unless it reaches a limit before it is twice as old, or goes
 * on in several lives. */
static void doubt_young(const pm_leak_work *work, double eta_h, pm_leak *row)
{
    const pm_leak_process *p = work->process;
    double started = work->options->process_ms, posterior = work->options->leak_posterior, age;
    bool late = (double)row->trend.since_ms > started;

    if (row->verdict != PM_VERDICT_LEAK || (posterior > 0 && posterior < PM_POSTERIOR_LEAK))
        return;
    if (row->trend.lives > 1)
        doubt_runs(work, row);
    if (row->trend.lives > 1 || !(started > 0))
        return;
    age = ((double)p->ms[p->n - 1] - (late ? (double)row->trend.since_ms : started)) / 3600000.0;
    if (!(age < PM_YOUNG_H) || eta_h < age)
        return;
    row->verdict = PM_VERDICT_SUSPECT;
    pm_leaks_say_first(row, "the %s is %s old, and may still fill what %s needs",
                       late ? "growth" : "process", pm_leaks_span(age).text,
                       late ? "the process" : "it");
}

pmapdb_status pm_leaks_judge(const pm_leak_process *process, const pm_leak_options *options,
                             pm_leak *out, pmapdb_error *err)
{
    pm_leak_work work;
    pm_leak *rows = out + 1;

    if (pm_leaks_work_new(process, options, &work, err) == PMAPDB_OK)
        judge_keys(&work, rows);
    if (work.st == PMAPDB_OK) {
        if (options->metric < 0)
            pm_leaks_explain_guards(&work, rows);
        pm_leaks_add_sums(&work);
        work.whole_grown = pm_leaks_growth(process, work.whole_rss, work.scratch);
        for (size_t k = 0; k < process->n_keys; k++)
            drop_immaterial(&work, &work.facts[k], &rows[k]);
        pm_leaks_newest(&work, rows);
        for (size_t k = 0; k < process->n_keys; k++) {
            pm_leaks_limit(&work, &work.facts[k], &rows[k]);
            pm_leaks_touched(&work, &work.facts[k], &rows[k]);
        }
        judge_whole(&work, rows, out);
        for (size_t k = 0; k < process->n_keys; k++)
            take_end(out, &rows[k]);
        for (size_t k = 0; k <= process->n_keys; k++)
            doubt_young(&work, out->eta_h, &out[k]);
    }
    pm_leaks_work_free(&work);
    return work.st;
}
