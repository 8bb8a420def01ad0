/* rest_row: the row that stands for the rows beyond `top`: how many they are, and their sums.
 * Private to src/render. */
#ifndef PM_RENDER_REST_ROW_H
#define PM_RENDER_REST_ROW_H

#include "render/render.h"

typedef struct pm_rest_row pm_rest_row;

/* The columns must outlive it. NULL: no memory. */
pm_rest_row *pm_rest_row_new(const pm_column *columns, size_t n);
void pm_rest_row_free(pm_rest_row *rest);

/* Takes every row, those above `top` too: they tell whether all rows are of one moment. */
pmapdb_status pm_rest_row_add(pm_rest_row *rest, const pm_value *values, bool left_out,
                              pmapdb_error *err);

/* "[12 others]" and the sums of KiB and of counts; a sum is unknown if one of its values is, and
 * rows of several moments have none. NULL if no row was left out. Lasts until the next call. */
const pm_value *pm_rest_row_values(pm_rest_row *rest);

#endif
