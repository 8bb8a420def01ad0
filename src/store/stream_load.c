/* stream_load: the newest capture of a stream, from its tables. */
#include "base/buf.h"
#include "store/region.h"
#include "store/stream.h"

/* The newest snapshot is mostly the last one that the process has. */
pmapdb_status pm_stream_load_head(pm_sql *sql, int64_t process_id, pm_dialect dialect,
                                  pm_state state, pm_stream *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT s.epoch_id, s.off + 1, e.fields FROM snapshot s CROSS JOIN epoch e "
        "ON e.epoch_id = s.epoch_id WHERE s.process_id = ?1 AND s.dialect = ?2 AND s.state = ?3 "
        "AND EXISTS (SELECT 1 FROM epoch WHERE process_id = ?1 AND dialect = ?2 AND state = ?3) "
        "ORDER BY s.taken_ms DESC, s.ordinal DESC, s.hash DESC LIMIT 1",
        PM_ARGS(PM_I(process_id), PM_S(pm_dialect_name(dialect)), PM_S(pm_state_name(state))),
        &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st;
    out->epoch_id = pm_col_int(stmt, 0);
    out->n = (size_t)pm_col_int(stmt, 1);
    out->fields = (uint64_t)pm_col_int(stmt, 2);
    pm_sql_done(stmt);
    return PMAPDB_OK;
}

/* How large the epoch is; closed versions are counted and not read. */
static pmapdb_status load_size(pm_sql *sql, pm_stream *s, size_t *n_rows, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(sql,
                                   "SELECT count(*), count(*) FILTER (WHERE first = 0), count(*) - "
                                   "count(last) FROM mapping_version "
                                   "WHERE epoch_id = ?1",
                                   PM_ARGS(PM_I(s->epoch_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK)
        return st;
    s->versions = (size_t)pm_col_int(stmt, 0);
    s->first_rows = (size_t)pm_col_int(stmt, 1);
    *n_rows = (size_t)pm_col_int(stmt, 2);
    pm_sql_done(stmt);
    return PMAPDB_OK;
}

#define LOAD_REGION 2
#define LOAD_METRICS (LOAD_REGION + PM_REGION_COLUMNS)

static pmapdb_status load_rows(pm_sql *sql, pm_objects *objects, pm_stream *s, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    size_t n_rows = 0;
    bool has;
    pmapdb_status st = load_size(sql, s, &n_rows, err);

    if (st == PMAPDB_OK)
        st = pm_sql_rows(sql,
                         "SELECT r.region_id, v.first, " PM_REGION_SELECT ", " PM_VER_SELECT
                         " FROM mapping_version v "
                         "CROSS JOIN region r ON r.region_id = v.region_id "
                         "WHERE v.epoch_id = ?1 AND v.last IS NULL",
                         PM_ARGS(PM_I(s->epoch_id)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_row *row;

        st = pm_grow(&s->rows.row, &s->rows.cap, s->rows.n, sizeof *s->rows.row, err);
        if (st != PMAPDB_OK)
            break;
        row = &s->rows.row[s->rows.n++];
        *row = (pm_row){.region_id = pm_col_int(stmt, 0), .first = (int32_t)pm_col_int(stmt, 1)};
        for (int i = 0; i < PM_VER_READ; i++)
            row->m.v[i] = pm_col_kib(stmt, LOAD_METRICS + i);
        st = pm_region_read(stmt, LOAD_REGION, objects, row, err);
        if (st != PMAPDB_OK)
            break;
    }
    pm_sql_done(stmt);
    if (st == PMAPDB_OK && s->rows.n != n_rows)
        st = pm_fail(err, PMAPDB_DATABASE,
                     "epoch %lld shows regions that are missing; the store "
                     "is damaged",
                     (long long)s->epoch_id);
    if (st == PMAPDB_OK)
        pm_rows_sort(&s->rows);
    return st;
}

static pmapdb_status load_sums(pm_sql *sql, pm_stream *s, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT category_id, first, mappings, size_kib, rss_kib, pss_kib, private_kib, "
        "private_dirty_kib, swap_kib FROM category_version WHERE epoch_id = ?1 AND last IS NULL",
        PM_ARGS(PM_I(s->epoch_id)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_category_sums *sums;

        st = pm_rollup_of(&s->rollup, pm_col_int(stmt, 0), &sums, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        sums->first = (int32_t)pm_col_int(stmt, 1);
        for (int i = 0; i < PM_TOTAL_COUNT; i++)
            sums->v[i] = pm_col_kib(stmt, i + 2);
    }
    return st;
}

pmapdb_status pm_stream_load_rows(pm_sql *sql, pm_objects *objects, pm_stream *s, pmapdb_error *err)
{
    pmapdb_status st = load_rows(sql, objects, s, err);

    return st == PMAPDB_OK ? load_sums(sql, s, err) : st;
}
