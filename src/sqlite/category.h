/* category: the category of a mapping that is not in a store, by the rules of the store that is
 * open, as if the store had no other capture; without a store, by the built-in rules. */
#ifndef PM_SQLITE_CATEGORY_H
#define PM_SQLITE_CATEGORY_H

#include "api/categorize.h"
#include <sqlite3ext.h>

/* Lives for one query. Begins with db set and the rest zero. */
typedef struct pm_categorizer {
    sqlite3 *db;
    pm_rules *rules;             /* NULL until the first question */
    pm_categorize rows;          /* of the current capture; row NULL: not asked yet */
    pm_classify_context context; /* likewise, once `prepared` */
    bool prepared;
    pm_buf category;
} pm_categorizer;

void pm_categorizer_free(pm_categorizer *r);

/* Another capture follows. */
void pm_categorizer_forget(pm_categorizer *r);

/* The category of a mapping of the capture by the table of classify.h, without rules. */
pm_category pm_categorizer_base(pm_categorizer *r, const pm_capture *capture, const pm_mapping *m);

/* *out is valid until the next call. */
pmapdb_status pm_categorizer_ask(pm_categorizer *r, const pm_capture *capture, const pm_mapping *m,
                                 const char **out, pmapdb_error *err);

#endif
