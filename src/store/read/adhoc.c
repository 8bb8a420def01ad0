/* adhoc: SQL that a person types: limits, rows. */
#include "store/read/adhoc.h"

#include "base/clock/clock.h"
#include "store/read/statement.h"
#include <stdlib.h>

#define OPS_BETWEEN_LOOKS 10000 /* about 0.1 ms */

struct pm_adhoc {
    pmapdb_store *store;
    int old_length;               /* the limit of other statements */
    int64_t timeout_ms, max_rows; /* 0: no limit */
    int64_t rows;                 /* returned so far */
    int64_t cpu_ms;               /* CPU time of this thread when the statement began */
    int64_t stepped_ms;           /* in finished steps */
    int64_t step_ms;              /* start of the current step; 0: no step */
    bool cut, peeked, peeked_has;
};

static int64_t clock_ms(clockid_t clock)
{
    return pm_now_ns(clock) / 1000000;
}

/* ---- limits ---- */

void pm_adhoc_limit_memory(void)
{
    sqlite3_hard_heap_limit64(PM_ADHOC_MEMORY);
}

/* The time so far: in SQLite and in showing the rows, but not in waiting for a reader of them. */
static int64_t spent_ms(const struct pm_adhoc *a)
{
    int64_t step = a->step_ms ? clock_ms(CLOCK_MONOTONIC) - a->step_ms : 0;
    int64_t worked = clock_ms(CLOCK_THREAD_CPUTIME_ID) - a->cpu_ms, stepped = a->stepped_ms + step;

    return stepped > worked ? stepped : worked;
}

static int look(void *ctx)
{
    return spent_ms(ctx) > ((struct pm_adhoc *)ctx)->timeout_ms;
}

/* The limits hold until the rows are closed. */
static void confine(struct pm_adhoc *a)
{
    a->old_length = sqlite3_limit(a->store->db, SQLITE_LIMIT_LENGTH, PM_ADHOC_LENGTH);
    a->cpu_ms = clock_ms(CLOCK_THREAD_CPUTIME_ID);
    if (a->timeout_ms)
        sqlite3_progress_handler(a->store->db, OPS_BETWEEN_LOOKS, look, a);
}

void pm_adhoc_free(struct pm_adhoc *a)
{
    if (!a)
        return;
    sqlite3_limit(a->store->db, SQLITE_LIMIT_LENGTH, a->old_length);
    pmapdb_on_progress(a->store, a->store->on_progress, a->store->progress_ctx);
    free(a);
}

/* ---- units without a header ---- */

/* The unit that a name shows: "rss_kib", "sum_kib_delta", "taken_at". */
static pm_unit unit_by_name(pm_text name)
{
    static const char *const suffixes[] = {"_from", "_to", "_delta"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (pm_text_ends(name, pm_text_of(suffixes[i])))
            name.len -= strlen(suffixes[i]);
    if (pm_text_ends(name, PM_TEXT("_kib")))
        return PM_UNIT_KIB;
    if (pm_text_ends(name, PM_TEXT("_at")))
        return PM_UNIT_TIME;
    if (pm_text_equal(name, PM_TEXT("start")) || pm_text_equal(name, PM_TEXT("end")) ||
        pm_text_equal(name, PM_TEXT("offset")))
        return PM_UNIT_ADDRESS;
    return PM_UNIT_COUNT_OF_UNITS; /* the first value decides */
}

static pmapdb_status describe(pm_query_info *q, sqlite3_stmt *stmt, pmapdb_error *err)
{
    int columns = sqlite3_column_count(stmt), params = sqlite3_bind_parameter_count(stmt);

    if (columns > PM_QUERY_ITEMS || params > PM_QUERY_ITEMS)
        return pm_query_fail(q, NULL, err, "%d %s: at most %d are possible",
                             columns > params ? columns : params,
                             columns > PM_QUERY_ITEMS ? "columns" : "parameters", PM_QUERY_ITEMS);
    for (; q->n_columns < columns; q->n_columns++) {
        pm_text name = pm_text_of(sqlite3_column_name(stmt, q->n_columns));

        q->column[q->n_columns] = (pm_query_column){.name = name, .unit = unit_by_name(name)};
    }
    for (int i = 1; i <= params; i++) {
        const char *bound = sqlite3_bind_parameter_name(stmt, i);

        if (!bound)
            return pm_query_fail(q, q->body, err, "a parameter is written :name, not '?'");
        if (pm_query_param_at(q, pm_text_of(bound + 1)) <
            0) /* ":k", "@k" and "$k" are one parameter, k */
            q->param[q->n_params++] = (pm_query_param){
                .name = pm_text_of(bound + 1), .fallback = PM_TEXT("-"), .unit = PM_UNIT_TEXT};
    }
    return pm_query_keep_names(q, err);
}

static pm_query_info *new_info(const char *text, const char *where)
{
    pm_query_info *q = calloc(1, sizeof *q);

    if (!q || !(q->text = strdup(text)) || (where && !(q->where = strdup(where)))) {
        pm_catalog_free(q);
        return NULL;
    }
    q->body = q->text + strspn(q->text, " \t\r\n");
    q->name = PM_TEXT("sql");
    q->title = PM_TEXT("SQL of the user's own");
    return q;
}

static pmapdb_status prepare(pmapdb_rows *r, const char *text, const pmapdb_sql_options *o,
                             pmapdb_error *err)
{
    sqlite3 *db = r->store->db;
    pmapdb_status st;

    r->info = new_info(text, o->where);
    if (!r->info || !(r->adhoc = calloc(1, sizeof *r->adhoc)))
        return pm_fail_nomem(err);
    *r->adhoc =
        (struct pm_adhoc){.store = r->store, .timeout_ms = o->timeout_ms, .max_rows = o->max_rows};
    confine(r->adhoc);
    /* SQLite would take a misspelt name in double quotes for a text. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    st = pm_statement_prepare(r->store, r->info, "sql", &r->stmt, err);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 1, NULL);
    return st == PMAPDB_OK ? describe(r->info, r->stmt, err) : st;
}

pmapdb_status pmapdb_sql(pmapdb_store *store, const char *text, const pmapdb_sql_options *options,
                         pmapdb_rows **out, pmapdb_error *err)
{
    static const pmapdb_sql_options none = {0};
    const pmapdb_sql_options *o = options ? options : &none;
    pmapdb_rows *r = NULL;
    pmapdb_status st;

    if (o->timeout_ms < 0 || o->max_rows < 0)
        return pm_fail(err, PMAPDB_USAGE, "a timeout and a number of rows must not be below zero");
    st = pm_rows_new(store, NULL, &r, err);
    PM_STEP(st, prepare(r, text, o, err));
    if (st == PMAPDB_OK)
        *out = r;
    else
        pmapdb_rows_close(r);
    return st;
}

/* ---- rows ---- */

static pmapdb_status stopped(const pmapdb_rows *r, int code, pmapdb_error *err)
{
    const struct pm_adhoc *a = r->adhoc;
    pmapdb_status st;

    switch (code & 0xff) {
    case SQLITE_INTERRUPT:
        st = pm_fail(err, PMAPDB_TIMEOUT, "stopped: not finished after %g s; --timeout allows more",
                     (double)a->timeout_ms / 1000);
        break;
    case SQLITE_TOOBIG:
        st = pm_query_fail(r->info, NULL, err, "a text or blob of more than %d MiB",
                           PM_ADHOC_LENGTH >> 20);
        break;
    case SQLITE_NOMEM:
        st = pm_fail(err, PMAPDB_NOMEM, "out of memory: the statement needs too much");
        break;
    case SQLITE_AUTH:
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
        st = pm_query_fail(r->info, NULL, err, "%s", sqlite3_errmsg(r->store->db));
        break;
    default:
        return pm_sql_fail(r->store->db, "read", err);
    }
    if (err)
        err->db_code = code;
    return st;
}

static pmapdb_status step(pmapdb_rows *r, bool *has, pmapdb_error *err)
{
    struct pm_adhoc *a = r->adhoc;
    int rc;

    if (!sqlite3_stmt_busy(r->stmt)) {
        a->rows = a->stepped_ms = 0;
        a->cut = false;
        a->cpu_ms = clock_ms(CLOCK_THREAD_CPUTIME_ID);
    }
    a->step_ms = clock_ms(CLOCK_MONOTONIC);
    rc = sqlite3_step(r->stmt);
    if (rc == SQLITE_ROW && a->timeout_ms && look(a))
        rc = SQLITE_INTERRUPT; /* few steps, but long ones */
    a->stepped_ms += clock_ms(CLOCK_MONOTONIC) - a->step_ms;
    a->step_ms = 0;
    *has = rc == SQLITE_ROW;
    if (*has && a->max_rows && a->rows == a->max_rows) {
        a->cut = true;
        *has = false;
    }
    if (*has)
        a->rows++;
    else
        sqlite3_reset(r->stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? PMAPDB_OK : stopped(r, rc, err);
}

/* Sets the units that names left open, by the values of the current row. */
static void settle_units(pmapdb_rows *r, bool has)
{
    for (int i = 0; i < r->info->n_columns; i++) {
        pm_query_column *c = &r->info->column[i];
        int type = has ? sqlite3_column_type(r->stmt, i) : SQLITE_NULL;

        if (c->unit == PM_UNIT_COUNT_OF_UNITS)
            c->unit = type == SQLITE_INTEGER ? PM_UNIT_INT
                      : type == SQLITE_FLOAT ? PM_UNIT_REAL
                                             : PM_UNIT_TEXT;
    }
}

pmapdb_status pm_adhoc_peek(pmapdb_rows *r, pmapdb_error *err)
{
    struct pm_adhoc *a = r->adhoc;
    pmapdb_status st = pmapdb_next(r, &a->peeked_has, err);

    a->peeked = st == PMAPDB_OK;
    return st;
}

pmapdb_status pm_adhoc_next(pmapdb_rows *r, bool *has, pmapdb_error *err)
{
    struct pm_adhoc *a = r->adhoc;
    pmapdb_status st;

    if (a->peeked) {
        a->peeked = false;
        *has = a->peeked_has;
        return PMAPDB_OK;
    }
    st = step(r, has, err);
    if (st == PMAPDB_OK)
        settle_units(r, *has);
    return st;
}

bool pmapdb_rows_cut(const pmapdb_rows *r)
{
    return r->adhoc && r->adhoc->cut;
}
