/* series: runs of a key -> a value per snapshot -> curves and growth. Keys are expanded one at a
 * time, so that a process with thousands of mappings needs the memory of one series. */
#include "stats/leaks/work.h"

#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool dense_new(pm_leak_dense *dense, size_t n)
{
    dense->memory = calloc(n * PM_METRIC_COUNT + 1, sizeof(double));
    if (!dense->memory)
        return false;
    for (int m = 0; m < PM_METRIC_COUNT; m++)
        dense->series[m] = dense->memory + n * (size_t)m;
    return true;
}

/* Notes which metrics any run knows, and whether anything is swapped. */
static void look_over(pm_leak_work *work)
{
    const pm_leak_process *p = work->process;

    for (size_t k = 0; k < p->n_keys; k++) {
        for (size_t r = 0; r < p->keys[k].n_runs; r++) {
            const double *value = p->keys[k].runs[r].value;

            for (int m = 0; m < PM_METRIC_COUNT; m++)
                work->known[m] = work->known[m] || !isnan(value[m]);
            work->swapped = work->swapped || value[PM_METRIC_SWAP] > 0;
        }
    }
    work->swapped = work->swapped && work->known[PM_METRIC_RSS];
}

static bool is_hidden(const pm_leak_work *work, size_t i)
{
    return work->process->sums && work->process->sums[i].hides_keys;
}

/* The number of snapshots up to the last one that shows the keys. */
static size_t shown_until(const pm_leak_process *p)
{
    size_t n = p->n;

    while (n > 0 && p->sums && p->sums[n - 1].hides_keys)
        n--;
    return n;
}

pmapdb_status pm_leaks_work_new(const pm_leak_process *process, const pm_leak_options *options,
                                pm_leak_work *out, pmapdb_error *err)
{
    size_t n = process->n;

    *out = (pm_leak_work){.process = process, .options = options, .err = err};
    out->scratch = calloc(n + 1, sizeof(double));
    out->whole_rss = calloc(n + 1, sizeof(double));
    out->facts = calloc(process->n_keys + 1, sizeof *out->facts);
    if (!dense_new(&out->key, n) || !dense_new(&out->whole, n) || !out->scratch ||
        !out->whole_rss || !out->facts)
        return out->st = pm_fail_nomem(err);
    look_over(out);
    for (int m = 0; m < PM_METRIC_COUNT; m++)
        for (size_t i = 0; i < n; i++)
            out->whole.series[m][i] = out->known[m] && !is_hidden(out, i) ? 0 : NAN;
    if (n)
        memcpy(out->whole_rss, out->whole.series[PM_METRIC_RSS], n * sizeof(double));
    out->shown = shown_until(process);
    return PMAPDB_OK;
}

void pm_leaks_work_free(pm_leak_work *work)
{
    free(work->key.memory);
    free(work->whole.memory);
    free(work->scratch);
    free(work->whole_rss);
    free(work->facts);
}

/* Swapped pages still belong to the process. */
static void add_swap(pm_leak_work *work)
{
    double *rss = work->key.series[PM_METRIC_RSS];
    const double *swap = work->key.series[PM_METRIC_SWAP];

    for (size_t i = 0; i < work->process->n; i++)
        rss[i] += isnan(swap[i]) ? 0 : swap[i];
}

static void add_to_whole(pm_leak_work *work)
{
    for (size_t i = 0; i < work->process->n; i++)
        for (int m = 0; m < PM_METRIC_COUNT; m++)
            work->whole.series[m][i] += work->key.series[m][i];
}

void pm_leaks_expand(pm_leak_work *work, const pm_leak_key *key)
{
    size_t n = work->process->n;

    for (int m = 0; m < PM_METRIC_COUNT; m++) {
        double *series = work->key.series[m];

        for (size_t i = 0; i < n; i++)
            series[i] = work->known[m] && !is_hidden(work, i) ? 0 : NAN;
        for (size_t r = 0; r < key->n_runs && work->known[m]; r++)
            for (size_t i = key->runs[r].first; i <= key->runs[r].last; i++)
                series[i] += key->runs[r].value[m];
    }
    for (size_t i = 0; i < n; i++)
        work->whole_rss[i] += work->key.series[PM_METRIC_RSS][i];
    if (work->swapped && work->options->metric < 0)
        add_swap(work);
    add_to_whole(work);
}

/* Takes the values that the keys do not tell from the sums of the snapshots. Swapped pages count,
 * unless one of those snapshots does not know how many there are. */
void pm_leaks_add_sums(pm_leak_work *work)
{
    const pm_leak_process *p = work->process;
    double *const *whole = work->whole.series;
    bool swap_known = true;

    for (size_t i = 0; i < p->n && p->sums; i++) {
        const double *value = p->sums[i].value;
        bool summed = isnan(work->whole_rss[i]) && !isnan(value[PM_METRIC_RSS]);

        for (int m = 0; m < PM_METRIC_COUNT; m++)
            if (isnan(whole[m][i]))
                whole[m][i] = value[m];
        if (!isnan(work->whole_rss[i]) || summed)
            work->vm_rss = summed && p->sums[i].vm_rss;
        if (!summed)
            continue;
        work->whole_rss[i] = value[PM_METRIC_RSS];
        swap_known = swap_known && !isnan(value[PM_METRIC_SWAP]);
        if (work->options->metric < 0)
            whole[PM_METRIC_RSS][i] += value[PM_METRIC_SWAP];
    }
    if (!swap_known)
        memcpy(whole[PM_METRIC_RSS], work->whole_rss, p->n * sizeof(double));
}

/* The number of lives among the known points; also the number of points, the first and the last. */
static int count_known(const pm_leak_process *p, const double *v, pm_trend *out)
{
    int lives = 0;
    size_t before = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (isnan(v[i]))
            continue;
        if (out->snapshots == 0)
            out->first_ms = p->ms[i];
        if (out->snapshots == 0 || (p->life && p->life[i] != p->life[before]))
            lives++;
        out->last_ms = p->ms[i];
        out->snapshots++;
        before = i;
    }
    return lives;
}

static bool is_constant(const double *v, size_t n)
{
    double value = NAN;

    for (size_t i = 0; i < n; i++) {
        if (isnan(v[i]))
            continue;
        if (!isnan(value) && v[i] != value)
            return false;
        value = v[i];
    }
    return true;
}

/* The trend of a constant series: nothing grows, and `detectable` is the growth that would have
 * been material. */
static void flat_trend(const pm_leak_process *p, const double *v, const pm_trend_options *options,
                       pm_trend *out)
{
    double share = options->size ? PM_MATERIAL_SIZE : PM_MATERIAL_SHARE;
    double hours, level = 0;

    out->lives = count_known(p, v, out);
    if (out->snapshots < PM_TREND_MIN)
        return;
    for (size_t i = 0; i < p->n && level == 0; i++)
        level = isnan(v[i]) ? 0 : v[i];
    out->verdict = PM_VERDICT_STEADY;
    out->shape = PM_SHAPE_CONST;
    out->confidence = 1;
    hours = (double)(out->last_ms - out->first_ms) / 3600000.0;
    if (hours > 0)
        out->detectable =
            fmax(share * level, options->count ? PM_MATERIAL_COUNT : PM_MATERIAL_KIB) / hours;
}

pm_trend pm_leaks_trend(pm_leak_work *work, const double *v, pm_metric metric)
{
    const pm_leak_process *p = work->process;
    bool count = metric == PM_METRIC_MAPPINGS;
    pm_series series = {p->n, p->ms, v, p->life};
    pm_trend_options options = {.count = count,
                                .size = metric == PM_METRIC_SIZE,
                                /* proportional shares are not multiples of a page */
                                .quantum = count || metric == PM_METRIC_PSS ? 1 : 4,
                                .leak_posterior = work->options->leak_posterior,
                                .room = work->options->room};
    pm_trend out = {.since_ms = INT64_MIN};

    if (is_constant(v, p->n)) {
        flat_trend(p, v, &options, &out);
        return out;
    }
    PM_STEP(work->st, pm_trend_judge(&series, &options, &out, work->err));
    if (out.verdict == PM_VERDICT_TOO_FEW) {
        out.snapshots = 0; /* only the known ones */
        count_known(p, v, &out);
    }
    return out;
}

size_t pm_leaks_known_until(const double *v, size_t n)
{
    while (n > 0 && isnan(v[n - 1]))
        n--;
    return n;
}

double pm_leaks_last_known(const double *v, size_t n)
{
    n = pm_leaks_known_until(v, n);
    return n > 0 ? v[n - 1] : NAN;
}

double pm_leaks_growth(const pm_leak_process *p, const double *v, double *scratch)
{
    size_t end = pm_leaks_known_until(v, p->n), begin = end, n = 0, part;
    double before;

    while (begin > 0 && (!p->life || p->life[begin - 1] == p->life[end - 1]))
        begin--;
    for (size_t i = begin; i < end; i++)
        if (!isnan(v[i]))
            scratch[n++] = v[i];
    if (n == 0)
        return NAN;
    part = n / 8 > 0 ? n / 8 : 1;
    before = pm_median(scratch, part); /* reorders only the first eighth */
    return pm_median(scratch + n - part, part) - before;
}

/* A fall may take two snapshots. */
bool pm_leaks_one_tooth(const pm_leak_work *work, const double *rss)
{
    const pm_leak_process *p = work->process;
    size_t end = pm_leaks_known_until(rss, p->n), n = 0, floor = 0;
    double *v = work->scratch, up = 0, down = 0, low = INFINITY;

    for (size_t i = 0; i < end; i++)
        if (!isnan(rss[i]) && (!p->life || p->life[i] == p->life[end - 1]))
            v[n++] = rss[i];
    for (size_t i = 1; i < n; i++)
        if (v[i] < (1 - PM_COLLECTED) * fmax(v[i - 1], v[i > 1 ? i - 2 : 0]))
            floor = i;
    for (size_t i = 0; i < floor; i++)
        low = fmin(low, v[i]);
    for (size_t i = floor + 1; i < n; i++) {
        up += fmax(0, v[i] - v[i - 1]);
        down += fmax(0, v[i - 1] - v[i]);
    }
    return floor > 0 && v[floor] <= (1 + PM_COLLECTED) * low && down <= PM_COLLECTED * up &&
           v[n - 1] < PM_TOOTH_TIMES * v[floor];
}

void pm_leaks_measure(const pm_leak_work *work, const pm_leak_dense *dense, pm_leak_facts *facts)
{
    size_t n = work->process->n;

    for (int m = 0; m < PM_METRIC_COUNT; m++) {
        const double *v = dense->series[m];
        size_t a = 0, b = pm_leaks_known_until(v, n);

        while (a < n && isnan(v[a]))
            a++;
        facts->known[m] = b;
        facts->first[m] = a < n ? v[a] : NAN;
        facts->last[m] = b > 0 ? v[b - 1] : NAN;
        if (a < n && is_constant(v, n))
            facts->grown[m] = 0;
        else
            facts->grown[m] = pm_leaks_growth(work->process, v, work->scratch);
    }
}
