/* category: the category of a mapping that is not in a store, by the rules of the store that is
 * open, as if the store had no other capture; without a store, by the built-in rules. */
#ifndef PM_SQLITE_CATEGORY_H
#define PM_SQLITE_CATEGORY_H

#include "classify/rules.h"
#include "sqlite/blocks.h"
#include <sqlite3ext.h>

/* Lives for one query. Begins with db set and the rest zero. */
typedef struct pm_categorizer {
    sqlite3 *db;
    pm_rules *rules; /* NULL until the first question */
    pm_buf category;
} pm_categorizer;

void pm_categorizer_free(pm_categorizer *r);

/* *out is valid until the next call. */
pmapdb_status pm_categorizer_ask(pm_categorizer *r, pm_found_block *h, const pm_mapping *m,
                                 const char **out, pmapdb_error *err);

#endif
