/* refine: the categories that rules about neighbours give. */
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

int64_t pm_refine_row(const pm_rows *rows, size_t i)
{
    pm_neighbour row = neighbour_of(&rows->row[i]), below, above;
    pm_category category;

    if (i > 0)
        below = neighbour_of(&rows->row[i - 1]);
    if (i + 1 < rows->n)
        above = neighbour_of(&rows->row[i + 1]);
    category = pm_neighbour_category(i > 0 ? &below : NULL, &row, i + 1 < rows->n ? &above : NULL);
    return category == PM_CATEGORY_COUNT ? 0 : (int64_t)category + 1;
}

const char *pm_refine_rule(int64_t kept)
{
    return kept ? pm_neighbour_rule((pm_category)(kept - 1)) : NULL;
}

pmapdb_status pm_refine_differs(const pm_rows *base, const pm_rows *stream, const pm_rows *own,
                                bool *out, pmapdb_error *err)
{
    pm_descent *descent = NULL;
    pm_ids known = {0};
    pmapdb_status st = pm_rows_lineages(stream, &known, err);

    *out = false;
    if (st == PMAPDB_OK)
        st = pm_rows_descent(base, own, &descent, err);
    for (size_t i = 0; i < own->n && st == PMAPDB_OK && !*out; i++)
        *out = descent[i].lineage != PM_NO_LINEAGE && descent[i].kept != pm_refine_row(own, i) &&
               !pm_ids_has(&known, descent[i].lineage);
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
        int64_t kept = pm_refine_row(rows, r);

        if (kept)
            item->refined[item->n_refined++] = (pm_refined){rows->row[r].at.lineage, r, kept};
    }
    if (st == PMAPDB_OK && item->refined && item->n_refined)
        qsort(item->refined, item->n_refined, sizeof *item->refined, compare_refined);
    pm_rows_free(&fetched);
    return st;
}

pmapdb_status pm_refine_lineage(pm_late *l, size_t i, int64_t lineage, int64_t *kept,
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
    *kept = low < item->n_refined && item->refined[low].lineage == lineage ? item->refined[low].kept
                                                                           : 0;
    return st;
}
