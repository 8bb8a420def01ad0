/* recall_process: a row of table process, with its texts. */
#include "store/recall/recall_process.h"

#include <stdlib.h>

void pm_recall_process_free(pm_recall_process *who)
{
    free(who->host);
    free(who->name);
    free(who->command);
    free(who->boot_id);
    *who = (pm_recall_process){0};
}

static pmapdb_status damaged(int64_t process_id, const char *why, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_INPUT, "process %lld: %s; the store is damaged",
                   (long long)process_id, why);
}

/* PM_LINK_NONE: there is none of that name. */
static pm_link find_link(pm_text name)
{
    for (int i = PM_LINK_START_TIME; i <= PM_LINK_ASSUMED; i++)
        if (pm_text_equal(name, pm_text_of(pm_link_name((pm_link)i))))
            return (pm_link)i;
    return PM_LINK_NONE;
}

/* *to stays NULL where the column is. */
static pmapdb_status copy_text(sqlite3_stmt *stmt, int column, char **to, pmapdb_error *err)
{
    pm_text t = pm_col_text(stmt, column);

    if (t.data && !(*to = pm_text_copy(t)))
        return pm_fail_nomem(err);
    return PMAPDB_OK;
}

static pmapdb_status read_texts(sqlite3_stmt *stmt, pm_recall_process *who, pmapdb_error *err)
{
    pmapdb_status st = copy_text(stmt, 0, &who->host, err);

    if (st == PMAPDB_OK)
        st = copy_text(stmt, 1, &who->name, err);
    if (st == PMAPDB_OK)
        st = copy_text(stmt, 2, &who->command, err);
    if (st == PMAPDB_OK)
        st = copy_text(stmt, 3, &who->boot_id, err);
    return st;
}

static pmapdb_status read_process(sqlite3_stmt *stmt, pm_recall_process *who, pmapdb_error *err)
{
    pm_evidence *e = &who->evidence;
    pmapdb_status st = read_texts(stmt, who, err);

    if (st != PMAPDB_OK)
        return st;
    who->pid = pm_col_int(stmt, 4);
    who->life = pm_col_int(stmt, 5);
    who->name_rank = pm_col_int(stmt, 6);
    who->name_ms = pm_col_ms(stmt, 7);
    who->command_ms = pm_col_ms(stmt, 8);
    who->clock_mono_ns = pm_col_int(stmt, 9);
    who->clock_utc_ms = pm_col_ms(stmt, 10);
    who->identity = find_link(pm_col_text(stmt, 11));
    e->start_time = pm_col_int(stmt, 12);
    for (int i = 0; i < PM_ANCHOR_COUNT; i++)
        e->anchor[i] = pm_col_int(stmt, 13 + i);
    e->exe = pm_col_int(stmt, 17);
    e->boot_id = pm_text_of(who->boot_id);
    e->command = pm_text_of(who->command);
    if (!who->name || who->identity == PM_LINK_NONE || who->name_rank < PM_NAME_GIVEN ||
        who->name_rank > PM_NAME_UNKNOWN)
        return damaged(who->process_id, "its row cannot be", err);
    return PMAPDB_OK;
}

pmapdb_status pm_recall_process_load(pm_sql *sql, int64_t process_id, pm_recall_process *out,
                                     pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT h.name, n.name, p.command, p.boot_id, p.pid, p.life, p.name_rank, p.name_ms, "
        "p.command_ms, p.clock_mono_ns, p.clock_utc_ms, p.identity, p.start_time, p.stack_end, "
        "p.vdso_start, p.libc_start, p.ld_start, p.exe_start FROM process p "
        "LEFT JOIN name n ON n.name_id = p.name_id LEFT JOIN host h ON h.host_id = p.host_id "
        "WHERE p.process_id = ?1",
        PM_ARGS(PM_I(process_id)), &stmt, err);

    out->process_id = process_id;
    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st == PMAPDB_OK ? damaged(process_id, "it is missing", err) : st;
    st = read_process(stmt, out, err);
    pm_sql_done(stmt);
    return st;
}
