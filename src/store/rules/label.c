/* label: names that a program gives its own memory. A report waits in temp table label_new; a row
 * of no bytes at 0 says that it is not whole. */
#include "store/rules/label.h"

#include "base/clock.h"
#include "store/rules/apply.h"
#include "store/write/put.h"
#include <stdio.h>

typedef struct report {
    int64_t process_id, taken_ms;
    const char *source; /* as in table label */
} report;

/* For ?1, ?2, ?3 of a statement about table label. */
#define KEY(r) PM_I((r)->process_id), PM_I((r)->taken_ms), PM_S((r)->source)
#define OF_REPORT "FROM label WHERE process_id = ?1 AND taken_ms = ?2 AND source = ?3"
#define COLUMNS "start, length, committed, label"

/* ---- the waiting report ---- */

static void clear_new(pm_sql *sql)
{
    pm_sql_do(sql,
              "CREATE TEMP TABLE IF NOT EXISTS label_new (start INTEGER PRIMARY KEY, length "
              "INTEGER NOT NULL, committed INTEGER NOT NULL, label TEXT NOT NULL)",
              PM_NO_ARGS);
    pm_sql_do(sql, "DELETE FROM label_new", PM_NO_ARGS);
}

static void add_new(pm_sql *sql, int64_t start, int64_t length, bool committed, pm_text label)
{
    pm_sql_do(sql,
              "INSERT OR IGNORE INTO label_new (" COLUMNS ") SELECT ?1, ?2, ?3, ?4 WHERE ?2 >= 0",
              PM_ARGS(PM_BITS(start), PM_BITS(length), PM_I(committed), PM_T(label)));
}

static void fill_new(pm_sql *sql, const pm_labels *l)
{
    clear_new(sql);
    if (l->damaged)
        add_new(sql, 0, 0, false, PM_TEXT(""));
    for (size_t i = 0; i < l->n; i++)
        add_new(sql, (int64_t)l->label[i].start, (int64_t)(l->label[i].end - l->label[i].start),
                l->label[i].committed, pm_text_of(l->label[i].text));
}

static bool is_known(pm_sql *sql, const report *r)
{
    return pm_sql_value(sql,
                        "SELECT EXISTS (SELECT 1 " OF_REPORT ") AND NOT EXISTS (SELECT " COLUMNS
                        " " OF_REPORT " EXCEPT SELECT " COLUMNS " FROM label_new) AND NOT EXISTS "
                        "(SELECT " COLUMNS " FROM label_new EXCEPT SELECT " COLUMNS " " OF_REPORT
                        ")",
                        PM_ARGS(KEY(r)), 0);
}

/* ---- the capture ---- */

/* The captures of a process right before and right after a moment; none with sums alone. */
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

/* False: the process has no capture with mappings. */
static bool find_nearest(pm_sql *sql, const report *r, pm_label_stored *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql, NEAREST "WHERE p.process_id = ?1" IN_ORDER,
                                    PM_ARGS(PM_I(r->process_id), PM_I(r->taken_ms)));

    if (!pm_sql_next(sql, stmt))
        return false;
    read_nearest(stmt, out);
    pm_sql_done(stmt);
    return true;
}

/* process_id stays 0 if no process matches. */
static void find_pid(pm_sql *sql, const pm_label_put *put, int64_t pid, pm_label_stored *out)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        sql, NEAREST "WHERE coalesce(p.pid, -1) = ?1 AND (?3 IS NULL OR h.name = ?3)" IN_ORDER,
        PM_ARGS(PM_I(pid), PM_I(put->taken_ms), PM_S(put->host)));
    int64_t host = 0;
    bool several = false;

    while (pm_sql_next(sql, stmt)) {
        if (!out->process_id) {
            read_nearest(stmt, out);
            out->pid = pid;
            host = pm_col_int(stmt, 3);
        }
        several |= pm_col_int(stmt, 3) != host;
    }
    if (several)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_INPUT,
                                 "pid %lld is known of several hosts: give --host NAME",
                                 (long long)pid));
}

static void cover(pm_sql *sql, const report *r, int64_t snapshot_id)
{
    bool whole =
        !pm_sql_value(sql, "SELECT count(*) FROM label_new WHERE length = 0", PM_NO_ARGS, 0);

    pm_sql_script(sql, "label-cover",
                  PM_PARAMS({":snapshot_id", PM_I(snapshot_id)},
                            {":knows_all", PM_I(whole && strcmp(r->source, "nmt") == 0)}));
}

/* Why it is not the memory of the process that was found; empty where it may be. */
static void doubt(pm_sql *sql, const pm_label_put *put, const pm_label_stored *found, char *why,
                  size_t size)
{
    report r = {found->process_id, put->taken_ms, pm_labels_source_name(put->labels->source)};
    int64_t apart = put->taken_ms - found->snapshot_ms;
    char at[PM_CLOCK_TEXT];

    if (is_known(sql, &r))
        return;
    pm_clock_format(found->snapshot_ms, at);
    if (apart > PM_LABEL_FAR_MS || apart < -PM_LABEL_FAR_MS) {
        snprintf(why, size,
                 "the nearest map of pid %lld is of %s, more than an hour away: import a map of "
                 "the time when it was said, or give that time with --at",
                 (long long)found->pid, at);
        return;
    }
    cover(sql, &r, found->snapshot_id);
    if (!pm_sql_value(sql, "SELECT sum(fits) FROM label_row", PM_NO_ARGS, 0))
        snprintf(why, size,
                 "its ranges are not those of pid %lld (map of %s): give the pid by which its map "
                 "is stored with --pid N; a JVM in a container knows another",
                 (long long)found->pid, at);
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
static void find_process(pm_sql *sql, const pm_label_put *put, pm_label_stored *out)
{
    char why[sizeof((pmapdb_error *)0)->text] = "";

    for (int i = 0; i < PM_LABEL_PIDS && pm_sql_ok(sql); i++) {
        pm_label_stored found = *out;
        char not_this[sizeof why] = "";

        if (put->pid[i] == PMAPDB_UNKNOWN)
            continue;
        find_pid(sql, put, put->pid[i], &found);
        if (!found.process_id)
            continue;
        doubt(sql, put, &found, not_this, sizeof not_this);
        if (!*not_this) {
            *out = found;
            return;
        }
        if (!*why)
            memcpy(why, not_this, sizeof why);
    }
    PM_SQL_STEP(sql, refuse(put, why, &err));
}

/* ---- names ---- */

/* What label_row says is written. */
static void write_names(pm_sql *sql, int64_t process_id, pm_refine *refine)
{
    sqlite3_stmt *stmt;

    pm_sql_do(sql,
              "CREATE TEMP TABLE IF NOT EXISTS label_category (category TEXT PRIMARY KEY, "
              "category_id INTEGER)",
              PM_NO_ARGS);
    stmt = pm_sql_ask(
        sql, "SELECT DISTINCT category FROM label_row WHERE category IS NOT NULL ORDER BY 1",
        PM_NO_ARGS);
    while (pm_sql_next(sql, stmt)) {
        pm_text category = pm_col_text(stmt, 0);
        int64_t id = 0;

        PM_SQL_STEP(sql,
                    pm_category_id(refine->categories, category, PM_TEXT(""), false, &id, &err));
        pm_sql_do(sql, "INSERT OR REPLACE INTO label_category VALUES (?1, ?2)",
                  PM_ARGS(PM_T(category), PM_I(id ? id : PMAPDB_UNKNOWN)));
    }
    pm_apply_judge(sql, process_id, true, true);
    pm_sql_script(sql, "label-judge", NULL, 0);
    pm_apply_write(sql);
}

/* The report that wins over *r and over no other: the next in time, of one moment NMT last. */
static bool next_report(pm_sql *sql, report *r)
{
    sqlite3_stmt *stmt = pm_sql_ask(sql,
                                    "SELECT taken_ms, source FROM label WHERE process_id = ?1 AND "
                                    "(taken_ms > ?2 OR (taken_ms = ?2 AND source < ?3)) "
                                    "ORDER BY taken_ms, source DESC LIMIT 1",
                                    PM_ARGS(KEY(r)));

    if (!pm_sql_next(sql, stmt))
        return false;
    r->taken_ms = pm_col_int(stmt, 0);
    r->source = pm_labels_source_name(
        pm_text_equal(pm_col_text(stmt, 1), PM_TEXT("nmt")) ? PM_LABELS_NMT : PM_LABELS_SYSTEM_MAP);
    pm_sql_done(stmt);
    return true;
}

/* As if no report had named anything, then report by report, the one that wins last. */
static void name_anew(pm_sql *sql, int64_t process_id, pm_refine *refine)
{
    report r = {process_id, INT64_MIN + 1, ""};

    PM_SQL_STEP(sql, pm_rule_set_new(sql, &refine->rules, &err));
    pm_apply_judge(sql, process_id, false, true);
    pm_apply_ask(sql, refine, NULL);
    pm_apply_write(sql);
    pm_rule_set_free(refine->rules);
    while (next_report(sql, &r)) {
        pm_label_stored nearest;

        clear_new(sql);
        pm_sql_do(sql, "INSERT INTO label_new SELECT " COLUMNS " " OF_REPORT, PM_ARGS(KEY(&r)));
        if (!find_nearest(sql, &r, &nearest))
            continue;
        cover(sql, &r, nearest.snapshot_id);
        write_names(sql, process_id, refine);
    }
}

static void name(pm_sql *sql, const report *r, bool anew, pm_label_stored *out)
{
    pm_refine refine = {0};

    PM_SQL_STEP(sql, pm_category_ids_new(sql, &refine.categories, &err));
    cover(sql, r, out->snapshot_id);
    out->mappings = pm_sql_value(sql, "SELECT count(category) FROM label_row", PM_NO_ARGS, 0);
    out->size_kib = pm_sql_value(
        sql, "SELECT sum(bytes / 1024) FROM label_row WHERE category IS NOT NULL", PM_NO_ARGS, 0);
    if (anew)
        name_anew(sql, r->process_id, &refine);
    else
        write_names(sql, r->process_id, &refine);
    out->lineages =
        pm_sql_value(sql,
                     "SELECT CASE WHEN ?2 THEN (SELECT count(*) FROM lineage WHERE process_id = ?1 "
                     "AND rule = 'label') ELSE (SELECT count(*) FROM apply_judge) END",
                     PM_ARGS(PM_I(r->process_id), PM_I(anew)), 0);
    pm_category_ids_free(refine.categories);
}

/* Stores what waits, and names what the capture shows unless both are known. */
static void settle(pm_sql *sql, const report *r, int64_t since, pm_label_stored *out)
{
    report later = *r;
    bool replaces;

    out->duplicate = is_known(sql, r);
    if (out->duplicate && out->snapshot_id <= since)
        return;
    replaces = !out->duplicate &&
               pm_sql_value(sql, "SELECT EXISTS (SELECT 1 " OF_REPORT ")", PM_ARGS(KEY(r)), 0);
    pm_sql_do(sql, "DELETE " OF_REPORT, PM_ARGS(KEY(r)));
    pm_sql_do(sql,
              "INSERT INTO label (process_id, taken_ms, source, " COLUMNS
              ") SELECT ?1, ?2, ?3, " COLUMNS " FROM label_new",
              PM_ARGS(KEY(r)));
    name(sql, r, replaces || next_report(sql, &later), out);
}

/* ---- the whole ---- */

pmapdb_status pm_label_store(pmapdb_store *s, const pm_label_put *put, pm_label_stored *out,
                             pmapdb_error *err)
{
    report r = {0, put->taken_ms, pm_labels_source_name(put->labels->source)};
    pmapdb_status st = pm_store_begin(s, err);

    *out = (pm_label_stored){.mappings = PMAPDB_UNKNOWN, .size_kib = PMAPDB_UNKNOWN};
    if (st != PMAPDB_OK)
        return st;
    fill_new(s->sql, put->labels);
    find_process(s->sql, put, out);
    r.process_id = out->process_id;
    settle(s->sql, &r, put->since, out);
    st = pm_sql_end(s->sql, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    /* What was named, the writer knows as it was. */
    if (st != PMAPDB_OK || out->mappings != PMAPDB_UNKNOWN)
        pm_store_abandon(s);
    return st;
}

pmapdb_status pm_label_newest(pmapdb_store *s, int64_t *since, pmapdb_error *err)
{
    *since = pm_sql_value(s->sql, "SELECT max(snapshot_id) FROM snapshot", PM_NO_ARGS, 0);
    return pm_sql_end(s->sql, err);
}

/* The other store is a file from somewhere. */
static void copy_report(pm_sql *from, const report *there, pm_sql *into)
{
    sqlite3_stmt *rows =
        pm_sql_ask(from, "SELECT " COLUMNS " " OF_REPORT " ORDER BY start", PM_ARGS(KEY(there)));

    clear_new(into);
    while (pm_sql_next(from, rows))
        add_new(into, pm_col_int(rows, 0), pm_col_int(rows, 1), pm_col_int(rows, 2) != 0,
                pm_col_text(rows, 3));
}

pmapdb_status pm_label_take(pm_sql *from, int64_t there, pm_sql *into, int64_t here,
                            pmapdb_error *err)
{
    report of = {there, INT64_MIN + 1, ""};
    pmapdb_status st, st_into;

    while (next_report(from, &of)) {
        report r = {here, of.taken_ms, of.source};
        pm_label_stored stored = {0};

        copy_report(from, &of, into);
        if (find_nearest(into, &r, &stored))
            settle(into, &r, INT64_MAX, &stored);
    }
    st = pm_sql_end(from, err);
    st_into = pm_sql_end(into, st == PMAPDB_OK ? err : NULL);
    return st == PMAPDB_OK ? st_into : st;
}
