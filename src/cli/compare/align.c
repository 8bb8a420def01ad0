/* align: what of the runs of A and B can be compared. */
#include "cli/compare/compare.h"

#include "base/clock/clock.h"
#include "stats/order.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MIN 4    /* fewer show neither a level nor a growth */
#define EARLY 0.5       /* a run shorter than this share of the median ended early */
#define MUCH_LONGER 1.2 /* runs that differ less in length are of one length */

/* ---- length ---- */

static int last_block(const double *at)
{
    int b = PM_BLOCKS;

    while (b > 0 && isnan(at[b]))
        b--;
    return b;
}

static double last_of(const double *at)
{
    int b = last_block(at);

    return b ? at[b] : 0;
}

/* Seconds, or work done. */
static const double *axis_of(const pm_runs *runs, const pm_one_run *run)
{
    return runs->by_work ? run->work : run->at_s;
}

static int count_blocks(const pm_one_run *run, bool used)
{
    int n = 0;

    for (int b = 1; b <= PM_BLOCKS; b++)
        n += used ? run->used[b] : !isnan(run->at_s[b]);
    return n;
}

static double median_length(const pm_runs *runs)
{
    double *length = calloc(runs->n + 1, sizeof *length), median;
    size_t n = 0;

    if (!length)
        pm_cli_no_memory();
    for (size_t i = 0; i < runs->n; i++)
        length[n++] = last_of(axis_of(runs, &runs->run[i]));
    median = pm_median(length, n);
    free(length);
    return median;
}

static void leave_out(pm_one_run *run, const char *why)
{
    char began[PM_CLOCK_TEXT];

    pm_clock_format(run->began_ms, began);
    run->left_out = true;
    pm_cli_say("%s: the run of %s is left out: %s", run->source, began, why);
}

/* Runs that ended early, or were captured too seldom. Returns the length that all others have. */
static double leave_out_short(pm_runs *runs, double *longest)
{
    double median = median_length(runs), common = INFINITY;

    for (size_t i = 0; i < runs->n; i++) {
        pm_one_run *run = &runs->run[i];
        double length = last_of(axis_of(runs, run));
        char why[128];

        if (length < median * EARLY) {
            snprintf(why, sizeof why,
                     "it ended after %.0f %s, before half of what most runs reach (%.0f)", length,
                     runs->by_work ? "units of work" : "s", median);
            leave_out(run, why);
        } else if (count_blocks(run, false) < BLOCKS_MIN) {
            leave_out(run, "it has too few snapshots: capture more often");
        } else {
            common = fmin(common, length);
            *longest = fmax(*longest, length);
        }
    }
    return common;
}

static void cut(pm_runs *runs, const pm_cli *cli)
{
    double longest = 0, common = leave_out_short(runs, &longest);
    const char *unit = runs->by_work ? "units of work" : "s";

    if (longest > common * MUCH_LONGER)
        pm_cli_note(cli, "the runs last %.0f to %.0f %s: only the first %.0f %s of each count",
                    common, longest, unit, common, unit);
    for (size_t i = 0; i < runs->n; i++) {
        pm_one_run *run = &runs->run[i];
        const double *at = axis_of(runs, run);
        char why[128];

        for (int b = 0; b <= PM_BLOCKS; b++)
            run->used[b] = !isnan(run->at_s[b]) && !(at[b] > common * MUCH_LONGER);
        if (run->left_out || count_blocks(run, true) >= BLOCKS_MIN)
            continue;
        snprintf(why, sizeof why,
                 "only %d of its nine parts lie within those %.0f %s: compare runs of one length",
                 count_blocks(run, true), common, unit);
        leave_out(run, why);
    }
}

/* ---- kind ---- */

/* True if some runs of A and B differ in what `same` compares. Then *a is a run of A, *b one of B.
 */
static bool differ(const pm_runs *runs, bool (*same)(const pm_one_run *a, const pm_one_run *b),
                   const pm_one_run **a, const pm_one_run **b)
{
    for (size_t i = 0; i < runs->n; i++)
        for (size_t j = 0; j < runs->n; j++) {
            *a = &runs->run[i];
            *b = &runs->run[j];
            if (!(*a)->of_b && (*b)->of_b && !same(*a, *b))
                return true;
        }
    return false;
}

static bool same_page(const pm_one_run *a, const pm_one_run *b)
{
    return isnan(a->page_kib) || isnan(b->page_kib) || a->page_kib == b->page_kib;
}

static bool same_dialect(const pm_one_run *a, const pm_one_run *b)
{
    return !a->dialect || !b->dialect || a->dialect == b->dialect;
}

/* A category that both A and B have, besides total. Runs of sums only have none. */
static bool has_common_category(const pm_runs *runs)
{
    size_t n_keys = 1;
    unsigned char *seen;
    bool common = false;

    for (size_t i = 0; i < runs->n_points; i++)
        n_keys = runs->point[i].key >= n_keys ? runs->point[i].key + 1 : n_keys;
    seen = calloc(n_keys, 1);
    if (!seen)
        pm_cli_no_memory();
    for (size_t i = 0; i < runs->n_points; i++)
        seen[runs->point[i].key] |= runs->run[runs->point[i].run].of_b ? 2 : 1;
    for (size_t k = 0; k < n_keys; k++)
        common |= seen[k] == 3 &&
                  !pm_text_equal(pm_pool_text_get(runs->keys, (uint32_t)k), PM_TEXT("total"));
    free(seen);
    return common;
}

static void find_kind(pm_runs *runs)
{
    const pm_one_run *a, *b;

    if (differ(runs, same_page, &a, &b)) {
        runs->no_memory = true;
        pm_cli_say("%s ran with pages of %.0f KiB, %s with pages of %.0f KiB: their memory cannot "
                   "be compared, only the number of mappings",
                   a->source, a->page_kib, b->source, b->page_kib);
    }
    if (differ(runs, same_dialect, &a, &b)) {
        pm_text of_a = pm_pool_text_get(runs->keys, a->dialect);
        pm_text of_b = pm_pool_text_get(runs->keys, b->dialect);

        runs->only_total = true;
        pm_cli_say("%s was captured as %.*s, %s as %.*s, and these name some mappings differently: "
                   "only the whole process is compared",
                   a->source, (int)of_a.len, of_a.data, b->source, (int)of_b.len, of_b.data);
    } else if (!has_common_category(runs)) {
        runs->only_total = true;
        pm_cli_say("A and B have no category in common: only the whole process is compared");
    }
}

/* Work aligns the runs if it is known in all of them. */
static void find_axis(pm_runs *runs)
{
    const pm_one_run *without = NULL;
    size_t n = 0;

    for (size_t i = 0; i < runs->n; i++) {
        if (last_block(runs->run[i].work))
            n++;
        else
            without = &runs->run[i];
    }
    runs->by_work = n && !without;
    if (n && without)
        pm_cli_say("%s: the work of a run is unknown, or most of it was done before the warm-up "
                   "ended: the runs are aligned by time",
                   without->source);
}

void pm_runs_align(pm_runs *runs, const pm_cli *cli)
{
    find_axis(runs);
    cut(runs, cli);
    find_kind(runs);
}
