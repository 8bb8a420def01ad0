/* write: a capture into the store, in one transaction. */
#include "store/write.h"

#include "base/clock.h"
#include "store/append.h"
#include "store/forgotten.h"
#include "store/moment.h"
#include "store/process.h"
#include "store/refine.h"
#include "store/sight.h"
#include <stdio.h>
#include <stdlib.h>

#define OBJECTS_MAX 250000 /* about 80 MB; a year of a process may show more files than that */

struct pm_writer {
    pm_objects *objects;
    pm_category_ids *categories;
    pm_rule_set *rules;
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
    pm_category_ids_free(w->categories);
    pm_rule_set_free(w->rules);
    pm_moments_free(w->moments);
    free(w);
}

static pmapdb_status writer_of(pmapdb_store *s, int64_t sweep_ms, pmapdb_error *err)
{
    int64_t version;
    pmapdb_status st = pm_sql_int(s->sql, "PRAGMA data_version", PM_NO_ARGS, 0, &version, err);

    if (st != PMAPDB_OK)
        return st;
    if (s->writer && (s->writer->data_version != version || s->writer->sweep_ms != sweep_ms ||
                      pm_objects_count(s->writer->objects) > OBJECTS_MAX))
        pm_store_forget(s);
    if (s->writer)
        return PMAPDB_OK;
    s->writer = calloc(1, sizeof *s->writer);
    if (!s->writer)
        return pm_fail_nomem(err);
    s->free_writer = pm_writer_free;
    s->writer->data_version = version;
    s->writer->sweep_ms = sweep_ms;
    st = pm_objects_new(s->sql, &s->writer->objects, err);
    if (st == PMAPDB_OK)
        st = pm_category_ids_new(s->sql, &s->writer->categories, err);
    if (st == PMAPDB_OK)
        st = pm_rule_set_new(s->sql, &s->writer->rules, err);
    return st == PMAPDB_OK ? pm_moments_new(s->sql, sweep_ms, &s->writer->moments, err) : st;
}

/* ---- one capture ---- */

static pmapdb_status set_moments(pm_put *p, pm_writer *w, const pm_process_found *found,
                                 pmapdb_error *err)
{
    const pm_capture *c = p->capture;
    pm_moment_item item = {.snapshot_id = p->snapshot_id,
                           .process_id = p->process_id,
                           .pid = c->pid,
                           .taken_ms = c->taken_ms,
                           .ordinal = c->ordinal,
                           .hash = (int64_t)c->block.hash,
                           .dialect = c->block.dialect,
                           .state = c->block.state,
                           .live = c->time_source == PM_TIME_LIVE};
    pmapdb_status st;

    if (found->is_new || found->old_name_id == found->name_id)
        return pm_moments_added(w->moments, found->name_id, &item, err);
    st = pm_moments_regroup(w->moments, found->old_name_id, err);
    return st == PMAPDB_OK ? pm_moments_regroup(w->moments, found->name_id, err) : st;
}

static pmapdb_status put_block(pm_put *p, pm_writer *w, pmapdb_error *err)
{
    pm_newest_of *state = NULL;
    pmapdb_status st = pm_newest_get(p, &w->newest, &state, err);

    if (st == PMAPDB_OK)
        st = pm_put_capture(p, err);
    if (st == PMAPDB_OK && p->capture->block.state == PM_STATE_TOTALS)
        return pm_append_totals(p, &w->newest, state, err);
    return st == PMAPDB_OK ? pm_append_mappings(p, &w->newest, state, err) : st;
}

static pmapdb_status put(pm_put *p, pm_writer *w, pm_stored *out, pmapdb_error *err)
{
    pm_classify_context context;
    pm_process_found found;
    pmapdb_status st;

    pm_classify_prepare(p->capture, &context);
    p->context = &context;
    st = pm_process_of(p->sql, p->capture, &context, &found, err);
    p->process_id = found.process_id;
    if (st == PMAPDB_OK)
        st = put_block(p, w, err);
    if (st == PMAPDB_OK && p->capture->live)
        st = pm_sight_put(p->sql, p->snapshot_id, p->capture->live, err);
    if (st == PMAPDB_OK)
        st = set_moments(p, w, &found, err);
    p->context = NULL; /* it ends here */
    out->process_id = found.process_id;
    out->name_id = found.name_id;
    out->ambiguous = found.ambiguous;
    return st;
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
    if (st == PMAPDB_OK && !out->snapshot_id)
        st = pm_forgotten(p.sql, c, &out->pruned, err);
    out->duplicate = out->snapshot_id != 0 || out->pruned;
    if (st == PMAPDB_OK && out->snapshot_id)
        st = pm_sql_int(p.sql, "SELECT process_id FROM snapshot WHERE snapshot_id = ?1",
                        PM_ARGS(PM_I(out->snapshot_id)), 0, &out->process_id, err);
    else if (st == PMAPDB_OK && !out->duplicate) {
        p.objects = s->writer->objects;
        p.refine = (pm_refine){.categories = s->writer->categories, .rules = s->writer->rules};
        st = put(&p, s->writer, out, err);
    }
    if (st == PMAPDB_OK && !out->duplicate) {
        pm_refine_doubt(&p.refine, out->doubt, sizeof out->doubt);
        out->snapshot_id = p.snapshot_id;
        *capture_id = p.capture_id;
    }
    pm_rows_free(&p.rows);
    pm_rollup_free(&p.rollup);
    return st;
}

void pm_store_abandon(pmapdb_store *s)
{
    pm_store_rollback(s);
    pm_store_forget(s);
}

pmapdb_status pm_store_put(pmapdb_store *s, const pm_capture *c, int64_t sweep_ms,
                           int64_t *capture_id, pm_stored *out, pmapdb_error *err)
{
    int64_t id = *capture_id;
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    if (id) /* a prune may have removed it since */
        st = pm_sql_int(s->sql, "SELECT capture_id FROM capture WHERE capture_id = ?1",
                        PM_ARGS(PM_I(id)), 0, &id, err);
    if (st == PMAPDB_OK)
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
