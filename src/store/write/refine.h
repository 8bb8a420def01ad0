/* refine: the categories that rules give (classify/rules.h).
 *
 * A lineage has one for its life: what the rules say in the first capture of the strongest kind
 * (complete before partial, then the dialect with most fields) that shows it; where it has several
 * rows there, of the lowest for which they say anything. Its regions repeat it, for whoever reads
 * them. */
#ifndef PM_STORE_REFINE_H
#define PM_STORE_REFINE_H

#include "store/dict/categories.h"
#include "store/dict/row.h"
#include "store/rules/rule_set.h"
#include "store/write/lineage.h"
#include "store/write/newest.h"

/* What is needed besides the rows of one capture, whose facts are found when rules are first asked.
 */
typedef struct pm_refine {
    pm_category_ids *categories;
    pm_rule_set *rules;
    uint64_t facts; /* see classify/rules.h; once has_facts */
    bool has_facts;
    /* What could not be said: */
    size_t unnamed;        /* rows whose category is one too many for the store */
    const char *slow_rule; /* whose regex gave up on a path, or NULL */
} pm_refine;

/* What the rules say of a row. */
typedef struct pm_ruling {
    int64_t kept;     /* category_id; 0: nothing */
    const char *rule; /* that gives it; as long as the rule set */
} pm_ruling;

/* From here on it is asked of another capture. */
static inline void pm_refine_turn(pm_refine *refine)
{
    refine->has_facts = false;
}

/* What the rules say of row i; rows are all of one capture, sorted by place. */
pmapdb_status pm_refine_row(pm_refine *refine, const pm_rows *rows, size_t i, pm_ruling *out,
                            pmapdb_error *err);

/* What could not be said so far, as a warning to whoever stored it; empty: nothing. */
void pm_refine_doubt(const pm_refine *refine, char *out, size_t size);

/* A capture that is put back shows lineages that a program itself had named: those that take their
 * place have that name, too. */
struct pm_put;
void pm_refine_labelled(struct pm_put *p, pm_newest *n, pm_descent *descent);

/* The capture tells more than the one from which it takes its lineages: the rules are asked again
 * of lineages that no capture of its kind has shown. What they say from now on is told to the
 * captures before, in the file and in `n`, and to `descent`, of the capture's rows. */
void pm_refine_again(struct pm_put *p, pm_newest *n, const pm_stream *own, pm_descent *descent);

#endif
