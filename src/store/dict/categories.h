/* categories: the dictionary of what mappings count as. Rules give texts, tables have ids; a text
 * is written when it is new and kept in memory once seen.
 *
 * Those of classify.h have fixed ids, pm_category + 1. Any other text is one that a rule gave: a
 * refinement slug/detail of one of the 11 slugs that mappings get, which is then its parent, or
 * free text, which is its own. */
#ifndef PM_STORE_CATEGORIES_H
#define PM_STORE_CATEGORIES_H

#include "store/file/sql.h"

/* Of one store. More are no categories any more: a rule that names each file one by its name, or a
 * program that gives each block another. */
#define PM_CATEGORIES_MAX 2000
/* Of them, those that no name from data can take: what a set of rules calls itself. */
#define PM_CATEGORIES_KEPT 200

typedef struct pm_category_ids pm_category_ids;

pmapdb_status pm_category_ids_new(pm_sql *sql, pm_category_ids **out, pmapdb_error *err);
/* For who gives every lineage its category anew: only those that are asked for from now on count,
 * and what is left of the others is to be removed. */
pmapdb_status pm_category_ids_anew(pm_sql *sql, pm_category_ids **out, pmapdb_error *err);
void pm_category_ids_free(pm_category_ids *ids);

/* The id of a category; `about` describes it where it is new. of_data: its text comes from names in
 * captures. *out = 0: it would be one too many; nothing is written. */
pmapdb_status pm_category_id(pm_category_ids *ids, pm_text category, pm_text about, bool of_data,
                             int64_t *out, pmapdb_error *err);

/* Writes the rows of those of classify.h that are missing. */
pmapdb_status pm_category_ids_built_in(pm_sql *sql, pmapdb_error *err);

#endif
