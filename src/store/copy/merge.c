/* merge: reads another store, process by process, and stores its new captures. */
#include "store/copy/merge_run.h"

#include "store/dict/captures.h"
#include "store/file/steps.h"
#include "store/rules/label.h"
#include "store/write/moment.h"
#include "store/write/process.h"
#include "store/write/put.h"

#define ROWS_MAX 256 /* rows (captures, beats ...) in one transaction */

/* ---- shared by the parts ---- */

bool pm_merge_ok(const pm_merge *m)
{
    return pm_sql_ok(m->from->sql) && (!m->into || pm_sql_ok(m->into->sql));
}

bool pm_merge_next(pm_merge *m, sqlite3_stmt *row)
{
    if (pm_merge_ok(m))
        return pm_sql_next(m->from->sql, row);
    if (row)
        pm_sql_done(row);
    return false;
}

void pm_merge_set(pm_merge *m, pm_map *map, int64_t key, int64_t value)
{
    PM_SQL_STEP(m->into->sql, pm_map_put(map, (uint64_t)key, value, &err));
}

int64_t pm_merge_get(const pm_map *map, int64_t key)
{
    int64_t value = 0;

    pm_map_get(map, (uint64_t)key, &value);
    return value;
}

const char *pm_merge_host(const pm_merge *m, const char *there)
{
    return there ? there : m->options->host;
}

void pm_merge_rows(pm_merge *m, const pm_merge_copy *copy, size_t n, int64_t there, int64_t here)
{
    const pm_arg args[] = {PM_I(there), PM_I(here), PM_S(m->options->host)};

    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *row = pm_sql_ask(m->from->sql, copy[i].read, PM_NO_ARGS);

        for (int k = 0; row && k < sqlite3_bind_parameter_count(row); k++)
            pm_sql_bind(row, k + 1, &args[k]);
        while (pm_merge_next(m, row)) {
            pm_merge_begin(m);
            pm_sql_next(m->into->sql, pm_sql_ask_row(m->into->sql, copy[i].write, row));
            if (copy[i].note)
                pm_sql_next(m->into->sql, pm_sql_ask_row(m->into->sql, copy[i].note, row));
            pm_merge_wrote(m);
        }
    }
}

/* ---- transactions ---- */

void pm_merge_begin(pm_merge *m)
{
    if (m->in_transaction || !pm_merge_ok(m))
        return;
    PM_SQL_STEP(m->into->sql, pm_store_begin(m->into, &err));
    m->in_transaction = pm_sql_ok(m->into->sql);
    m->rows = 0;
    m->stored = 0;
}

void pm_merge_commit(pm_merge *m)
{
    const pmapdb_merge_options *o = m->options;
    pm_sql *into = m->into->sql;

    if (!m->in_transaction || !pm_merge_ok(m))
        return;
    PM_SQL_STEP(into, pm_store_commit(m->into, &err));
    if (!pm_sql_ok(into))
        return;
    m->in_transaction = false;
    m->counts->event.new_ones += m->stored;
    PM_SQL_STEP(into, pm_steps_tell(&(pm_steps){o->ctx, o->on_progress}, m->from->path, "snapshots",
                                    m->counts->event.snapshots, 0, &err));
}

void pm_merge_wrote(pm_merge *m)
{
    bool late = pm_store_put_waits(m->into);

    if (m->is_whole)
        return;
    if ((++m->rows >= ROWS_MAX && !late) ||
        pm_store_turn_is_over(m->into, late ? PM_LATE_TURNS : 1))
        pm_merge_commit(m);
}

/* ---- snapshots ---- */

/* Sets item->known: looks for the snapshot in this store. A live snapshot was pruned here if this
 * store has or had its beat. */
static void look(pm_merge *m, pm_recall_item *item)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    const pm_live live = {.boot_id = who->boot_id};
    const pm_capture c = {.block = {.hash = (uint64_t)item->hash, .dialect = item->dialect},
                          .pid = who->pid,
                          .host = pm_merge_host(m, who->host),
                          .start_time = who->start_time,
                          .taken_ms = item->taken_ms,
                          .time_source = item->time_source,
                          .live = &live};
    bool pruned = false;

    if (!m->into || !pm_merge_ok(m))
        return;
    item->known = pm_known(m->into->sql, &c, &pruned);
    if (item->known)
        pm_merge_set(m, &m->captures, item->capture_id,
                     pm_sql_value(m->into->sql,
                                  "SELECT capture_id FROM snapshot WHERE snapshot_id = ?1",
                                  PM_ARGS(PM_I(item->known)), 0));
    else if (item->log_id)
        item->known = pm_merge_get(&m->log_blocks, item->snapshot_id);
    if (item->time_source == PM_TIME_LIVE)
        pruned = pm_merge_get(&m->beats, item->capture_id) != 0;
    if (!item->known && pruned)
        item->known = PM_MERGE_PRUNED;
}

/* ---- facts about the process of m->recall ---- */

static const pm_merge_copy of_process[] = {
    {"SELECT ?2, mono_ns, cleared_ms, page_idle, clear_us, small_kib, cpu_us, minor_faults, "
     "major_faults FROM clearing WHERE process_id = ?1",
     "INSERT OR IGNORE INTO clearing (process_id, mono_ns, cleared_ms, page_idle, clear_us, "
     "small_kib, cpu_us, minor_faults, major_faults) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
     NULL}};
static const pm_merge_copy of_snapshot[] = {
    {"SELECT ?2, reason, pinned_ms FROM pin WHERE snapshot_id = ?1",
     "INSERT OR IGNORE INTO pin (snapshot_id, reason, pinned_ms) VALUES (?1, ?2, ?3)", NULL}};

static void add_process_facts(pm_merge *m, int64_t process_id)
{
    pm_process_found found;

    pm_process_teach(m->into->sql, process_id, &pm_recall_who(m->recall)->facts, &found);
    if (found.name_id == found.old_name_id)
        return;
    pm_moments_group(m->into->sql, m->options->sweep_ms, found.old_name_id, PM_MOMENTS_ALL);
    pm_moments_group(m->into->sql, m->options->sweep_ms, found.name_id, PM_MOMENTS_ALL);
}

/* ---- one process ---- */

static void put(pm_merge *m, pm_recall_item *item)
{
    int64_t capture_id = pm_merge_get(&m->captures, item->capture_id);
    pm_capture *c;
    pm_stored stored = {0};
    pmapdb_error err = {0};
    pmapdb_status st;

    if (!m->in_transaction) { /* another writer may have stored it meanwhile */
        pm_recall_forget(m->recall);
        pm_merge_begin(m);
        look(m, item);
    }
    if (item->known || !pm_merge_ok(m))
        return;
    c = pm_recall_capture(m->recall, item);
    if (!c)
        return;
    c->log_id = (uint64_t)pm_merge_log(m, item->log_id);
    c->host = pm_merge_host(m, c->host);
    st = pm_store_put_within(m->into, c, m->options->sweep_ms, &capture_id, &stored, &err);
    pm_sql_keep(st == PMAPDB_INPUT ? m->from->sql : m->into->sql, st, &err);
    if (capture_id)
        pm_merge_set(m, &m->captures, item->capture_id, capture_id);
    if (!pm_merge_ok(m))
        return;
    item->known = stored.pruned ? PM_MERGE_PRUNED : stored.snapshot_id;
    m->stored += !stored.duplicate;
    pm_merge_wrote(m);
}

/* Returns the first process of this store that has captures of the process, or 0. *only: no other
 * process has any. */
static int64_t find_process(pm_merge *m, bool *only)
{
    size_t n;
    const pm_recall_item *items = pm_recall_items(m->recall, &n);
    int64_t first = 0;

    *only = true;
    for (size_t i = 0; i < n; i++) {
        int64_t id = items[i].known <= 0 ? first
                                         : pm_sql_value(m->into->sql,
                                                        "SELECT process_id FROM snapshot "
                                                        "WHERE snapshot_id = ?1",
                                                        PM_ARGS(PM_I(items[i].known)), 0);

        *only &= !first || id == first;
        first = first ? first : id;
    }
    return first;
}

/* Adds what the other store knows besides the captures. Runs even if all captures are known: a
 * merge that was killed may have stored the captures without these facts. */
static void add_facts(pm_merge *m)
{
    bool only;
    int64_t here = find_process(m, &only), there = pm_recall_who(m->recall)->process_id;
    size_t n;
    const pm_recall_item *items = pm_recall_items(m->recall, &n);

    if (here && only) {
        pm_merge_begin(m);
        add_process_facts(m, here);
    }
    for (size_t i = 0; i < n; i++)
        if (items[i].known > 0)
            pm_merge_rows(m, of_snapshot, 1, items[i].snapshot_id, items[i].known);
    if (here &&
        pm_sql_value(m->from->sql, "SELECT EXISTS (SELECT 1 FROM label WHERE process_id = ?1)",
                     PM_ARGS(PM_I(there)), 0)) {
        pm_merge_begin(m);
        if (pm_merge_ok(m))
            pm_label_take(m->from->sql, there, m->into->sql, here);
        pm_store_forget(m->into); /* the writer keeps categories */
    }
    if (here)
        pm_merge_rows(m, of_process, 1, there, here);
}

static void one_process(pm_merge *m, int64_t process_id)
{
    pmapdb_merge_event *counts = &m->counts->event;
    size_t n = 0, new = 0;
    pm_recall_item *items;

    pm_recall_begin(m->recall, process_id);
    if (!pm_merge_ok(m))
        return;
    items = pm_recall_items(m->recall, &n);
    for (size_t i = 0; i < n; i++) {
        int64_t ms = pm_merge_get(&m->log_times, items[i].snapshot_id);

        items[i].taken_ms = ms ? ms : items[i].taken_ms;
        look(m, &items[i]);
        new += items[i].known == 0;
    }
    counts->processes += n > 0;
    counts->snapshots += n;
    counts->known += n - new;
    m->counts->hostless += new && !pm_merge_host(m, pm_recall_who(m->recall)->host);
    if (m->options->dry_run) {
        counts->new_ones += new;
        return;
    }
    for (size_t i = 0; i < n && new &&pm_merge_ok(m); i++)
        if (!items[i].known)
            put(m, &items[i]);
    if (new)
        pm_merge_commit(m);
    if (pm_merge_ok(m))
        add_facts(m);
    pm_merge_commit(m);
}

/* ---- the store ---- */

/* Data that was pruned in the other store is incomplete in this store, too. Only the labels of
 * hosts that this store has now are copied. */
static const pm_merge_copy of_store[] = {
    {"SELECT host, key, at_ms, value FROM host_labels",
     "INSERT OR IGNORE INTO host_label (host_id, key, at_ms, value) "
     "SELECT host_id, ?2, ?3, ?4 FROM host WHERE name = ?1",
     NULL},
    {"SELECT hash, first_ms, reason FROM refused",
     "INSERT INTO refused (hash, first_ms, reason) VALUES (?1, ?2, ?3) "
     "ON CONFLICT (hash) DO UPDATE SET first_ms = min(first_ms, excluded.first_ms)",
     NULL},
    {"SELECT n.name, coalesce(h.name, ?3), n.pruned_ms FROM name n "
     "LEFT JOIN host h ON h.host_id = n.host_id WHERE n.pruned_ms IS NOT NULL",
     "UPDATE name SET pruned_ms = max(?3, coalesce(pruned_ms, ?3)) WHERE name = ?1 AND CASE "
     "WHEN ?2 IS NULL THEN host_id IS NULL ELSE host_id = (SELECT host_id FROM host "
     "WHERE name = ?2) END",
     NULL},
    {"SELECT h.name, j.boot_id, j.selection, coalesce(j.every_ms, 0), j.pruned_ms "
     "FROM schedule j JOIN host h ON h.host_id = j.host_id WHERE j.pruned_ms IS NOT NULL",
     "UPDATE schedule SET pruned_ms = max(?5, coalesce(pruned_ms, ?5)) WHERE boot_id = ?2 AND "
     "selection = ?3 AND coalesce(every_ms, 0) = ?4 AND host_id = (SELECT host_id FROM host "
     "WHERE name = ?1)",
     NULL},
};

static void go_through(pm_merge *m)
{
    sqlite3_stmt *row;

    m->counts->event.hosts = (uint64_t)pm_sql_value(
        m->from->sql, "SELECT count(DISTINCT coalesce(host_id, 0)) FROM process", PM_NO_ARGS, 0);
    m->counts->met_hostless = /* two unknown hosts would be taken for one */
        m->into && pm_sql_value(m->into->sql, "SELECT 1 FROM process WHERE host_id IS NULL LIMIT 1",
                                PM_NO_ARGS, 0);
    pm_merge_find_logs(m);
    pm_merge_find_beats(m);
    row = pm_sql_ask(m->from->sql, "SELECT process_id FROM process ORDER BY 1", PM_NO_ARGS);
    while (pm_merge_next(m, row))
        one_process(m, pm_col_int(row, 0));
    if (m->options->dry_run)
        return;
    pm_merge_store_beats(m);
    pm_merge_rows(m, of_store, sizeof of_store / sizeof *of_store, 0, 0);
    pm_merge_commit(m);
    pm_merge_recordings(m);
}

/* Returns the first failure; *theirs: `from` is the cause. */
static pmapdb_status end(pm_merge *m, bool *theirs, pmapdb_error *err)
{
    pmapdb_error own = {0}, other = {0};
    pmapdb_status st = m->into ? pm_sql_end(m->into->sql, &own) : PMAPDB_OK;
    pmapdb_status from = pm_sql_end(m->from->sql, &other);

    if (st == PMAPDB_DATABASE && (own.db_code & 0xff) == SQLITE_CONSTRAINT) {
        from = pm_fail(&other, PMAPDB_INPUT,
                       "a row that others need is missing; the store is damaged");
        st = PMAPDB_OK;
    }
    *theirs = st == PMAPDB_OK && from != PMAPDB_OK && from != PMAPDB_NOMEM;
    if (err && (st != PMAPDB_OK || from != PMAPDB_OK))
        *err = st != PMAPDB_OK ? own : other;
    return st != PMAPDB_OK ? st : from;
}

/* Reads the other store in one transaction, so its writers change nothing during the merge. */
pmapdb_status pm_merge_store(pmapdb_store *into, pmapdb_store *from,
                             const pmapdb_merge_options *options, pm_merge_counts *counts,
                             bool *theirs, pmapdb_error *err)
{
    pm_merge m = {.into = into, .from = from, .options = options, .counts = counts};
    pmapdb_status st;

    *counts = (pm_merge_counts){0};
    pm_sql_do(from->sql, "BEGIN", PM_NO_ARGS);
    m.recall = pm_recall_new(from->sql);
    if (pm_merge_ok(&m))
        go_through(&m);
    st = end(&m, theirs, err);
    pm_store_rollback(from);
    if (m.in_transaction)
        pm_store_rollback(into);
    pm_recall_free(m.recall);
    pm_map_free(&m.captures);
    pm_map_free(&m.beats);
    pm_map_free(&m.logs);
    pm_map_free(&m.log_blocks);
    pm_map_free(&m.log_times);
    return st;
}
