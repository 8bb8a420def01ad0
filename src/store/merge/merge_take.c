/* merge_take: takes over a process that this store has no part of: its epochs as they are, cut into
 * windows of some hundred captures, its regions and lineages with ids of this store. */
#include "store/merge/merge_take.h"

#include "base/buf.h"
#include "store/rules/apply.h"
#include "store/sight.h"
#include <stdlib.h>

#define WINDOW 512 /* captures in one transaction; each begins new epochs */

static pmapdb_status damaged(int64_t epoch_id, const char *what, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT, "epoch %lld: %s; the store is damaged", (long long)epoch_id,
                   what);
}

/* ---- epochs ---- */

static void free_parts(pm_take *t)
{
    for (size_t i = 0; i < t->n_parts; i++)
        free(t->part[i].capture);
    t->n_parts = 0;
}

static pmapdb_status new_part(pm_take *t, const pm_recall_item *item, pm_take_part **out,
                              pmapdb_error *err)
{
    pm_merge *m = t->m;
    pm_take_part part = {.there = item->epoch_id, .dialect = item->dialect, .state = item->state};
    int64_t fields;
    pmapdb_status st =
        pm_merge_theirs(m, pm_sql_int(m->from->sql, "SELECT fields FROM epoch WHERE epoch_id = ?1",
                                      PM_ARGS(PM_I(item->epoch_id)), PMAPDB_UNKNOWN, &fields, err));

    if (st == PMAPDB_OK && fields == PMAPDB_UNKNOWN)
        st = pm_merge_theirs(m, damaged(item->epoch_id, "it is missing", err));
    if (st == PMAPDB_OK)
        st = pm_epoch_new(m->into->sql, t->process_id, item->dialect, item->state, (uint64_t)fields,
                          &part.here, err);
    if (st == PMAPDB_OK)
        st = pm_grow(&t->part, &t->cap_parts, t->n_parts, sizeof *t->part, err);
    if (st != PMAPDB_OK)
        return st;
    part.fields = (uint64_t)fields;
    t->part[t->n_parts] = part;
    *out = &t->part[t->n_parts++];
    return PMAPDB_OK;
}

/* Of a stream, epochs follow one another. */
static pmapdb_status part_of(pm_take *t, const pm_recall_item *item, pm_take_part **out,
                             pmapdb_error *err)
{
    for (size_t i = t->n_parts; i > 0; i--) {
        pm_take_part *part = &t->part[i - 1];

        if (part->dialect != item->dialect || part->state != item->state)
            continue;
        if (part->there != item->epoch_id)
            break;
        *out = part;
        return item->off > part->capture[part->n - 1].off
                   ? PMAPDB_OK
                   : pm_merge_theirs(t->m, damaged(item->epoch_id, "it is in disorder", err));
    }
    return new_part(t, item, out, err);
}

static pmapdb_status add_to_part(pm_take_part *part, const struct pm_take_one *one,
                                 pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&part->capture, &part->cap, part->n, sizeof *part->capture, err);

    if (st == PMAPDB_OK)
        part->capture[part->n++] = *one;
    return st;
}

/* ---- snapshots ---- */

#define COPIED                                                                                     \
    "ordinal, time_source_code, dialect_code, state_code, checked_code, missing, hash, mappings, " \
    "size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib, tool_size_kib, "        \
    "tool_rss_kib"
#define N_COPIED 16
#define FIRST_TOTAL 7 /* the columns from mappings on */

/* A column that is copied as it is; texts last until the statement steps on. */
static pm_arg column(sqlite3_stmt *stmt, int i)
{
    return sqlite3_column_type(stmt, i) == SQLITE_TEXT   ? PM_T(pm_col_text(stmt, i))
           : sqlite3_column_type(stmt, i) == SQLITE_NULL ? PM_I(PMAPDB_UNKNOWN)
                                                         : PM_BITS(sqlite3_column_int64(stmt, i));
}

static void read_totals(sqlite3_stmt *stmt, pm_totals *out)
{
    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        int64_t v = pm_col_int(stmt, FIRST_TOTAL + i);

        out->v[i] = v == PMAPDB_UNKNOWN ? -1 : v;
    }
}

static pmapdb_status insert_snapshot(pm_take *t, const pm_recall_item *item,
                                     const pm_take_part *part, sqlite3_stmt *there, int64_t *id,
                                     pmapdb_error *err)
{
    pm_merge *m = t->m;
    pm_arg args[6 + N_COPIED];
    int64_t capture_id, log_id;
    pmapdb_status st = pm_merge_capture(m, item->capture_id, &capture_id, err);

    if (st == PMAPDB_OK)
        st = pm_merge_log(m, item->log_id, &log_id, err);
    if (st != PMAPDB_OK)
        return st;
    args[0] = PM_I(t->process_id);
    args[1] = PM_I(capture_id);
    args[2] = PM_I(part->here);
    args[3] = PM_I((int64_t)part->n);
    args[4] = PM_I(item->taken_ms);
    args[5] = PM_I(log_id ? log_id : PMAPDB_UNKNOWN);
    for (int i = 0; i < N_COPIED; i++)
        args[6 + i] = column(there, i);
    st = pm_sql_run(m->into->sql,
                    "INSERT INTO snapshot (process_id, capture_id, epoch_id, off, taken_ms, "
                    "behind_ms, preferred, import_log_id, " COPIED
                    ") VALUES (?1, ?2, ?3, ?4, ?5, 0, 1, "
                    "?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, "
                    "?22)",
                    args, sizeof args / sizeof *args, err);
    *id = pm_sql_last_id(m->into->sql);
    return st;
}

static pmapdb_status take_sight(pm_take *t, const pm_recall_item *item, int64_t snapshot_id,
                                pmapdb_error *err)
{
    const pm_live *live;
    pmapdb_status st = pm_merge_theirs(t->m, pm_recall_live(t->m->recall, item, &live, err));

    return st == PMAPDB_OK && live ? pm_sight_put(t->m->into->sql, snapshot_id, live, err) : st;
}

static pmapdb_status set_moment(pm_take *t, const pm_recall_item *item, int64_t snapshot_id,
                                pmapdb_error *err)
{
    pm_moment_item added = {.snapshot_id = snapshot_id,
                            .process_id = t->process_id,
                            .pid = pm_recall_who(t->m->recall)->pid,
                            .taken_ms = item->taken_ms,
                            .ordinal = item->ordinal,
                            .hash = item->hash,
                            .dialect = item->dialect,
                            .state = item->state,
                            .live = item->time_source == PM_TIME_LIVE};

    return pm_moments_added(t->moments, t->name_id, &added, err);
}

static pmapdb_status take_snapshot(pm_take *t, pm_recall_item *item, pmapdb_error *err)
{
    pm_merge *m = t->m;
    struct pm_take_one one = {.off = item->off};
    pm_take_part *part = NULL;
    sqlite3_stmt *stmt;
    bool has = false;
    int64_t id = 0;
    pmapdb_status st = part_of(t, item, &part, err);

    if (st == PMAPDB_OK)
        st = pm_merge_theirs(
            m, pm_sql_rows(m->from->sql, "SELECT " COPIED " FROM snapshot WHERE snapshot_id = ?1",
                           PM_ARGS(PM_I(item->snapshot_id)), &stmt, err));
    if (st == PMAPDB_OK)
        st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err));
    if (st != PMAPDB_OK || !has)
        return st;
    st = insert_snapshot(t, item, part, stmt, &id, err);
    read_totals(stmt, &one.totals);
    one.snapshot_id = id;
    pm_sql_done(stmt);
    if (st == PMAPDB_OK)
        st = add_to_part(part, &one, err);
    if (st == PMAPDB_OK)
        st = pm_pairs_put(&t->snapshots, item->snapshot_id, id, err);
    item->known = id;
    m->stored++;
    if (st == PMAPDB_OK)
        st = take_sight(t, item, id, err);
    return st == PMAPDB_OK ? set_moment(t, item, id, err) : st;
}

/* ---- windows ---- */

/* Other rules gave the categories there: what the captures of the window decide, from `first` on,
 * is decided anew, so that what is committed is whole. */
static pmapdb_status decide_categories(pm_take *t, int64_t first, pmapdb_error *err)
{
    const pm_merge *m = t->m;
    pm_apply_within within = {.sql = m->into->sql,
                              .objects = m->objects,
                              .refine = {.categories = m->categories, .rules = m->rules},
                              .process_id = t->process_id};

    return m->other_rules ? pm_apply_process(&within, first, err) : PMAPDB_OK;
}

static pmapdb_status take_window(pm_take *t, pm_recall_item *items, size_t n, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        st = take_snapshot(t, &items[i], err);
    for (size_t i = 0; i < t->n_parts && st == PMAPDB_OK; i++)
        st = pm_take_versions(t, &t->part[i], err);
    free_parts(t);
    return st == PMAPDB_OK ? decide_categories(t, items[0].known, err) : st;
}

/* What is remembered of moments is of now. */
static pmapdb_status renew_moments(pm_take *t, pmapdb_error *err)
{
    pm_moments_free(t->moments);
    t->moments = NULL;
    return pm_moments_new(t->m->into->sql, t->m->options->sweep_ms, &t->moments, err);
}

/* Another writer was here between two transactions: has it added to this process? */
static pmapdb_status is_ours_alone(pm_take *t, size_t taken, bool *out, pmapdb_error *err)
{
    int64_t n = 0;
    pmapdb_status st = renew_moments(t, err);

    if (st == PMAPDB_OK)
        st = pm_sql_int(t->m->into->sql, "SELECT count(*) FROM snapshot WHERE process_id = ?1",
                        PM_ARGS(PM_I(t->process_id)), 0, &n, err);

    *out = n == (int64_t)taken;
    return st;
}

static pmapdb_status take_windows(pm_take *t, pmapdb_error *err)
{
    pm_merge *m = t->m;
    size_t n;
    pm_recall_item *items = pm_recall_items(m->recall, &n);
    pmapdb_status st = PMAPDB_OK;

    for (size_t from = 0; from < n && st == PMAPDB_OK;) {
        size_t some = n - from < WINDOW ? n - from : WINDOW;
        int64_t version = m->version;
        bool alone = true;

        st = take_window(t, items + from, some, err);
        from += some;
        if (st != PMAPDB_OK || from == n)
            break;
        st = pm_merge_commit(m, err);
        if (st == PMAPDB_OK)
            st = pm_merge_begin(m, err);
        if (st == PMAPDB_OK && m->version != version)
            st = is_ours_alone(t, from, &alone, err);
        if (st == PMAPDB_OK && !alone) {
            pm_merge_forget(m);
            return pm_merge_put(m, err);
        }
    }
    pm_merge_forget(m);
    return st;
}

/* What a prune there left to be tidied is so here. */
static pmapdb_status take_untidy(pm_take *t, pmapdb_error *err)
{
    pm_merge *m = t->m;
    int64_t n;
    pmapdb_status st = pm_merge_theirs(
        m, pm_sql_int(m->from->sql, "SELECT count(*) FROM untidy WHERE process_id = ?1",
                      PM_ARGS(PM_I(pm_recall_who(m->recall)->process_id)), 0, &n, err));

    return st == PMAPDB_OK && n
               ? pm_sql_run(m->into->sql, "INSERT INTO untidy (process_id) VALUES (?1)",
                            PM_ARGS(PM_I(t->process_id)), err)
               : st;
}

pmapdb_status pm_merge_take(pm_merge *m, int64_t life, pmapdb_error *err)
{
    pm_take t = {.m = m};
    pmapdb_status st = pm_merge_new_process(m, life, &t.process_id, &t.name_id, err);

    if (st == PMAPDB_OK)
        st = take_untidy(&t, err);
    if (st == PMAPDB_OK)
        st = renew_moments(&t, err);
    if (st == PMAPDB_OK)
        st = take_windows(&t, err);
    pm_moments_free(t.moments);
    free_parts(&t);
    free(t.part);
    pm_pairs_free(&t.snapshots);
    pm_pairs_free(&t.regions);
    pm_pairs_free(&t.sizes);
    pm_pairs_free(&t.lineages);
    return st;
}
