/* points: a series reduced to midmeans of equal times, the floors of a sawtooth, or the lower
 * corners of a staircase. */
#include "stats/points.h"

#include "stats/order.h"

#include <math.h>

static void add(pm_points *out, const pm_sample *s, int life, double t, double y)
{
    out->x[out->n] = (t - s->t[s->life[life].begin]) / s->span;
    out->y[out->n] = y;
    out->life[out->n++] = life;
}

static size_t lowest(const double *y, size_t begin, size_t end)
{
    size_t low = begin;

    for (size_t i = begin + 1; i < end; i++)
        if (y[i] < y[low])
            low = i;
    return low;
}

/* One floor per tooth, from one fall to the next; teeth are joined until there are at most
 * PM_BUCKETS. `edges` are counted from the life's first snapshot. */
static void floors(const pm_sample *s, int life, const size_t *edges, size_t n, pm_points *out)
{
    size_t begin = s->life[life].begin, m = s->life[life].end - begin;
    const double *y = s->y + begin;
    bool whole_first = false; /* the stretch before the first fall began near a floor */
    size_t teeth, group;

    if (edges[0] > 1) {
        size_t after = edges[0] + 2 < m ? edges[0] + 2 : m;

        whole_first = y[lowest(y, 0, edges[0])] <= y[lowest(y, edges[0], after)] * 1.02;
    }
    teeth = n + whole_first;
    group = (teeth + PM_BUCKETS - 1) / PM_BUCKETS;
    for (size_t i = 0; i < teeth; i += group) {
        size_t a = whole_first ? (i ? edges[i - 1] : 0) : edges[i];
        size_t next = i + group - whole_first;
        size_t low = lowest(y, a, next < n ? edges[next] : m);

        add(out, s, life, s->t[begin + low], y[low]);
    }
}

/* After the last fall for longer than two teeth the sawtooth is over: its tail counts as stretches
 * of the longest tooth, each by its lowest snapshot. Replaces the floor of the last tooth. */
static void tail(const pm_sample *s, int life, const size_t *edges, size_t n, pm_points *out)
{
    size_t begin = s->life[life].begin, from = begin + edges[n - 1], end = s->life[life].end;
    double tooth = 0.0, length = s->t[end - 1] - s->t[from];

    for (size_t i = 0; i < n; i++)
        tooth = fmax(tooth, s->t[begin + edges[i]] - s->t[i ? begin + edges[i - 1] : begin]);
    if (length <= PM_SAWTOOTH_OVER * tooth)
        return;
    tooth = fmax(tooth, length / PM_BUCKETS);
    out->n--;
    while (from < end) {
        size_t next = from + 1, low;

        while (next < end && s->t[next] - s->t[from] < tooth)
            next++;
        low = lowest(s->y, from, next);
        add(out, s, life, s->t[low], s->y[low]);
        from = next;
    }
}

static double median_of(pm_sample *s, size_t begin, size_t end)
{
    size_t count = 0;

    for (; begin < end; begin++)
        s->work[count++] = s->y[begin];
    return pm_median(s->work, count);
}

/* The lower corner of every step: the need at the moment when the room was exhausted. */
static void corners(pm_sample *s, int life, const size_t *edges, size_t n, pm_points *out)
{
    size_t begin = s->life[life].begin, from = begin;
    double at = s->t[begin], end = s->t[s->life[life].end - 1], pause = (end - at) / PM_BUCKETS;

    for (size_t i = 0; i < n; i++) {
        size_t edge = begin + edges[i];

        add(out, s, life, 0.5 * (s->t[edge] + s->t[edge + 1]), median_of(s, from, edge + 1));
        if (3 * i >= 2 * n)
            out->late_step = fmax(out->late_step, s->y[edge + 1] - s->y[edge]);
        from = edge + 1;
        pause = fmax(pause, s->t[edge] - at);
        at = s->t[edge];
    }
    /* The stretch after the last step says only that the next step is not due yet. If it is longer
     * than every pause before, there may be no next step. */
    if (end - at > pause) {
        double level = median_of(s, from, s->life[life].end);

        for (size_t i = 1; at + (double)i * pause < end; i++)
            add(out, s, life, at + (double)i * pause, level);
        add(out, s, life, end, level);
    }
}

static void buckets(pm_sample *s, int life, int k, pm_points *out)
{
    size_t begin = s->life[life].begin, end = s->life[life].end, i = begin;
    double t0 = s->t[begin], width = (s->t[end - 1] - t0) / k;

    while (i < end) {
        int bucket = (int)((s->t[i] - t0) / width);
        size_t first = i, count = 0;

        if (bucket >= k)
            bucket = k - 1;
        for (; i < end && (bucket == k - 1 || (int)((s->t[i] - t0) / width) == bucket); i++)
            s->work[count++] = s->y[i];
        /* in a rising series the middle value belongs to the middle time */
        add(out, s, life, 0.5 * (s->t[first + (count - 1) / 2] + s->t[first + count / 2]),
            pm_midmean(s->work, count));
    }
}

/* A bucket has at least three snapshots, or two if there are few. */
static int bucket_count(size_t m, int lives, int most)
{
    int k = lives == 1 ? PM_BUCKETS : PM_BUCKETS_OF_LIVES / lives;
    int full = (int)(m / (m >= 48 ? 3 : 2) < PM_BUCKETS ? m / (m >= 48 ? 3 : 2) : PM_BUCKETS);

    k = k > most ? most : k;
    k = k > full ? full : k;
    return k < PM_POINTS_MIN ? PM_POINTS_MIN : k;
}

void pm_points_of(pm_sample *s, int most, pm_points *out)
{
    out->n = 0;
    out->lives = s->lives;
    out->floor = out->staircase = false;
    out->late_step = 0.0;
    for (int life = 0; life < s->lives; life++) {
        size_t begin = s->life[life].begin, m = s->life[life].end - begin, n = 0;

        if (s->lives == 1)
            n = pm_staircase_find(s->t + begin, s->y + begin, m, s->work, s->edges);
        if (n > 0) {
            out->staircase = true;
            corners(s, life, s->edges, n, out);
            continue;
        }
        n = pm_sawtooth_find(s->y + begin, m, s->work, s->edges);
        if (n > 0) {
            out->floor = true;
            floors(s, life, s->edges, n, out);
            if (s->lives == 1)
                tail(s, life, s->edges, n, out);
        }
        if (s->lives == 1 && out->n < PM_POINTS_MIN) { /* too few teeth say nothing */
            out->floor = false;
            out->n = 0;
            n = 0;
        }
        if (n == 0)
            buckets(s, life, bucket_count(m, s->lives, most), out);
    }
}
