/* merge: reads another store, process by process, and stores its new captures. */
#include "store/copy/merge_run.h"

#include "store/dict/captures.h"
#include "store/file/steps.h"
#include "store/perf/recording.h"
#include "store/rules/label.h"
#include "store/write/live_reading.h"
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

void pm_merge_note(pm_merge *m, const char *kind, int64_t there, int64_t here)
{
    pm_sql_do(m->into->sql, "INSERT OR REPLACE INTO temp.copied VALUES (?1, ?2, ?3)",
              PM_ARGS(PM_S(kind), PM_I(there), PM_I(here)));
}

int64_t pm_merge_noted(const pm_merge *m, const char *kind, int64_t there)
{
    return m->into ? pm_sql_value(m->into->sql,
                                  "SELECT here FROM temp.copied WHERE kind = ?1 AND there = ?2",
                                  PM_ARGS(PM_S(kind), PM_I(there)), 0)
                   : 0;
}

const char *pm_merge_host(const pm_merge *m, const char *there)
{
    return there ? there : m->options->host;
}

/* ---- transactions: short, so that no other writer waits for long ---- */

static void begin(pm_merge *m)
{
    if (m->in_transaction || m->options->dry_run || !pm_merge_ok(m))
        return;
    PM_SQL_STEP(m->into->sql, pm_store_begin(m->into, &err));
    m->in_transaction = pm_sql_ok(m->into->sql);
    m->rows = 0;
    m->stored = 0;
}

static void commit(pm_merge *m)
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

static void wrote(pm_merge *m)
{
    bool late = pm_store_put_waits(m->into);

    if (m->is_whole)
        return;
    if ((++m->rows >= ROWS_MAX && !late) ||
        pm_store_turn_is_over(m->into, late ? PM_LATE_TURNS : 1))
        commit(m);
}

/* ---- rows that are copied as they are ---- */

/* Runs the statements from `write` to `end` with a row of the other store. */
static void write_row(pm_merge *m, const char *write, const char *end, sqlite3_stmt *row)
{
    begin(m);
    for (; write < end; write = strstr(write, ";\n") + 2)
        pm_sql_next(m->into->sql, pm_sql_ask_row(m->into->sql, write, row));
    wrote(m);
}

/* Copies rows by a script of parts, with an empty line between them. The first statement of a part
 * asks the other store: ?1 is an id there, ?2 the same here, ?3 the host for rows without a host.
 * The other statements write each row into this store; a parameter is the column of its name. */
static void copy_rows(pm_merge *m, const char *script, int64_t there, int64_t here)
{
    const pm_arg args[] = {PM_I(there), PM_I(here), PM_S(m->options->host)};
    const char *end;

    for (const char *read = pm_sql_script_text(script); *read; read = end) {
        sqlite3_stmt *row = pm_sql_ask(m->from->sql, read, PM_NO_ARGS);

        end = strstr(read, ";\n\n");
        end = end ? end + 2 : read + strlen(read);
        for (int k = 0; row && k < sqlite3_bind_parameter_count(row); k++)
            pm_sql_bind(row, k + 1, &args[k]);
        while (pm_merge_next(m, row))
            write_row(m, strstr(read, ";\n") + 2, end, row);
    }
}

/* ---- snapshots ---- */

/* Sets item->known: looks for the snapshot in this store. A live snapshot was pruned here if this
 * store has or had its beat. */
static void look(pm_merge *m, pm_recall_item *item)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    const pm_live live = {.boot_id = who->boot_id};
    const pm_capture c = {
        .block = {.hash = (uint64_t)item->order.hash, .dialect = item->order.dialect},
        .pid = who->pid,
        .host = pm_merge_host(m, who->host),
        .start_time = who->start_time,
        .taken_ms = item->order.taken_ms,
        .time_source = item->time_source,
        .live = &live};
    bool pruned = false;

    if (!m->into || !pm_merge_ok(m))
        return;
    item->known = pm_known(m->into->sql, &c, &pruned);
    if (item->known)
        pm_merge_note(m, "capture", item->capture_id,
                      pm_sql_value(m->into->sql,
                                   "SELECT capture_id FROM snapshot WHERE snapshot_id = ?1",
                                   PM_ARGS(PM_I(item->known)), 0));
    else if (item->log_id)
        item->known = pm_merge_noted(m, "log_block", item->snapshot_id);
    if (item->time_source == PM_TIME_LIVE)
        pruned = pm_merge_noted(m, "beat", item->capture_id) != 0;
    if (!item->known && pruned)
        item->known = PM_MERGE_PRUNED;
}

/* ---- facts about the process of m->recall ---- */

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
    int64_t capture_id = pm_merge_noted(m, "capture", item->capture_id);
    pm_capture *c;
    pm_stored stored = {0};
    pmapdb_error err = {0};
    pmapdb_status st;

    if (!m->in_transaction) { /* another writer may have stored it meanwhile */
        pm_recall_trim(m->recall);
        begin(m);
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
        pm_merge_note(m, "capture", item->capture_id, capture_id);
    if (!pm_merge_ok(m))
        return;
    item->known = stored.pruned ? PM_MERGE_PRUNED : stored.snapshot_id;
    m->stored += !stored.duplicate;
    m->is_whole = true;
    if (!stored.duplicate && item->known > 0)
        copy_rows(m, "merge-live", item->snapshot_id, item->known);
    m->is_whole = false;
    wrote(m);
}

/* Adds what the other store knows besides the captures, to the first process of this store that has
 * some of them. Runs even if all captures are known: a merge that was killed may have stored the
 * captures without these facts. */
static void add_facts(pm_merge *m)
{
    int64_t here = 0, there = pm_recall_who(m->recall)->process_id;
    bool only = true; /* no other process has any */
    size_t n;
    const pm_recall_item *items = pm_recall_items(m->recall, &n);

    for (size_t i = 0; i < n; i++) {
        int64_t id =
            pm_sql_value(m->into->sql, "SELECT process_id FROM snapshot WHERE snapshot_id = ?1",
                         PM_ARGS(PM_I(items[i].known)), 0);

        only &= !id || !here || id == here;
        here = here ? here : id;
        if (id)
            copy_rows(m, "merge-pin", items[i].snapshot_id, items[i].known);
    }
    if (!here)
        return;
    begin(m);
    if (only && pm_merge_ok(m))
        add_process_facts(m, here);
    pm_sql_script(m->into->sql, "label-begin", NULL, 0);
    copy_rows(m, "merge-label", there, here);
    begin(m);
    if (pm_merge_ok(m) && pm_label_take(m->into->sql, here))
        pm_store_forget(m->into); /* the writer keeps categories */
    copy_rows(m, "merge-process", there, here);
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
        int64_t ms = pm_merge_noted(m, "log_time", items[i].snapshot_id);

        items[i].order.taken_ms = ms ? ms : items[i].order.taken_ms;
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
    for (size_t i = 0; i < n && pm_merge_ok(m); i++)
        if (!items[i].known)
            put(m, &items[i]);
    commit(m);
    if (pm_merge_ok(m))
        add_facts(m);
    commit(m);
}

/* ---- the store ---- */

/* Stores the new beats, except one that may still be running: its missing snapshots would pass for
 * pruned. Runs after the processes: a stored beat is stored in full. */
static void store_beats(pm_merge *m)
{
    sqlite3_stmt *row = pm_sql_ask(m->from->sql,
                                   "SELECT capture_id FROM beat w WHERE ended_ms IS NOT NULL OR "
                                   "EXISTS (SELECT 1 FROM beat n WHERE n.schedule_id = "
                                   "w.schedule_id AND n.started_ms > w.started_ms)",
                                   PM_NO_ARGS);

    while (pm_merge_next(m, row)) {
        int64_t there = pm_col_int(row, 0), here = pm_merge_noted(m, "capture", there);

        if (pm_merge_noted(m, "beat", there))
            continue;
        begin(m);
        if (!here && pm_merge_ok(m)) /* a beat without snapshots */
            here = pm_sweep_begin(m->into->sql, 0);
        copy_rows(m, "merge-beat", there, here);
    }
}

/* Runs after the processes, to which the events of recordings are matched. A recording is known by
 * its hash, so each is copied in one transaction. */
static void store_recordings(pm_merge *m)
{
    sqlite3_stmt *row = pm_sql_ask(m->from->sql,
                                   "SELECT recording_id, hash FROM recording r WHERE EXISTS "
                                   "(SELECT 1 FROM traced_process t WHERE t.recording_id = "
                                   "r.recording_id AND t.pruned = 0) ORDER BY 1",
                                   PM_NO_ARGS);

    while (pm_merge_next(m, row)) {
        begin(m);
        if (pm_sql_value(m->into->sql, "SELECT 1 FROM recording WHERE hash = ?1",
                         PM_ARGS(PM_BITS(sqlite3_column_int64(row, 1))), 0))
            continue;
        m->is_whole = true;
        copy_rows(m, "merge-recording", pm_col_int(row, 0), 0);
        m->is_whole = false;
        commit(m);
    }
    commit(m);
    if (pm_merge_ok(m))
        PM_SQL_STEP(m->into->sql, pm_perf_link(m->into, &err));
}

static void go_through(pm_merge *m)
{
    sqlite3_stmt *row;

    m->counts->event.hosts = (uint64_t)pm_sql_value(
        m->from->sql, "SELECT count(DISTINCT coalesce(host_id, 0)) FROM process", PM_NO_ARGS, 0);
    m->counts->met_hostless = /* two unknown hosts would be taken for one */
        m->into && pm_sql_value(m->into->sql, "SELECT 1 FROM process WHERE host_id IS NULL LIMIT 1",
                                PM_NO_ARGS, 0);
    if (m->into) {
        pm_sql_exec(m->into->sql,
                    "CREATE TEMP TABLE IF NOT EXISTS copied (kind TEXT NOT NULL, there INTEGER NOT "
                    "NULL, here INTEGER NOT NULL, PRIMARY KEY (kind, there)) WITHOUT ROWID; "
                    "DELETE FROM temp.copied",
                    "merge");
        pm_merge_find_logs(m);
        copy_rows(m, "merge-known-beats", 0, 0);
        commit(m);
    }
    row = pm_sql_ask(m->from->sql, "SELECT process_id FROM process ORDER BY 1", PM_NO_ARGS);
    while (pm_merge_next(m, row))
        one_process(m, pm_col_int(row, 0));
    if (m->options->dry_run)
        return;
    store_beats(m);
    copy_rows(m, "merge-store", 0, 0);
    commit(m);
    store_recordings(m);
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
    return st;
}
