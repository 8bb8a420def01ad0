/* relabel: who continues whom, when a capture came between those that are stored. */
#include "store/late.h"

#include "store/region.h"
#include <stdlib.h>

pmapdb_status pm_late_rows(pm_late *l, size_t i, pm_rows *out, pmapdb_error *err)
{
    pm_epoch *e;
    pmapdb_status st = pm_late_epoch(l, l->line.item[i].epoch_id, &e, err);

    if (st == PMAPDB_OK)
        st = pm_epoch_get_rows(l->p->sql, l->p->objects, e, (size_t)l->line.item[i].off, out, err);
    return st;
}

pmapdb_status pm_late_descent(pm_late *l, size_t i, const pm_rows *own, pm_descent **out,
                              pmapdb_error *err)
{
    size_t base = l->line.item[i].base;
    pm_rows rows = {0};
    pmapdb_status st = base == PM_NO_BASE ? PMAPDB_OK : pm_late_rows(l, base, &rows, err);

    if (st == PMAPDB_OK)
        st = pm_rows_descent(&rows, own, out, err);
    pm_rows_free(&rows);
    return st;
}

/* ---- lineages ---- */

static size_t index_of(const pm_late *l, int64_t snapshot_id)
{
    for (size_t i = 0; i < l->line.n && snapshot_id; i++)
        if (l->line.item[i].snapshot_id == snapshot_id)
            return i;
    return PM_NO_BASE;
}

/* The lineages that a capture had before the new one came. */
static pmapdb_status lineages_before(pm_late *l, size_t i, pm_ids *out, pmapdb_error *err)
{
    pm_rows rows = {0};
    pmapdb_status st = PMAPDB_OK;

    if (i == PM_NO_BASE)
        return PMAPDB_OK;
    if (!l->item[i].decided) {
        st = pm_late_rows(l, i, &rows, err);
        if (st == PMAPDB_OK)
            st = pm_rows_lineages(&rows, out, err);
        pm_rows_free(&rows);
        return st;
    }
    for (size_t r = 0; r < l->item[i].n && st == PMAPDB_OK; r++)
        st = pm_ids_add(out, l->item[i].was[r], err);
    pm_ids_sort(out);
    return st;
}

/* A lineage of an item behind that could begin in the new capture instead. */
typedef struct offer {
    int64_t id, kept;
    size_t row; /* of the new capture */
} offer;

static int compare_offers(const void *a, const void *b)
{
    const offer *x = a, *y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Each id to one row, each row one id; none that the new capture or `before` has. */
static pmapdb_status take_offers(offer *offers, size_t n, pm_rows *own, const pm_ids *before,
                                 pmapdb_error *err)
{
    pm_ids have = {0};
    pmapdb_status st = pm_rows_lineages(own, &have, err);

    if (st == PMAPDB_OK && n)
        qsort(offers, n, sizeof *offers, compare_offers);
    for (size_t i = 0, last = SIZE_MAX; i < n && st == PMAPDB_OK; i++) {
        pm_place *at = &own->row[offers[i].row].at;

        if (at->lineage > 0 || (last != SIZE_MAX && offers[last].id == offers[i].id) ||
            pm_ids_has(before, offers[i].id) || pm_ids_has(&have, offers[i].id))
            continue;
        at->lineage = offers[i].id;
        at->kept = offers[i].kept;
        last = i;
    }
    pm_ids_free(&have);
    return st;
}

/* Takes ids for lineages that begin in the new capture from those that began in item k until now:
 * what is behind k then has nothing to change. Begun ones are marked by negative ids. */
static pmapdb_status adopt_from(pm_late *l, size_t k, pm_rows *own, pmapdb_error *err)
{
    pm_rows after = {0};
    pm_ids before = {0};
    pm_descent *descent = NULL;
    offer *offers = NULL;
    size_t n = 0;
    pmapdb_status st = pm_late_rows(l, k, &after, err);

    if (st == PMAPDB_OK)
        st = lineages_before(l, index_of(l, l->item[k].old_base), &before, err);
    if (st == PMAPDB_OK && !(offers = calloc(after.n + 1, sizeof *offers)))
        st = pm_fail_nomem(err);
    if (st == PMAPDB_OK)
        st = pm_rows_descent(own, &after, &descent, err);
    for (size_t i = 0; descent && offers && i < after.n; i++)
        if (descent[i].lineage < 0)
            offers[n++] = (offer){after.row[i].at.lineage, after.row[i].at.kept,
                                  (size_t)-descent[i].lineage - 1};
    if (st == PMAPDB_OK)
        st = take_offers(offers, n, own, &before, err);
    free(descent);
    free(offers);
    pm_ids_free(&before);
    pm_rows_free(&after);
    return st;
}

static pmapdb_status adopt(pm_late *l, pm_rows *own, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t k = 0; k < l->line.n && st == PMAPDB_OK; k++)
        if (l->line.item[k].base == l->at)
            st = adopt_from(l, k, own, err);
    return st;
}

static pmapdb_status begin_lineages(pm_late *l, size_t i, pm_rows *own, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t r = 0; r < own->n && st == PMAPDB_OK; r++)
        if (own->row[r].at.lineage <= 0)
            st = pm_lineage_new(l->p->sql, l->p->process_id, l->line.item[i].snapshot_id,
                                &own->row[r], NULL, err);
    return st;
}

/* Lineages from the descents. A row that continues nothing keeps the lineage that it began, unless
 * it had that from a base that is no longer its own; a begun one is a negative id for now. */
static pmapdb_status inherit(pm_late *l, size_t i, pm_rows *own, const pm_descent *descent,
                             pmapdb_error *err)
{
    size_t old_base = index_of(l, l->item[i].old_base);
    pm_ids before = {0};
    pmapdb_status st = PMAPDB_OK;

    if (old_base != l->line.item[i].base)
        st = lineages_before(l, old_base, &before, err);
    for (size_t r = 0; r < own->n && st == PMAPDB_OK; r++) {
        pm_row *row = &own->row[r];

        row->reason = descent[r].reason;
        if (descent[r].lineage != PM_NO_LINEAGE) {
            row->at.lineage = descent[r].lineage;
            row->at.kept = descent[r].kept;
        } else if (i == l->at || pm_ids_has(&before, row->at.lineage)) {
            row->at.lineage = -(int64_t)r - 1;
            row->at.kept = 0; /* for now: settle.c asks the rules */
        }
    }
    pm_ids_free(&before);
    return st;
}

static pmapdb_status decide(pm_late *l, size_t i, pm_rows *own, pmapdb_error *err)
{
    pm_descent *descent = NULL;
    pmapdb_status st = pm_late_descent(l, i, own, &descent, err);

    if (st == PMAPDB_OK)
        st = inherit(l, i, own, descent, err);
    if (st == PMAPDB_OK && i == l->at)
        st = adopt(l, own, err);
    if (st == PMAPDB_OK)
        st = begin_lineages(l, i, own, err);
    free(descent);
    return st;
}

/* ---- one capture ---- */

static pmapdb_status begin_item(pm_late *l, size_t i, const pm_rows *own, pmapdb_error *err)
{
    pm_late_item *item = &l->item[i];

    item->n = own->n;
    item->was = calloc(own->n + 1, sizeof *item->was);
    item->lineage = calloc(own->n + 1, sizeof *item->lineage);
    item->region = calloc(own->n + 1, sizeof *item->region);
    item->reason = calloc(own->n + 1, sizeof *item->reason);
    if (!item->was || !item->lineage || !item->region || !item->reason)
        return pm_fail_nomem(err);
    for (size_t r = 0; r < own->n; r++)
        item->was[r] = own->row[r].at.lineage;
    return PMAPDB_OK;
}

/* Gives every row its region; *changed: a lineage is another than before. */
static pmapdb_status set_regions(pm_late *l, size_t i, pm_rows *own, bool *changed,
                                 pmapdb_error *err)
{
    pm_late_item *item = &l->item[i];
    pmapdb_status st = PMAPDB_OK;

    *changed = i == l->at;
    for (size_t r = 0; r < own->n && st == PMAPDB_OK; r++) {
        pm_row *row = &own->row[r];

        if (i == l->at || row->at.lineage != item->was[r]) {
            if (row->region_id)
                st = pm_ids_add(&l->left, row->region_id, err);
            if (st == PMAPDB_OK)
                st = pm_region_of(l->p->sql, row, false, err);
            *changed = true;
        }
        item->lineage[r] = row->at.lineage;
        item->region[r] = row->region_id;
        item->reason[r] = row->reason;
    }
    return st;
}

/* Decides item i anew, writes it into its epoch, and marks those that borrow from it. */
static pmapdb_status relabel(pm_late *l, size_t i, pmapdb_error *err)
{
    pm_rows fetched = {0};
    pm_rows *own = i == l->at ? &l->p->rows : &fetched;
    bool changed = false;
    pm_epoch *e;
    pmapdb_status st = i == l->at ? PMAPDB_OK : pm_late_rows(l, i, own, err);

    if (st == PMAPDB_OK)
        st = begin_item(l, i, own, err);
    if (st == PMAPDB_OK)
        st = decide(l, i, own, err);
    if (st == PMAPDB_OK)
        st = set_regions(l, i, own, &changed, err);
    l->item[i].decided = st == PMAPDB_OK;
    l->item[i].recount = changed;
    if (st == PMAPDB_OK && changed) {
        st = pm_late_epoch(l, l->line.item[i].epoch_id, &e, err);
        if (st == PMAPDB_OK)
            st = pm_epoch_set_rows(e, (size_t)l->line.item[i].off, own, err);
        for (size_t k = 0; k < l->line.n && i != l->at; k++)
            l->item[k].stale |= l->line.item[k].base == i;
    }
    pm_rows_free(&fetched);
    return st;
}

/* Leaders first: no leader takes anything from a capture that does not lead. */
pmapdb_status pm_late_relabel(pm_late *l, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int leaders = 1; leaders >= 0; leaders--)
        for (size_t i = 0; i < l->line.n && st == PMAPDB_OK; i++)
            if (l->item[i].stale && l->line.item[i].leads == (leaders == 1))
                st = relabel(l, i, err);
    return st;
}
