/* others: the rows that a table leaves out, as one row: how many, and what they add up to. Private
 * to src/render. */
#ifndef PM_RENDER_OTHERS_H
#define PM_RENDER_OTHERS_H

#include "render/render.h"

typedef struct pm_others pm_others;

/* The columns must outlive it. */
pmapdb_status pm_others_new(const pm_column *columns, size_t n, pm_others **out, pmapdb_error *err);
void pm_others_free(pm_others *o);

/* Every row passes here; those left out are added up. */
pmapdb_status pm_others_see(pm_others *o, const pm_value *values, bool left_out, pmapdb_error *err);

/* "[12 others]", and the sums of KiB and of counts: unknown where one of them is. Rows of several
 * moments have no sum. NULL where nothing was left out. Lasts until the next call. */
const pm_value *pm_others_row(pm_others *o);

#endif
