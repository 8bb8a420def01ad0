/* rules_trace: how a set of rules comes to what it says of a mapping, rule by rule. */
#ifndef PM_CLASSIFY_RULES_TRACE_H
#define PM_CLASSIFY_RULES_TRACE_H

#include "classify/rules.h"

/* What one rule says of the mapping. */
typedef struct pm_rules_step {
    size_t rule;
    bool matches;
    const char *why; /* it does not: the first condition that does not hold, and what was found */
} pm_rules_step;

/* Of all rules that mappings of the row's base can match, in their order; behind the first that
 * matches too. on_step ends it by another status than PMAPDB_OK, which is returned. */
pmapdb_status pm_rules_trace(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                             const pm_rule_row *row, const pm_rule_row *above,
                             pmapdb_status (*on_step)(void *ctx, const pm_rules_step *step,
                                                      pmapdb_error *err),
                             void *ctx, pmapdb_error *err);

#endif
