/* sample: the judged part of a series: known values in time order, lives that are long enough. */
#include "stats/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t life_at(const pm_series *series, size_t i)
{
    return series->life ? series->life[i] : 0;
}

/* Copies the known values; of equal times in one life the last value counts. `life` receives the
 * life of each copied value. */
static void copy_known(const pm_series *series, pm_sample *out, int32_t *life)
{
    for (size_t i = 0; i < series->n; i++) {
        double t = (double)series->ms[i] / 1000.0;

        if (isnan(series->value[i]))
            continue;
        if (out->n > 0 && out->t[out->n - 1] == t && life[out->n - 1] == life_at(series, i))
            out->n--;
        out->t[out->n] = t;
        out->y[out->n] = series->value[i];
        life[out->n++] = life_at(series, i);
    }
}

/* Every life starts up again, in another way. Only the part after the start shows whether growth
 * goes on. The start is a share of the longest life, but at most half of this life. */
static void skip_start_up(const pm_sample *s, pm_life *life, double longest)
{
    double length = s->t[life->end - 1] - s->t[life->begin];
    double until = s->t[life->begin] + fmin(PM_START_UP * longest, 0.5 * length);

    while (s->t[life->begin] < until && life->end - life->begin > PM_LIFE_MIN)
        life->begin++;
}

/* Cuts at changes of life; keeps the newest lives that are long enough and moves them together. */
static void cut_lives(pm_sample *s, const int32_t *life)
{
    pm_life kept[PM_LIVES_MAX];
    size_t end = s->n, begin, total = 0, n = 0;
    double longest = 0.0;
    int count = 0;

    for (; end > 0 && count < PM_LIVES_MAX; end = begin) {
        for (begin = end - 1; begin > 0 && life[begin - 1] == life[end - 1]; begin--)
            ;
        if (end - begin < PM_LIFE_MIN || s->t[end - 1] <= s->t[begin])
            continue;
        kept[count++] = (pm_life){begin, end};
        total += end - begin;
    }
    if (total < PM_TREND_MIN)
        return;
    s->snapshots = total;
    s->first = s->t[kept[count - 1].begin];
    for (int i = 0; i < count; i++)
        longest = fmax(longest, s->t[kept[i].end - 1] - s->t[kept[i].begin]);
    for (int i = 0; i < count && count >= PM_LIVES_SURE; i++)
        skip_start_up(s, &kept[i], longest);
    for (int i = count - 1; i >= 0; i--) {
        size_t m = kept[i].end - kept[i].begin;

        memmove(s->t + n, s->t + kept[i].begin, m * sizeof *s->t);
        memmove(s->y + n, s->y + kept[i].begin, m * sizeof *s->y);
        s->life[s->lives++] = (pm_life){n, n + m};
        n += m;
        s->span = fmax(s->span, s->t[n - 1] - s->t[n - m]);
    }
    s->n = n;
    memcpy(s->raw, s->y, n * sizeof *s->raw);
}

pmapdb_status pm_sample_make(const pm_series *series, pm_sample *out, pmapdb_error *err)
{
    size_t n = series->n;
    int32_t *life;

    *out = (pm_sample){0};
    if (n < PM_TREND_MIN)
        return PMAPDB_OK;
    out->t = malloc(n * 5 * sizeof *out->t);
    out->edges = malloc(n * sizeof *out->edges);
    life = malloc(n * sizeof *life);
    if (!out->t || !out->edges || !life) {
        free(life);
        return pm_fail_nomem(err);
    }
    out->y = out->t + n;
    out->raw = out->y + n;
    out->work = out->raw + n;
    out->more = out->work + n;
    copy_known(series, out, life);
    cut_lives(out, life);
    free(life);
    return PMAPDB_OK;
}

void pm_sample_free(pm_sample *sample)
{
    free(sample->t);
    free(sample->edges);
    *sample = (pm_sample){0};
}
