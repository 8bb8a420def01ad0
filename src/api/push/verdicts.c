/* verdicts: asks the queries leaks and who, and keeps the rows for the next batch. */
#include "api/push/verdicts.h"

#include <stdio.h>

#define GROWN "20" /* the processes that are judged every hour */
#define SINCE "-7d"
#define STACKS 3 /* of a process */

static int find(const pmapdb_rows *rows, const char *name)
{
    int n = pmapdb_rows_columns(rows), i = 0;

    while (i < n - 1 && strcmp(pmapdb_rows_name(rows, i), name) != 0)
        i++;
    return i;
}

static pm_arg value(const pmapdb_rows *rows, const char *name)
{
    int i = find(rows, name);
    double real;

    switch (pmapdb_rows_type(rows, i)) {
    case PMAPDB_INT:
        return PM_I(pmapdb_rows_int(rows, i));
    case PMAPDB_REAL:
        real = pmapdb_rows_real(rows, i);
        return real == real ? PM_R(real) : PM_I(PMAPDB_UNKNOWN);
    case PMAPDB_TEXT:
        return PM_S(pmapdb_rows_text(rows, i, NULL));
    default:
        return PM_I(PMAPDB_UNKNOWN);
    }
}

static void keep_verdict(pm_sql *sql, const pmapdb_rows *r)
{
    pm_sql_do(sql,
              "INSERT OR REPLACE INTO temp.push_verdict VALUES (?1, ?2, ?3, ?4, ?5, "
              "CAST(round((julianday(?6) - 2440587.5) * 86400000) AS INTEGER), ?7, ?8, ?9, ?10, "
              "CASE ?16 WHEN 'KiB' THEN CAST(?11 AS INTEGER) END, "
              "CASE ?16 WHEN 'KiB' THEN CAST(?12 AS INTEGER) END, ?13, ?14, ?15)",
              PM_ARGS(value(r, "process_id"), value(r, "key"), value(r, "metric"),
                      value(r, "verdict"), value(r, "shape"), value(r, "since"),
                      value(r, "rate_per_h"), value(r, "rate_low"), value(r, "rate_high"),
                      value(r, "detectable_per_h"), value(r, "last"), value(r, "limit"),
                      value(r, "limit_by"), value(r, "eta_h"), value(r, "snapshots"),
                      value(r, "unit")));
}

static void keep_stack(pm_sql *sql, const pmapdb_rows *r)
{
    pm_sql_do(sql,
              "INSERT OR REPLACE INTO temp.push_stack SELECT ?1, ?2, ?3, ?4, min(taken_ms), "
              "max(taken_ms) FROM snapshot WHERE process_id = ?1 AND ?5 = 'stack'",
              PM_ARGS(value(r, "process_id"), value(r, "stack"), value(r, "growth_kib"),
                      value(r, "share"), value(r, "kind")));
}

/* Asks a query and keeps its first rows. param NULL: none. */
static pmapdb_status ask(pmapdb_store *store, const char *query, const char *param,
                         const char *word, int most, void (*keep)(pm_sql *, const pmapdb_rows *),
                         pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pmapdb_status st = pmapdb_query(store, query, &rows, err);
    bool has_row = true;

    if (param)
        PM_STEP(st, pmapdb_bind(rows, param, word, err));
    if (strcmp(query, "leaks") == 0)
        PM_STEP(st, pmapdb_bind(rows, "since", SINCE, err));
    for (int i = 0; st == PMAPDB_OK && has_row && i < most; i++) {
        st = pmapdb_next(rows, &has_row, err);
        if (st == PMAPDB_OK && has_row)
            keep(store->sql, rows);
        PM_STEP(st, pm_sql_end(store->sql, err));
    }
    pmapdb_rows_close(rows);
    return st;
}

/* The stacks of what grew in the processes that leak and were recorded by perf. */
static pmapdb_status add_stacks(pmapdb_store *store, pmapdb_error *err)
{
    pm_sql *sql = store->sql;
    pmapdb_status st = PMAPDB_OK;
    int64_t id = 0;
    char process[32];

    while (st == PMAPDB_OK) {
        id = pm_sql_value(sql,
                          "SELECT min(v.process_id) FROM temp.push_verdict v WHERE v.process_id > "
                          "?1 AND v.verdict IN ('leak', 'suspect') AND EXISTS (SELECT 1 FROM "
                          "traced_process t WHERE t.process_id = v.process_id AND NOT t.pruned)",
                          PM_ARGS(PM_I(id)), 0);
        if (!id)
            return pm_sql_end(sql, err);
        snprintf(process, sizeof process, "@%lld", (long long)id);
        st = ask(store, "who", "process", process, STACKS, keep_stack, err);
    }
    return st;
}

pmapdb_status pm_push_make_verdicts(pmapdb_store *store, pm_push *push, pmapdb_error *err)
{
    pm_push_judge judge = pm_push_begin_verdicts(push);
    pmapdb_status st = pm_sql_end(store->sql, err);

    if (st != PMAPDB_OK || judge == PM_PUSH_JUDGE_NONE ||
        !pm_sql_value(store->sql, "SELECT 1 FROM snapshot LIMIT 1", PM_NO_ARGS, 0))
        return st;
    st = ask(store, "leaks", judge == PM_PUSH_JUDGE_ALL ? NULL : "grown", GROWN, INT32_MAX,
             keep_verdict, err);
    PM_STEP(st, add_stacks(store, err));
    return st;
}
