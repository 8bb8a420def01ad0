/* put: the one way into the store: stores a capture in a transaction. */
#include "store/write/put.h"

#include "base/buf.h"
#include "base/clock/clock.h"
#include "store/dict/captures.h"
#include "store/rules/apply.h"
#include "store/rules/label.h"
#include "store/write/live_reading.h"
#include "store/write/moment.h"
#include "store/write/process.h"
#include "store/write/rewind.h"
#include <stdio.h>
#include <stdlib.h>

#define WAITING_ROWS 300000 /* about 50 MB */
#define OBJECTS_MAX 250000  /* about 80 MB; a year of captures may show more files than this */

/* The captures of a name are new from first_ms to last_ms. */
typedef struct span {
    int64_t name_id, first_ms, last_ms;
} span;

/* State that is kept between captures. Dropped when another connection writes and when a
 * transaction fails. */
typedef struct pm_writer {
    pm_objects objects;
    pm_refine refine;
    struct span *span; /* of each name that has new captures */
    size_t n_spans, cap_spans;
    int64_t sweep_ms;
    int64_t data_version;
    pm_newest_all newest;
    pm_map again; /* see append.h */
} pm_writer;

/* ---- the kept state ---- */

static void writer_free(pm_writer *w)
{
    pm_newest_free(&w->newest);
    pm_objects_free(&w->objects);
    if (w->refine.own)
        pm_refine_free(&w->refine);
    free(w->span);
    pm_map_free(&w->again);
    free(w);
}

static pm_put put_of(const pmapdb_store *s)
{
    pm_writer *w = s->writer;

    return (pm_put){.sql = s->sql,
                    .objects = &w->objects,
                    .refine = &w->refine,
                    .again = &w->again,
                    .sweep_ms = w->sweep_ms};
}

/* ---- the end of a transaction ---- */

static void group_moments(pm_sql *sql, pm_writer *w)
{
    for (const span *n = w->span; n < w->span + w->n_spans; n++)
        pm_moments_group(sql, w->sweep_ms, n->name_id, n->first_ms, n->last_ms);
    w->n_spans = 0;
}

/* Decides the categories of processes again. All kept state is dropped then: it has the categories
 * from before. */
static void decide_again(pmapdb_store *s)
{
    const pm_map *again = &s->writer->again;

    for (size_t i = 0; again->used && i < again->size; i++) {
        int64_t process_id = (int64_t)again->slot[i].key, what = again->slot[i].value;

        if (what == PMAPDB_UNKNOWN)
            continue;
        if (what & PM_AGAIN_RULES)
            pm_apply_again(s->sql, process_id);
        if (what & PM_AGAIN_LABELS)
            pm_label_again(s->sql, process_id);
    }
    if (again->used) {
        pm_category_remove_unused(s->sql);
        pm_store_forget(s);
    }
}

/* Runs before a commit. */
static void finish(pmapdb_store *s)
{
    pm_put p = put_of(s);

    if (s->writer->newest.waiting)
        pm_rewind_end(&p, &s->writer->newest);
    group_moments(s->sql, s->writer);
    decide_again(s);
}

/* ---- one capture ---- */

static pmapdb_status writer_of(pmapdb_store *s, int64_t sweep_ms, pmapdb_error *err)
{
    /* differs if another connection has written meanwhile */
    int64_t version = pm_sql_value(s->sql, "PRAGMA data_version", PM_NO_ARGS, 0);
    pmapdb_status st = pm_sql_end(s->sql, err);

    if (st != PMAPDB_OK)
        return st;
    if (s->writer && (s->writer->n_spans || /* inside a transaction that finish() will end */
                      (s->writer->data_version == version && s->writer->sweep_ms == sweep_ms &&
                       s->writer->objects.n <= OBJECTS_MAX)))
        return PMAPDB_OK;
    pm_store_forget(s);
    s->writer = calloc(1, sizeof *s->writer);
    if (!s->writer)
        return pm_fail_nomem(err);
    s->free_writer = writer_free;
    s->finish = finish;
    s->writer->data_version = version;
    s->writer->sweep_ms = sweep_ms;
    return PMAPDB_OK;
}

/* The moments of the name from first_ms to last_ms are grouped before the commit. */
static void add_moments(pm_sql *sql, pm_writer *w, int64_t name_id, int64_t first_ms,
                        int64_t last_ms)
{
    size_t i = 0;

    while (i < w->n_spans && w->span[i].name_id != name_id)
        i++;
    if (i == w->n_spans) {
        PM_SQL_STEP(sql, pm_grow(&w->span, &w->cap_spans, i, sizeof *w->span, &err));
        if (pm_sql_ok(sql))
            w->span[w->n_spans++] = (span){name_id, first_ms, last_ms};
    } else {
        w->span[i].first_ms = first_ms < w->span[i].first_ms ? first_ms : w->span[i].first_ms;
        w->span[i].last_ms = last_ms > w->span[i].last_ms ? last_ms : w->span[i].last_ms;
    }
}

static void put_block(pm_put *p, pm_writer *w, const pm_classify_context *context)
{
    const pm_capture *c = p->capture;
    pm_newest *n = pm_newest_get(p->sql, &w->newest, p->process_id);
    const pm_stream *s;

    if (!pm_sql_ok(p->sql))
        return;
    if (p->capture_id) /* a prune may have removed the row since */
        p->capture_id = pm_sql_value(p->sql, "SELECT capture_id FROM capture WHERE capture_id = ?1",
                                     PM_ARGS(PM_I(p->capture_id)), 0);
    if (!p->capture_id)
        p->capture_id =
            pm_origin_capture(p->sql, pm_text_of(c->source_dir), pm_text_of(c->source_name));
    p->totals = c->block.totals;
    if (c->block.state != PM_STATE_TOTALS &&
        (s = pm_newest_stream(p->sql, p->objects, n, p->order.dialect, p->order.state)))
        pm_put_rows(p, n->n_late ? &n->late[n->n_late - 1].rows : &s->rows, context);
    if (!pm_sql_ok(p->sql))
        return;
    if (n->n_late || pm_is_late(p, n)) {
        pm_rewind_wait(p, &w->newest, n);
        return;
    }
    if (c->block.state != PM_STATE_TOTALS && !pm_sitting_joins(&n->sitting, &p->order, p->sweep_ms))
        pm_sitting_begin(&n->sitting, &p->order);
    pm_append(p, n);
}

static void put_new(pm_put *p, pm_writer *w, pm_stored *out)
{
    const pm_capture *c = p->capture;
    pm_classify_context context;
    pm_process_found found = {0};

    p->order = (pm_order){c->taken_ms, c->block.dialect, c->block.state, c->ordinal,
                          (int64_t)c->block.hash};
    p->fields = c->block.fields;
    pm_refine_turn(p->refine);
    p->refine->unnamed = 0;
    p->refine->slow_rule = NULL;
    pm_classify_prepare(c, &context);
    pm_process_of(p->sql, c, &context, &found);
    if (!pm_sql_ok(p->sql))
        return;
    p->process_id = found.process_id;
    put_block(p, w, &context);
    if (c->live && c->live->read_us != PMAPDB_UNKNOWN && p->snapshot_id)
        pm_live_reading_put(p->sql, p->snapshot_id, c->live);
    if (found.old_name_id == found.name_id) {
        add_moments(p->sql, w, found.name_id, c->taken_ms, c->taken_ms);
    } else {
        add_moments(p->sql, w, found.old_name_id, PM_MOMENTS_ALL);
        add_moments(p->sql, w, found.name_id, PM_MOMENTS_ALL);
    }
    if (p->refine->unnamed || p->refine->slow_rule)
        pm_refine_doubt(p->refine, out->doubt, sizeof out->doubt);
    out->snapshot_id = p->snapshot_id;
    out->process_id = found.process_id;
    out->ambiguous = found.ambiguous;
    memcpy(out->name, found.name, sizeof out->name);
}

static void find_known(pm_sql *sql, const pm_capture *c, pm_stored *out)
{
    sqlite3_stmt *stmt;
    pm_text name = pm_text_of(c->name ? c->name : "?");

    if (c->time_source == PM_TIME_NOW || c->time_source == PM_TIME_LIVE)
        return;
    out->snapshot_id = pm_known(sql, c, &out->pruned);
    out->duplicate = out->snapshot_id != 0 || out->pruned;
    if (!out->duplicate)
        return;
    stmt = pm_sql_ask(sql,
                      "SELECT p.process_id, n.name FROM snapshot s JOIN process p ON p.process_id "
                      "= s.process_id JOIN name n ON n.name_id = p.name_id "
                      "WHERE s.snapshot_id = ?1",
                      PM_ARGS(PM_I(out->snapshot_id)));
    if (pm_sql_next(sql, stmt)) {
        out->process_id = pm_col_int(stmt, 0);
        name = pm_col_text(stmt, 1);
    }
    snprintf(out->name, sizeof out->name, "%.*s", (int)name.len, name.data);
    if (stmt)
        pm_sql_done(stmt);
}

/* Returns PMAPDB_INPUT if two mappings of the capture have the same address. */
static pmapdb_status check_rows(const pm_capture *c, pmapdb_error *err)
{
    pm_rows rows = {0};
    pmapdb_status st;

    if (c->block.ordered)
        return PMAPDB_OK;
    st = pm_rows_reserve(&rows, c->n_rows, err);
    for (size_t i = 0; i < c->n_rows && st == PMAPDB_OK; i++) {
        const pm_mapping *m = pm_capture_row(c, i);

        rows.row[rows.n++] = (pm_row){.at = {.start = m->start, .length = m->end - m->start}};
    }
    pm_rows_sort(&rows);
    for (size_t i = 1; i < rows.n && st == PMAPDB_OK; i++)
        if (pm_place_compare(&rows.row[i - 1].at, &rows.row[i].at) == 0)
            st = pm_fail(err, PMAPDB_INPUT, "two mappings at the address %llx",
                         (unsigned long long)rows.row[i].at.start);
    free(rows.row);
    return st;
}

pmapdb_status pm_store_put_within(pmapdb_store *s, const pm_capture *c, int64_t sweep_ms,
                                  int64_t *capture_id, pm_stored *out, pmapdb_error *err)
{
    pmapdb_status st = writer_of(s, sweep_ms, err);
    pm_put p;

    *out = (pm_stored){0};
    PM_STEP(st, check_rows(c, err));
    if (st != PMAPDB_OK)
        return st;
    p = put_of(s);
    p.capture = c;
    p.capture_id = *capture_id;
    find_known(s->sql, c, out);
    if (!out->duplicate && pm_sql_ok(s->sql)) {
        put_new(&p, s->writer, out);
        *capture_id = p.capture_id;
    }
    free(p.rows.row);
    return pm_sql_end(s->sql, err);
}

bool pm_store_put_waits(const pmapdb_store *s)
{
    return s->writer && s->writer->newest.waiting && s->writer->newest.waiting_rows < WAITING_ROWS;
}

/* ---- refused input ---- */

pmapdb_status pm_store_refuse(pmapdb_store *s, uint64_t hash, const char *reason, bool *known,
                              pmapdb_error *err)
{
    pm_sql_do(s->sql, "INSERT OR IGNORE INTO refused (hash, first_ms, reason) VALUES (?1, ?2, ?3)",
              PM_ARGS(PM_I((int64_t)hash), PM_I(pm_clock_now()), PM_S(reason)));
    *known = sqlite3_changes(s->db) == 0;
    return pm_sql_end(s->sql, err);
}
