/* label: whose names they are, and table label. */
#include "store/label.h"

#include "base/clock.h"
#include "store/write/put.h"
#include <stdio.h>

/* ---- the process ---- */

/* The captures of a process right before and right behind a moment; none with sums alone. */
#define OF_PROCESS                                                                              \
    "SELECT s.snapshot_id FROM snapshot s WHERE s.process_id = p.process_id AND s.preferred = " \
    "1 AND s.state <> 'totals' AND s.taken_ms "
#define NEAREST                                                                                \
    "SELECT s.snapshot_id, s.process_id, s.taken_ms, p.host_id FROM process p LEFT JOIN host " \
    "h ON h.host_id = p.host_id CROSS JOIN snapshot s ON s.snapshot_id IN "                    \
    "((" OF_PROCESS "<= ?2 ORDER BY s.taken_ms DESC, s.ordinal DESC LIMIT 1), (" OF_PROCESS    \
    "> ?2 ORDER BY s.taken_ms, s.ordinal LIMIT 1)) "
#define IN_ORDER " ORDER BY abs(s.taken_ms - ?2), s.taken_ms, s.snapshot_id"

static void read_nearest(sqlite3_stmt *stmt, pm_label_stored *out)
{
    out->snapshot_id = pm_col_int(stmt, 0);
    out->process_id = pm_col_int(stmt, 1);
    out->snapshot_ms = pm_col_ms(stmt, 2);
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

/* A clock that stood wrong, or a map of another day: its addresses are other memory's by now. */
static bool is_far(const pm_label_put *put, const pm_label_stored *found)
{
    int64_t apart = put->taken_ms - found->snapshot_ms;

    return apart > PM_LABEL_FAR_MS || apart < -PM_LABEL_FAR_MS;
}

/* Why it is not the memory of the process that was found; *why stays empty where it may be. */
static pmapdb_status doubt(pm_sql *sql, const pm_label_put *put, const pm_label_stored *found,
                           char *why, size_t size, pmapdb_error *err)
{
    pm_label_key key = {found->process_id, put->taken_ms, put->labels->source};
    pm_labels stored = {0};
    char at[PM_CLOCK_TEXT];
    int64_t rows = 0;
    bool known;
    pmapdb_status st = pm_label_read(sql, &key, &stored, err);

    known = st == PMAPDB_OK && pm_label_equal(&stored, put->labels);
    pm_labels_free(&stored);
    if (st != PMAPDB_OK || known)
        return st;
    pm_clock_format(found->snapshot_ms, at);
    if (is_far(put, found)) {
        snprintf(why, size,
                 "the nearest map of pid %lld is of %s, more than an hour away: import a map of "
                 "the time when it was said, or give that time with --at",
                 (long long)found->pid, at);
        return PMAPDB_OK;
    }
    st = pm_label_fits(sql, put->labels, found->snapshot_id, &rows, err);
    if (st == PMAPDB_OK && rows == 0)
        snprintf(why, size,
                 "its ranges are not those of pid %lld (map of %s): give the pid by which its map "
                 "is stored with --pid N; a JVM in a container knows another",
                 (long long)found->pid, at);
    return st;
}

/* In words, where none of the pids will do. `why`: what is wrong with the first that is known. */
static pmapdb_status refuse(const pm_label_put *put, const char *why, pmapdb_error *err)
{
    int64_t shown = PMAPDB_UNKNOWN;

    if (*why)
        return pm_fail(err, PMAPDB_INPUT, "%s", why);
    for (int i = 0; i < PM_LABEL_PIDS && shown == PMAPDB_UNKNOWN; i++)
        shown = put->pid[i];
    if (shown == PMAPDB_UNKNOWN)
        return pm_fail(err, PMAPDB_INPUT, "it says of no pid whose memory it names: give --pid N");
    return pm_fail(err, PMAPDB_INPUT,
                   "it names the memory of pid %lld%s%s, of which no map is stored: import its "
                   "smaps too, or give the pid by which it is stored with --pid N",
                   (long long)shown, put->host ? " on " : "", put->host ? put->host : "");
}

/* The first whose map the ranges fit. */
static pmapdb_status find_first(pm_sql *sql, const pm_label_put *put, pm_label_stored *out,
                                pmapdb_error *err)
{
    char why[sizeof err->text] = "";
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < PM_LABEL_PIDS && st == PMAPDB_OK; i++) {
        pm_label_stored found = *out;
        char not_this[sizeof why] = "";

        if (put->pid[i] == PMAPDB_UNKNOWN)
            continue;
        st = find(sql, put, put->pid[i], &found, err);
        if (st != PMAPDB_OK || !found.process_id)
            continue;
        st = doubt(sql, put, &found, not_this, sizeof not_this, err);
        if (st == PMAPDB_OK && !*not_this) {
            *out = found;
            return st;
        }
        if (!*why)
            memcpy(why, not_this, sizeof why);
    }
    return st == PMAPDB_OK ? refuse(put, why, err) : st;
}

/* ---- the whole ---- */

pmapdb_status pm_label_settle(pm_sql *sql, const pm_label_put *put, pm_label_stored *out,
                              pmapdb_error *err)
{
    pm_label_key key = {out->process_id, put->taken_ms, put->labels->source};
    pm_labels old = {0};
    bool last = true, replaces;
    pmapdb_status st = pm_label_read(sql, &key, &old, err);

    out->duplicate = st == PMAPDB_OK && pm_label_equal(&old, put->labels);
    replaces = old.n && !out->duplicate;
    pm_labels_free(&old);
    if (st == PMAPDB_OK && !out->duplicate)
        st = pm_label_write(sql, &key, put->labels, err);
    if (st != PMAPDB_OK || (out->duplicate && out->snapshot_id <= put->since))
        return st;
    st = pm_label_last(sql, &key, &last, err);
    return st == PMAPDB_OK ? pm_label_name(sql, put->labels, replaces || !last, out, err) : st;
}

pmapdb_status pm_label_store(pmapdb_store *s, const pm_label_put *put, pm_label_stored *out,
                             pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin(s, err);

    *out = (pm_label_stored){.mappings = PMAPDB_UNKNOWN, .size_kib = PMAPDB_UNKNOWN};
    if (st != PMAPDB_OK)
        return st;
    st = find_first(s->sql, put, out, err);
    if (st == PMAPDB_OK)
        st = pm_label_settle(s->sql, put, out, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    /* What was named, the writer knows as it was. */
    if (st != PMAPDB_OK || out->mappings != PMAPDB_UNKNOWN)
        pm_store_abandon(s);
    return st;
}

pmapdb_status pm_label_newest(pmapdb_store *s, int64_t *since, pmapdb_error *err)
{
    return pm_sql_int(s->sql, "SELECT max(snapshot_id) FROM snapshot", PM_NO_ARGS, 0, since, err);
}
