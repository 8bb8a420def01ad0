/* rules_match: which rule a mapping matches. */
#include "classify/rules_condition.h"

/* ---- facts ---- */

static uint64_t facts_of(const pm_rules *set, const pm_rule_row *row, bool placed)
{
    uint64_t facts = 0;

    for (size_t i = 0; i < set->n_terms; i++)
        if ((set->placed >> i & 1) == placed &&
            !pm_rule_first_failing(&set->term[i].conditions, row, row, set->space))
            facts |= UINT64_C(1) << i;
    return facts;
}

uint64_t pm_rules_object_facts(const pm_rules *set, const pm_rule_row *row)
{
    return facts_of(set, row, false);
}

uint64_t pm_rules_place_facts(const pm_rules *set, const pm_rule_row *row)
{
    return set->placed ? facts_of(set, row, true) : 0;
}

/* ---- rules ---- */

const pm_rule_row *pm_rule_touching(const pm_rule_row *row, const pm_rule_row *other, bool below)
{
    if (!other)
        return NULL;
    if (below)
        return other->start + other->length == row->start ? other : NULL;
    return row->start + row->length == other->start ? other : NULL;
}

static bool neighbour_holds(const pm_rule_conditions *c, const pm_rule_row *touching,
                            const pm_rule_row *row, pm_regex_space *space)
{
    if (c->nothing)
        return !touching;
    return c->n == 0 || (touching && !pm_rule_first_failing(c, touching, row, space));
}

size_t pm_rules_match(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                      const pm_rule_row *row, const pm_rule_row *above)
{
    const pm_rule_row *lower = pm_rule_touching(row, below, true);
    const pm_rule_row *upper = pm_rule_touching(row, above, false);
    const size_t *index = set->of_base[row->base];

    for (size_t n = set->n_of_base[row->base]; n > 0; n--, index++) {
        const pm_rule *rule = &set->rule[*index];

        if ((facts & rule->with) == rule->with && !(facts & rule->without) &&
            !pm_rule_first_failing(&rule->own, row, row, set->space) &&
            neighbour_holds(&rule->below, lower, row, set->space) &&
            neighbour_holds(&rule->above, upper, row, set->space))
            return *index;
    }
    return PM_NO_RULE;
}

uint64_t pm_rules_gave_up(const pm_rules *set, size_t *index)
{
    *index = set->space->gave_up ? set->space->gave_up_rule : PM_NO_RULE;
    return set->space->gave_up;
}
