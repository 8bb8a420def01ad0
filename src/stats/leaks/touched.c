/* touched: what grew is in use, or is not: evidence that no curve has.
 *
 * A window says how much of a key was touched in it, not which part. The part of the growth follows
 * from two windows, the one of the older half with most untouched memory and one of the newer half:
 * where the untouched memory grows as the key does, what grew is not touched again. And the newer
 * window bounds the answer: what is untouched beyond the size before the growth is part of the
 * growth.
 *
 * Each window of the newer half gives an answer; the median counts, so that a pause of the work or
 * a dump of the process (which touches everything) in a window decides nothing. Of a heap that a
 * collector empties the window with most untouched growth counts, because each full collection
 * touches everything. Shared memory says nothing: a page that is mapped at several places (by the Z
 * collector of Java) has a bit for each, and another process may be the one that uses it. */
#include "stats/leaks/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WINDOWS_MIN 2      /* one window may be an exception */
#define WINDOWS_MOST 32    /* of the newer half: more are not looked at */
#define GREW_SHARE 0.1     /* of the key: less growth before the newer window is not weighed */
#define GREW_KIB 256.0     /* at least */
#define BETWEEN_SHARE 0.25 /* of the growth lies between the two windows: then they tell */
#define BOUNDS_APART 0.5   /* of the growth: bounds further apart do not tell */
#define IN_USE 0.3         /* of the growth is untouched: less is a cache in use ... */
#define UNTOUCHED 0.7      /* ... more is a leak */
/* The odds that untouched growth goes on: in eleven pairs of programs with equal curves no healthy
 * one had such growth, so this is below what eleven can prove. */
#define ODDS_UNTOUCHED 3.0

static double untouched(const pm_leak_window *w)
{
    return fmin(w->was_kib, fmax(0, w->rss_kib - w->touched_kib));
}

/* The window of some with most untouched memory; of equal ones the newest. */
static const pm_leak_window *least_touched(const pm_leak_window *w, size_t n)
{
    const pm_leak_window *found = NULL;

    for (size_t i = 0; i < n; i++)
        if (w[i].was_kib > 0 && w[i].rss_kib > 0 &&
            (!found || untouched(&w[i]) >= untouched(found)))
            found = &w[i];
    return found;
}

/* The size of the key before its growth. */
static double before(const pm_leak_facts *facts, const pm_leak *row)
{
    if (row->trend.lives <= 1)
        return facts->first[PM_METRIC_RSS];
    return facts->last[PM_METRIC_RSS] - facts->grown[PM_METRIC_RSS];
}

/* How much of `grew`, the growth up to `late`, is untouched; NaN: unknown. */
static double untouched_growth(const pm_leak_window *early, const pm_leak_window *late, double grew,
                               double base)
{
    double most = fmin(grew, untouched(late)), least = fmin(most, fmax(0, untouched(late) - base));
    double between = early ? late->was_kib - early->was_kib : 0, share;

    if (early && between >= BETWEEN_SHARE * grew) {
        share = (untouched(late) - untouched(early)) / between;
        return fmin(most, fmax(least, fmin(1, fmax(0, share)) * grew));
    }
    return most - least <= BOUNDS_APART * grew ? (most + least) / 2 : NAN;
}

/* The answer of one window: the growth up to its beginning, and how much of that it shows
 * untouched. */
typedef struct answer {
    const pm_leak_window *window;
    double grew, cold;
} answer;

static int by_share(const void *left, const void *right)
{
    const answer *a = left, *b = right;
    double x = a->cold / a->grew, y = b->cold / b->grew;

    return (x > y) - (x < y);
}

/* Asks the windows of the newer half; false if none of them tells. */
static bool ask(const pm_leak_windows *w, double base, bool collected, answer *out)
{
    const pm_leak_window *early = least_touched(w->window, w->n / 2);
    answer all[WINDOWS_MOST];
    size_t n = 0;

    for (size_t i = w->n; i > w->n / 2 && n < WINDOWS_MOST; i--) {
        answer a = {&w->window[i - 1], w->window[i - 1].was_kib - base, 0};

        if (!(a.grew >= fmax(GREW_KIB, GREW_SHARE * a.window->was_kib)))
            continue;
        a.cold = untouched_growth(early, a.window, a.grew, base);
        if (!isnan(a.cold))
            all[n++] = a;
    }
    if (n == 0)
        return false;
    qsort(all, n, sizeof *all, by_share);
    *out = all[collected ? n - 1 : (n - 1) / 2];
    return true;
}

static void say(pm_leak *row, size_t n, const answer *a)
{
    double hours = (double)(a->window->from_ms - row->trend.first_ms) / 3600000.0;
    double window = (double)(a->window->to_ms - a->window->from_ms) / 3600000.0;

    snprintf(row->touched, sizeof row->touched,
             "of the %s that grew in %s, %s%s not touched again (%zu window%s, this one of %s)",
             pm_leaks_size(a->grew).text, pm_leaks_span(hours).text,
             a->cold < 1 ? "none" : pm_leaks_size(a->cold).text, a->cold < 1 ? " was" : " were", n,
             n == 1 ? "" : "s", pm_leaks_span(window).text);
}

/* Touched memory of a collected heap says nothing: a full collection touches all of it. */
static void weigh(const char *category, size_t n, double share, pm_leak *row)
{
    double p = row->confidence;

    if (row->verdict != PM_VERDICT_LEAK || row->metric != PM_METRIC_RSS || n < WINDOWS_MIN)
        return;
    if (share >= UNTOUCHED) {
        row->confidence = p * ODDS_UNTOUCHED / (p * ODDS_UNTOUCHED + 1 - p);
    } else if (share <= IN_USE && !pm_leaks_collected(category)) {
        row->verdict = PM_VERDICT_SUSPECT;
        pm_leaks_say_first(row, "a cache in use? What grew is touched again");
    }
}

void pm_leaks_touched(const pm_leak_work *work, const pm_leak_facts *facts, pm_leak *row)
{
    const pm_leak_windows *w = work->options->touched ? &work->options->touched[row->key] : NULL;
    const char *category = work->process->keys[row->key].category;
    answer a;

    if (work->options->metric >= 0 || !w || !pm_leaks_flagged(row->verdict) ||
        facts->family == PM_FAMILY_SHARED ||
        !ask(w, before(facts, row), pm_leaks_collected(category), &a))
        return;
    say(row, w->n, &a);
    weigh(category, w->n, a.cold / a.grew, row);
}
