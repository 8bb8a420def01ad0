/* label: whose names they are, and table label. */
#include "store/label.h"

#include "store/write.h"

/* ---- the process ---- */

/* The captures of a process right before and right behind a moment; none with sums alone. */
#define OF_PROCESS                                                                               \
    "SELECT s.snapshot_id FROM snapshots s WHERE s.process_id = p.process_id AND s.preferred = " \
    "1 AND s.state <> 'totals' AND s.taken_ms "
#define NEAREST                                                                                \
    "SELECT s.snapshot_id, s.process_id, s.taken_ms, p.host_id FROM process p LEFT JOIN host " \
    "h ON h.host_id = p.host_id CROSS JOIN snapshots s ON s.snapshot_id IN "                   \
    "((" OF_PROCESS "<= ?2 ORDER BY s.taken_ms DESC, s.ordinal DESC LIMIT 1), (" OF_PROCESS    \
    "> ?2 ORDER BY s.taken_ms, s.ordinal LIMIT 1)) "
#define IN_ORDER " ORDER BY abs(s.taken_ms - ?2), s.taken_ms, s.snapshot_id"

static void read_nearest(sqlite3_stmt *stmt, pm_label_stored *out)
{
    out->snapshot_id = pm_col_int(stmt, 0);
    out->process_id = pm_col_int(stmt, 1);
    out->snapshot_ms = pm_col_int(stmt, 2);
}

pmapdb_status pm_label_nearest(pm_sql *sql, int64_t process_id, int64_t taken_ms,
                               pm_label_stored *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(sql, NEAREST "WHERE p.process_id = ?1" IN_ORDER,
                                   PM_ARGS(PM_I(process_id), PM_I(taken_ms)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st;
    read_nearest(stmt, out);
    pm_sql_done(stmt);
    return PMAPDB_OK;
}

/* process_id stays 0 where there is none. */
static pmapdb_status find(pm_sql *sql, const pm_label_put *put, int64_t pid, pm_label_stored *out,
                          pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    int64_t host = 0;
    bool has, several = false;
    pmapdb_status st = pm_sql_rows(
        sql, NEAREST "WHERE coalesce(p.pid, -1) = ?1 AND (?3 IS NULL OR h.name = ?3)" IN_ORDER,
        PM_ARGS(PM_I(pid), PM_I(put->taken_ms), PM_S(put->host)), &stmt, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        if (!out->process_id) {
            read_nearest(stmt, out);
            out->pid = pid;
            host = pm_col_int(stmt, 3);
        }
        several |= pm_col_int(stmt, 3) != host;
    }
    if (st == PMAPDB_OK && several)
        return pm_fail(err, PMAPDB_INPUT, "pid %lld is known of several hosts: give --host NAME",
                       (long long)pid);
    return st;
}

static pmapdb_status find_first(pm_sql *sql, const pm_label_put *put, pm_label_stored *out,
                                pmapdb_error *err)
{
    int64_t shown = PMAPDB_UNKNOWN;
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < PM_LABEL_PIDS && !out->process_id && st == PMAPDB_OK; i++) {
        if (put->pid[i] == PMAPDB_UNKNOWN)
            continue;
        shown = shown == PMAPDB_UNKNOWN ? put->pid[i] : shown;
        st = find(sql, put, put->pid[i], out, err);
    }
    if (st != PMAPDB_OK || out->process_id)
        return st;
    if (shown == PMAPDB_UNKNOWN)
        return pm_fail(err, PMAPDB_INPUT, "it says of no pid whose memory it names: give --pid N");
    return pm_fail(err, PMAPDB_INPUT,
                   "it names the memory of pid %lld%s%s, of which no map is stored: import its "
                   "smaps too, or give the pid by which it is stored with --pid N",
                   (long long)shown, put->host ? " on " : "", put->host ? put->host : "");
}

/* ---- the table ---- */

/* *same: exactly these names are stored. */
static pmapdb_status compare(pm_sql *sql, const pm_label_put *put, int64_t process_id, bool *same,
                             pmapdb_error *err)
{
    const pm_labels *l = put->labels;
    sqlite3_stmt *stmt;
    size_t n = 0;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT start, length, committed, label FROM label WHERE process_id = ?1 "
        "AND taken_ms = ?2 AND source = ?3 ORDER BY start < 0, start",
        PM_ARGS(PM_I(process_id), PM_I(put->taken_ms), PM_S(pm_labels_source_name(l->source))),
        &stmt, err);

    *same = true;
    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        const pm_label *label = &l->label[n];

        *same &= n < l->n && (uint64_t)sqlite3_column_int64(stmt, 0) == label->start &&
                 (uint64_t)sqlite3_column_int64(stmt, 1) == label->end - label->start &&
                 (pm_col_int(stmt, 2) != 0) == label->committed &&
                 pm_text_equal(pm_col_text(stmt, 3), pm_text_of(pm_label_text(l, label)));
        n++;
    }
    *same &= n == l->n;
    return st;
}

/* In place of what the same source said of the same moment. */
static pmapdb_status insert(pm_sql *sql, const pm_label_put *put, int64_t process_id,
                            pmapdb_error *err)
{
    const pm_labels *l = put->labels;
    const char *source = pm_labels_source_name(l->source);
    pmapdb_status st =
        pm_sql_run(sql, "DELETE FROM label WHERE process_id = ?1 AND taken_ms = ?2 AND source = ?3",
                   PM_ARGS(PM_I(process_id), PM_I(put->taken_ms), PM_S(source)), err);

    for (size_t i = 0; i < l->n && st == PMAPDB_OK; i++) {
        const pm_label *label = &l->label[i];

        st = pm_sql_run(
            sql,
            "INSERT INTO label (process_id, taken_ms, source, start, length, committed, label) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            PM_ARGS(PM_I(process_id), PM_I(put->taken_ms), PM_S(source), PM_BITS(label->start),
                    PM_BITS(label->end - label->start), PM_I(label->committed),
                    PM_S(pm_label_text(l, label))),
            err);
    }
    return st;
}

/* ---- the whole ---- */

pmapdb_status pm_label_settle(pm_sql *sql, const pm_label_put *put, pm_label_stored *out,
                              pmapdb_error *err)
{
    pmapdb_status st = compare(sql, put, out->process_id, &out->duplicate, err);

    if (st == PMAPDB_OK && !out->duplicate)
        st = insert(sql, put, out->process_id, err);
    if (st != PMAPDB_OK || (out->duplicate && out->snapshot_id <= put->since))
        return st;
    return pm_label_name(sql, put->labels, out, err);
}

pmapdb_status pm_label_store(pmapdb_store *s, const pm_label_put *put, pm_label_stored *out,
                             pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin_adding(s, err);

    *out = (pm_label_stored){.mappings = PMAPDB_UNKNOWN, .size_kib = PMAPDB_UNKNOWN};
    if (st != PMAPDB_OK)
        return st;
    st = find_first(s->sql, put, out, err);
    if (st == PMAPDB_OK)
        st = pm_label_settle(s->sql, put, out, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK || out->lineages) /* the writer knows the lineages as they were */
        pm_store_abandon(s);
    return st;
}

pmapdb_status pm_label_newest(pmapdb_store *s, int64_t *since, pmapdb_error *err)
{
    return pm_sql_int(s->sql, "SELECT max(snapshot_id) FROM snapshots", PM_NO_ARGS, 0, since, err);
}
