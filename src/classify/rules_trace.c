/* rules_trace: how a set of rules comes to what it says of a mapping. */
#include "classify/rules_trace.h"

#include "classify/rules_set.h"

pmapdb_status pm_rules_trace(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                             const pm_rule_row *row, const pm_rule_row *above,
                             pmapdb_status (*on_step)(void *ctx, const pm_rules_step *step,
                                                      pmapdb_error *err),
                             void *ctx, pmapdb_error *err)
{
    pm_buf why = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < set->n_of_base[row->base] && st == PMAPDB_OK; i++) {
        pm_rules_step step = {.rule = set->of_base[row->base][i]};

        pm_buf_clear(&why);
        st = pm_rules_why(set, step.rule, facts, below, row, above, &why, err);
        step.matches = why.len == 0;
        step.why = pm_buf_text(&why).data;
        if (st == PMAPDB_OK)
            st = on_step(ctx, &step, err);
    }
    pm_buf_free(&why);
    return st;
}
