/* categorize: the categories of a capture that is in no store, by a set of rules. */
#ifndef PM_API_CATEGORIZE_H
#define PM_API_CATEGORIZE_H

#include "classify/rules.h"

/* One capture, as the rules ask for it. Zeroed, it is empty. */
typedef struct pm_categorize {
    const pm_rules *rules;
    const pm_mapping **row; /* by address */
    size_t n;
    pm_classify_context context;
    uint64_t facts; /* of all rows */
} pm_categorize;

/* Rules, capture and its pool must outlive it. */
pmapdb_status pm_categorize_begin(pm_categorize *c, const pm_rules *rules,
                                  const pm_capture *capture, pmapdb_error *err);
void pm_categorize_end(pm_categorize *c);

/* Adds the category of a row of the capture. *rule: the one that won, or PM_NO_RULE. */
pmapdb_status pm_categorize_row(const pm_categorize *c, const pm_mapping *m, size_t *rule,
                                pm_buf *category, pmapdb_error *err);

#endif
