/* category: the category of a mapping that is in no store: what the store that the extension is
 * loaded in would say of it, had it no other capture; elsewhere, what a new store would say. */
#ifndef PM_SQLITE_CATEGORY_H
#define PM_SQLITE_CATEGORY_H

#include "classify/rules.h"
#include "sqlite/blocks.h"
#include <sqlite3ext.h>

/* Zeroed but for db; lasts for one query. */
typedef struct pm_categorizer {
    sqlite3 *db;
    pm_rules *rules; /* NULL: not asked yet */
    pm_buf category;
} pm_categorizer;

void pm_categorizer_free(pm_categorizer *r);

/* *out lasts until the next call. */
pmapdb_status pm_categorizer_ask(pm_categorizer *r, pm_found_block *h, const pm_mapping *m,
                                 const char **out, pmapdb_error *err);

#endif
