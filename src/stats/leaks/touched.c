/* touched: whether the memory that grew is in use: evidence that no curve has.
 *
 * A window says how much memory of a key was touched in it, not which part. Two windows say how
 * much of the growth between their beginnings is in use: where the untouched memory grows as the
 * key does, what grew is not touched again. Every two windows that lie far enough apart give an
 * answer, and the median counts (the estimator of Theil and Sen), so that a pause of the work or a
 * dump of the process, which touches everything, in a window decides nothing.
 *
 * Touching cannot tell everywhere. A collector walks its heap: windows in which the
 * untouched share of it is less than half of that in another are left out, and touched memory
 * proves nothing. A page of shared memory has a bit for each place that maps it (the Z collector of
 * Java has three), and another process may be the one that uses the page. An idle process touches
 * nothing. */
#include "stats/leaks/work.h"
#include "stats/order.h"

#include <math.h>
#include <stdio.h>

#define WINDOWS_MOST 32 /* the newest; more are not looked at */
#define GREW_SHARE 0.05 /* of the key, and ... */
#define GREW_KIB                                                                                   \
    256.0                /* ... this: less growth from the first to the last window is not weighed \
                          */
#define APART_SHARE 0.25 /* of that growth lies between two windows: then they tell */
#define COLLECTED_LESS 0.5 /* of the largest untouched share: less shows a collection */
#define IN_USE 0.3         /* of the growth is untouched: less is a cache in use ... */
#define UNTOUCHED 0.7      /* ... more is a leak */
/* The odds that untouched growth goes on: in eleven pairs of programs with equal curves no healthy
 * one had such growth, so this is below what eleven can prove. */
#define ODDS_UNTOUCHED 3.0

/* The windows that tell, and the median answer of their pairs. */
typedef struct evidence {
    const pm_leak_window *window[WINDOWS_MOST];
    size_t n;
    double grew, share; /* KiB from the first to the last; of that, untouched; NaN: no pair tells */
} evidence;

static double untouched(const pm_leak_window *w)
{
    return fmin(w->was_kib, fmax(0, w->rss_kib - w->touched_kib));
}

static void choose(const pm_leak_windows *w, bool collected, evidence *e)
{
    double most = 0;
    size_t kept = 0;

    e->n = 0;
    for (size_t i = w->n > WINDOWS_MOST ? w->n - WINDOWS_MOST : 0; i < w->n; i++)
        if (w->window[i].was_kib > 0 && !isnan(w->window[i].touched_kib)) {
            e->window[e->n++] = &w->window[i];
            most = fmax(most, untouched(&w->window[i]) / w->window[i].was_kib);
        }
    for (size_t i = 0; i < e->n; i++)
        if (!collected || untouched(e->window[i]) >= COLLECTED_LESS * most * e->window[i]->was_kib)
            e->window[kept++] = e->window[i];
    e->n = kept;
}

static void weigh_pairs(evidence *e)
{
    double share[WINDOWS_MOST * WINDOWS_MOST / 2];
    size_t n = 0;

    e->share = NAN;
    e->grew = e->n ? e->window[e->n - 1]->was_kib - e->window[0]->was_kib : 0;
    if (e->n < 2 || e->grew < fmax(GREW_KIB, GREW_SHARE * e->window[e->n - 1]->was_kib))
        return;
    for (size_t i = 0; i < e->n; i++)
        for (size_t k = i + 1; k < e->n; k++) {
            double between = e->window[k]->was_kib - e->window[i]->was_kib;

            if (between >= APART_SHARE * e->grew)
                share[n++] = (untouched(e->window[k]) - untouched(e->window[i])) / between;
        }
    e->share = fmin(1, fmax(0, pm_select(share, n, n / 2)));
}

/* Says what the windows show, or why they cannot tell. */
static void say(const pm_leak_windows *w, const evidence *e, bool collected, pm_leak *row)
{
    bool tells = e->share >= UNTOUCHED || (e->share <= IN_USE && !collected);
    double cold = e->share * e->grew, hours;

    if (isnan(e->share)) {
        snprintf(row->touched, sizeof row->touched, "cannot tell: %s",
                 e->n == 0  ? "in every window the process idled, or memory was short"
                 : e->n < 2 ? (collected && w->n > 1
                                   ? "a collection touched the whole heap in all windows but one"
                                   : "there is one window, and two are needed")
                            : "hardly anything grew from window to window");
        return;
    }
    hours = (double)(e->window[e->n - 1]->from_ms - e->window[0]->from_ms) / 3600000.0;
    snprintf(row->touched, sizeof row->touched,
             "%sof the %s that grew in %s, %s%s not touched again (%zu windows)%s",
             tells ? "" : "cannot tell: ", pm_leaks_size(e->grew).text, pm_leaks_span(hours).text,
             cold < 1 ? "none" : pm_leaks_size(cold).text, cold < 1 ? " was" : " were", e->n,
             tells       ? ""
             : collected ? ", but a collection touches the whole heap"
                         : ": part of the growth is in use");
}

void pm_leaks_touched(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row)
{
    const pm_leak_windows *w = work->options->touched ? &work->options->touched[row->key] : NULL;
    bool collected = pm_leaks_collected(work->process->keys[row->key].category);
    double p = row->confidence;
    evidence e;

    if (work->options->metric >= 0 || !w || !w->n || !pm_leaks_flagged(row->verdict) ||
        row->metric != PM_METRIC_RSS)
        return;
    if (facts->family == PM_FAMILY_SHARED) {
        snprintf(row->touched, sizeof row->touched,
                 "cannot tell: each place that maps a page of shared memory has a bit of its own");
        return;
    }
    choose(w, collected, &e);
    weigh_pairs(&e);
    say(w, &e, collected, row);
    if (row->verdict != PM_VERDICT_LEAK)
        return;
    if (e.share >= UNTOUCHED) {
        row->confidence = p * ODDS_UNTOUCHED / (p * ODDS_UNTOUCHED + 1 - p);
    } else if (e.share <= IN_USE && !collected) {
        row->verdict = PM_VERDICT_SUSPECT;
        pm_leaks_say_first(row, "a cache in use? What grew is touched again");
    }
}
