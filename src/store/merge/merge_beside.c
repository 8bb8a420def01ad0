/* merge_beside: what belongs to no process: where captures were found, what was refused, pins, how
 * far a name was pruned. */
#include "store/merge/merge_run.h"

#include "store/origin.h"

/* ---- captures ---- */

pmapdb_status pm_merge_capture(pm_merge *m, int64_t there, int64_t *here, pmapdb_error *err)
{
    pm_buf folder = {0}, file = {0};
    bool has = false;
    pmapdb_status st;

    *here = pm_pairs_get(&m->captures, there);
    if (*here)
        return PMAPDB_OK;
    st = pm_origin_read(m->from->sql, there, &folder, &file, &has, err);
    if (st == PMAPDB_OK && !has)
        st = pm_fail(err, PMAPDB_INPUT, "capture %lld is missing; the store is damaged",
                     (long long)there);
    if (pm_merge_theirs(m, st) == PMAPDB_OK)
        st = pm_origin_capture(m->into->sql, pm_buf_text(&folder), pm_buf_text(&file), here, err);
    pm_buf_free(&folder);
    pm_buf_free(&file);
    return st == PMAPDB_OK ? pm_pairs_put(&m->captures, there, *here, err) : st;
}

/* ---- what was refused ---- */

static pmapdb_status one_refused(pm_merge *m, sqlite3_stmt *there, pmapdb_error *err)
{
    int64_t hash = pm_col_int(there, 0), first_ms = pm_col_int(there, 1), here;
    pm_text reason = pm_col_text(there, 2);
    pmapdb_status st = pm_sql_int(m->into->sql, "SELECT first_ms FROM refused WHERE hash = ?1",
                                  PM_ARGS(PM_I(hash)), INT64_MAX, &here, err);

    if (st != PMAPDB_OK || here <= first_ms || !reason.data)
        return st;
    if (!m->in_transaction)
        st = pm_merge_begin(m, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(m->into->sql,
                        "INSERT INTO refused (hash, first_ms, reason) VALUES (?1, ?2, ?3) "
                        "ON CONFLICT (hash) DO UPDATE SET first_ms = excluded.first_ms",
                        PM_ARGS(PM_I(hash), PM_I(first_ms), PM_T(reason)), err);
    return st == PMAPDB_OK && pm_merge_is_long(m) ? pm_merge_commit(m, err) : st;
}

static pmapdb_status merge_refused(pm_merge *m, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_merge_theirs(m, pm_sql_rows(m->from->sql, "SELECT hash, first_ms, reason FROM refused",
                                       PM_NO_ARGS, &stmt, err));

    while (st == PMAPDB_OK &&
           (st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err))) == PMAPDB_OK &&
           has)
        if ((st = one_refused(m, stmt, err)) != PMAPDB_OK)
            pm_sql_done(stmt);
    return st;
}

/* ---- how far names were pruned ---- */

static pmapdb_status one_pruned(pm_merge *m, sqlite3_stmt *there, pmapdb_error *err)
{
    pm_text host = pm_col_text(there, 1);
    pmapdb_status st = m->in_transaction ? PMAPDB_OK : pm_merge_begin(m, err);

    if (st == PMAPDB_OK)
        st = pm_sql_run(
            m->into->sql,
            "UPDATE name SET pruned_ms = max(?3, coalesce(pruned_ms, ?3)) WHERE name = ?1 AND "
            "host_id IS CASE WHEN ?2 IS NULL THEN NULL ELSE "
            "(SELECT h.host_id FROM host h WHERE h.name = ?2) END",
            PM_ARGS(PM_T(pm_col_text(there, 0)), host.data ? PM_T(host) : PM_S(m->options->host),
                    PM_I(pm_col_int(there, 2))),
            err);
    return st == PMAPDB_OK && pm_merge_is_long(m) ? pm_merge_commit(m, err) : st;
}

pmapdb_status pm_merge_pruned(pm_merge *m, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_merge_theirs(
        m, pm_sql_rows(m->from->sql,
                       "SELECT n.name, h.name, n.pruned_ms FROM name n LEFT JOIN host h "
                       "ON h.host_id = n.host_id WHERE n.pruned_ms IS NOT NULL",
                       PM_NO_ARGS, &stmt, err));

    while (st == PMAPDB_OK &&
           (st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err))) == PMAPDB_OK &&
           has)
        if ((st = one_pruned(m, stmt, err)) != PMAPDB_OK)
            pm_sql_done(stmt);
    return st == PMAPDB_OK && m->in_transaction ? pm_merge_commit(m, err) : st;
}

pmapdb_status pm_merge_beside(pm_merge *m, pmapdb_error *err)
{
    pmapdb_status st = merge_refused(m, err);

    return st == PMAPDB_OK && m->in_transaction ? pm_merge_commit(m, err) : st;
}
