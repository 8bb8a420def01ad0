/* merge: goes through another store, process by process. */
#include "store/merge/merge_run.h"

#include "store/perf/copy.h"
#include "store/perf/link.h"
#include "store/write.h"

pmapdb_status pm_merge_theirs(pm_merge *m, pmapdb_status st)
{
    m->theirs |= st != PMAPDB_OK && st != PMAPDB_NOMEM;
    return st;
}

const char *pm_merge_host(const pm_merge *m)
{
    const char *host = pm_recall_who(m->recall)->host;

    return host ? host : m->options->host;
}

pmapdb_status pm_merge_host_id(pm_merge *m, const char *host, int64_t *id, pmapdb_error *err)
{
    *id = 0;
    if (!host)
        return PMAPDB_OK;
    return pm_sql_int(m->into->sql, "SELECT host_id FROM host WHERE name = ?1", PM_ARGS(PM_S(host)),
                      -1, id, err);
}

/* ---- one process ---- */

/* Blocks of a log that are new, but would come before those that are known. */
static void set_times(pm_merge *m)
{
    size_t n;
    pm_recall_item *items = pm_recall_items(m->recall, &n);

    for (size_t i = 0; i < n; i++) {
        int64_t ms = items[i].log_id ? pm_pairs_get(&m->log_ms, items[i].snapshot_id) : 0;

        if (ms)
            items[i].taken_ms = ms;
    }
}

static size_t count_new(pm_merge *m)
{
    size_t n, new = 0;
    const pm_recall_item *items = pm_recall_items(m->recall, &n);

    for (size_t i = 0; i < n; i++)
        new += items[i].known == 0;
    return new;
}

static pmapdb_status set_pins(pm_merge *m, pmapdb_error *err)
{
    size_t n;
    const pm_recall_item *items = pm_recall_items(m->recall, &n);
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        if (items[i].known <= 0 || !items[i].pin)
            continue;
        if (!m->in_transaction)
            st = pm_merge_begin(m, err);
        if (st == PMAPDB_OK)
            st = pm_sql_run(
                m->into->sql,
                "INSERT OR IGNORE INTO pin (snapshot_id, reason, pinned_ms) "
                "VALUES (?1, ?2, ?3)",
                PM_ARGS(PM_I(items[i].known), PM_S(items[i].pin), PM_I(items[i].pinned_ms)), err);
    }
    return st;
}

static pmapdb_status one_process(pm_merge *m, int64_t process_id, pmapdb_error *err)
{
    pm_merge_counts *counts = m->counts;
    size_t n, new;
    pmapdb_status st = pm_merge_theirs(m, pm_recall_begin(m->recall, process_id, INT64_MIN, err));

    if (st != PMAPDB_OK)
        return st;
    pm_recall_items(m->recall, &n);
    set_times(m);
    st = pm_merge_known(m, err);
    if (st != PMAPDB_OK)
        return st;
    new = count_new(m);
    counts->processes += n > 0;
    counts->snapshots += n;
    counts->known += n - new;
    counts->hostless += new && !pm_merge_host(m);
    if (m->options->dry_run) {
        counts->new += new;
        return PMAPDB_OK;
    }
    if (new)
        st = pm_merge_put(m, err);
    if (st == PMAPDB_OK)
        st = set_pins(m, err);
    if (st == PMAPDB_OK)
        st = pm_merge_labels(m, err);
    return st == PMAPDB_OK && m->in_transaction ? pm_merge_commit(m, err) : st;
}

/* ---- the store ---- */

static pmapdb_status all_processes(pm_merge *m, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_merge_theirs(m, pm_sql_rows(m->from->sql, "SELECT process_id FROM process ORDER BY 1",
                                       PM_NO_ARGS, &stmt, err));

    while (st == PMAPDB_OK &&
           (st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err))) == PMAPDB_OK &&
           has)
        if ((st = one_process(m, pm_col_int(stmt, 0), err)) != PMAPDB_OK)
            pm_sql_done(stmt);
    return st;
}

/* Two unknown hosts would be one. */
static pmapdb_status look_at_hosts(pm_merge *m, pmapdb_error *err)
{
    int64_t hosts, hostless = 0;
    pmapdb_status st = pm_merge_theirs(
        m, pm_sql_int(m->from->sql, "SELECT count(DISTINCT coalesce(host_id, 0)) FROM process",
                      PM_NO_ARGS, 0, &hosts, err));

    if (st == PMAPDB_OK && m->into)
        st = pm_sql_int(m->into->sql, "SELECT count(*) FROM process WHERE host_id IS NULL",
                        PM_NO_ARGS, 0, &hostless, err);
    m->counts->hosts = (uint64_t)hosts;
    m->counts->met_hostless = hostless > 0;
    return st;
}

/* Behind the processes, which they are then found to be of. */
static pmapdb_status recordings(pm_merge *m, pmapdb_error *err)
{
    pmapdb_status st = pm_perf_copy(m->into, m->from, m->options->host, &m->theirs, err);

    return st == PMAPDB_OK ? pm_perf_link(m->into, err) : st;
}

static pmapdb_status go_through(pm_merge *m, pmapdb_error *err)
{
    pmapdb_status st = pm_merge_theirs(m, pm_recall_new(m->from->sql, &m->recall, err));

    if (st == PMAPDB_OK)
        st = look_at_hosts(m, err);
    if (st == PMAPDB_OK)
        st = pm_merge_logs(m, err);
    if (st == PMAPDB_OK)
        st = pm_merge_find_sweeps(m, err);
    if (st == PMAPDB_OK && !m->options->dry_run)
        st = pm_merge_beside(m, err);
    if (st == PMAPDB_OK)
        st = all_processes(m, err);
    if (st == PMAPDB_OK && !m->options->dry_run)
        st = pm_merge_sweeps(m, err);
    if (st == PMAPDB_OK && !m->options->dry_run)
        st = pm_merge_pruned(m, err);
    return st == PMAPDB_OK && !m->options->dry_run ? recordings(m, err) : st;
}

static void merge_free(pm_merge *m)
{
    pm_recall_free(m->recall);
    pm_pairs_free(&m->captures);
    pm_pairs_free(&m->logs);
    pm_pairs_free(&m->log_known);
    pm_pairs_free(&m->log_ms);
    pm_ids_free(&m->sweeps);
    pm_ids_free(&m->new_sweeps);
}

/* All of it is read as it is now, whatever its writer does meanwhile. */
pmapdb_status pm_merge_store(pmapdb_store *into, pmapdb_store *from,
                             const pm_merge_options *options, pm_merge_counts *counts, bool *theirs,
                             pmapdb_error *err)
{
    pm_merge m = {.into = into, .from = from, .options = options, .counts = counts};
    pmapdb_status st;

    *counts = (pm_merge_counts){0};
    st = pm_merge_theirs(&m, pm_sql_run(from->sql, "BEGIN", PM_NO_ARGS, err));
    if (st == PMAPDB_OK)
        st = go_through(&m, err);
    pm_store_rollback(from);
    if (m.in_transaction)
        pm_store_abandon(into);
    merge_free(&m);
    *theirs = m.theirs;
    return st;
}
