/* label: names that a program gives its own memory. The reports to match wait in temp table
 * label_new; a row with 0 bytes at address 0 marks an incomplete report. */
#include "store/rules/label.h"

#include "base/clock/clock.h"
#include "store/rules/apply.h"
#include <stdio.h>

/* A report does not name the mappings of a capture that is further away in time. */
#define FAR_MS 3600000

/* ---- the reports that wait ---- */

static void add_new(pm_sql *sql, int64_t taken_ms, pm_text source, int64_t start, int64_t length,
                    pm_text label)
{
    pm_sql_do(sql, "INSERT OR IGNORE INTO label_new VALUES (?1, ?2, ?3, ?4, ?5)",
              PM_ARGS(PM_I(taken_ms), PM_T(source), PM_BITS(start), PM_BITS(length), PM_T(label)));
}

static void fill_new(pm_sql *sql, const pm_label_put *put)
{
    const pm_labels *l = put->labels;
    pm_text source = pm_text_of(pm_labels_source_name(l->source));

    pm_sql_script(sql, "label-begin", NULL, 0);
    if (l->damaged)
        add_new(sql, put->taken_ms, source, 0, 0, PM_TEXT(""));
    for (const pm_label *r = l->label; r < l->label + l->n; r++)
        add_new(sql, put->taken_ms, source, (int64_t)r->start, (int64_t)(r->end - r->start),
                pm_text_of(r->text));
}

static bool is_known(pm_sql *sql, int64_t process_id)
{
    return pm_sql_value(sql, pm_sql_script_text("label-known"), PM_ARGS(PM_I(process_id)), 0);
}

static void store_new(pm_sql *sql, int64_t process_id)
{
    pm_sql_script(sql, "label-store", PM_PARAMS({":process_id", PM_I(process_id)}));
}

/* ---- names ---- */

/* all: first replaces the waiting reports with all reports of the process. */
static void cover(pm_sql *sql, int64_t process_id, bool all)
{
    if (all)
        pm_sql_script(sql, "label-begin", PM_PARAMS({":process_id", PM_I(process_id)}));
    pm_sql_script(sql, "label-near", PM_PARAMS({":process_id", PM_I(process_id)}));
    pm_sql_script(sql, "label-cover", NULL, 0);
}

/* Writes the names of table label_row to the lineages. all: label_row has the names of all reports;
 * the rules decide the lineages that have lost their name. */
static void write_names(pm_sql *sql, int64_t process_id, bool all)
{
    pm_refine refine = {0};
    sqlite3_stmt *stmt;

    pm_apply_judge(sql, process_id, true, true);
    pm_sql_script(sql, "label-ask", PM_PARAMS({":all", PM_I(all)}));
    pm_apply_ask(sql, &refine, NULL);
    pm_sql_script(sql, "label-judge", PM_PARAMS({":all", PM_I(all)}));
    stmt = pm_sql_ask(sql, "SELECT DISTINCT category FROM label_name ORDER BY 1", PM_NO_ARGS);
    while (pm_sql_next(sql, stmt)) {
        pm_text category = pm_col_text(stmt, 0);
        /* 0 where the store has no room */
        int64_t id = pm_category_id(sql, &refine.categories, category, false);

        pm_sql_do(sql,
                  "UPDATE apply_judge SET category_id = nullif(?2, 0), rule = CASE WHEN ?2 THEN "
                  "'label' END WHERE lineage_id IN (SELECT lineage_id FROM label_name WHERE "
                  "category = ?1)",
                  PM_ARGS(PM_T(category), PM_I(id)));
    }
    pm_apply_write(sql);
    pm_refine_free(&refine);
}

void pm_label_again(pm_sql *sql, int64_t process_id)
{
    if (!pm_sql_value(sql, "SELECT 1 FROM label WHERE process_id = ?1 LIMIT 1",
                      PM_ARGS(PM_I(process_id)), 0))
        return;
    cover(sql, process_id, true);
    write_names(sql, process_id, true);
}

/* ---- whose memory it is ---- */

/* Finds the process of this pid whose capture with mappings is nearest in time. False: there is
 * none, or the ranges cannot be of that process. */
static bool find_pid(pm_sql *sql, const pm_label_put *put, int64_t pid, pm_label_stored *out)
{
    int64_t apart;
    pm_text name;
    sqlite3_stmt *stmt = pm_sql_ask(sql, pm_sql_script_text("label-process"),
                                    PM_ARGS(PM_I(pid), PM_I(put->taken_ms), PM_S(put->host)));

    if (!pm_sql_next(sql, stmt))
        return false;
    out->pid = pid;
    out->process_id = pm_col_int(stmt, 0);
    name = pm_col_text(stmt, 2);
    snprintf(out->name, sizeof out->name, "%.*s", (int)name.len, name.data);
    if (pm_col_int(stmt, 1))
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_INPUT,
                                 "several hosts have a process with pid %lld: give --host NAME",
                                 (long long)pid));
    pm_sql_done(stmt);
    pm_sql_script(sql, "label-near", PM_PARAMS({":process_id", PM_I(out->process_id)}));
    out->snapshot_id = pm_sql_value(sql, "SELECT snapshot_id FROM label_report", PM_NO_ARGS, 0);
    out->snapshot_ms = pm_sql_value(sql, "SELECT taken_ms FROM snapshot WHERE snapshot_id = ?1",
                                    PM_ARGS(PM_I(out->snapshot_id)), 0);
    if (is_known(sql, out->process_id))
        return true;
    apart = put->taken_ms - out->snapshot_ms;
    pm_sql_script(sql, "label-cover", NULL, 0);
    return apart <= FAR_MS && apart >= -FAR_MS &&
           pm_sql_value(sql, "SELECT sum(fits) FROM label_row", PM_NO_ARGS, 0);
}

/* Finds the first pid whose map the ranges fit. */
static void find_process(pm_sql *sql, const pm_label_put *put, pm_label_stored *out)
{
    int64_t shown = PMAPDB_UNKNOWN;

    for (int i = 0; i < PM_LABEL_PIDS && pm_sql_ok(sql); i++) {
        if (put->pid[i] != PMAPDB_UNKNOWN && find_pid(sql, put, put->pid[i], out))
            return;
        shown = shown == PMAPDB_UNKNOWN ? put->pid[i] : shown;
    }
    if (shown == PMAPDB_UNKNOWN)
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_INPUT,
                                 "the report does not say whose memory it names: give --pid N"));
    else
        PM_SQL_STEP(sql, pm_fail(&err, PMAPDB_INPUT,
                                 "no stored map of pid %lld within an hour of the report has these "
                                 "ranges: import the smaps of that time, too, or give the stored "
                                 "pid with --pid N: a JVM in a container reports another pid",
                                 (long long)shown));
}

/* ---- storing a report ---- */

/* Stores the report, and names what the capture shows unless both are known. If a report of this
 * moment or a later one is stored already, gives the names of all reports again. */
pmapdb_status pm_label_store(pmapdb_store *s, const pm_label_put *put, pm_label_stored *out,
                             pmapdb_error *err)
{
    pm_sql *sql = s->sql;
    pmapdb_status st = pm_store_begin(s, err);
    bool all;

    *out = (pm_label_stored){.mappings = PMAPDB_UNKNOWN, .size_kib = PMAPDB_UNKNOWN};
    if (st != PMAPDB_OK)
        return st;
    fill_new(sql, put);
    find_process(sql, put, out);
    all = pm_sql_value(sql, "SELECT 1 FROM label WHERE process_id = ?1 AND taken_ms >= ?2 LIMIT 1",
                       PM_ARGS(PM_I(out->process_id), PM_I(put->taken_ms)), 0);
    out->duplicate = is_known(sql, out->process_id);
    if (pm_sql_ok(sql) && (!out->duplicate || out->snapshot_id > put->since)) {
        cover(sql, out->process_id, false);
        out->mappings = pm_sql_value(sql, "SELECT sum(gets_name) FROM label_row", PM_NO_ARGS, 0);
        out->size_kib = pm_sql_value(sql, "SELECT sum(bytes / 1024) FROM label_row WHERE gets_name",
                                     PM_NO_ARGS, 0);
        store_new(sql, out->process_id);
        if (all)
            cover(sql, out->process_id, true);
        write_names(sql, out->process_id, all);
    }
    st = pm_store_end(s, err);
    pm_store_forget(s); /* the writer knows lineages as they were before */
    return st;
}

bool pm_label_take(pm_sql *sql, int64_t process_id)
{
    if (is_known(sql, process_id))
        return false;
    store_new(sql, process_id);
    pm_label_again(sql, process_id);
    return true;
}
