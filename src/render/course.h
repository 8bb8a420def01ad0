/* course: numbers over time as a line of blocks. Private to src/render. */
#ifndef PM_RENDER_COURSE_H
#define PM_RENDER_COURSE_H

#include "base/buf.h"
#include <stdint.h>

#define PM_COURSE_WIDTH 40 /* columns of the terminal, at most */

typedef struct pm_point {
    int64_t ms;
    double v; /* NAN: unknown */
} pm_point;

/* The time that all rows of a table share. */
typedef struct pm_course_axis {
    int64_t from, to, step; /* step: the usual one, 0 for a single moment */
    size_t width;
} pm_course_axis;

/* Sorts the moments. */
pm_course_axis pm_course_axis_of(int64_t *moments, size_t n);

/* One character per stretch of time: the height is the largest value in it, the lowest block being
 * 0 (or the smallest value, if that is below 0) and the highest the row's largest. `blank`:
 * unknown, or nothing was captured for more than three usual steps. Points are in the order of
 * time. */
pmapdb_status pm_course_add(pm_buf *out, const pm_course_axis *axis, const pm_point *points,
                            size_t n, bool ascii, const char *blank, pmapdb_error *err);

#endif
