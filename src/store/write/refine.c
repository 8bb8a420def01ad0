/* refine: the categories from the rules. */
#include "store/write/rewind.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- one capture ---- */

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

static size_t match(pm_refine *refine, const pm_rules *rules, const pm_rows *rows, size_t i,
                    const pm_rule_row *row)
{
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
        refine->slow_rule = pm_rules_name(rules, slow);
    return rule;
}

/* Finds the category that the rule's template gives for the row. */
static int64_t name(pm_sql *sql, pm_refine *refine, const pm_rules *rules, size_t rule,
                    const pm_rule_row *row)
{
    pm_buf category = {0};
    bool of_data = strchr(pm_rules_template(rules, rule), '%') != NULL;
    int64_t id = 0;

    PM_SQL_STEP(sql, pm_rules_category(rules, rule, row, &category, &err));
    if (pm_sql_ok(sql))
        id = pm_category_id(refine->categories, pm_buf_text(&category), PM_TEXT(""), of_data);
    pm_buf_free(&category);
    refine->unnamed += pm_sql_ok(sql) && !id;
    return id;
}

/* The one place where rules are matched. */
pm_ruling pm_refine_row(pm_sql *sql, pm_refine *refine, const pm_rows *rows, size_t i)
{
    pm_rule_row row = rule_row_of(&rows->row[i]);
    const pm_rules *rules = pm_sql_ok(sql) ? pm_rule_set_rules(refine->rules) : NULL;
    pm_ruling out = {0};
    size_t rule;

    if (!rules)
        return out;
    for (size_t k = 0; k < rows->n && !refine->has_facts; k++) {
        pm_rule_row other = rule_row_of(&rows->row[k]);

        refine->facts |= pm_rules_facts(rules, &other);
    }
    refine->has_facts = true;
    rule = match(refine, rules, rows, i, &row);
    if (rule != PM_NO_RULE)
        out.kept = name(sql, refine, rules, rule, &row);
    if (out.kept)
        out.rule = pm_rules_name(rules, rule);
    return out;
}

void pm_refine_doubt(const pm_refine *refine, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    if (refine->unnamed)
        used = (size_t)snprintf(out, size,
                                "%zu of its mappings have only the category of their slug: the "
                                "store has room for %d names from captures%s",
                                refine->unnamed, PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT,
                                refine->slow_rule ? "; " : "");
    if (refine->slow_rule && used < size)
        snprintf(out + used, size - used,
                 "rule '%s' does not match some path: its regex takes too long on it",
                 refine->slow_rule);
}

/* ---- lineages that are already stored ---- */

/* True if the category of the lineage stays: it has this category by this rule, or the program
 * itself named it, which no rule changes, or an earlier capture of at least the same kind showed
 * it. */
static bool is_settled(pm_put *p, int64_t lineage, const pm_ruling *ruling)
{
    int64_t n = pm_sql_value(
        p->sql,
        "SELECT count(*) FROM lineage WHERE lineage_id = ?1 AND (rule = ?4 OR rule IS ?2 AND "
        "(rule IS NULL OR category_id = ?3))",
        PM_ARGS(PM_I(lineage), PM_S(ruling->rule), PM_I(ruling->kept), PM_S(PM_RULE_LABEL)), 1);

    if (n == 0)
        n = pm_sql_value(
            p->sql,
            "SELECT count(*) FROM region r CROSS JOIN epoch e ON e.process_id = ?2 "
            "CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id AND v.region_id = r.region_id "
            "CROSS JOIN snapshot s ON s.epoch_id = v.epoch_id AND s.off = v.first "
            "CROSS JOIN dialect d ON d.name = e.dialect "
            "WHERE r.lineage_id = ?1 AND (e.state, d.rank) <= (?3, ?4)",
            PM_ARGS(PM_I(lineage), PM_I(p->process_id), PM_S(pm_state_name(p->order.state)),
                    PM_I(p->order.dialect)),
            1);
    return n != 0;
}

/* Sets the rule and category of a lineage. Without a rule the category is that of its first
 * capture. */
static void set_kept(pm_put *p, int64_t lineage, const pm_ruling *ruling)
{
    pm_sql_do(
        p->sql,
        "UPDATE lineage SET rule = ?2, category_id = coalesce(?3, (SELECT o.category_id "
        "FROM region r CROSS JOIN snapshot s ON s.snapshot_id = first_snapshot_id "
        "CROSS JOIN mapping_version v ON v.epoch_id = s.epoch_id AND v.region_id = r.region_id "
        "AND v.first <= s.off AND coalesce(v.last, s.off) >= s.off "
        "CROSS JOIN object o ON o.object_id = r.object_id "
        "WHERE r.lineage_id = ?1 ORDER BY r.start < 0, r.start LIMIT 1)) "
        "WHERE lineage_id = ?1",
        PM_ARGS(PM_I(lineage), PM_S(ruling->rule),
                PM_I(ruling->kept ? ruling->kept : PMAPDB_UNKNOWN)));
    pm_sql_do(p->sql, "UPDATE region SET category_id = ?2 WHERE lineage_id = ?1",
              PM_ARGS(PM_I(lineage), PM_I(ruling->kept ? ruling->kept : PMAPDB_UNKNOWN)));
}

static void recount(pm_put *p, pm_newest *n)
{
    sqlite3_stmt *stmt =
        pm_sql_ask(p->sql, "SELECT epoch_id FROM epoch WHERE process_id = ?1 AND state <> 'totals'",
                   PM_ARGS(PM_I(p->process_id)));

    while (pm_sql_next(p->sql, stmt))
        pm_stream_recount(p->sql, p->objects, pm_col_int(stmt, 0));
    for (size_t s = 0; s < PM_STREAMS; s++)
        if (n->stream[s] && n->stream[s]->epoch_id)
            pm_stream_load_sums(p->sql, n->stream[s]);
}

/* Changes the category of row i and of all other rows of its lineage, stored ones too. */
static void change(pm_put *p, pm_newest *n, pm_descent *descent, size_t i, const pm_ruling *ruling)
{
    int64_t lineage = descent[i].lineage;

    if (descent[i].kept)
        PM_SQL_STEP(p->sql, pm_map_put(p->left, (uint64_t)descent[i].kept, 1, &err));
    set_kept(p, lineage, ruling);
    for (size_t s = 0; s < PM_STREAMS; s++)
        for (size_t k = 0; n->stream[s] && k < n->stream[s]->rows.n; k++)
            if (n->stream[s]->rows.row[k].at.lineage == lineage)
                n->stream[s]->rows.row[k].at.kept = ruling->kept;
    for (size_t k = 0; k < p->rows.n; k++)
        if (descent[k].lineage == lineage)
            descent[k].kept = ruling->kept;
}

void pm_refine_labelled(pm_put *p, pm_newest *n, pm_descent *descent)
{
    pm_map *labelled = &p->rewind->labelled;
    bool changed = false;

    for (size_t i = 0; i < p->rows.n && labelled->used && pm_sql_ok(p->sql); i++) {
        pm_ruling ruling = {.rule = PM_RULE_LABEL};
        int64_t lineage = descent[i].lineage, known;

        if (lineage == PM_NO_LINEAGE ||
            !pm_map_get(labelled, (uint64_t)p->rows.row[i].at.lineage, &ruling.kept) ||
            pm_map_get(labelled, (uint64_t)lineage, &known))
            continue;
        change(p, n, descent, i, &ruling);
        PM_SQL_STEP(p->sql, pm_map_put(labelled, (uint64_t)lineage, ruling.kept, &err));
        changed = true;
    }
    if (changed)
        recount(p, n);
}

void pm_refine_again(pm_put *p, pm_newest *n, const pm_stream *own, pm_descent *descent)
{
    pm_map known = {0};
    bool changed = false;

    for (size_t i = 0; i < own->rows.n; i++)
        PM_SQL_STEP(p->sql, pm_map_put(&known, (uint64_t)own->rows.row[i].at.lineage, 1, &err));
    for (size_t i = 0; i < p->rows.n && pm_sql_ok(p->sql); i++) {
        int64_t lineage = descent[i].lineage, seen;
        pm_ruling ruling = {0};

        if (lineage == PM_NO_LINEAGE || pm_map_get(&known, (uint64_t)lineage, &seen))
            continue;
        for (size_t k = 0; k < p->rows.n && !ruling.kept; k++) /* the lowest row decides */
            if (descent[k].lineage == lineage)
                ruling = pm_refine_row(p->sql, &p->refine, &p->rows, k);
        if ((!ruling.kept && !descent[i].kept) || is_settled(p, lineage, &ruling))
            continue;
        change(p, n, descent, i, &ruling);
        changed = true;
    }
    if (changed)
        recount(p, n);
    pm_map_free(&known);
}
