/* write: a capture into the store, in one transaction. */
#include "store/write.h"

#include "base/clock.h"
#include "store/moment.h"
#include "store/newest.h"
#include "store/process.h"
#include "store/refine.h"
#include "store/region.h"
#include "store/sight.h"
#include <stdio.h>
#include <stdlib.h>

struct pm_writer {
    pm_objects *objects;
    pm_moments *moments;
    int64_t sweep_ms;
    int64_t data_version;
    pm_newest newest;
};

/* ---- what is remembered ---- */

void pm_writer_free(pm_writer *w)
{
    if (!w)
        return;
    pm_newest_free(&w->newest);
    pm_objects_free(w->objects);
    pm_moments_free(w->moments);
    free(w);
}

static void forget(pmapdb_store *s)
{
    pm_writer_free(s->writer);
    s->writer = NULL;
}

static pmapdb_status writer_of(pmapdb_store *s, int64_t sweep_ms, pmapdb_error *err)
{
    int64_t version;
    pmapdb_status st = pm_sql_int(s->sql, "PRAGMA data_version", PM_NO_ARGS, 0, &version, err);

    if (st != PMAPDB_OK)
        return st;
    if (s->writer && (s->writer->data_version != version || s->writer->sweep_ms != sweep_ms))
        forget(s);
    if (s->writer)
        return PMAPDB_OK;
    s->writer = calloc(1, sizeof *s->writer);
    if (!s->writer)
        return pm_fail_nomem(err);
    s->writer->data_version = version;
    s->writer->sweep_ms = sweep_ms;
    st = pm_objects_new(s->sql, &s->writer->objects, err);
    return st == PMAPDB_OK ? pm_moments_new(s->sql, sweep_ms, &s->writer->moments, err) : st;
}

/* ---- in order ---- */

static pmapdb_status decide_lineages(pm_put *p, const pm_rows *base, pmapdb_error *err)
{
    pm_descent *descent = NULL;
    pmapdb_status st = pm_rows_descent(base, &p->rows, &descent, err);

    if (st != PMAPDB_OK)
        return st;
    for (size_t i = 0; i < p->rows.n && st == PMAPDB_OK; i++) {
        pm_row *row = &p->rows.row[i];

        row->reason = descent[i].reason;
        row->at.lineage = descent[i].lineage;
        row->at.kept = descent[i].kept;
        if (row->at.lineage != PM_NO_LINEAGE)
            continue;
        row->at.kept = pm_refine_row(&p->rows, i);
        st = pm_lineage_new(p->sql, p->process_id, p->snapshot_id, row, err);
    }
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
static pmapdb_status base_rows(pm_put *p, pm_writer *w, pm_newest_of *state, size_t base,
                               const pm_rows **out, pmapdb_error *err)
{
    static const pm_rows none = {0};
    const pm_beat_item *item = base == PM_NO_BASE ? NULL : &state->tail.item[base];
    pm_stream *stream;
    pmapdb_status st;

    *out = &none;
    if (!item)
        return PMAPDB_OK;
    st = pm_newest_stream(p, &w->newest, state, item->dialect, item->state, &stream, err);
    *out = &stream->rows;
    return st;
}

static pmapdb_status append(pm_put *p, pm_writer *w, pm_newest_of *state, size_t at,
                            pmapdb_error *err)
{
    const pm_rows *base;
    pm_stream *stream;
    int64_t off = 0;
    const pm_block *b = &p->capture->block;
    pmapdb_status st = pm_newest_stream(p, &w->newest, state, b->dialect, b->state, &stream, err);

    if (st == PMAPDB_OK)
        st = base_rows(p, w, state, state->tail.item[at].base, &base, err);
    if (st == PMAPDB_OK)
        st = pm_stream_place(p->sql, stream, p->process_id, b->dialect, b->state, p->fields, &off,
                             err);
    if (st == PMAPDB_OK)
        st = pm_put_snapshot(p, stream->epoch_id, off, err);
    if (st == PMAPDB_OK)
        st = decide_lineages(p, base, err);
    if (st == PMAPDB_OK) {
        pm_rollup_rows(&p->rollup, &p->rows, p->fields);
        w->newest.rows += p->rows.n - stream->rows.n;
        st = pm_stream_append(p->sql, stream, off, &p->rows, &p->rollup, err);
    }
    state->tail.item[at].snapshot_id = p->snapshot_id;
    state->tail.item[at].epoch_id = stream->epoch_id;
    state->tail.item[at].off = off;
    return st;
}

/* It is the strongest capture yet of a lineage, and its rules about neighbours say something
 * else: late.c tells that to the captures before. */
static pmapdb_status refines_anew(pm_put *p, pm_writer *w, pm_newest_of *state, size_t at,
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
    st = base_rows(p, w, state, item->base, &base, err);
    if (st == PMAPDB_OK)
        st = pm_newest_stream(p, &w->newest, state, item->dialect, item->state, &stream, err);
    return st == PMAPDB_OK ? pm_refine_differs(base, &stream->rows, &p->rows, out, err) : st;
}

static pmapdb_status put_rows(pm_put *p, pm_writer *w, pmapdb_error *err)
{
    pm_newest_of *state = NULL;
    pm_timeline scratch = {0};
    size_t at;
    pm_beat_item item = pm_put_item(p);
    bool in_order, anew = false;
    pmapdb_status st = pm_newest_get(p, &w->newest, &state, err);

    if (st == PMAPDB_OK)
        st = pm_newest_tail(p, state, err);
    if (st == PMAPDB_OK)
        st = pm_timeline_insert(&state->tail, &item, &at, err);
    if (st != PMAPDB_OK)
        return st;
    pm_timeline_derive(&state->tail, p->sweep_ms);
    in_order = (at > 0 || state->tail.whole) && is_append(&state->tail, at) &&
               leaves_others_alone(&state->tail, at, p->sweep_ms, &scratch, err);
    pm_timeline_free(&scratch);
    if (in_order)
        st = refines_anew(p, w, state, at, &anew, err);
    if (st != PMAPDB_OK)
        return st;
    if (in_order && !anew) {
        st = append(p, w, state, at, err);
        pm_newest_shorten(state);
        return st;
    }
    pm_newest_forget(&w->newest, state);
    return pm_late_put(p, err);
}

/* ---- sums only ---- */

/* No capture of the stream is behind this one. */
static pmapdb_status is_behind_all(pm_put *p, const pm_stream *stream, bool *out, pmapdb_error *err)
{
    pm_beat_item item = pm_put_item(p);
    int64_t later;
    pmapdb_status st = pm_sql_int(p->sql,
                                  "SELECT count(*) FROM snapshots WHERE epoch_id = ?1 AND off = ?2 "
                                  "AND (taken_ms, ordinal, hash) > (?3, ?4, ?5)",
                                  PM_ARGS(PM_I(stream->epoch_id), PM_I((int64_t)stream->n - 1),
                                          PM_I(item.taken_ms), PM_I(item.ordinal), PM_I(item.hash)),
                                  0, &later, err);

    *out = later == 0;
    return st;
}

/* In streams of their own, which take no part in the timeline and its lineages: where mappings are
 * unknown, there is nothing to pair. */
static pmapdb_status put_totals(pm_put *p, pm_writer *w, pmapdb_error *err)
{
    const pm_block *b = &p->capture->block;
    pm_newest_of *state = NULL;
    pm_stream *stream = NULL;
    bool in_order = false;
    int64_t off = 0;
    pmapdb_status st = pm_newest_get(p, &w->newest, &state, err);

    pm_rollup_totals(&p->rollup, &b->totals);
    if (st == PMAPDB_OK)
        st = pm_newest_stream(p, &w->newest, state, b->dialect, b->state, &stream, err);
    if (st == PMAPDB_OK)
        st = is_behind_all(p, stream, &in_order, err);
    if (st != PMAPDB_OK)
        return st;
    if (!in_order) {
        pm_newest_forget(&w->newest, state);
        return pm_late_put(p, err);
    }
    st = pm_stream_place(p->sql, stream, p->process_id, b->dialect, b->state, p->fields, &off, err);
    if (st == PMAPDB_OK)
        st = pm_put_snapshot(p, stream->epoch_id, off, err);
    return st == PMAPDB_OK ? pm_stream_append(p->sql, stream, off, &p->rows, &p->rollup, err) : st;
}

/* ---- one capture ---- */

static pmapdb_status set_moments(pm_put *p, pm_writer *w, const pm_process_found *found,
                                 pmapdb_error *err)
{
    pmapdb_status st;

    if (found->is_new || found->old_name_id == found->name_id)
        return pm_moments_added(w->moments, found->name_id, p->capture->taken_ms, err);
    st = pm_moments_regroup(w->moments, found->old_name_id, err);
    return st == PMAPDB_OK ? pm_moments_regroup(w->moments, found->name_id, err) : st;
}

static pmapdb_status put(pmapdb_store *s, pm_put *p, pm_stored *out, pmapdb_error *err)
{
    pm_classify_context context;
    pm_process_found found;
    pmapdb_status st;

    p->objects = s->writer->objects;
    pm_classify_prepare(p->capture, &context);
    st = pm_process_of(p->sql, p->capture, &context, &found, err);
    if (st != PMAPDB_OK)
        return st;
    p->process_id = out->process_id = found.process_id;
    p->name_id = out->name_id = found.name_id;
    out->ambiguous = found.ambiguous;
    st = pm_put_capture(p, err);
    if (st == PMAPDB_OK && p->capture->block.state == PM_STATE_TOTALS)
        st = put_totals(p, s->writer, err);
    else if (st == PMAPDB_OK) {
        st = pm_put_rows(p, &context, err);
        if (st == PMAPDB_OK)
            st = put_rows(p, s->writer, err);
    }
    if (st == PMAPDB_OK && p->capture->live)
        st = pm_sight_put(p->sql, p->snapshot_id, p->capture->live, err);
    return st == PMAPDB_OK ? set_moments(p, s->writer, &found, err) : st;
}

pmapdb_status pm_store_put_within(pmapdb_store *s, const pm_capture *c, int64_t sweep_ms,
                                  int64_t *capture_id, pm_stored *out, pmapdb_error *err)
{
    pm_put p = {.sql = s->sql,
                .capture = c,
                .sweep_ms = sweep_ms,
                .capture_id = *capture_id,
                .fields = c->block.fields};
    pmapdb_status st = writer_of(s, sweep_ms, err);

    *out = (pm_stored){0};
    if (st == PMAPDB_OK)
        st = pm_process_known(p.sql, c, &out->snapshot_id, err);
    out->duplicate = out->snapshot_id != 0;
    if (st == PMAPDB_OK && out->duplicate)
        st = pm_sql_int(p.sql, "SELECT process_id FROM snapshots WHERE snapshot_id = ?1",
                        PM_ARGS(PM_I(out->snapshot_id)), 0, &out->process_id, err);
    else if (st == PMAPDB_OK)
        st = put(s, &p, out, err);
    if (st == PMAPDB_OK && !out->duplicate) {
        out->snapshot_id = p.snapshot_id;
        *capture_id = p.capture_id;
    }
    pm_rows_free(&p.rows);
    return st;
}

void pm_store_abandon(pmapdb_store *s)
{
    pm_store_rollback(s);
    forget(s);
}

pmapdb_status pm_store_put(pmapdb_store *s, const pm_capture *c, int64_t sweep_ms,
                           int64_t *capture_id, pm_stored *out, pmapdb_error *err)
{
    int64_t id = *capture_id;
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    st = pm_store_put_within(s, c, sweep_ms, &id, out, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st == PMAPDB_OK)
        *capture_id = id;
    else
        pm_store_abandon(s);
    return st;
}

pmapdb_status pm_store_name(pmapdb_store *s, int64_t process_id, char *name, size_t size,
                            pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(s->sql,
                                   "SELECT n.name FROM process p JOIN name n ON n.name_id = "
                                   "p.name_id WHERE p.process_id = ?1",
                                   PM_ARGS(PM_I(process_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(s->sql, stmt, &has, err);
    if (st == PMAPDB_OK && has) {
        pm_text t = pm_col_text(stmt, 0);

        snprintf(name, size, "%.*s", (int)t.len, t.data);
        pm_sql_done(stmt);
    }
    return st;
}

pmapdb_status pm_store_refuse(pmapdb_store *s, uint64_t hash, const char *reason, bool *known,
                              pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(
        s->sql, "INSERT OR IGNORE INTO refused (hash, first_ms, reason) VALUES (?1, ?2, ?3)",
        PM_ARGS(PM_I((int64_t)hash), PM_I(pm_clock_now()), PM_S(reason)), err);

    *known = sqlite3_changes(s->db) == 0;
    return st;
}
