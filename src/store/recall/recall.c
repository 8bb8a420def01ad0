/* recall: the captures of a stored process, restored in full and in time order. */
#include "store/recall/recall.h"

#include "base/buf.h"
#include "store/recall/recall_rows.h"
#include <stdlib.h>

#define N_STATES (PM_STATE_TOTALS + 1U)
#define N_CHECKED (PM_CHECKED_ROLLUP + 1U)
#define N_TIME_SOURCES (PM_TIME_EVERY + 1U)
#define STREAMS ((size_t)PM_DIALECT_COUNT * N_STATES)
#define MAPPINGS_BYTES (64U << 20) /* of the mappings that are kept from capture to capture */

struct pm_recall {
    pm_sql *sql;
    pm_recall_process who;
    pm_recall_item *items;
    size_t n, cap;
    pm_pool *words;               /* all texts */
    pm_pool *mappings;            /* of the captures since the last forget() */
    pm_recall_rows rows[STREAMS]; /* per stream: the epoch that was read last */
    pm_capture capture;           /* the one that was restored last */
    pm_live live;                 /* the boot and the clocks of a live process */
};

pm_recall *pm_recall_new(pm_sql *sql)
{
    pm_recall *r = calloc(1, sizeof *r);

    if (r)
        r->sql = sql;
    else
        PM_SQL_STEP(sql, pm_fail_nomem(&err));
    return r;
}

static void forget(pm_recall *r)
{
    for (size_t i = 0; i < STREAMS; i++)
        pm_recall_rows_free(&r->rows[i]);
    pm_pool_free(r->mappings);
    r->mappings = NULL;
}

void pm_recall_trim(pm_recall *r)
{
    if (r->mappings && pm_pool_bytes(r->mappings) > MAPPINGS_BYTES)
        forget(r);
}

void pm_recall_free(pm_recall *r)
{
    if (!r)
        return;
    forget(r);
    pm_pool_free(r->words);
    free(r->capture.rows);
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

/* Copies a text, ended by a NUL; NULL stays NULL. */
static pm_text keep(pm_recall *r, pm_text t)
{
    uint32_t id = 0;

    if (!t.data)
        return t;
    PM_SQL_STEP(r->sql, pm_pool_text(r->words, t, &id, &err));
    return r->words->texts[id];
}

static char *word(pm_recall *r, sqlite3_stmt *row, int column)
{
    return (char *)keep(r, pm_col_text(row, column)).data;
}

/* ---- the process ---- */

static void load_process(pm_recall *r, int64_t process_id)
{
    pm_recall_process *who = &r->who;
    bool damaged = true;
    sqlite3_stmt *row =
        pm_sql_ask(r->sql, pm_sql_script_text("recall-process"), PM_ARGS(PM_I(process_id)));

    *who = (pm_recall_process){.process_id = process_id, .facts = PM_PROCESS_FACTS_NONE};
    if (pm_sql_next(r->sql, row)) {
        pm_process_facts *f = &who->facts;
        int64_t rank = pm_col_int(row, 6);

        who->host = word(r, row, 0);
        f->name = keep(r, pm_col_text(row, 1));
        f->command = keep(r, pm_col_text(row, 2));
        who->boot_id = word(r, row, 3);
        who->pid = pm_col_int(row, 4);
        who->start_time = pm_col_int(row, 5);
        f->rank = (pm_name_rank)rank;
        f->name_ms = pm_col_ms(row, 7);
        f->command_ms = pm_col_ms(row, 8);
        f->mono_ns = pm_col_int(row, 9);
        f->utc_ms = pm_col_ms(row, 10);
        f->identity = word(r, row, 11);
        r->live = (pm_live){.boot_id = who->boot_id,
                            .mono_ns = f->mono_ns,
                            .utc_ms = f->utc_ms,
                            .read_us = PMAPDB_UNKNOWN};
        damaged = !f->name.data || !f->identity || rank < PM_NAME_GIVEN || rank > PM_NAME_UNKNOWN;
        pm_sql_done(row);
    }
    if (damaged)
        pm_recall_damaged(r->sql, "process", process_id, "is missing or has impossible values");
}

/* ---- the snapshots ---- */

static void add_item(pm_recall *r, sqlite3_stmt *row)
{
    int64_t log_id = pm_col_int(row, 10);
    pm_recall_item item = {.order = {pm_col_ms(row, 4), pm_dialect_find(pm_col_text(row, 7)),
                                     (pm_state)pm_col_code(row, 8, N_STATES), pm_col_int(row, 5),
                                     pm_col_int(row, 6)},
                           .snapshot_id = pm_col_int(row, 0),
                           .capture_id = pm_col_int(row, 1),
                           .epoch_id = pm_col_int(row, 2),
                           .off = pm_col_int(row, 3),
                           .time_source = (pm_time_source)pm_col_code(row, 9, N_TIME_SOURCES),
                           .log_id = log_id == PMAPDB_UNKNOWN ? 0 : log_id};

    if (item.order.dialect == PM_DIALECT_COUNT || item.order.state == N_STATES ||
        item.time_source == N_TIME_SOURCES || item.capture_id <= 0 || item.epoch_id <= 0 ||
        item.off < 0 || item.order.taken_ms == PMAPDB_UNKNOWN ||
        item.order.hash == PMAPDB_UNKNOWN || item.order.ordinal == PMAPDB_UNKNOWN)
        pm_recall_damaged(r->sql, "snapshot", item.snapshot_id, "has impossible values");
    PM_SQL_STEP(r->sql, pm_grow(&r->items, &r->cap, r->n, sizeof *r->items, &err));
    if (pm_sql_ok(r->sql))
        r->items[r->n++] = item;
}

void pm_recall_begin(pm_recall *r, int64_t process_id)
{
    sqlite3_stmt *row;

    forget(r);
    pm_pool_free(r->words);
    r->words = NULL;
    r->n = 0;
    PM_SQL_STEP(r->sql, pm_pool_new(&r->words, &err));
    if (!pm_sql_ok(r->sql))
        return;
    load_process(r, process_id);
    row = pm_sql_ask(r->sql, pm_sql_script_text("recall-snapshots"), PM_ARGS(PM_I(process_id)));
    while (pm_sql_next(r->sql, row))
        add_item(r, row);
    if (r->n)
        qsort(r->items, r->n, sizeof *r->items, pm_order_compare);
}

/* ---- one capture ---- */

/* Reads the row of the snapshot, and the file of its capture. */
static void read_block(pm_recall *r, const pm_recall_item *item, pm_capture *c)
{
    pm_block *b = &c->block;
    unsigned checked = N_CHECKED;
    bool has_capture = true;
    sqlite3_stmt *row =
        pm_sql_ask(r->sql, pm_sql_script_text("recall-block"), PM_ARGS(PM_I(item->snapshot_id)));

    if (pm_sql_next(r->sql, row)) {
        checked = pm_col_code(row, 0, N_CHECKED);
        b->checked = (pm_checked)checked;
        c->missing = word(r, row, 1);
        has_capture = pm_col_int(row, 2) != PMAPDB_UNKNOWN;
        c->source_dir = word(r, row, 3);
        c->source_name = word(r, row, 4);
        for (int i = 0; i < PM_TOTAL_COUNT; i++)
            b->totals.v[i] = pm_col_kib(row, 5 + i);
        b->tool_size_kib = pm_col_int(row, 5 + PM_TOTAL_COUNT);
        b->tool_rss_kib = pm_col_int(row, 6 + PM_TOTAL_COUNT);
        pm_sql_done(row);
    }
    if (checked == N_CHECKED)
        pm_recall_damaged(r->sql, "snapshot", item->snapshot_id,
                          "is missing, or its check is unknown");
    if (!has_capture)
        pm_recall_damaged(r->sql, "capture", item->capture_id, "is missing");
}

/* Gives the capture the data of its process. A capture gets the name and command if it is not older
 * than the capture that gave them. */
static void lend(const pm_recall_process *who, pm_capture *c)
{
    const pm_process_facts *f = &who->facts;
    bool named = f->name_ms <= c->taken_ms, commanded = f->command_ms <= c->taken_ms;

    c->pid = c->block.pid = who->pid;
    c->host = who->host;
    c->start_time = who->start_time;
    c->block.command = commanded && f->command.data ? f->command : PM_TEXT("");
    c->block.missing = pm_text_of(c->missing);
    c->block.notes = c->block.empty = PM_TEXT("");
    c->name = named ? (char *)f->name.data : NULL;
    c->name_rank = named ? f->rank : 0;
}

static void read_rows(pm_recall *r, const pm_recall_item *item, pm_capture *c)
{
    pm_recall_rows *rows = &r->rows[item->order.dialect * N_STATES + item->order.state];

    if (!r->mappings)
        PM_SQL_STEP(r->sql, pm_pool_new(&r->mappings, &err));
    if (rows->epoch_id != item->epoch_id || rows->from > item->off)
        pm_recall_rows_load(r->sql, r->mappings, item->epoch_id, item->off, rows);
    pm_recall_rows_at(r->sql, rows, item->off, &c->rows, &c->n_rows);
    c->pool = r->mappings;
    c->block.fields = rows->fields;
}

/* True if the rows add up to the stored sums. The sums were proved before they were stored, so
 * other rows are damage. */
static bool adds_up(const pm_capture *c)
{
    pm_totals totals = {{0}};

    if (c->block.state == PM_STATE_TOTALS)
        return c->n_rows == 0;
    for (size_t i = 0; i < c->n_rows; i++)
        pm_totals_add(&totals, pm_capture_row(c, i));
    return memcmp(&totals, &c->block.totals, sizeof totals) == 0;
}

pm_capture *pm_recall_capture(pm_recall *r, const pm_recall_item *item)
{
    pm_capture *c = &r->capture;

    free(c->rows);
    *c = (pm_capture){.taken_ms = item->order.taken_ms,
                      .time_source = item->time_source,
                      .ordinal = item->order.ordinal,
                      .log_id = (uint64_t)item->log_id};
    c->block.dialect = item->order.dialect;
    c->block.state = item->order.state;
    c->block.hash = (uint64_t)item->order.hash;
    c->block.time_ms = PMAPDB_UNKNOWN;
    read_block(r, item, c);
    lend(&r->who, c);
    read_rows(r, item, c);
    if (item->time_source == PM_TIME_LIVE)
        c->live = &r->live;
    if (pm_sql_ok(r->sql) && !adds_up(c))
        pm_recall_damaged(r->sql, "snapshot", item->snapshot_id,
                          "has mappings that do not add up to its sums");
    return pm_sql_ok(r->sql) ? c : NULL;
}
