/* late: a capture that comes between or before those that are stored.
 *
 * It goes into its place in its epoch, without a new full copy. It decides two pairings, the one
 * with the leader before it and the one of the leader after it; lineages that these join or break
 * are told to the captures behind, as far as it goes. What comes out is the same, but for ids, as
 * if all had come in order.
 */
#include "store/late.h"

#include "base/buf.h"
#include "store/refine.h"
#include <stdlib.h>

#define MOVED_SUMS 64 /* captures with sums only that one may push along */

pmapdb_status pm_late_epoch(pm_late *l, int64_t epoch_id, pm_epoch **out, pmapdb_error *err)
{
    pmapdb_status st;

    for (size_t i = 0; i < l->n_epochs; i++)
        if (l->epochs[i]->epoch_id == epoch_id) {
            *out = l->epochs[i];
            return PMAPDB_OK;
        }
    st = pm_grow(&l->epochs, &l->cap_epochs, l->n_epochs, sizeof(pm_epoch *), err);
    if (st == PMAPDB_OK)
        st = pm_epoch_load(l->p->sql, epoch_id, out, err);
    if (st == PMAPDB_OK)
        l->epochs[l->n_epochs++] = *out;
    return st;
}

/* ---- its place in its epoch ---- */

static size_t after_in_stream(const pm_timeline *t, size_t at)
{
    for (size_t i = at + 1; i < t->n; i++)
        if (pm_timeline_same_stream(&t->item[i], &t->item[at]))
            return i;
    return PM_NO_BASE;
}

static pmapdb_status new_epoch(pm_late *l, pm_epoch **out, pmapdb_error *err)
{
    int64_t id;
    const pm_put *p = l->p;
    pmapdb_status st = pm_epoch_new(p->sql, p->process_id, p->capture->block.dialect,
                                    p->capture->block.state, p->fields, &id, err);

    return st == PMAPDB_OK ? pm_late_epoch(l, id, out, err) : st;
}

static pmapdb_status load_line(pm_late *l, pmapdb_error *err)
{
    const pm_put *p = l->p;
    pm_beat_item item = pm_put_item(p);
    pmapdb_status st =
        item.state == PM_STATE_TOTALS
            ? pm_timeline_load_neighbours(p->sql, p->process_id, &item, &l->line, err)
            : pm_timeline_load(p->sql, p->process_id, &l->line, err);

    return st == PMAPDB_OK ? pm_timeline_insert(&l->line, &item, &l->at, err) : st;
}

/* Sums cost the same in any epoch: rather than that every line of a late log moves all that is
 * behind it, they get an epoch to grow at its end. */
static bool moves_many(const pm_epoch *e, size_t k)
{
    return e->state == PM_STATE_TOTALS && e->n - k > MOVED_SUMS;
}

/* Behind its predecessor, or before its successor, where the fields are the same; an epoch with
 * other fields, or a long one of sums, is cut in two there. */
static pmapdb_status choose_epoch(pm_late *l, pm_epoch **out, size_t *k, pmapdb_error *err)
{
    size_t before = pm_timeline_before_in_stream(&l->line, l->at);
    size_t after = after_in_stream(&l->line, l->at);
    const pm_beat_item *item = l->line.item;
    pmapdb_status st = PMAPDB_OK;
    pm_epoch *e;

    *k = 0;
    if (before != PM_NO_BASE) {
        st = pm_late_epoch(l, item[before].epoch_id, &e, err);
        if (st != PMAPDB_OK)
            return st;
        *k = (size_t)item[before].off + 1;
        if (after != PM_NO_BASE && item[after].epoch_id == e->epoch_id &&
            (e->fields != l->p->fields || moves_many(e, *k))) {
            st = pm_epoch_split(l->p->sql, e, *k, err);
            if (st == PMAPDB_OK)
                st = load_line(l, err);
        }
        if (e->fields == l->p->fields) {
            *out = e;
            return st;
        }
        *k = 0;
    } else if (after != PM_NO_BASE) {
        st = pm_late_epoch(l, item[after].epoch_id, &e, err);
        if (st == PMAPDB_OK && e->fields == l->p->fields) {
            *out = e;
            return PMAPDB_OK;
        }
    }
    return st == PMAPDB_OK ? new_epoch(l, out, err) : st;
}

static pmapdb_status take_place(pm_late *l, pmapdb_error *err)
{
    pm_epoch *e;
    size_t k;
    pmapdb_status st = choose_epoch(l, &e, &k, err);

    if (st == PMAPDB_OK)
        st = pm_epoch_open_gap(l->p->sql, e, k, err);
    if (st != PMAPDB_OK)
        return st;
    for (size_t i = 0; i < l->line.n; i++)
        if (i != l->at && l->line.item[i].epoch_id == e->epoch_id &&
            l->line.item[i].off >= (int64_t)k)
            l->line.item[i].off++;
    l->line.item[l->at].epoch_id = e->epoch_id;
    l->line.item[l->at].off = (int64_t)k;
    st = pm_put_snapshot(l->p, e->epoch_id, (int64_t)k, err);
    l->line.item[l->at].snapshot_id = l->p->snapshot_id;
    /* where there are rows, once their lineages are settled */
    if (st == PMAPDB_OK && l->p->capture->block.state == PM_STATE_TOTALS)
        st = pm_epoch_set_rollup(e, k, &l->p->rollup, err);
    return st;
}

/* ---- what it changes for others ---- */

static int64_t base_id(const pm_timeline *t, size_t i)
{
    return t->item[i].base == PM_NO_BASE ? 0 : t->item[t->item[i].base].snapshot_id;
}

/* Which captures have another base now than without the new one; one of sums only is nobody's. */
static pmapdb_status find_stale(pm_late *l, pmapdb_error *err)
{
    pm_timeline without = {0};
    size_t at;
    pmapdb_status st = PMAPDB_OK;

    l->item = calloc(l->line.n + 1, sizeof *l->item);
    if (!l->item)
        return pm_fail_nomem(err);
    if (l->p->capture->block.state == PM_STATE_TOTALS)
        return PMAPDB_OK;
    for (size_t i = 0; i < l->line.n && st == PMAPDB_OK; i++)
        if (i != l->at)
            st = pm_timeline_insert(&without, &l->line.item[i], &at, err);
    if (st == PMAPDB_OK) {
        pm_timeline_derive(&without, l->p->sweep_ms);
        pm_timeline_derive(&l->line, l->p->sweep_ms);
        for (size_t i = 0; i < l->line.n; i++) {
            pm_late_item *item = &l->item[i];

            if (i != l->at)
                item->old_base = base_id(&without, i - (i > l->at));
            item->stale = i == l->at || item->old_base != base_id(&l->line, i);
        }
    }
    pm_timeline_free(&without);
    return st;
}

/* ---- the end ---- */

static pmapdb_status save_all(pm_late *l, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < l->n_epochs && st == PMAPDB_OK; i++)
        st = pm_epoch_save_rows(l->p->sql, l->epochs[i], err);
    if (st == PMAPDB_OK)
        st = pm_late_settle(l, err);
    if (st == PMAPDB_OK)
        st = pm_late_recount(l, err);
    for (size_t i = 0; i < l->n_epochs && st == PMAPDB_OK; i++)
        st = pm_epoch_save_sums(l->p->sql, l->epochs[i], err);
    for (size_t i = 0; i < l->n_epochs && st == PMAPDB_OK; i++)
        st = pm_epoch_lighten(l->p->sql, l->epochs[i], err);
    return st;
}

static void late_free(pm_late *l)
{
    for (size_t i = 0; l->item && i < l->line.n; i++) {
        free(l->item[i].was);
        free(l->item[i].lineage);
        free(l->item[i].region);
        free(l->item[i].reason);
        free(l->item[i].refined);
    }
    free(l->item);
    pm_timeline_free(&l->line);
    for (size_t i = 0; i < l->n_epochs; i++)
        pm_epoch_free(l->epochs[i]);
    free(l->epochs);
    pm_ids_free(&l->left);
}

pmapdb_status pm_late_put(pm_put *p, pmapdb_error *err)
{
    pm_late l = {.p = p};
    pmapdb_status st = load_line(&l, err);

    if (st == PMAPDB_OK)
        st = take_place(&l, err);
    if (st == PMAPDB_OK)
        st = find_stale(&l, err);
    if (st == PMAPDB_OK)
        st = pm_late_relabel(&l, err);
    if (st == PMAPDB_OK)
        st = save_all(&l, err);
    late_free(&l);
    return st;
}
