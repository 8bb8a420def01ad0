/* rest_row: one row for all rows beyond `top`, with their number and sums. Private to src/render.
 */
#ifndef PM_RENDER_REST_ROW_H
#define PM_RENDER_REST_ROW_H

#include "render/render.h"

typedef struct pm_rest_row pm_rest_row;

/* The columns must outlive the result. NULL if memory runs out. */
pm_rest_row *pm_rest_row_new(const pm_column *columns, size_t n);
void pm_rest_row_free(pm_rest_row *rest);

/* Takes every row; rows within `top` show whether all rows have one time. */
pmapdb_status pm_rest_row_add(pm_rest_row *rest, const pm_value *values, bool left_out,
                              pmapdb_error *err);

/* "[12 others]" and the sums of KiB and of counts; a sum is unknown if a value is
 * unknown, and is blank if rows have several times. NULL if no row was left out. Valid until the
 * next call. */
const pm_value *pm_rest_row_values(pm_rest_row *rest);

#endif
