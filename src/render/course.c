/* course: numbers over time as a line of blocks. */
#include "render/course.h"

#include <math.h>
#include <stdlib.h>

#define GAP_STEPS 3 /* as everywhere: more than that many usual steps is a gap */

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Distinct moments in order; the usual step is their median distance. */
pm_course_axis pm_course_axis_of(int64_t *moments, size_t n)
{
    pm_course_axis axis = {.width = 1};
    size_t distinct = 0;
    int64_t cells;

    if (!n)
        return axis;
    qsort(moments, n, sizeof *moments, by_time);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || moments[i] != moments[distinct - 1])
            moments[distinct++] = moments[i];
    axis.from = moments[0];
    axis.to = moments[distinct - 1];
    if (distinct == 1)
        return axis;
    for (size_t i = 0; i + 1 < distinct; i++)
        moments[i] = moments[i + 1] - moments[i];
    qsort(moments, distinct - 1, sizeof *moments, by_time);
    axis.step = moments[(distinct - 1) / 2];
    cells = (axis.to - axis.from + axis.step / 2) / axis.step + 1;
    axis.width = cells < PM_COURSE_WIDTH ? (size_t)cells : PM_COURSE_WIDTH;
    if (axis.width < 2)
        axis.width = 2;
    return axis;
}

static size_t cell_of(const pm_course_axis *axis, int64_t ms)
{
    double share;

    if (axis->to == axis->from)
        return 0;
    share = (double)(ms - axis->from) / (double)(axis->to - axis->from);
    return (size_t)lround(share * (double)(axis->width - 1));
}

/* The largest of each cell; of points that fall between two cells nothing is missing as long as
 * they are near each other in time: what lies between has the value before it. */
static void fill_cells(const pm_course_axis *axis, const pm_point *points, size_t n, double *cells)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = cell_of(axis, points[i].ms);
        bool near = i > 0 && points[i].ms - points[i - 1].ms <= GAP_STEPS * axis->step;

        for (size_t c = near ? cell_of(axis, points[i - 1].ms) + 1 : at; c < at; c++)
            cells[c] = points[i - 1].v;
        cells[at] = fmax(cells[at], points[i].v); /* of a number and no number: the number */
    }
}

pmapdb_status pm_course_add(pm_buf *out, const pm_course_axis *axis, const pm_point *points,
                            size_t n, bool ascii, const char *blank, pmapdb_error *err)
{
    static const char *const blocks[] = {"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
                                         "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86",
                                         "\xe2\x96\x87", "\xe2\x96\x88"};
    static const char *const marks[] = {"_", ".", "-", "=", "+", "*", "%", "@"};
    double cells[PM_COURSE_WIDTH], low = 0, high = 0;
    pmapdb_status st = PMAPDB_OK;

    for (size_t c = 0; c < PM_COURSE_WIDTH; c++)
        cells[c] = NAN;
    fill_cells(axis, points, n, cells);
    for (size_t c = 0; c < axis->width; c++) {
        low = fmin(low, cells[c]);
        high = fmax(high, cells[c]);
    }
    for (size_t c = 0; c < axis->width && st == PMAPDB_OK; c++) {
        double share = high > low ? (cells[c] - low) / (high - low) : 0;
        const char *mark = isnan(cells[c]) ? blank : (ascii ? marks : blocks)[lround(share * 7)];

        st = pm_buf_add(out, mark, strlen(mark), err);
    }
    return st;
}
