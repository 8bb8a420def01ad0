/* rules_match: which rule a mapping matches. */
#include "classify/rules_condition.h"

/* ---- facts ---- */

/* Either those of the row's place or those of its object. */
static bool all_hold(const pm_rules *set, const pm_rule_conditions *of, const pm_rule_row *row,
                     bool placed)
{
    for (size_t i = 0; i < of->n; i++) {
        const pm_rule_condition *c = &of->item[i];

        if (pm_rule_is_placed(c) == placed && !pm_rule_condition_holds(c, row, row, set->space))
            return false;
    }
    return true;
}

uint64_t pm_rules_object_facts(const pm_rules *set, const pm_rule_row *row, uint64_t *open)
{
    uint64_t facts = 0;

    for (size_t i = 0; i < set->n_terms; i++)
        if (all_hold(set, &set->term[i].conditions, row, false))
            facts |= UINT64_C(1) << i;
    *open = facts & set->placed;
    return facts & ~set->placed;
}

uint64_t pm_rules_place_facts(const pm_rules *set, const pm_rule_row *row, uint64_t open)
{
    uint64_t facts = 0;

    for (; open; open &= open - 1) {
        int i = __builtin_ctzll(open);

        if (all_hold(set, &set->term[i].conditions, row, true))
            facts |= UINT64_C(1) << i;
    }
    return facts;
}

uint64_t pm_rules_facts(const pm_rules *set, const pm_rule_row *row)
{
    uint64_t open, facts = pm_rules_object_facts(set, row, &open);

    return facts | pm_rules_place_facts(set, row, open);
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

/* ---- what is remembered of an object: two bits for each rule ---- */

#define WORD 64

size_t pm_rules_memo(const pm_rules *set)
{
    return 2 * ((set->n + WORD - 1) / WORD);
}

static bool object_holds(const pm_rules *set, uint64_t *memo, size_t index, const pm_rule_row *row)
{
    uint64_t *asked = memo ? memo + index / WORD * 2 : NULL, bit = UINT64_C(1) << index % WORD;
    uint64_t gave_up = set->space->gave_up;
    bool holds;

    if (asked && (asked[0] & bit))
        return asked[1] & bit;
    holds = all_hold(set, &set->rule[index].own, row, false);
    if (!asked || set->space->gave_up > gave_up) /* that is to be told of the next row, too */
        return holds;
    asked[0] |= bit;
    asked[1] |= holds ? bit : 0;
    return holds;
}

size_t pm_rules_match_object(const pm_rules *set, uint64_t *memo, uint64_t facts,
                             const pm_rule_row *below, const pm_rule_row *row,
                             const pm_rule_row *above)
{
    const pm_rule_row *lower = pm_rule_touching(row, below, true);
    const pm_rule_row *upper = pm_rule_touching(row, above, false);
    const size_t *index = set->of_base[row->base];

    for (size_t n = set->n_of_base[row->base]; n > 0; n--, index++) {
        const pm_rule *rule = &set->rule[*index];

        if ((facts & rule->with) == rule->with && !(facts & rule->without) &&
            all_hold(set, &rule->own, row, true) && object_holds(set, memo, *index, row) &&
            neighbour_holds(&rule->below, lower, row, set->space) &&
            neighbour_holds(&rule->above, upper, row, set->space))
            return *index;
    }
    return PM_NO_RULE;
}

size_t pm_rules_match(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                      const pm_rule_row *row, const pm_rule_row *above)
{
    return pm_rules_match_object(set, NULL, facts, below, row, above);
}

uint64_t pm_rules_gave_up(const pm_rules *set, size_t *index)
{
    *index = set->space->gave_up ? set->space->gave_up_rule : PM_NO_RULE;
    return set->space->gave_up;
}
