/* refine: the categories that rules give. */
#include "store/refine.h"

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
                         .device = o->has_device ? o->device : NULL,
                         .base = (pm_category)(o->category_id - 1),
                         .has_flags = o->has_flags};
}

/* *open: what its place is still to be asked. */
static pmapdb_status object_facts(pm_refine *refine, const pm_rules *rules, const pm_row *of,
                                  uint64_t *open, pmapdb_error *err)
{
    pm_rule_known *known;
    uint64_t *memo;
    pmapdb_status st = pm_rule_set_known(refine->rules, rules, of->at.object, &known, &memo, err);

    if (st != PMAPDB_OK)
        return st;
    if (!known->has_facts) {
        pm_rule_row row = rule_row_of(of);

        known->facts = pm_rules_object_facts(rules, &row, &known->open);
    }
    known->has_facts = true;
    refine->facts |= known->facts;
    *open = known->open;
    return PMAPDB_OK;
}

static pmapdb_status find_facts(pm_refine *refine, const pm_rules *rules, const pm_rows *rows,
                                pmapdb_error *err)
{
    const pm_object *before = NULL; /* rows of one object often stand together */
    uint64_t open = 0;

    refine->facts = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const pm_object *object = rows->row[i].at.object;
        pmapdb_status st =
            object == before ? PMAPDB_OK : object_facts(refine, rules, &rows->row[i], &open, err);

        if (st != PMAPDB_OK)
            return st;
        before = object;
        if (open & ~refine->facts) {
            pm_rule_row row = rule_row_of(&rows->row[i]);

            refine->facts |= pm_rules_place_facts(rules, &row, open & ~refine->facts);
        }
    }
    refine->has_facts = true;
    return PMAPDB_OK;
}

static size_t match(pm_refine *refine, const pm_rules *rules, uint64_t *memo, const pm_rows *rows,
                    size_t i, const pm_rule_row *row)
{
    pm_rule_row below, above;
    size_t rule, slow;
    uint64_t gave_up = pm_rules_gave_up(rules, &slow);

    if (i > 0)
        below = rule_row_of(&rows->row[i - 1]);
    if (i + 1 < rows->n)
        above = rule_row_of(&rows->row[i + 1]);
    rule = pm_rules_match_object(rules, memo, refine->facts, i > 0 ? &below : NULL, row,
                                 i + 1 < rows->n ? &above : NULL);
    if (pm_rules_gave_up(rules, &slow) > gave_up)
        refine->slow_rule = pm_rules_name(rules, slow);
    return rule;
}

/* A category by its text, as the rule gives it. */
static pmapdb_status name(pm_refine *refine, const pm_rules *rules, size_t rule,
                          const pm_rule_row *row, int64_t *out, pmapdb_error *err)
{
    pm_buf category = {0};
    bool of_data = strchr(pm_rules_template(rules, rule), '%') != NULL;
    pmapdb_status st = pm_rules_category(rules, rule, row, &category, err);

    if (st == PMAPDB_OK)
        st = pm_category_id(refine->categories, pm_buf_text(&category), PM_TEXT(""), of_data, out,
                            err);
    pm_buf_free(&category);
    refine->unnamed += st == PMAPDB_OK && !*out;
    return st;
}

/* The one place where rules are asked. */
pmapdb_status pm_refine_row(pm_refine *refine, const pm_rows *rows, size_t i, pm_ruling *out,
                            pmapdb_error *err)
{
    const pm_object *object = rows->row[i].at.object;
    pm_rule_row row = rule_row_of(&rows->row[i]);
    const pm_rules *rules;
    pm_rule_known *known;
    uint64_t *memo;
    size_t rule;
    pmapdb_status st = pm_rule_set_rules(refine->rules, &rules, err);

    *out = (pm_ruling){0};
    if (st == PMAPDB_OK && !refine->has_facts)
        st = find_facts(refine, rules, rows, err);
    if (st == PMAPDB_OK)
        st = pm_rule_set_known(refine->rules, rules, object, &known, &memo, err);
    if (st != PMAPDB_OK)
        return st;
    rule = match(refine, rules, memo, rows, i, &row);
    if (rule == PM_NO_RULE)
        return PMAPDB_OK;
    if (known->rule != rule || !known->kept)
        st = name(refine, rules, rule, &row, &known->kept, err);
    if (st != PMAPDB_OK)
        return st;
    known->rule = rule;
    *out = (pm_ruling){known->kept, known->kept ? pm_rules_name(rules, rule) : NULL};
    return PMAPDB_OK;
}

void pm_refine_doubt(const pm_refine *refine, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    if (refine->unnamed)
        used = (size_t)snprintf(out, size,
                                "%zu of its mappings have the category of their slug alone: the "
                                "store has room for %d such names%s",
                                refine->unnamed, PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT,
                                refine->slow_rule ? "; " : "");
    if (refine->slow_rule && used < size)
        snprintf(out + used, size - used,
                 "rule '%s' matches nothing on some path: its regex takes too long there",
                 refine->slow_rule);
}

/* ---- against what is stored ---- */

/* The lineage has this category by this rule (NULL: none), or its name from the program itself,
 * which no rule changes. */
static pmapdb_status is_settled(pm_sql *sql, const pm_descent *lineage, const pm_ruling *ruling,
                                bool *out, pmapdb_error *err)
{
    int64_t n;
    pmapdb_status st = pm_sql_int(
        sql,
        "SELECT count(*) FROM lineage WHERE lineage_id = ?1 AND (rule IS ?2 AND ?3 OR rule = ?4)",
        PM_ARGS(PM_I(lineage->lineage), PM_S(ruling->rule), PM_I(lineage->kept == ruling->kept),
                PM_S(PM_RULE_LABEL)),
        0, &n, err);

    *out = n != 0;
    return st;
}

/* Several rules may give one category. */
static pmapdb_status row_differs(pm_put *p, size_t i, const pm_descent *descent, bool *out,
                                 pmapdb_error *err)
{
    bool settled = true;
    pm_ruling ruling;
    pmapdb_status st = pm_refine_row(&p->refine, &p->rows, i, &ruling, err);

    if (st == PMAPDB_OK && (ruling.kept || descent->kept))
        st = is_settled(p->sql, descent, &ruling, &settled, err);
    *out = !settled;
    return st;
}

pmapdb_status pm_refine_differs(pm_put *p, const pm_rows *base, const pm_rows *stream, bool *out,
                                pmapdb_error *err)
{
    pm_descent *descent = NULL;
    pm_ids known = {0};
    pmapdb_status st = pm_rows_lineages(stream, &known, err);

    *out = false;
    if (st == PMAPDB_OK)
        st = pm_rows_descent(base, &p->rows, &descent, err);
    for (size_t i = 0; i < p->rows.n && st == PMAPDB_OK && !*out; i++)
        if (descent[i].lineage != PM_NO_LINEAGE && !pm_ids_has(&known, descent[i].lineage))
            st = row_differs(p, i, &descent[i], out, err);
    free(descent);
    pm_ids_free(&known);
    return st;
}

/* ---- a lineage ---- */

static int compare_refined(const void *a, const void *b)
{
    const pm_refined *x = a, *y = b;

    if (x->lineage != y->lineage)
        return x->lineage < y->lineage ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Fills item->refined. */
static pmapdb_status refine_item(pm_late *l, size_t i, pmapdb_error *err)
{
    pm_late_item *item = &l->item[i];
    pm_refine *refine = &l->p->refine;
    pm_rows fetched = {0};
    pm_rows *rows = i == l->at ? &l->p->rows : &fetched;
    pmapdb_status st = PMAPDB_OK;

    if (item->refined)
        return PMAPDB_OK;
    if (i != l->at)
        st = pm_late_rows(l, i, rows, err);
    if (st == PMAPDB_OK)
        item->refined = calloc(rows->n + 1, sizeof *item->refined);
    if (st == PMAPDB_OK && !item->refined)
        st = pm_fail_nomem(err);
    pm_refine_turn(refine);
    for (size_t r = 0; r < rows->n && st == PMAPDB_OK; r++) {
        pm_ruling ruling;

        st = pm_refine_row(refine, rows, r, &ruling, err);
        if (ruling.kept)
            item->refined[item->n_refined++] = (pm_refined){rows->row[r].at.lineage, r, ruling};
    }
    pm_refine_turn(refine);
    if (st == PMAPDB_OK && item->refined && item->n_refined)
        qsort(item->refined, item->n_refined, sizeof *item->refined, compare_refined);
    pm_rows_free(&fetched);
    return st;
}

pmapdb_status pm_refine_lineage(pm_late *l, size_t i, int64_t lineage, pm_ruling *out,
                                pmapdb_error *err)
{
    const pm_late_item *item = &l->item[i];
    pmapdb_status st = refine_item(l, i, err);
    size_t low = 0, high = item->n_refined;

    while (st == PMAPDB_OK && low < high) {
        size_t middle = (low + high) / 2;

        if (item->refined[middle].lineage < lineage)
            low = middle + 1;
        else
            high = middle;
    }
    *out = (pm_ruling){0};
    if (st == PMAPDB_OK && low < item->n_refined && item->refined[low].lineage == lineage)
        *out = item->refined[low].ruling;
    return st;
}
