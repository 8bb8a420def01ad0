/* categories: the dictionary of what mappings count as. Rules give texts, tables have ids; a text
 * is written when it is new and kept in memory once seen.
 *
 * Those of classify.h have fixed ids, pm_category + 1. Any other text is one that a rule gave: a
 * refinement slug/detail of one of the 11 slugs that mappings get, which is then its parent, or
 * free text, which is its own. */
#ifndef PM_STORE_CATEGORIES_H
#define PM_STORE_CATEGORIES_H

#include "store/sql.h"

/* Of one store. More are no categories any more: a rule that names each file one by its name. */
#define PM_CATEGORIES_MAX 2000

typedef struct pm_category_ids pm_category_ids;

pmapdb_status pm_category_ids_new(pm_sql *sql, pm_category_ids **out, pmapdb_error *err);
void pm_category_ids_free(pm_category_ids *ids);

/* The id of a category; `about` describes it where it is new. PMAPDB_DATABASE where there are too
 * many: no capture is to blame. */
pmapdb_status pm_category_id(pm_category_ids *ids, pm_text category, pm_text about, int64_t *out,
                             pmapdb_error *err);

/* Writes the rows of those of classify.h that are missing. */
pmapdb_status pm_category_ids_built_in(pm_sql *sql, pmapdb_error *err);

#endif
