/* refine: the categories from the rules. */
#include "store/rules/refine.h"

#include <stdio.h>
#include <stdlib.h>

void pm_refine_free(pm_refine *refine)
{
    pm_rules_free(refine->own);
    pm_map_free(&refine->possible);
    pm_map_free(&refine->categories.index);
    *refine = (pm_refine){0};
}

static pm_rule_row rule_row_of(const pm_row *row)
{
    const pm_object *o = row->at.object;

    return (pm_rule_row){.start = row->at.start,
                         .length = row->at.length,
                         .path = o->path,
                         .flags = o->flags,
                         .perms = o->perms,
                         .base = (pm_category)(o->category_id - 1),
                         .has_flags = o->has_flags};
}

static size_t match(pm_refine *refine, const pm_rows *rows, size_t i, const pm_rule_row *row)
{
    const pm_rules *rules = refine->rules;
    pm_rule_row below, above;
    size_t rule, slow;
    uint64_t gave_up = pm_rules_gave_up(rules, &slow);

    if (i > 0)
        below = rule_row_of(&rows->row[i - 1]);
    if (i + 1 < rows->n)
        above = rule_row_of(&rows->row[i + 1]);
    rule = pm_rules_match(rules, refine->facts, i > 0 ? &below : NULL, row,
                          i + 1 < rows->n ? &above : NULL);
    if (pm_rules_gave_up(rules, &slow) > gave_up)
        refine->slow_rule = pm_rules_texts(rules, slow)->name;
    return rule;
}

/* Finds the category that the rule's template gives for the row. */
static int64_t name(pm_sql *sql, pm_refine *refine, size_t rule, const pm_rule_row *row)
{
    const pm_rules *rules = refine->rules;
    pm_buf category = {0};
    bool of_data = strchr(pm_rules_texts(rules, rule)->category, '%') != NULL;
    int64_t id = 0;

    PM_SQL_STEP(sql, pm_rules_category(rules, rule, row, &category, &err));
    if (pm_sql_ok(sql))
        id = pm_category_id(sql, &refine->categories, pm_buf_text(&category), of_data);
    pm_buf_free(&category);
    refine->unnamed += pm_sql_ok(sql) && !id;
    return id;
}

/* Finds the facts of a capture. Many rows show the same object, and most objects make no term
 * possible: this is found out once for each object. */
static void find_facts(pm_sql *sql, pm_refine *refine, const pm_rows *rows)
{
    for (size_t i = 0; i < rows->n && pm_sql_ok(sql); i++) {
        pm_rule_row row = rule_row_of(&rows->row[i]);
        uint64_t hash = rows->row[i].at.object->hash;
        int64_t possible;

        if (!pm_map_get(&refine->possible, hash, &possible)) {
            possible = (int64_t)pm_rules_possible(refine->rules, &row);
            PM_SQL_STEP(sql, pm_rules_check(refine->rules, &err));
            PM_SQL_STEP(sql, pm_map_put(&refine->possible, hash, possible, &err));
        }
        refine->facts |= pm_rules_facts(refine->rules, (uint64_t)possible & ~refine->facts, &row);
    }
    refine->has_facts = true;
}

/* The one place where rules are matched. */
pm_ruling pm_refine_row(pm_sql *sql, pm_refine *refine, const pm_rows *rows, size_t i)
{
    pm_rule_row row = rule_row_of(&rows->row[i]);
    pm_ruling out = {0};
    size_t rule;

    if (!refine->rules && pm_sql_ok(sql))
        refine->rules = refine->own = pm_rules_of_store(sql);
    if (!refine->rules || !pm_sql_ok(sql))
        return out;
    if (!refine->has_facts)
        find_facts(sql, refine, rows);
    rule = match(refine, rows, i, &row);
    PM_SQL_STEP(sql, pm_rules_check(refine->rules, &err));
    if (rule != PM_NO_RULE)
        out.kept = name(sql, refine, rule, &row);
    if (out.kept)
        out.rule = pm_rules_texts(refine->rules, rule)->name;
    return out;
}

void pm_refine_doubt(const pm_refine *refine, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    if (refine->unnamed)
        used = (size_t)snprintf(out, size,
                                "%zu mappings have only a built-in category: the store has no room "
                                "for more than %d names from captures%s",
                                refine->unnamed, PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT,
                                refine->slow_rule ? "; " : "");
    if (refine->slow_rule && used < size)
        snprintf(out + used, size - used,
                 "rule '%s' does not match some path: its regex takes too long on it",
                 refine->slow_rule);
}
