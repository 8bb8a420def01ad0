/* cell: one value as a table shows it. Private to src/render. */
#ifndef PM_RENDER_CELL_H
#define PM_RENDER_CELL_H

#include "base/buf.h"
#include "render/render.h"

/* Adds a column's name. Where every number shows its unit, the name need not: rss_kib_delta ->
 * rss_delta. */
pmapdb_status pm_cell_add_name(pm_buf *out, const pm_column *c, bool human, pmapdb_error *err);

/* Adds v to out as printable text of one line. */
pmapdb_status pm_cell_add(pm_buf *out, pm_unit unit, const pm_value *v, bool human,
                          pmapdb_error *err);

#endif
