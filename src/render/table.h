/* table: the state of a table, which table.c and table_fit.c share. Private to src/render. */
#ifndef PM_RENDER_TABLE_H
#define PM_RENDER_TABLE_H

#include "base/library.h"
#include "render/format.h"

#include <libsmartcols.h>

typedef struct column {
    struct libscols_column *scols; /* owned by the table */
    size_t width;                  /* of its longest cell */
    bool free_text;                /* may be wrapped, unlike a time or a category */
    bool left_out;
} column;

typedef struct table {
    struct libscols_table *scols;
    column *columns;
    size_t bytes;
} table;

/* All failures of libsmartcols are lack of memory. */
static inline bool pm_table_ok(pm_render *r, int result)
{
    if (result != 0 && r->st == PMAPDB_OK)
        r->st = pm_fail_nomem(&r->error);
    return result == 0;
}

/* Makes the table fit the width of the terminal: leaves out columns, cuts paths, wraps text. */
void pm_table_fit(pm_render *r);

#endif
