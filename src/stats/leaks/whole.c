/* whole: the verdicts of the keys -> the verdict of the process. Rates of leaking keys are added.
 * The total is fitted only if no key leaks, because caches and warm-ups of other keys bend it. */
#include "stats/leaks/work.h"

#include <math.h>

static double grown(const pm_leak_facts *f, pm_metric metric)
{
    return isnan(f->grown[metric]) ? 0 : f->grown[metric];
}

/* The key whose growing number of mappings is closest to that of `reserve`; n_keys: no such key. */
static size_t guarded_by(const pm_leak_work *work, const pm_leak *rows, size_t reserve)
{
    const pm_leak_facts *guards = &work->facts[reserve];
    double n = grown(guards, PM_METRIC_MAPPINGS), nearest = INFINITY;
    size_t found = work->process->n_keys;

    if (grown(guards, PM_METRIC_SIZE) > PM_GUARD_KIB * n + PM_GUARD_SLACK)
        return found;
    for (size_t k = 0; k < work->process->n_keys; k++) {
        double of = grown(&work->facts[k], PM_METRIC_MAPPINGS), off = fabs(n - of);

        if (work->facts[k].family == PM_FAMILY_RESERVE || !pm_leaks_flagged(rows[k].verdict) ||
            of < PM_MATERIAL_COUNT || off > fmax(PM_GUARDS_FEW, PM_GUARDS_MORE * of))
            continue;
        if (off < nearest) {
            nearest = off;
            found = k;
        }
    }
    return found;
}

void pm_leaks_explain_guards(const pm_leak_work *work, pm_leak *rows)
{
    for (size_t k = 0; k < work->process->n_keys; k++) {
        size_t of;

        if (work->facts[k].family != PM_FAMILY_RESERVE || rows[k].verdict != PM_VERDICT_SUSPECT)
            continue;
        of = guarded_by(work, rows, k);
        if (of == work->process->n_keys)
            continue;
        rows[k].verdict = PM_VERDICT_STEADY;
        rows[k].reason[0] = '\0';
        pm_leaks_say(&rows[k], "guard pages of the growing %s mappings",
                     pm_leaks_name(work->process->keys[of].key).text);
    }
}

/* ---- the whole ---- */

/* The part of a key in the growth of the process: KiB per hour, resident if known. */
static double resident_rate(const pm_leak_facts *f)
{
    return f->has_rss ? f->rss.rate : f->size.rate;
}

/* The order of keys: by growth of rss, or of size if only address space grows. */
static double weight(const pm_leak_work *work, const pm_leak *row, size_t k)
{
    double resident = resident_rate(&work->facts[k]);

    return row->metric == PM_METRIC_SIZE ? fmax(resident, row->trend.rate) : resident;
}

/* The largest key with that verdict, other than `but`; n_keys: no such key. */
static size_t largest(const pm_leak_work *work, const pm_leak *rows, pm_verdict verdict, size_t but)
{
    size_t found = work->process->n_keys;

    for (size_t k = 0; k < work->process->n_keys; k++)
        if (k != but && rows[k].verdict == verdict &&
            (found == work->process->n_keys ||
             weight(work, &rows[k], k) > weight(work, &rows[found], found)))
            found = k;
    return found;
}

/* Adds the rates of `metric` of all keys with that verdict to `out`, whose shape is another key's.
 */
static void add_rates(const pm_leak_work *work, const pm_leak *rows, pm_verdict verdict,
                      pm_metric metric, pm_trend *out)
{
    out->rate = out->low = out->high = 0;
    for (size_t k = 0; k < work->process->n_keys; k++) {
        const pm_trend *t = pm_leaks_curve(&work->facts[k], metric);

        if (rows[k].verdict != verdict)
            continue;
        out->rate += t->rate;
        out->low += verdict == PM_VERDICT_LEAK ? fmax(0, t->low) : t->low;
        out->high += t->high;
    }
}

/* "heap, anonymous and 3 more", the largest first. */
static void say_keys(const pm_leak_work *work, const pm_leak *rows, size_t top, const char *what,
                     pm_leak *whole)
{
    const pm_leak_key *keys = work->process->keys;
    size_t n = 0, second = largest(work, rows, rows[top].verdict, top);

    for (size_t k = 0; k < work->process->n_keys; k++)
        n += rows[k].verdict == rows[top].verdict;
    if (n == 1)
        pm_leaks_say(whole, "%s %s", what, pm_leaks_name(keys[top].key).text);
    else if (n == 2)
        pm_leaks_say(whole, "%s %s and %s", what, pm_leaks_name(keys[top].key).text,
                     pm_leaks_name(keys[second].key).text);
    else
        pm_leaks_say(whole, "%s %s, %s and %zu more", what, pm_leaks_name(keys[top].key).text,
                     pm_leaks_name(keys[second].key).text, n - 2);
}

static void name_minor(const pm_leak_work *work, pm_leak *rows, size_t top, double sum)
{
    for (size_t k = 0; k < work->process->n_keys; k++) {
        double rate = resident_rate(&work->facts[k]);

        if (k == top || rows[k].verdict != PM_VERDICT_LEAK || !(rate < PM_MINOR * sum))
            continue;
        pm_leaks_say_first(&rows[k], "minor (%.0f %% of the growth)", 100 * rate / sum);
    }
}

static void sum_of_leaks(const pm_leak_work *work, pm_leak *rows, size_t top, pm_leak *whole)
{
    const pm_leak_facts *f = &work->facts[top];
    pm_metric metric = f->has_rss ? PM_METRIC_RSS : PM_METRIC_SIZE;

    whole->verdict = PM_VERDICT_LEAK;
    whole->trend = *pm_leaks_curve(f, metric);
    add_rates(work, rows, PM_VERDICT_LEAK, metric, &whole->trend);
    name_minor(work, rows, top, whole->trend.rate);
    if (metric == PM_METRIC_RSS && pm_leaks_denied(&whole->trend)) { /* only address space grows */
        metric = rows[top].metric;
        whole->trend = rows[top].trend;
        add_rates(work, rows, PM_VERDICT_LEAK, metric, &whole->trend);
    }
    whole->metric = metric;
    whole->why_metric = rows[top].why_metric;
    whole->confidence = rows[top].confidence;
    say_keys(work, rows, top, "what leaks:", whole);
    if (work->process->n - work->shown < PM_LATER_MIN || work->total.verdict != PM_VERDICT_LEAK ||
        metric != PM_METRIC_RSS)
        return;
    whole->trend = work->total; /* newer than the rates of the keys */
    whole->confidence = work->total.confidence;
    pm_leaks_say_vm_rss(work, whole);
}

/* Judges a total that grows although no key leaks: a plateau if bounded keys explain the growth,
 * else a suspect. */
static void growing_total(const pm_leak_work *work, const pm_leak *rows, size_t suspect,
                          double total_grown, pm_leak *whole)
{
    size_t n = work->process->n_keys, top = n;
    pm_metric metric = whole->metric;
    double of = fmax(1, isnan(total_grown) ? 0 : total_grown), bounded = 0;

    for (size_t k = 0; k < n; k++) {
        double more = grown(&work->facts[k], metric);

        if (rows[k].verdict != PM_VERDICT_SUSPECT)
            bounded += fmax(0, more) / of;
        if (top == n || more > grown(&work->facts[top], metric))
            top = k;
    }
    whole->verdict = PM_VERDICT_SUSPECT;
    if (suspect < n && bounded < PM_BOUNDED_SHARE) {
        say_keys(work, rows, suspect, "what may leak:", whole);
    } else if (bounded >= PM_BOUNDED_SHARE &&
               grown(&work->facts[top], metric) >= PM_BOUNDED_TOP * of) {
        whole->verdict = PM_VERDICT_PLATEAU;
        pm_leaks_say(whole, "%.0f %% of the growth is in %s, which is bounded",
                     100 * grown(&work->facts[top], metric) / of,
                     pm_leaks_name(work->process->keys[top].key).text);
    } else {
        pm_leaks_say(whole, "the growth is spread, nothing leaks by itself");
    }
}

static void suspect_without_total(const pm_leak_work *work, const pm_leak *rows, size_t suspect,
                                  pm_leak *whole)
{
    whole->verdict = PM_VERDICT_SUSPECT;
    whole->metric = rows[suspect].metric;
    whole->why_metric = rows[suspect].why_metric;
    whole->confidence = rows[suspect].confidence;
    if (whole->metric != PM_METRIC_RSS) {
        whole->trend = rows[suspect].trend;
        add_rates(work, rows, PM_VERDICT_SUSPECT, whole->metric, &whole->trend);
    }
    say_keys(work, rows, suspect, "what may leak:", whole);
}

/* The sum over the keys; NaN: unknown for all of them. */
static double pieces_rate(const pm_leak_work *work)
{
    double sum = NAN;

    for (size_t k = 0; k < work->process->n_keys; k++) {
        const pm_trend *count = &work->facts[k].count;

        if (count->verdict != PM_VERDICT_TOO_FEW)
            sum = (isnan(sum) ? 0 : sum) + count->rate;
    }
    return sum;
}

/* Judges the process by the curve of its rss. Growth that the keys do not explain is judged by the
 * curve alone. */
static void judge_by_rss(const pm_leak_work *work, const pm_leak *rows, size_t suspect,
                         double total_grown, pm_leak *whole)
{
    const pm_trend *total = &work->total;
    bool explained = work->known[PM_METRIC_RSS], flagged = pm_leaks_flagged(total->verdict);

    whole->metric = whole->why_metric = PM_METRIC_RSS;
    whole->trend = *total;
    whole->verdict = total->verdict;
    whole->confidence = total->confidence;
    if (flagged && explained)
        growing_total(work, rows, suspect, total_grown, whole);
    else if (!flagged && suspect < work->process->n_keys)
        suspect_without_total(work, rows, suspect, whole);
    if (work->later && flagged && total->verdict > whole->verdict) {
        whole->verdict = total->verdict;
        whole->reason[0] = '\0';
    }
    if (whole->reason[0] == '\0' && total->reason[0] != '\0')
        pm_leaks_say(whole, "%s", total->reason);
    if (!flagged && !explained && pm_leaks_flagged(whole->verdict))
        pm_leaks_say(whole, "VmRSS: %s", pm_verdict_names[total->verdict]); /* only space grows */
    else
        pm_leaks_say_vm_rss(work, whole);
}

static void judge_by_size(pm_leak_work *work, const pm_leak *rows, size_t suspect,
                          double total_grown, pm_leak *whole)
{
    whole->trend = pm_leaks_trend(work, work->whole.series[PM_METRIC_SIZE], PM_METRIC_SIZE);
    whole->metric = whole->why_metric = PM_METRIC_SIZE;
    whole->verdict = whole->trend.verdict;
    whole->confidence = whole->trend.confidence;
    if (pm_leaks_flagged(whole->verdict) && work->process->n_keys > 0) {
        growing_total(work, rows, suspect, total_grown, whole);
    } else if (pm_leaks_flagged(whole->verdict)) {
        whole->verdict = PM_VERDICT_SUSPECT;
        pm_leaks_say(whole, "address space grows (size %s); resident memory is unknown",
                     pm_leaks_more(total_grown).text);
    } else if (suspect < work->process->n_keys) {
        suspect_without_total(work, rows, suspect, whole);
    } else if (whole->trend.reason[0] != '\0') {
        pm_leaks_say(whole, "%s", whole->trend.reason);
    }
}

void pm_leaks_whole(pm_leak_work *work, pm_leak *rows, pm_leak *whole)
{
    size_t leak = largest(work, rows, PM_VERDICT_LEAK, SIZE_MAX);
    size_t suspect = largest(work, rows, PM_VERDICT_SUSPECT, SIZE_MAX);
    pm_leak_facts facts = {.has_rss = work->known[PM_METRIC_RSS]};
    bool by_rss = facts.has_rss || work->total.verdict != PM_VERDICT_TOO_FEW;

    pm_leaks_measure(work, &work->whole, &facts);
    if (work->process->n_keys == 0 && facts.known[PM_METRIC_RSS] > 0)
        by_rss = true;
    whole->mappings_rate = pieces_rate(work);
    if (leak < work->process->n_keys)
        sum_of_leaks(work, rows, leak, whole);
    else if (by_rss)
        judge_by_rss(work, rows, suspect, facts.grown[PM_METRIC_RSS], whole);
    else
        judge_by_size(work, rows, suspect, facts.grown[PM_METRIC_SIZE], whole);
    pm_leaks_finish(work, &facts, whole);
    pm_leaks_limit(work, &facts, whole);
}
