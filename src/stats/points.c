/* points: a series as the few points that curves are fitted to: medians of equal times, or the
 * floors of a sawtooth. */
#include "stats/points.h"

#include "stats/order.h"

#include <string.h>

static void add(pm_points *out, const pm_sample *s, int life, double t, double y)
{
    out->x[out->n] = (t - s->t[s->life[life].begin]) / s->span;
    out->y[out->n] = y;
    out->life[out->n++] = life;
}

static size_t lowest(const double *y, size_t begin, size_t end)
{
    size_t low = begin, i;

    for (i = begin + 1; i < end; i++)
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
    size_t teeth, group, i;

    if (edges[0] > 1) {
        size_t after = edges[0] + 2 < m ? edges[0] + 2 : m;

        whole_first = y[lowest(y, 0, edges[0])] <= y[lowest(y, edges[0], after)] * 1.02;
    }
    teeth = n + whole_first;
    group = (teeth + PM_BUCKETS - 1) / PM_BUCKETS;
    for (i = 0; i < teeth; i += group) {
        size_t a = whole_first ? (i ? edges[i - 1] : 0) : edges[i];
        size_t next = i + group - whole_first;
        size_t low = lowest(y, a, next < n ? edges[next] : m);

        add(out, s, life, s->t[begin + low], y[low]);
    }
}

static void buckets(const pm_sample *s, int life, int k, pm_points *out)
{
    size_t begin = s->life[life].begin, end = s->life[life].end, i = begin;
    double t0 = s->t[begin], width = (s->t[end - 1] - t0) / k;

    while (i < end) {
        int bucket = (int)((s->t[i] - t0) / width);
        double sum = 0.0;
        size_t count = 0;

        if (bucket >= k)
            bucket = k - 1;
        for (; i < end && (bucket == k - 1 || (int)((s->t[i] - t0) / width) == bucket); i++) {
            sum += s->t[i];
            s->work[count++] = s->y[i];
        }
        add(out, s, life, sum / (double)count, pm_median(s->work, count));
    }
}

static int bucket_count(size_t m, int lives)
{
    int k = lives == 1 ? PM_BUCKETS : 2 * PM_BUCKETS / lives;
    int most = (int)(m / (m >= 48 ? 3 : 2) < PM_BUCKETS ? m / (m >= 48 ? 3 : 2) : PM_BUCKETS);

    if (lives > 1 && k < 8)
        k = 8;
    if (k > most)
        k = most;
    return k < PM_POINTS_MIN ? PM_POINTS_MIN : k;
}

void pm_points_of(pm_sample *s, pm_points *out)
{
    int life;

    out->n = 0;
    out->lives = s->lives;
    out->floor = false;
    if (s->lives == 1)
        pm_season_remove(s);
    for (life = 0; life < s->lives; life++) {
        size_t begin = s->life[life].begin, m = s->life[life].end - begin;
        size_t teeth = pm_teeth_find(s->y + begin, m, s->work, s->edges);

        if (teeth > 0) {
            out->floor = true;
            floors(s, life, s->edges, teeth, out);
        } else {
            buckets(s, life, bucket_count(m, s->lives), out);
        }
    }
}
