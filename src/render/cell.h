/* cell: one value as a table shows it. Private to src/render. */
#ifndef PM_RENDER_CELL_H
#define PM_RENDER_CELL_H

#include "base/buf.h"
#include "render/render.h"

/* Adds v to out as printable text of one line. */
pmapdb_status pm_cell_add(pm_buf *out, pm_unit unit, const pm_value *v, bool human,
                          pmapdb_error *err);

#endif
