/* merge_facts: what a store knows of a process as a whole: its row in table process. */
#include "store/merge/merge_run.h"

#include "store/process.h"

/* Made when missing. */
static pmapdb_status name_of(pm_merge *m, int64_t host_id, int64_t *name_id, pmapdb_error *err)
{
    const pm_arg args[] = {PM_S(pm_recall_who(m->recall)->name), PM_I(host_id)};
    pmapdb_status st = pm_sql_run(
        m->into->sql, "INSERT OR IGNORE INTO name (name, host_id) VALUES (?1, ?2)", args, 2, err);

    return st == PMAPDB_OK ? pm_sql_int(m->into->sql,
                                        "SELECT name_id FROM name WHERE name = ?1 "
                                        "AND coalesce(host_id, 0) = coalesce(?2, 0)",
                                        args, 2, 0, name_id, err)
                           : st;
}

static pmapdb_status regroup(pm_merge *m, int64_t old_id, int64_t name_id, pmapdb_error *err)
{
    pm_moments *moments = NULL;
    pmapdb_status st = pm_moments_new(m->into->sql, m->options->sweep_ms, &moments, err);

    if (st == PMAPDB_OK)
        st = pm_moments_regroup(moments, old_id, err);
    if (st == PMAPDB_OK)
        st = pm_moments_regroup(moments, name_id, err);
    pm_moments_free(moments);
    return st;
}

/* The better name, of equal rank the earlier: the capture that gave it may be pruned. */
static pmapdb_status better_name(pm_merge *m, int64_t process_id, pmapdb_error *err)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    int64_t host_id, old_id, name_id;
    pmapdb_status st = pm_sql_int(
        m->into->sql,
        "SELECT name_id FROM process WHERE process_id = ?1 AND "
        "(name_rank > ?2 OR (name_rank = ?2 AND name_ms > ?3))",
        PM_ARGS(PM_I(process_id), PM_I(who->name_rank), PM_I(who->name_ms)), 0, &old_id, err);

    if (st != PMAPDB_OK || !old_id)
        return st;
    st = pm_host_of(m->into->sql, pm_merge_host(m), &host_id, err);
    if (st == PMAPDB_OK)
        st = name_of(m, host_id, &name_id, err);
    if (st == PMAPDB_OK)
        st = pm_process_rename(m->into->sql, process_id, old_id, name_id, who->name_rank,
                               who->name_ms, err);
    pm_merge_forget(m);
    return st == PMAPDB_OK && name_id != old_id ? regroup(m, old_id, name_id, err) : st;
}

#define WEAKEST                                                        \
    "CASE WHEN ?6 = 'assumed' OR identity = 'assumed' THEN 'assumed' " \
    "WHEN ?6 = 'command' OR identity = 'command' THEN 'command' "      \
    "WHEN ?6 = 'addresses' OR identity = 'addresses' THEN 'addresses' ELSE 'start-time' END"
#define EARLIER_COMMAND "?3 < coalesce(command_ms, ?3 + 1)"
#define EARLIER_CLOCK "?4 < coalesce(clock_mono_ns, ?4 + 1)"

pmapdb_status pm_merge_facts(pm_merge *m, int64_t process_id, pmapdb_error *err)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    pmapdb_status st =
        pm_sql_run(m->into->sql,
                   "UPDATE process SET "
                   "command = CASE WHEN " EARLIER_COMMAND " THEN ?2 ELSE command END, "
                   "command_ms = CASE WHEN " EARLIER_COMMAND " THEN ?3 ELSE command_ms END, "
                   "clock_utc_ms = CASE WHEN " EARLIER_CLOCK " THEN ?5 ELSE clock_utc_ms END, "
                   "clock_mono_ns = CASE WHEN " EARLIER_CLOCK " THEN ?4 ELSE clock_mono_ns END, "
                   "identity = " WEAKEST " WHERE process_id = ?1 "
                   "AND (" EARLIER_COMMAND " OR " EARLIER_CLOCK " OR identity <> " WEAKEST ")",
                   PM_ARGS(PM_I(process_id), PM_S(who->command), PM_I(who->command_ms),
                           PM_I(who->clock_mono_ns), PM_I(who->clock_utc_ms),
                           PM_S(pm_link_name(who->identity))),
                   err);

    return st == PMAPDB_OK ? better_name(m, process_id, err) : st;
}
