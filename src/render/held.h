/* held: rows that are kept until all of them are known. Private to src/render. */
#ifndef PM_RENDER_HELD_H
#define PM_RENDER_HELD_H

#include "render/render.h"

/* A copy of a row, its texts included, in one piece of memory for free(); NULL: no memory. */
pm_value *pm_held_copy(const pm_value *values, size_t n);

/* The moment of a column that says when: an ISO time, or seconds since 1970 as a number. False
 * where it is unknown. */
bool pm_held_moment(const pm_value *v, int64_t *ms);

/* Which column says when a row's numbers were so: taken_at, or ts of a chart's rows, or the end of
 * the stretch that the row speaks of, last_at or to_at; n where none does. */
size_t pm_held_moment_column(const pm_column *columns, size_t n);

/* Numbers that only tell things apart: pid, inode, ..._id. */
bool pm_held_is_identity(const pm_column *c);

/* Whether rows' values may be added up: KiB and counts. How many processes a row is summed over is
 * no such count, for it is the same ones in every row. */
bool pm_held_is_additive(const pm_column *c);

#endif
