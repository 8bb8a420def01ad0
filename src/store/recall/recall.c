/* recall: what a store holds of a process, as it was before it was stored. */
#include "store/recall/recall.h"

#include "base/buf.h"
#include "store/newest.h"
#include "store/origin.h"
#include "store/recall/recall_epoch.h"
#include "store/recall/recall_live.h"
#include "store/recall/recall_process.h"
#include <stdlib.h>

struct pm_recall {
    pm_sql *sql;
    pm_objects *objects;
    pm_recall_process who;
    pm_recall_item *items;
    size_t n, cap;
    pm_recall_epoch epoch[PM_STREAMS]; /* of each stream the one read last */
    pm_recall_live_part live;
};

static void forget_process(pm_recall *r)
{
    pm_recall_process_free(&r->who);
    r->n = 0;
    for (size_t i = 0; i < PM_STREAMS; i++)
        pm_recall_epoch_free(&r->epoch[i]);
}

pmapdb_status pm_recall_new(pm_sql *sql, pm_recall **out, pmapdb_error *err)
{
    pm_recall *r = calloc(1, sizeof *r);
    pmapdb_status st;

    if (!r)
        return pm_fail_nomem(err);
    r->sql = sql;
    st = pm_objects_new(sql, &r->objects, err);
    if (st != PMAPDB_OK) {
        free(r);
        return st;
    }
    *out = r;
    return PMAPDB_OK;
}

void pm_recall_free(pm_recall *r)
{
    if (!r)
        return;
    forget_process(r);
    pm_recall_live_free(&r->live);
    pm_objects_free(r->objects);
    free(r->items);
    free(r);
}

const pm_recall_process *pm_recall_who(const pm_recall *r)
{
    return &r->who;
}

pm_recall_item *pm_recall_items(pm_recall *r, size_t *n)
{
    *n = r->n;
    return r->items;
}

pm_objects *pm_recall_objects(pm_recall *r)
{
    return r->objects;
}

static pmapdb_status damaged(const char *what, int64_t id, const char *why, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT, "%s %lld: %s; the store is damaged", what, (long long)id,
                   why);
}

/* ---- words to numbers; the count where there is no such word ---- */

static size_t find_word(pm_text word, size_t n, const char *(*name)(size_t))
{
    for (size_t i = 0; i < n; i++) {
        const char *known = name(i);

        if (known && pm_text_equal(word, pm_text_of(known)))
            return i;
    }
    return n;
}

static const char *state_name(size_t i)
{
    return pm_state_name((pm_state)i);
}

static const char *checked_name(size_t i)
{
    return pm_checked_name((pm_checked)i);
}

static const char *time_source_name(size_t i)
{
    return pm_time_source_name((pm_time_source)i);
}

#define N_CHECKED ((size_t)PM_CHECKED_ROLLUP + 1)
#define N_TIME_SOURCES ((size_t)PM_TIME_EVERY + 1)

/* ---- its snapshots ---- */

static int by_time(const void *a, const void *b)
{
    const pm_recall_item *x = a, *y = b;

    if (x->taken_ms != y->taken_ms)
        return x->taken_ms < y->taken_ms ? -1 : 1;
    if (x->dialect != y->dialect)
        return x->dialect < y->dialect ? -1 : 1;
    if (x->ordinal != y->ordinal)
        return x->ordinal < y->ordinal ? -1 : 1;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static pmapdb_status read_item(sqlite3_stmt *stmt, pm_recall_item *item, pmapdb_error *err)
{
    size_t state = find_word(pm_col_text(stmt, 8), PM_STATES, state_name);
    size_t source = find_word(pm_col_text(stmt, 9), N_TIME_SOURCES, time_source_name);
    int64_t log_id = pm_col_int(stmt, 10);

    *item = (pm_recall_item){.snapshot_id = pm_col_int(stmt, 0),
                             .capture_id = pm_col_int(stmt, 1),
                             .epoch_id = pm_col_int(stmt, 2),
                             .off = pm_col_int(stmt, 3),
                             .taken_ms = pm_col_ms(stmt, 4),
                             .ordinal = pm_col_int(stmt, 5),
                             .hash = pm_col_int(stmt, 6),
                             .log_id = log_id == PMAPDB_UNKNOWN ? 0 : log_id,
                             .dialect = pm_dialect_find(pm_col_text(stmt, 7)),
                             .state = (pm_state)state,
                             .time_source = (pm_time_source)source};
    if (item->dialect == PM_DIALECT_COUNT)
        return pm_fail(err, PMAPDB_INPUT, "snapshot @%lld: no such dialect is known here",
                       (long long)item->snapshot_id);
    if (state == PM_STATES || source == N_TIME_SOURCES || item->capture_id <= 0 ||
        item->epoch_id <= 0 || item->off < 0 || item->taken_ms == PMAPDB_UNKNOWN ||
        item->hash == PMAPDB_UNKNOWN || item->ordinal == PMAPDB_UNKNOWN)
        return damaged("snapshot", item->snapshot_id, "its row cannot be", err);
    return PMAPDB_OK;
}

static pmapdb_status load_items(pm_recall *r, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        r->sql,
        "SELECT snapshot_id, capture_id, epoch_id, off, taken_ms, ordinal, hash, dialect, state, "
        "time_source, import_log_id FROM snapshot WHERE process_id = ?1",
        PM_ARGS(PM_I(r->who.process_id)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(r->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_grow(&r->items, &r->cap, r->n, sizeof *r->items, err);
        if (st == PMAPDB_OK)
            st = read_item(stmt, &r->items[r->n], err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        r->n++;
    }
    if (st == PMAPDB_OK && r->n)
        qsort(r->items, r->n, sizeof *r->items, by_time);
    return st;
}

pmapdb_status pm_recall_turn(pm_recall *r, int64_t process_id, pmapdb_error *err)
{
    pmapdb_status st;

    forget_process(r);
    st = pm_recall_process_load(r->sql, process_id, &r->who, err);
    return st == PMAPDB_OK ? load_items(r, err) : st;
}

/* ---- one capture ---- */

#define SNAPSHOT                                                                   \
    "SELECT checked, missing, mappings, size_kib, rss_kib, pss_kib, private_kib, " \
    "private_dirty_kib, swap_kib, tool_size_kib, tool_rss_kib FROM snapshot "      \
    "WHERE snapshot_id = ?1"

/* What stands in the snapshot's own row. */
static pmapdb_status read_block(sqlite3_stmt *stmt, pm_capture *c, pmapdb_error *err)
{
    pm_block *b = &c->block;
    size_t checked = find_word(pm_col_text(stmt, 0), N_CHECKED, checked_name);

    b->checked = (pm_checked)checked;
    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        int64_t v = pm_col_kib(stmt, 2 + i);

        b->totals.v[i] = v == PMAPDB_UNKNOWN ? -1 : v;
    }
    b->tool_size_kib = pm_col_int(stmt, 9);
    b->tool_rss_kib = pm_col_int(stmt, 10);
    c->missing = pm_text_copy(pm_col_text(stmt, 1));
    c->notes = pm_text_copy(PM_TEXT(""));
    if (!c->missing || !c->notes)
        return pm_fail_nomem(err);
    return checked == N_CHECKED ? pm_fail(err, PMAPDB_INPUT, "no such check is known here")
                                : PMAPDB_OK;
}

/* Empty where the row of the capture is gone. */
static pmapdb_status read_origin(pm_recall *r, const pm_recall_item *item, pm_capture *c,
                                 pmapdb_error *err)
{
    pm_buf folder = {0}, file = {0};
    bool has;
    pmapdb_status st = pm_origin_read(r->sql, item->capture_id, &folder, &file, &has, err);

    if (st == PMAPDB_OK) {
        c->source_dir = pm_text_copy(pm_buf_text(&folder));
        c->source_name = pm_text_copy(pm_buf_text(&file));
        if (!c->source_dir || !c->source_name)
            st = pm_fail_nomem(err);
    }
    pm_buf_free(&folder);
    pm_buf_free(&file);
    return st;
}

/* The name and the command are those of the first capture that gave them: of the ones before
 * nothing is known. */
static pmapdb_status lend(const pm_recall_process *who, pm_capture *c, pmapdb_error *err)
{
    bool commanded = who->command && who->command_ms <= c->taken_ms;

    c->pid = c->block.pid = who->pid;
    c->host = who->host;
    c->start_time = who->evidence.start_time;
    c->command = pm_text_copy(commanded ? who->evidence.command : PM_TEXT(""));
    if (!c->command)
        return pm_fail_nomem(err);
    if (who->name_ms > c->taken_ms)
        return PMAPDB_OK;
    c->name_rank = (pm_name_rank)who->name_rank;
    c->name = pm_text_copy(pm_text_of(who->name));
    return c->name ? PMAPDB_OK : pm_fail_nomem(err);
}

/* The epoch of the item, read from there on if it is not at hand. */
static pmapdb_status epoch_of(pm_recall *r, const pm_recall_item *item, pm_recall_epoch **out,
                              pmapdb_error *err)
{
    *out = &r->epoch[item->dialect * PM_STATES + item->state];
    if ((*out)->epoch_id == item->epoch_id && (*out)->from <= item->off)
        return PMAPDB_OK;
    return pm_recall_epoch_load(r->sql, r->objects, item->epoch_id, item->off, *out, err);
}

/* The sums were proved when it was stored; rows that no longer give them are not what was read. */
static bool adds_up(const pm_capture *c)
{
    pm_totals totals;

    if (c->block.state == PM_STATE_TOTALS)
        return c->n_rows == 0;
    pm_totals_zero(&totals);
    for (size_t i = 0; i < c->n_rows; i++)
        pm_totals_add(&totals, pm_capture_row(c, i));
    return memcmp(&totals, &c->block.totals, sizeof totals) == 0;
}

static pmapdb_status fill(pm_recall *r, const pm_recall_item *item, pm_capture *c,
                          pmapdb_error *err)
{
    pm_recall_epoch *epoch;
    const pm_live *live;
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(r->sql, SNAPSHOT, PM_ARGS(PM_I(item->snapshot_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(r->sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st == PMAPDB_OK ? damaged("snapshot", item->snapshot_id, "it is missing", err) : st;
    st = read_block(stmt, c, err);
    pm_sql_done(stmt);
    if (st == PMAPDB_OK)
        st = read_origin(r, item, c, err);
    if (st == PMAPDB_OK)
        st = lend(&r->who, c, err);
    if (st == PMAPDB_OK)
        st = epoch_of(r, item, &epoch, err);
    if (st == PMAPDB_OK)
        st = pm_recall_epoch_rows(epoch, item->off, &c->rows, &c->n_rows, err);
    if (st == PMAPDB_OK)
        st = pm_recall_live(r, item, &live, err);
    if (st != PMAPDB_OK)
        return st;
    c->pool = epoch->pool;
    c->block.fields = epoch->fields;
    c->live = live;
    return adds_up(c) ? PMAPDB_OK
                      : damaged("snapshot", item->snapshot_id,
                                "its mappings do not add up to its sums", err);
}

pmapdb_status pm_recall_capture(pm_recall *r, const pm_recall_item *item, pm_capture **out,
                                pmapdb_error *err)
{
    pm_capture *c = calloc(1, sizeof *c);
    pmapdb_status st;

    if (!c)
        return pm_fail_nomem(err);
    c->block.dialect = item->dialect;
    c->block.state = item->state;
    c->block.hash = (uint64_t)item->hash;
    c->block.time_ms = PMAPDB_UNKNOWN;
    c->taken_ms = item->taken_ms;
    c->time_source = item->time_source;
    c->ordinal = item->ordinal;
    c->log_id = (uint64_t)item->log_id;
    st = fill(r, item, c, err);
    if (st != PMAPDB_OK) {
        pm_capture_free(c);
        return st;
    }
    c->block.command = pm_text_of(c->command);
    c->block.missing = pm_text_of(c->missing);
    c->block.notes = c->block.why = c->block.tool = c->block.empty = PM_TEXT("");
    *out = c;
    return PMAPDB_OK;
}

/* The process has one pair of clocks; from there the other moments are counted. */
pmapdb_status pm_recall_live(pm_recall *r, const pm_recall_item *item, const pm_live **out,
                             pmapdb_error *err)
{
    const pm_recall_process *who = &r->who;
    pm_live *live = NULL;
    pmapdb_status st = PMAPDB_OK;

    *out = NULL;
    if (item->time_source == PM_TIME_LIVE)
        st = pm_recall_live_read(r->sql, item->snapshot_id, &r->live, &live, err);
    if (st != PMAPDB_OK || !live)
        return st;
    live->boot_id = who->boot_id;
    if (who->clock_mono_ns != PMAPDB_UNKNOWN && who->clock_utc_ms != PMAPDB_UNKNOWN)
        live->utc_ms = who->clock_utc_ms + (live->mono_ns - who->clock_mono_ns) / 1000000;
    *out = live;
    return PMAPDB_OK;
}
