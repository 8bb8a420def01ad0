/* categorize: the categories of a capture that is not in a store, by a set of rules. */
#ifndef PM_API_CATEGORIZE_H
#define PM_API_CATEGORIZE_H

#include "classify/rules.h"

/* One capture in the form that the rules need. Zeroed, it is empty. */
typedef struct pm_categorize {
    const pm_rules *rules;
    const pm_mapping **row; /* sorted by address */
    size_t n;
    pm_classify_context context;
    uint64_t facts; /* of all rows */
} pm_categorize;

/* The rules, the capture and its pool must outlive it. */
pmapdb_status pm_categorize_begin(pm_categorize *c, const pm_rules *rules,
                                  const pm_capture *capture, pmapdb_error *err);
void pm_categorize_end(pm_categorize *c);

/* Adds the category of a row of the capture. *rule: the rule that won, or PM_NO_RULE. */
pmapdb_status pm_categorize_row(const pm_categorize *c, const pm_mapping *m, size_t *rule,
                                pm_buf *category, pmapdb_error *err);

#endif
