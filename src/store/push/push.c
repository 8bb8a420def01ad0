/* push: batches of rows for a target, and the memory of what was sent. */
#include "store/push/push.h"

#include "base/hash.h"
#include "store/export/redact.h"
#include "store/func/argument.h"
#include <stdio.h>
#include <stdlib.h>

#define SNAPSHOTS 5000 /* of a batch: up to ten rows each */
#define COLUMNS 32     /* of a table */
#define HOUR INT64_C(3600000)
#define DAY (24 * HOUR)

struct pm_push {
    pmapdb_store *store;
    pm_push_options o;
    pm_redact *redact; /* of push_name(); NULL: names stay */
    pm_push_state is;
    int64_t push_id, done_id, until_id, gen, shown_gen, rows;
    int64_t judged_ms, judged_day;
    bool all;    /* verdicts of all processes are in this batch */
    bool newest; /* no snapshot is newer than the batch */
    bool first;  /* the next batch is the first of this run */
};

/* ---- the functions of push-*.sql ---- */

/* push_hash(...): hashes the arguments as texts, to 63 bits; NULL differs from ''. */
static void hash(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    uint64_t h = 0;

    for (int i = 0; i < n; i++) {
        pm_text t = pm_argument_text(arg[i]);

        h = pm_hash(t.data ? t.data : "", t.len, h + (t.data != NULL));
    }
    sqlite3_result_int64(ctx, (int64_t)(h & INT64_MAX));
}

static pmapdb_status replace(pm_redact *redact, pm_redact_how how, pm_text text, pm_text *out,
                             pmapdb_error *err)
{
    *out = text;
    return how == PM_REDACT_NEVER ? pm_redact_publish(redact, text, err)
                                  : pm_redact_text(redact, how, text, (pm_text){0}, out, err);
}

/* push_name(way, text): the text, or what a redacted push shows in its place. */
static void name(sqlite3_context *ctx, int n, sqlite3_value **arg)
{
    const pm_push *p = sqlite3_user_data(ctx);
    pm_redact_how how = pm_redact_way(arg[0]);
    pm_text text = pm_argument_text(arg[1]), out;
    pmapdb_error err = {0};

    (void)n;
    if (!p->redact || !text.data) {
        sqlite3_result_value(ctx, arg[1]);
        return;
    }
    if (replace(p->redact, how, text, &out, &err) == PMAPDB_OK)
        sqlite3_result_text64(ctx, out.data, out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
        sqlite3_result_error(ctx, err.text, -1);
    pm_sql_do(p->store->sql, "INSERT OR IGNORE INTO temp.push_said (how, text) VALUES (?1, ?2)",
              PM_ARGS(PM_I(how), PM_T(text)));
}

/* Adds the functions, and gives the tokens of earlier pushes to the texts that have one. */
static pmapdb_status open_names(pm_push *p, pmapdb_error *err)
{
    pm_sql *sql = p->store->sql;
    int how = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    int rc = sqlite3_create_function(p->store->db, "push_hash", -1, how | SQLITE_DETERMINISTIC,
                                     NULL, hash, NULL, NULL);
    sqlite3_stmt *row;
    pmapdb_status st = PMAPDB_OK;
    pm_text token;

    if (rc == SQLITE_OK)
        rc = sqlite3_create_function(p->store->db, "push_name", 2, how, p, name, NULL, NULL);
    if (rc != SQLITE_OK)
        return pm_sql_fail_code(p->store->db, rc, "add a function", err);
    pm_sql_exec(sql,
                "CREATE TEMP TABLE IF NOT EXISTS push_said "
                "(how INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (how, text))",
                "add a table");
    if (p->o.redact)
        st = pm_redact_new(NULL, 0, &p->redact, err);
    row = p->redact ? pm_sql_ask(sql, "SELECT how, text FROM push_token ORDER BY place", PM_NO_ARGS)
                    : NULL;
    while (st == PMAPDB_OK && row && pm_sql_next(sql, row))
        st =
            replace(p->redact, (pm_redact_how)pm_col_int(row, 0), pm_col_text(row, 1), &token, err);
    PM_STEP(st, pm_sql_end(sql, err));
    return st;
}

/* ---- the target ---- */

static void read_target(pm_push *p)
{
    pm_sql *sql = p->store->sql;
    sqlite3_stmt *row = pm_sql_ask(
        sql,
        "SELECT push_id, done_id, until_id, seq, gen, shown_gen, paused_ms, (SELECT "
        "max(through_ms) FROM push_host h WHERE h.push_id = p.push_id), judged_ms, judged_day, "
        "(SELECT store FROM push_self) FROM push p WHERE target = ?1",
        PM_ARGS(PM_S(p->o.target)));

    while (pm_sql_next(sql, row)) {
        p->push_id = pm_col_int(row, 0);
        p->done_id = pm_col_int(row, 1);
        p->until_id = pm_col_int(row, 2);
        pm_push_raise(p, pm_col_int(row, 3) + 1);
        p->gen = pm_col_int(row, 4);
        p->shown_gen = pm_col_int(row, 5);
        p->is.paused_ms = pm_col_int(row, 6);
        p->is.through_ms = pm_col_int(row, 7);
        p->judged_ms = pm_col_int(row, 8);
        p->judged_day = pm_col_int(row, 9);
        snprintf(p->is.store, sizeof p->is.store, "%s", pm_col_text(row, 10).data);
    }
}

static void find_target(pm_push *p)
{
    pm_sql_script(p->store->sql, "push-tables", NULL, 0);
    pm_sql_script(p->store->sql, "push-target",
                  PM_PARAMS({":target", PM_S(p->o.target)}, {":now_ms", PM_I(p->o.now_ms)},
                            {":from_ms", PM_I(p->o.from_ms)}));
    read_target(p);
}

static pmapdb_status write(pm_push *p, void (*work)(pm_push *), pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin(p->store, err);

    if (st != PMAPDB_OK)
        return st;
    work(p);
    return pm_store_end(p->store, err);
}

pmapdb_status pm_push_open(pmapdb_store *store, const pm_push_options *options, pm_push **out,
                           pmapdb_error *err)
{
    pm_push *p = calloc(1, sizeof *p);
    pmapdb_status st = p ? PMAPDB_OK : pm_fail_nomem(err);

    if (st != PMAPDB_OK)
        return st;
    p->store = store;
    p->o = *options;
    p->first = true;
    st = write(p, find_target, err);
    PM_STEP(st, open_names(p, err));
    if (st != PMAPDB_OK) {
        pm_push_close(p);
        return st;
    }
    *out = p;
    return PMAPDB_OK;
}

void pm_push_close(pm_push *p)
{
    pm_redact_free(p->redact);
    free(p);
}

const pm_push_state *pm_push_look(const pm_push *p)
{
    return &p->is;
}

void pm_push_raise(pm_push *p, int64_t seq)
{
    p->is.seq = seq > p->is.seq ? seq : p->is.seq;
}

/* ---- a batch ---- */

pm_push_judge pm_push_begin_verdicts(pm_push *p)
{
    p->all = p->judged_day != p->o.now_ms / DAY;
    pm_sql_script(p->store->sql, "push-judged", NULL, 0);
    return p->all                               ? PM_PUSH_JUDGE_ALL
           : p->o.now_ms - p->judged_ms >= HOUR ? PM_PUSH_JUDGE_GROWN
                                                : PM_PUSH_JUDGE_NONE;
}

/* Decides the end of the batch: a beat is not cut. The end stays until the batch is done. */
static void choose_end(pm_push *p)
{
    pm_sql_do(p->store->sql,
              "UPDATE push SET until_id = (SELECT max(t.snapshot_id) FROM (SELECT max(snapshot_id) "
              "AS last FROM (SELECT snapshot_id FROM snapshot WHERE snapshot_id > done_id "
              "ORDER BY snapshot_id LIMIT ?2)) n CROSS JOIN snapshot s ON s.snapshot_id = n.last "
              "CROSS JOIN snapshot t ON t.snapshot_id BETWEEN n.last AND n.last + 100000 "
              "AND t.capture_id = s.capture_id) WHERE push_id = ?1 AND until_id IS NULL",
              PM_ARGS(PM_I(p->push_id), PM_I(SNAPSHOTS)));
    read_target(p);
    if (p->until_id == PMAPDB_UNKNOWN) /* nothing is new, but hours may be over */
        p->until_id = p->done_id;
}

static pm_value value_of(sqlite3_stmt *stmt, int i)
{
    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_NULL:
        return (pm_value){.kind = PM_VALUE_NULL};
    case SQLITE_INTEGER:
        return (pm_value){.kind = PM_VALUE_INT, .i = sqlite3_column_int64(stmt, i)};
    case SQLITE_FLOAT:
        return (pm_value){.kind = PM_VALUE_REAL, .r = sqlite3_column_double(stmt, i)};
    default:
        return (pm_value){.kind = PM_VALUE_TEXT, .t = pm_col_text(stmt, i)};
    }
}

/* Gives the rows of a table to the sink, and counts them. */
static pmapdb_status send_table(pm_push *p, const char *table, const pm_param *params,
                                size_t n_params, const pm_push_sink *sink, pmapdb_error *err)
{
    pm_sql *sql = p->store->sql;
    pm_column columns[COLUMNS];
    pm_value values[COLUMNS];
    char script[32];
    sqlite3_stmt *stmt;
    pmapdb_status st;
    int n;

    snprintf(script, sizeof script, "push-%s", table);
    stmt = pm_sql_ask_script(sql, script, params, n_params);
    n = stmt ? sqlite3_column_count(stmt) : 0;
    for (int i = 0; i < n; i++)
        columns[i] = (pm_column){sqlite3_column_name(stmt, i), PM_UNIT_TEXT};
    st = stmt ? sink->table(sink->ctx, table, columns, n, err) : PMAPDB_OK;
    for (; st == PMAPDB_OK && stmt && pm_sql_next(sql, stmt); p->rows++) {
        for (int i = 0; i < n; i++)
            values[i] = value_of(stmt, i);
        st = sink->row(sink->ctx, values, err);
    }
    if (st != PMAPDB_OK)
        pm_sql_done(stmt);
    PM_STEP(st, pm_sql_end(sql, err));
    return st;
}

static void compute(pm_push *p, const pm_push_sink *sink)
{
    static const char *const tables[] = {"hosts",   "spans",    "points", "hourly", "totals",
                                         "objects", "verdicts", "stacks", "marks"};
    pm_sql *sql = p->store->sql;
    pm_param params[] = {{":push_id", PM_I(p->push_id)},
                         {":done_id", PM_I(p->done_id)},
                         {":until_id", PM_I(p->until_id)},
                         {":now_ms", PM_I(p->o.now_ms)},
                         {":newest", PM_I(p->newest)},
                         {":store", PM_S(p->is.store)},
                         {":redact", PM_I(p->o.redact)},
                         {":gen", PM_I(p->gen)},
                         {":shown_gen", PM_I(p->shown_gen)},
                         {":seq", PM_I(p->is.seq)},
                         {":pss", PM_I(p->o.pss)},
                         {":all", PM_I(p->all)},
                         {":rows", PM_I(0)}};
    size_t n = sizeof params / sizeof *params;

    p->rows = 0;
    pm_sql_script(sql, "push-steps", params, n);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        params[n - 1].value = PM_I(p->rows);
        PM_SQL_STEP(sql, send_table(p, tables[i], params, n, sink, &err));
    }
}

pmapdb_status pm_push_batch(pm_push *p, const pm_push_sink *sink, bool *some, pmapdb_error *err)
{
    pm_sql *sql = p->store->sql;
    pmapdb_status st = write(p, choose_end, err);

    *some = false;
    if (st != PMAPDB_OK)
        return st;
    pm_sql_do(sql, "BEGIN", PM_NO_ARGS);
    p->newest = !pm_sql_value(sql, "SELECT 1 FROM snapshot WHERE snapshot_id > ?1 LIMIT 1",
                              PM_ARGS(PM_I(p->until_id)), 0);
    *some = p->until_id > p->done_id || p->first;
    p->first = false;
    if (*some)
        compute(p, sink);
    pm_sql_do(sql, "COMMIT", PM_NO_ARGS);
    st = pm_sql_end(sql, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(p->store);
    return st;
}

static void finish(pm_push *p)
{
    pm_sql *sql = p->store->sql;
    const pm_param params[] = {{":push_id", PM_I(p->push_id)}, {":until_id", PM_I(p->until_id)},
                               {":now_ms", PM_I(p->o.now_ms)}, {":newest", PM_I(p->newest)},
                               {":all", PM_I(p->all)},         {":seq", PM_I(p->is.seq)}};
    const pm_arg where[] = {PM_I(p->push_id), PM_I(p->done_id), PM_I(p->until_id)};

    if (pm_sql_value(sql,
                     "SELECT 1 FROM push WHERE push_id = ?1 AND done_id = ?2 AND "
                     "ifnull(until_id, done_id) = ?3",
                     where, 3, 0))
        pm_sql_script(sql, "push-done", params, 6);
    else
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_BUSY, "another push has sent to '%s' meanwhile",
                                 p->o.target));
    read_target(p);
}

pmapdb_status pm_push_done(pm_push *p, pmapdb_error *err)
{
    return write(p, finish, err);
}

/* The pause doubles from a minute to an hour. The hash of its name shortens it by up to a half for
 * each store, so that stores do not come all at once. */
pmapdb_status pm_push_failed(pm_push *p, bool wait, const char *why, pmapdb_error *err)
{
    uint64_t share = pm_hash(p->is.store, strlen(p->is.store), 0) % 1024;
    pmapdb_status st = pm_store_begin(p->store, err);

    if (st != PMAPDB_OK)
        return st;
    pm_sql_do(
        p->store->sql,
        "UPDATE push SET error = ?2, failures = failures + ?3, paused_ms = CASE WHEN ?3 THEN "
        "?4 + min(60000 << min(failures, 6), 3600000) * (1024 + ?5) / 2048 ELSE paused_ms END "
        "WHERE push_id = ?1",
        PM_ARGS(PM_I(p->push_id), PM_S(why), PM_I(wait), PM_I(p->o.now_ms), PM_I(share)));
    return pm_store_end(p->store, err);
}
