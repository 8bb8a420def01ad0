/* ruled: the category of a mapping that is in no store: what the store that the extension is loaded
 * in would say of it, had it no other capture; elsewhere, what a new store would say. */
#ifndef PM_SQLITE_RULED_H
#define PM_SQLITE_RULED_H

#include "classify/rules.h"
#include "sqlite/held.h"
#include <sqlite3ext.h>

/* Zeroed but for db; lasts for one query. */
typedef struct pm_ruled {
    sqlite3 *db;
    pm_rules *rules; /* NULL: not asked yet */
    pm_buf category;
} pm_ruled;

void pm_ruled_free(pm_ruled *r);

/* *out lasts until the next call. */
pmapdb_status pm_ruled_category(pm_ruled *r, pm_held *h, const pm_mapping *m, const char **out,
                                pmapdb_error *err);

#endif
