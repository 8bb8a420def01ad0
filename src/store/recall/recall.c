/* recall: the captures of a stored process, restored in full and in time order. */
#include "store/recall/recall.h"

#include "base/buf.h"
#include "store/dict/origin.h"
#include "store/recall/recall_live.h"
#include "store/recall/recall_rows.h"
#include <stdlib.h>

#define N_STATES (PM_STATE_TOTALS + 1U)
#define N_CHECKED (PM_CHECKED_ROLLUP + 1U)
#define N_TIME_SOURCES (PM_TIME_EVERY + 1U)
#define STREAMS (PM_DIALECT_COUNT * N_STATES)

struct pm_recall {
    pm_sql *sql;
    pm_recall_process who;
    pm_recall_item *items;
    size_t n, cap;
    pm_pool *words;               /* texts of the process, its pins and its live readings */
    pm_recall_standing standing;  /* the one that was read last; its texts are in `words` */
    pm_pool *mappings;            /* mappings of the captures since the last pm_recall_forget */
    pm_recall_rows rows[STREAMS]; /* per stream: the epoch that was read last */
    pm_live **live; /* live readings of the captures since the last pm_recall_forget */
    size_t n_live, cap_live;
};

pmapdb_status pm_recall_new(pm_sql *sql, pm_recall **out, pmapdb_error *err)
{
    pm_recall *r = calloc(1, sizeof *r);

    if (!r)
        return pm_fail_nomem(err);
    r->sql = sql;
    *out = r;
    return PMAPDB_OK;
}

void pm_recall_forget(pm_recall *r)
{
    for (size_t i = 0; i < STREAMS; i++)
        pm_recall_rows_free(&r->rows[i]);
    for (size_t i = 0; i < r->n_live; i++)
        free(r->live[i]);
    r->n_live = 0;
    pm_pool_free(r->mappings);
    r->mappings = NULL;
}

void pm_recall_free(pm_recall *r)
{
    if (!r)
        return;
    pm_recall_forget(r);
    pm_pool_free(r->words);
    free(r->live);
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

static pmapdb_status damaged(const char *what, int64_t id, const char *why, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT, "%s %lld %s; the store is damaged", what, (long long)id, why);
}

/* ---- the process ---- */

/* Returns the link with this name; PM_LINK_NONE if there is no such name. */
static pm_link find_link(pm_text word)
{
    pm_link link = PM_LINK_ASSUMED;

    while (link > PM_LINK_NONE && !pm_text_equal(word, pm_text_of(pm_link_name(link))))
        link--;
    return link;
}

static pmapdb_status load_process(pm_recall *r, int64_t process_id, pmapdb_error *err)
{
    pm_recall_process *who = &r->who;
    pm_sql *sql = r->sql;
    pm_link link = PM_LINK_NONE;
    sqlite3_stmt *row = pm_sql_ask(
        sql,
        "SELECT h.name, n.name, p.command, p.boot_id, p.pid, p.start_time, p.name_rank, p.name_ms, "
        "p.command_ms, p.clock_mono_ns, p.clock_utc_ms, p.identity FROM process p "
        "LEFT JOIN name n ON n.name_id = p.name_id LEFT JOIN host h ON h.host_id = p.host_id "
        "WHERE p.process_id = ?1",
        PM_ARGS(PM_I(process_id)));

    *who = (pm_recall_process){.process_id = process_id};
    if (pm_sql_next(sql, row)) {
        int64_t rank = pm_col_int(row, 6);

        who->host = pm_recall_text(sql, r->words, pm_col_text(row, 0)).data;
        who->name = pm_recall_text(sql, r->words, pm_col_text(row, 1)).data;
        who->command = pm_recall_text(sql, r->words, pm_col_text(row, 2)).data;
        who->boot_id = pm_recall_text(sql, r->words, pm_col_text(row, 3)).data;
        who->pid = pm_col_int(row, 4);
        who->start_time = pm_col_int(row, 5);
        who->name_rank = (pm_name_rank)rank;
        who->name_ms = pm_col_ms(row, 7);
        who->command_ms = pm_col_ms(row, 8);
        who->clock_mono_ns = pm_col_int(row, 9);
        who->clock_utc_ms = pm_col_ms(row, 10);
        if (rank >= PM_NAME_GIVEN && rank <= PM_NAME_UNKNOWN && who->name)
            link = find_link(pm_col_text(row, 11));
        who->identity = link;
        pm_sql_done(row);
    }
    return pm_sql_ok(sql) && link == PM_LINK_NONE
               ? damaged("process", process_id, "is missing, or its row cannot be", err)
               : pm_sql_end(sql, err);
}

/* ---- the snapshots ---- */

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

static pmapdb_status add_item(pm_recall *r, sqlite3_stmt *row, pmapdb_error *err)
{
    int64_t log_id = pm_col_int(row, 10);
    pm_recall_item item = {.snapshot_id = pm_col_int(row, 0),
                           .capture_id = pm_col_int(row, 1),
                           .epoch_id = pm_col_int(row, 2),
                           .off = pm_col_int(row, 3),
                           .taken_ms = pm_col_ms(row, 4),
                           .ordinal = pm_col_int(row, 5),
                           .hash = pm_col_int(row, 6),
                           .dialect = pm_dialect_find(pm_col_text(row, 7)),
                           .state = (pm_state)pm_col_code(row, 8, N_STATES),
                           .time_source = (pm_time_source)pm_col_code(row, 9, N_TIME_SOURCES),
                           .log_id = log_id == PMAPDB_UNKNOWN ? 0 : log_id,
                           .pin = pm_recall_text(r->sql, r->words, pm_col_text(row, 11)).data,
                           .pinned_ms = pm_col_int(row, 12)};
    pmapdb_status st = pm_grow(&r->items, &r->cap, r->n, sizeof *r->items, err);

    if (st != PMAPDB_OK)
        return st;
    if (item.dialect == PM_DIALECT_COUNT || item.state == N_STATES ||
        item.time_source == N_TIME_SOURCES || item.capture_id <= 0 || item.epoch_id <= 0 ||
        item.off < 0 || item.taken_ms == PMAPDB_UNKNOWN || item.hash == PMAPDB_UNKNOWN ||
        item.ordinal == PMAPDB_UNKNOWN)
        return damaged("snapshot", item.snapshot_id, "has a row that cannot be", err);
    r->items[r->n++] = item;
    return PMAPDB_OK;
}

static pmapdb_status load_items(pm_recall *r, int64_t from_ms, pmapdb_error *err)
{
    sqlite3_stmt *row = pm_sql_ask(
        r->sql,
        "SELECT s.snapshot_id, s.capture_id, s.epoch_id, s.off, s.taken_ms, s.ordinal, s.hash, "
        "s.dialect, s.state_code, s.time_source_code, s.import_log_id, p.reason, p.pinned_ms "
        "FROM snapshot s "
        "LEFT JOIN pin p ON p.snapshot_id = s.snapshot_id "
        "WHERE s.process_id = ?1 AND s.taken_ms >= ?2",
        PM_ARGS(PM_I(r->who.process_id), PM_BITS(from_ms)));

    while (pm_sql_next(r->sql, row)) {
        pmapdb_error failed = {0};
        pmapdb_status st = add_item(r, row, &failed);

        pm_sql_keep(r->sql, st, &failed);
    }
    if (r->n)
        qsort(r->items, r->n, sizeof *r->items, by_time);
    return pm_sql_end(r->sql, err);
}

pmapdb_status pm_recall_begin(pm_recall *r, int64_t process_id, int64_t from_ms, pmapdb_error *err)
{
    pmapdb_status st;

    pm_recall_forget(r);
    pm_pool_free(r->words);
    r->words = NULL;
    r->standing.standing_id = 0;
    r->n = 0;
    st = pm_pool_new(&r->words, err);
    PM_STEP(st, load_process(r, process_id, err));
    return st == PMAPDB_OK ? load_items(r, from_ms, err) : st;
}

/* ---- one capture ---- */

/* Reads the row of the snapshot. */
static pmapdb_status read_block(pm_recall *r, const pm_recall_item *item, pm_capture *c,
                                pmapdb_error *err)
{
    pm_block *b = &c->block;
    unsigned checked = N_CHECKED;
    sqlite3_stmt *row = pm_sql_ask(
        r->sql,
        "SELECT checked_code, missing, mappings, size_kib, rss_kib, pss_kib, private_kib, "
        "private_dirty_kib, swap_kib, tool_size_kib, tool_rss_kib FROM snapshot "
        "WHERE snapshot_id = ?1",
        PM_ARGS(PM_I(item->snapshot_id)));

    if (pm_sql_next(r->sql, row)) {
        checked = pm_col_code(row, 0, N_CHECKED);
        b->checked = (pm_checked)checked;
        c->missing = pm_text_copy(pm_col_text(row, 1));
        for (int i = 0; i < PM_TOTAL_COUNT; i++) {
            int64_t v = pm_col_kib(row, 2 + i);

            b->totals.v[i] = v == PMAPDB_UNKNOWN ? -1 : v;
        }
        b->tool_size_kib = pm_col_int(row, 9);
        b->tool_rss_kib = pm_col_int(row, 10);
        pm_sql_done(row);
    }
    return pm_sql_ok(r->sql) && checked == N_CHECKED
               ? damaged("snapshot", item->snapshot_id, "is missing, or its check is unknown", err)
               : pm_sql_end(r->sql, err);
}

/* Reads the file of the capture. */
static pmapdb_status read_origin(pm_recall *r, const pm_recall_item *item, pm_capture *c,
                                 pmapdb_error *err)
{
    pm_buf folder = {0}, file = {0};
    bool has;
    pmapdb_status st = pm_origin_read(r->sql, item->capture_id, &folder, &file, &has, err);

    if (st == PMAPDB_OK && !has)
        st = damaged("capture", item->capture_id, "is missing", err);
    c->source_dir = pm_text_copy(pm_buf_text(&folder));
    c->source_name = pm_text_copy(pm_buf_text(&file));
    pm_buf_free(&folder);
    pm_buf_free(&file);
    return st;
}

/* Gives the capture the data of its process. A capture gets the name and command if it is not older
 * than the capture that gave them. */
static pmapdb_status lend(const pm_recall_process *who, pm_capture *c, pmapdb_error *err)
{
    bool named = who->name_ms <= c->taken_ms;
    bool commanded = who->command && who->command_ms <= c->taken_ms;

    c->pid = c->block.pid = who->pid;
    c->host = who->host;
    c->start_time = who->start_time;
    c->notes = pm_text_copy(PM_TEXT(""));
    c->command = pm_text_copy(pm_text_of(commanded ? who->command : ""));
    c->name = named ? pm_text_copy(pm_text_of(who->name)) : NULL;
    c->name_rank = named ? who->name_rank : 0;
    return c->notes && c->command && c->missing && c->source_dir && c->source_name &&
                   (c->name || !named)
               ? PMAPDB_OK
               : pm_fail_nomem(err);
}

static pmapdb_status read_rows(pm_recall *r, const pm_recall_item *item, pm_capture *c,
                               pmapdb_error *err)
{
    pm_recall_rows *rows = &r->rows[item->dialect * N_STATES + item->state];
    pmapdb_status st = r->mappings ? PMAPDB_OK : pm_pool_new(&r->mappings, err);

    if (st == PMAPDB_OK && (rows->epoch_id != item->epoch_id || rows->from > item->off))
        st = pm_recall_rows_load(r->sql, r->mappings, item->epoch_id, item->off, rows, err);
    PM_STEP(st, pm_recall_rows_at(rows, item->off, &c->rows, &c->n_rows, err));
    c->pool = r->mappings;
    c->block.fields = rows->fields;
    return st;
}

/* Reads the live reading. The process has one pair of clocks, from which its other times are
 * computed. */
static pmapdb_status read_live(pm_recall *r, const pm_recall_item *item, pm_capture *c,
                               pmapdb_error *err)
{
    const pm_recall_process *who = &r->who;
    pm_live *live;
    pmapdb_status st = pm_grow(&r->live, &r->cap_live, r->n_live, sizeof(pm_live *), err);

    if (st != PMAPDB_OK || item->time_source != PM_TIME_LIVE)
        return st;
    st = pm_recall_live(r->sql, item->snapshot_id, r->words, &r->standing, &live, err);
    if (st != PMAPDB_OK || !live)
        return st;
    live->boot_id = who->boot_id;
    if (who->clock_mono_ns != PMAPDB_UNKNOWN && who->clock_utc_ms != PMAPDB_UNKNOWN)
        live->utc_ms = who->clock_utc_ms + (live->mono_ns - who->clock_mono_ns) / 1000000;
    c->live = r->live[r->n_live++] = live;
    return PMAPDB_OK;
}

/* True if the rows add up to the stored sums. The sums were proved before they were stored, so
 * other rows are damage. */
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
    pmapdb_status st;

    if ((st = read_block(r, item, c, err)) != PMAPDB_OK ||
        (st = read_origin(r, item, c, err)) != PMAPDB_OK ||
        (st = lend(&r->who, c, err)) != PMAPDB_OK ||
        (st = read_rows(r, item, c, err)) != PMAPDB_OK ||
        (st = read_live(r, item, c, err)) != PMAPDB_OK)
        return st;
    return adds_up(c) ? PMAPDB_OK
                      : damaged("snapshot", item->snapshot_id,
                                "has mappings that do not add up to its sums", err);
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
    c->block.notes = c->block.tool = c->block.empty = PM_TEXT("");
    *out = c;
    return PMAPDB_OK;
}
