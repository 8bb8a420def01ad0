/* refine: the categories from the rules (classify/rules.h).
 *
 * A lineage has one category for its life: the category that the rules give in the first capture of
 * the strongest kind (complete before partial, then the dialect with most fields) that shows it. If
 * the lineage has several rows there, the lowest row with a category decides. Its regions repeat
 * the category, for readers of the table. */
#ifndef PM_STORE_REFINE_H
#define PM_STORE_REFINE_H

#include "store/dict/categories.h"
#include "store/dict/row.h"
#include "store/rules/rule_set.h"

/* A zeroed one has the rules of the store. */
typedef struct pm_refine {
    const pm_rules *rules; /* NULL: those of the store, once they are needed */
    pm_rules *own;         /* the same, compiled here */
    pm_map possible;       /* hash of an object -> the terms that it makes possible */
    pm_category_ids categories;
    /* of one capture: */
    uint64_t facts; /* see classify/rules.h; once has_facts */
    bool has_facts;
    /* Failures to report: */
    size_t unnamed;        /* rows whose category is one too many for the store */
    const char *slow_rule; /* name of a rule whose regex gave up on a path, or NULL */
} pm_refine;

void pm_refine_free(pm_refine *refine);

/* The answer of the rules for one row. */
typedef struct pm_ruling {
    int64_t kept;     /* category_id; 0: no category */
    const char *rule; /* name of the rule; valid as long as the rule set */
} pm_ruling;

/* Begins another capture: its facts must be found again. */
static inline void pm_refine_turn(pm_refine *refine)
{
    refine->facts = 0;
    refine->has_facts = false;
}

/* Matches the rules against row i; all rows are of one capture, sorted by place. */
pm_ruling pm_refine_row(pm_sql *sql, pm_refine *refine, const pm_rows *rows, size_t i);

/* Writes the failures so far as a warning for the user; empty: none. */
void pm_refine_doubt(const pm_refine *refine, char *out, size_t size);

#endif
