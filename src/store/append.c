/* append: a capture behind all others of its process, as its difference to the newest; any other is
 * handed to late.c. */
#include "store/append.h"

#include "store/refine.h"
#include "store/region.h"
#include <stdlib.h>

/* ---- mappings ---- */

static pmapdb_status decide_lineages(pm_put *p, const pm_rows *base, pmapdb_error *err)
{
    pm_descent *descent = NULL;
    pmapdb_status st = pm_rows_descent(base, &p->rows, &descent, err);

    for (size_t i = 0; i < p->rows.n && st == PMAPDB_OK; i++)
        st = pm_put_descend(p, i, &descent[i], err);
    free(descent);
    return st;
}

static bool is_newest_of_stream(const pm_timeline *t, size_t at)
{
    for (size_t i = at + 1; i < t->n; i++)
        if (pm_timeline_same_stream(&t->item[i], &t->item[at]))
            return false;
    return true;
}

/* The capture comes last, and what it takes its lineages from is the newest of its own stream: both
 * are in memory. */
static bool is_append(const pm_timeline *t, size_t at)
{
    size_t base = t->item[at].base;

    if (at != t->n - 1)
        return false;
    return base == PM_NO_BASE || base == pm_timeline_before_in_stream(t, at) ||
           is_newest_of_stream(t, base);
}

/* The new item has the id 0; no base is something else. */
static int64_t base_id(const pm_timeline *t, size_t i)
{
    return t->item[i].base == PM_NO_BASE ? -1 : t->item[t->item[i].base].snapshot_id;
}

/* The others have the same leaders and bases as without the new item. */
static bool leaves_others_alone(const pm_timeline *t, size_t at, int64_t sweep_ms,
                                pm_timeline *scratch, pmapdb_error *err)
{
    size_t ignored;

    scratch->n = 0;
    for (size_t i = 0; i < t->n; i++)
        if (i != at && pm_timeline_insert(scratch, &t->item[i], &ignored, err) != PMAPDB_OK)
            return false;
    pm_timeline_derive(scratch, sweep_ms);
    for (size_t i = 0; i < t->n; i++) {
        size_t without = i - (i > at);

        if (i != at && (base_id(t, i) != base_id(scratch, without) ||
                        t->item[i].leads != scratch->item[without].leads))
            return false;
    }
    return true;
}

/* The newest rows of the stream in which item `base` is the newest. */
static pmapdb_status base_rows(pm_put *p, pm_newest *newest, pm_newest_of *state, size_t base,
                               const pm_rows **out, pmapdb_error *err)
{
    static const pm_rows none = {0};
    const pm_beat_item *item = base == PM_NO_BASE ? NULL : &state->tail.item[base];
    pm_stream *stream;
    pmapdb_status st;

    *out = &none;
    if (!item)
        return PMAPDB_OK;
    st = pm_newest_stream(p, newest, state, item->dialect, item->state, &stream, err);
    if (st == PMAPDB_OK)
        *out = &stream->rows;
    return st;
}

static pmapdb_status write_mappings(pm_put *p, const pm_rows *base, pm_stream *stream, int64_t off,
                                    pmapdb_error *err)
{
    pmapdb_status st = decide_lineages(p, base, err);

    if (st == PMAPDB_OK)
        st = pm_rollup_rows(&p->rollup, &p->rows, p->fields, err);
    return st == PMAPDB_OK ? pm_stream_append(p->sql, stream, off, &p->rows, &p->rollup, err) : st;
}

static pmapdb_status append(pm_put *p, pm_newest *newest, pm_newest_of *state, size_t at,
                            pmapdb_error *err)
{
    const pm_rows *base;
    pm_stream *stream;
    int64_t off = 0;
    const pm_block *b = &p->capture->block;
    pmapdb_status st = pm_newest_stream(p, newest, state, b->dialect, b->state, &stream, err);

    if (st == PMAPDB_OK)
        st = base_rows(p, newest, state, state->tail.item[at].base, &base, err);
    if (st == PMAPDB_OK)
        st = pm_stream_place(p->sql, stream, p->process_id, b->dialect, b->state, p->fields, &off,
                             err);
    if (st == PMAPDB_OK)
        st = pm_put_snapshot(p, stream->epoch_id, off, err);
    if (st != PMAPDB_OK)
        return st; /* there may be no stream */
    newest->rows += p->rows.n - stream->rows.n;
    st = write_mappings(p, base, stream, off, err);
    if (st != PMAPDB_OK)
        return st;
    state->tail.item[at].snapshot_id = p->snapshot_id;
    state->tail.item[at].epoch_id = stream->epoch_id;
    state->tail.item[at].off = off;
    return PMAPDB_OK;
}

/* It is the strongest capture yet of a lineage, and the rules say something else of it: late.c
 * tells that to the captures before. */
static pmapdb_status refines_anew(pm_put *p, pm_newest *newest, pm_newest_of *state, size_t at,
                                  bool *out, pmapdb_error *err)
{
    const pm_beat_item *item = &state->tail.item[at];
    const pm_rows *base;
    pm_stream *stream;
    pmapdb_status st;

    *out = false;
    if (item->base == PM_NO_BASE ||
        pm_timeline_compare_worth(&state->tail.item[item->base], item) <= 0)
        return PMAPDB_OK;
    st = base_rows(p, newest, state, item->base, &base, err);
    if (st == PMAPDB_OK)
        st = pm_newest_stream(p, newest, state, item->dialect, item->state, &stream, err);
    return st == PMAPDB_OK ? pm_refine_differs(p, base, &stream->rows, out, err) : st;
}

static pmapdb_status put_in_order(pm_put *p, pm_newest *newest, pm_newest_of *state, size_t at,
                                  bool *stored, pmapdb_error *err)
{
    bool anew = false;
    pmapdb_status st = refines_anew(p, newest, state, at, &anew, err);

    *stored = !anew;
    if (st == PMAPDB_OK && *stored)
        st = append(p, newest, state, at, err);
    return st;
}

pmapdb_status pm_append_mappings(pm_put *p, pm_newest *newest, pm_newest_of *state,
                                 pmapdb_error *err)
{
    pm_timeline scratch = {0};
    size_t at;
    pm_beat_item item = pm_put_item(p);
    bool in_order, stored = false;
    pmapdb_status st = pm_newest_tail(p, state, err);

    if (st == PMAPDB_OK)
        st = pm_timeline_insert(&state->tail, &item, &at, err);
    if (st != PMAPDB_OK)
        return st;
    pm_timeline_derive(&state->tail, p->sweep_ms);
    in_order = (at > 0 || state->tail.whole) && is_append(&state->tail, at) &&
               leaves_others_alone(&state->tail, at, p->sweep_ms, &scratch, err);
    pm_timeline_free(&scratch);
    st = pm_put_rows(p, err);
    if (st == PMAPDB_OK && in_order)
        st = put_in_order(p, newest, state, at, &stored, err);
    if (st != PMAPDB_OK)
        return st;
    if (stored) {
        pm_newest_shorten(state);
        return st;
    }
    pm_newest_forget(newest, state);
    return pm_late_put(p, err);
}

/* ---- sums only ---- */

/* No capture of the stream is behind this one. */
static pmapdb_status is_behind_all(pm_put *p, const pm_stream *stream, bool *out, pmapdb_error *err)
{
    pm_beat_item item = pm_put_item(p);
    int64_t later;
    pmapdb_status st = pm_sql_int(p->sql,
                                  "SELECT count(*) FROM snapshot WHERE epoch_id = ?1 AND off = ?2 "
                                  "AND (taken_ms, ordinal, hash) > (?3, ?4, ?5)",
                                  PM_ARGS(PM_I(stream->epoch_id), PM_I((int64_t)stream->n - 1),
                                          PM_I(item.taken_ms), PM_I(item.ordinal), PM_I(item.hash)),
                                  0, &later, err);

    *out = later == 0;
    return st;
}

pmapdb_status pm_append_totals(pm_put *p, pm_newest *newest, pm_newest_of *state, pmapdb_error *err)
{
    const pm_block *b = &p->capture->block;
    pm_stream *stream = NULL;
    bool in_order = false;
    int64_t off = 0;
    pmapdb_status st = pm_newest_stream(p, newest, state, b->dialect, b->state, &stream, err);

    if (st == PMAPDB_OK)
        st = pm_rollup_totals(&p->rollup, &b->totals, err);
    if (st == PMAPDB_OK)
        st = is_behind_all(p, stream, &in_order, err);
    if (st != PMAPDB_OK)
        return st;
    if (!in_order) {
        pm_newest_forget(newest, state);
        return pm_late_put(p, err);
    }
    st = pm_stream_place(p->sql, stream, p->process_id, b->dialect, b->state, p->fields, &off, err);
    if (st == PMAPDB_OK)
        st = pm_put_snapshot(p, stream->epoch_id, off, err);
    return st == PMAPDB_OK ? pm_stream_append(p->sql, stream, off, &p->rows, &p->rollup, err) : st;
}
