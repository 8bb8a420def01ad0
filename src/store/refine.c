/* refine: the categories that rules give. */
#include "store/refine.h"

#include "classify/neighbour.h"
#include <stdlib.h>

static pm_neighbour neighbour_of(const pm_row *row)
{
    return (pm_neighbour){.start = row->at.start,
                          .length = row->at.length,
                          .category = (pm_category)(row->at.object->category_id - 1),
                          .perms = row->at.object->perms};
}

/* The one place where rules are asked: a category by its text, as rules give it, and the rule. */
pmapdb_status pm_refine_row(pm_refine *refine, const pm_rows *rows, size_t i, pm_ruling *out,
                            pmapdb_error *err)
{
    pm_neighbour row = neighbour_of(&rows->row[i]), below, above;
    const pm_category_info *info;
    pm_category category;

    *out = (pm_ruling){0};
    if (i > 0)
        below = neighbour_of(&rows->row[i - 1]);
    if (i + 1 < rows->n)
        above = neighbour_of(&rows->row[i + 1]);
    category = pm_neighbour_category(i > 0 ? &below : NULL, &row, i + 1 < rows->n ? &above : NULL);
    if (category == PM_CATEGORY_COUNT)
        return PMAPDB_OK;
    info = &pm_categories[category];
    out->rule = pm_neighbour_rule(category);
    return pm_category_id(refine->categories, pm_text_of(info->slug), pm_text_of(info->description),
                          &out->kept, err);
}

/* ---- against what is stored ---- */

/* Several rules may give one category: has another one given it? */
static pmapdb_status is_of_other_rule(pm_sql *sql, int64_t lineage, const char *rule, bool *out,
                                      pmapdb_error *err)
{
    int64_t n;
    pmapdb_status st =
        pm_sql_int(sql, "SELECT count(*) FROM lineage WHERE lineage_id = ?1 AND rule IS NOT ?2",
                   PM_ARGS(PM_I(lineage), PM_S(rule)), 0, &n, err);

    *out = n != 0;
    return st;
}

static pmapdb_status row_differs(pm_put *p, size_t i, const pm_descent *descent, bool *out,
                                 pmapdb_error *err)
{
    pm_ruling ruling;
    pmapdb_status st = pm_refine_row(&p->refine, &p->rows, i, &ruling, err);

    *out = st == PMAPDB_OK && descent->kept != ruling.kept;
    if (st != PMAPDB_OK || *out || !ruling.kept)
        return st;
    return is_of_other_rule(p->sql, descent->lineage, ruling.rule, out, err);
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
    for (size_t r = 0; r < rows->n && st == PMAPDB_OK; r++) {
        pm_ruling ruling;

        st = pm_refine_row(&l->p->refine, rows, r, &ruling, err);
        if (ruling.kept)
            item->refined[item->n_refined++] = (pm_refined){rows->row[r].at.lineage, r, ruling};
    }
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
