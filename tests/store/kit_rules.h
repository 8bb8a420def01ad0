/* kit_rules: the rules of stores that tests create: two rules about neighbours, so that whole.h can
 * express them in SQL; every other mapping keeps its slug. */
#ifndef TESTS_STORE_KIT_RULES_H
#define TESTS_STORE_KIT_RULES_H

#include "store/rules/rule_set.h"

#define KIT_RULES                                                                              \
    "rule,category,base,perms,size,below,above\n"                                              \
    "stack,anonymous/thread-stack,anonymous,rw?p,1000..1032 2040..2056 4088..4104 8180..8196," \
    "base=reserve size=..1M,\n"                                                                \
    "guard,reserve/guard,reserve,,..1M,,base=anonymous perms=rw?p\n"

/* Stores the rules if the store still has the default rules. */
static inline pmapdb_status kit_rules(pm_sql *sql, const char *text)
{
    pm_rule_text rules = {.applied_ms = 1700000000000};
    int64_t n =
        pm_sql_value(sql, "SELECT count(*) FROM rule_set WHERE name = 'default'", PM_NO_ARGS, 0);
    pmapdb_status st = pm_sql_end(sql, NULL);

    if (st == PMAPDB_OK && n)
        st = pm_buf_add(&rules.name, "kit", 3, NULL);
    if (st == PMAPDB_OK && n)
        st = pm_buf_add(&rules.text, text, strlen(text), NULL);
    if (st == PMAPDB_OK && n)
        pm_rule_text_store(sql, &rules);
    pm_rule_text_free(&rules);
    return st == PMAPDB_OK ? pm_sql_end(sql, NULL) : st;
}

#endif
