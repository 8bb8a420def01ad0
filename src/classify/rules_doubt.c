/* rules_doubt: what a rule asks of, and what in a set is allowed and perhaps not meant. */
#include "classify/rules_condition.h"

bool pm_rules_of_object(const pm_rules *set, size_t index)
{
    const pm_rule *rule = &set->rule[index];

    for (size_t i = 0; i < rule->own.n; i++)
        if (rule->own.item[i].key == PM_RULE_KEY_FLAGS || pm_rule_is_placed(&rule->own.item[i]))
            return false;
    return !rule->below.n && !rule->below.nothing && !rule->above.n && !rule->above.nothing &&
           !rule->with && !rule->without;
}

/* A regex without a place to begin at is found in names that only contain it. */
static pmapdb_status doubt_rule(const pm_rule *rule, pm_buf *out, pmapdb_error *err)
{
    const pm_rule_condition *path = pm_rule_find(&rule->own, PM_RULE_KEY_PATH);
    const char *pattern = path && path->regex ? pm_regex_pattern(path->regex) : "^";

    if (strpbrk(pattern, "^/$") || strcmp(pattern, ".") == 0)
        return PMAPDB_OK;
    return pm_buf_addf(out, err, "rule '%s': its regex is found anywhere in a path; ^ is its begin",
                       rule->name);
}

/* Who gives categories names of their own wants all of them to have such. */
static pmapdb_status doubt_set(const pm_rules *set, pm_buf *out, pmapdb_error *err)
{
    bool own_names = false;
    const char *between = "";
    size_t begun = out->len;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < set->n; i++)
        own_names |= !set->rule[i].refines;
    for (size_t base = 0; base < PM_BASES && own_names && st == PMAPDB_OK; base++)
        if (set->n_of_base[base] == 0) {
            st = pm_buf_addf(out, err, "%s%s", between, pm_categories[base].slug);
            between = ", ";
        }
    if (st == PMAPDB_OK && out->len > begun)
        st = pm_buf_addf(out, err, ": there is no rule for this base: its slug shows");
    return st;
}

pmapdb_status pm_rules_warning(const pm_rules *set, size_t index, pm_buf *out, pmapdb_error *err)
{
    return index == PM_NO_RULE ? doubt_set(set, out, err) : doubt_rule(&set->rule[index], out, err);
}
