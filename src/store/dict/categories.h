/* categories: the dictionary of categories. Rules give texts, tables contain ids; a new text is
 * inserted, and every text that was used stays in memory.
 *
 * The categories of classify.h have fixed ids, pm_category + 1. Any other text comes from a rule:
 * either a refinement slug/detail of one of the 11 slugs that mappings get, which is its parent, or
 * free text, which is its own parent. */
#ifndef PM_STORE_CATEGORIES_H
#define PM_STORE_CATEGORIES_H

#include "base/map.h"
#include "store/file/sql.h"

/* The limit of one store; a text beyond the limit becomes no category. Only a rule that names each
 * file, or a program that names each block, gives so many texts. */
#define PM_CATEGORIES_MAX 2000
/* The part of the limit that is reserved for texts that rules contain literally; names from
 * captures cannot take it. */
#define PM_CATEGORIES_KEPT 200

/* A zeroed dictionary is empty; pm_map_free(&ids.index) ends it. */
typedef struct pm_category_ids {
    pm_map index; /* hash of a text that was used -> its id; 0: the row must be found again */
    bool anew;    /* true: only the used texts count; false: all rows of the store */
    bool asks;    /* true: categories go to temp table category_new */
    int64_t n;    /* categories that count towards the limit; 0: unknown. Valid only while no other
                     process writes */
} pm_category_ids;

/* For a caller that decides the category of lineages again before it takes the write lock: from now
 * on nothing is written, and each category that is used is put into temp table category_new, with
 * its id in the store, or one below zero if the store lacks it. Only the used ones count towards
 * the limit: the caller removes the others. */
void pm_category_ids_anew(pm_sql *sql, pm_category_ids *ids);
/* In a transaction: inserts the categories of category_new that the store lacks. Later ones are
 * inserted at once. */
void pm_category_ids_insert(pm_sql *sql, pm_category_ids *ids);

/* Finds or inserts a category. of_data: the text contains names from captures. Returns 0 if the
 * limit is reached; nothing is written then. */
int64_t pm_category_id(pm_sql *sql, pm_category_ids *ids, pm_text category, bool of_data);

/* Inserts the missing rows for the categories of classify.h. */
void pm_category_ids_built_in(pm_sql *sql);
/* Adds the missing rows of table dialect, and corrects the ranks of the others. A newer program may
 * know dialects that the program that made the store did not. */
void pm_dialects_add(pm_sql *sql);
/* Removes the categories from rules that no row has any more. */
void pm_category_remove_unused(pm_sql *sql);

#endif
