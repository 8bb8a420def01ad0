/* verdicts: asks the queries leaks and who, and keeps the rows for the next batch. */
#include "api/push/send.h"

#include "store/read/query.h"
#include <stdio.h>

#define GROWN "20" /* how many processes, of those that grew most, are judged every hour */
#define SINCE "-7d"
#define STACKS ") w WHERE kind = 'stack' LIMIT 3" /* of each process */

/* The beginnings of the INSERTs; keep() puts the query and the end of the INSERT after them. */
#define KEEP_VERDICTS                                                                           \
    "INSERT OR REPLACE INTO temp.push_verdict SELECT process_id, key, metric, verdict, shape, " \
    "CAST(round((julianday(since) - 2440587.5) * 86400000) AS INTEGER), rate_per_h, rate_low, " \
    "rate_high, detectable_per_h, CASE unit WHEN 'KiB' THEN CAST(last AS INTEGER) END, "        \
    "CASE unit WHEN 'KiB' THEN CAST(\"limit\" AS INTEGER) END, limit_by, eta_h, snapshots FROM ("
#define KEEP_STACKS                                                                        \
    "INSERT OR REPLACE INTO temp.push_stack SELECT process_id, stack, growth_kib, share, " \
    "(SELECT min(taken_ms) FROM snapshot s WHERE s.process_id = w.process_id), "           \
    "(SELECT max(taken_ms) FROM snapshot s WHERE s.process_id = w.process_id) FROM ("

/* Stores the rows of a query in a temporary table. param NULL: no parameter. */
static pmapdb_status keep(pmapdb_store *store, const char *query, const char *param,
                          const char *word, const char *before, const char *after,
                          pmapdb_error *err)
{
    pmapdb_rows *rows = NULL;
    pmapdb_status st = pmapdb_query(store, query, &rows, err);
    bool has_row;

    if (param)
        PM_STEP(st, pmapdb_bind(rows, param, word, err));
    if (strcmp(query, "leaks") == 0)
        PM_STEP(st, pmapdb_bind(rows, "since", SINCE, err));
    PM_STEP(st, pm_rows_wrap(rows, before, after, err));
    PM_STEP(st, pmapdb_next(rows, &has_row, err));
    pmapdb_rows_close(rows);
    return st;
}

/* Keeps the stacks of the growth in processes that are leaks or suspects and that perf recorded. */
static pmapdb_status add_stacks(pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    int64_t id = 0;
    char process[32];

    while (st == PMAPDB_OK) {
        id = pm_sql_value(store->sql,
                          "SELECT min(v.process_id) FROM temp.push_verdict v WHERE v.process_id > "
                          "?1 AND v.verdict IN ('leak', 'suspect') AND EXISTS (SELECT 1 FROM "
                          "traced_process t WHERE t.process_id = v.process_id AND NOT t.pruned)",
                          PM_ARGS(PM_I(id)), 0);
        if (!id)
            return pm_sql_end(store->sql, err);
        snprintf(process, sizeof process, "@%lld", (long long)id);
        st = keep(store, "who", "process", process, KEEP_STACKS, STACKS, err);
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
    st = keep(store, "leaks", judge == PM_PUSH_JUDGE_ALL ? NULL : "grown", GROWN, KEEP_VERDICTS,
              ")", err);
    PM_STEP(st, add_stacks(store, err));
    return st;
}
