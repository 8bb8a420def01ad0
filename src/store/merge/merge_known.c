/* merge_known: which snapshots of a process this store has, and whether it has a part of it. */
#include "store/merge/merge_run.h"

#include "base/buf.h"
#include <stdlib.h>

/* A snapshot here. */
typedef struct key {
    int64_t hash, taken_ms, snapshot_id, capture_id;
    pm_dialect dialect;
    bool same_life; /* by boot and start time */
} key;

typedef struct keys {
    key *key;
    size_t n, cap;
} keys;

static int by_hash(const void *a, const void *b)
{
    const key *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->taken_ms < y->taken_ms ? -1 : x->taken_ms > y->taken_ms;
}

static int64_t second_of(int64_t ms)
{
    return ms - ms % 1000;
}

/* Those of its pid on its host, in its time. */
static pmapdb_status read_keys(pm_merge *m, int64_t host_id, int64_t from, int64_t to, keys *out,
                               pmapdb_error *err)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        m->into->sql,
        "SELECT s.hash, s.taken_ms, s.snapshot_id, s.capture_id, s.dialect, p.boot_id IS NOT NULL "
        "AND p.boot_id IS ?5 AND p.start_time IS ?6 FROM process p CROSS JOIN snapshot s "
        "ON s.process_id = p.process_id AND s.taken_ms BETWEEN ?3 AND ?4 "
        "WHERE coalesce(p.pid, -1) = ?1 AND coalesce(p.host_id, 0) = ?2",
        PM_ARGS(PM_I(who->pid == PMAPDB_UNKNOWN ? -1 : who->pid), PM_I(host_id), PM_I(from),
                PM_I(to), PM_T(who->evidence.boot_id), PM_I(who->evidence.start_time)),
        &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(m->into->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_grow(&out->key, &out->cap, out->n, sizeof *out->key, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        out->key[out->n++] = (key){.hash = pm_col_int(stmt, 0),
                                   .taken_ms = pm_col_ms(stmt, 1),
                                   .snapshot_id = pm_col_int(stmt, 2),
                                   .capture_id = pm_col_int(stmt, 3),
                                   .dialect = pm_dialect_find(pm_col_text(stmt, 4)),
                                   .same_life = pm_col_int(stmt, 5) != 0};
    }
    if (st == PMAPDB_OK && out->n)
        qsort(out->key, out->n, sizeof *out->key, by_hash);
    return st;
}

/* As pm_process_known, which asks for one at a time. */
static const key *find_key(const keys *k, const pm_recall_item *item)
{
    bool seconds = item->time_source == PM_TIME_MTIME;
    int64_t from = seconds ? second_of(item->taken_ms) : item->taken_ms;
    int64_t to = seconds ? from + 999 : from;
    key first = {.hash = item->hash, .taken_ms = from};
    size_t low = 0, high = k->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (by_hash(&k->key[middle], &first) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < k->n && k->key[low].hash == item->hash && k->key[low].taken_ms <= to; low++)
        if (k->key[low].dialect == item->dialect &&
            (item->time_source != PM_TIME_LIVE || k->key[low].same_life))
            return &k->key[low];
    return NULL;
}

/* It was here, and a prune removed it: of text there is a trace, and a live sweep that is or was
 * here was here as a whole. */
static pmapdb_status was_pruned(pm_merge *m, int64_t host_id, const pm_recall_item *item, bool *out,
                                pmapdb_error *err)
{
    bool seconds = item->time_source == PM_TIME_MTIME;
    int64_t from = seconds ? second_of(item->taken_ms) : item->taken_ms, n = 0;
    pmapdb_status st = PMAPDB_OK;

    *out = item->time_source == PM_TIME_LIVE && pm_ids_has(&m->sweeps, item->capture_id);
    if (item->time_source == PM_TIME_LIVE || item->time_source == PM_TIME_NOW)
        return PMAPDB_OK;
    st = pm_sql_int(m->into->sql,
                    "SELECT count(*) FROM forgotten WHERE hash = ?1 AND taken_ms BETWEEN ?2 AND ?3 "
                    "AND dialect = ?4 AND pid IS ?5 AND coalesce(host_id, 0) = ?6",
                    PM_ARGS(PM_I(item->hash), PM_I(from), PM_I(seconds ? from + 999 : from),
                            PM_S(pm_dialect_name(item->dialect)),
                            PM_I(pm_recall_who(m->recall)->pid), PM_I(host_id)),
                    0, &n, err);
    *out = n > 0;
    return st;
}

static pmapdb_status mark(pm_merge *m, int64_t host_id, const keys *k, pmapdb_error *err)
{
    size_t n;
    pm_recall_item *items = pm_recall_items(m->recall, &n);
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        pm_recall_item *item = &items[i];
        const key *found = find_key(k, item);
        bool pruned = false;

        item->known = item->log_id ? pm_pairs_get(&m->log_known, item->snapshot_id) : 0;
        if (found) {
            item->known = found->snapshot_id;
            st = pm_pairs_put(&m->captures, item->capture_id, found->capture_id, err);
        } else if (!item->known) {
            st = was_pruned(m, host_id, item, &pruned, err);
            item->known = pruned ? PM_RECALL_PRUNED : 0;
        }
    }
    return st;
}

pmapdb_status pm_merge_known(pm_merge *m, pmapdb_error *err)
{
    size_t n;
    const pm_recall_item *items = pm_recall_items(m->recall, &n);
    keys k = {0};
    int64_t host_id = -1;
    pmapdb_status st = PMAPDB_OK;

    if (!m->into || n == 0)
        return PMAPDB_OK;
    st = pm_store_version(m->into, &m->version, err);
    if (st == PMAPDB_OK)
        st = pm_merge_host_id(m, pm_merge_host(m), &host_id, err);
    if (st == PMAPDB_OK && host_id >= 0)
        st = read_keys(m, host_id, second_of(items[0].taken_ms), items[n - 1].taken_ms + 999, &k,
                       err);
    if (st == PMAPDB_OK)
        st = mark(m, host_id, &k, err);
    free(k.key);
    return st;
}

/* ---- lives ---- */

/* Lives without a pid are numbered by the file that they came from, in steps of this: process.c. */
#define LIVES_OF_FILE 1024

static void read_evidence(sqlite3_stmt *stmt, pm_evidence *e)
{
    e->boot_id = pm_col_text(stmt, 0);
    e->start_time = pm_col_int(stmt, 1);
    for (int i = 0; i < PM_ANCHOR_COUNT; i++)
        e->anchor[i] = pm_col_int(stmt, 2 + i);
    e->exe = pm_col_int(stmt, 6);
    e->command = pm_col_text(stmt, 7);
}

pmapdb_status pm_merge_is_stranger(pm_merge *m, bool *out, int64_t *life, pmapdb_error *err)
{
    const pm_recall_process *who = pm_recall_who(m->recall);
    bool named = who->pid != PMAPDB_UNKNOWN, has;
    int64_t from = named ? 0 : who->life - who->life % LIVES_OF_FILE, host_id;
    sqlite3_stmt *stmt;
    pmapdb_status st = pm_merge_host_id(m, pm_merge_host(m), &host_id, err);

    *out = true;
    *life = from;
    if (st == PMAPDB_OK)
        st = pm_sql_rows(m->into->sql,
                         "SELECT boot_id, start_time, stack_end, vdso_start, libc_start, ld_start, "
                         "exe_start, command, life FROM process WHERE coalesce(pid, -1) = ?1 "
                         "AND coalesce(host_id, 0) = ?2 AND (?1 >= 0 OR life BETWEEN ?3 AND ?4)",
                         PM_ARGS(PM_I(named ? who->pid : -1), PM_I(host_id), PM_I(from),
                                 PM_I(from + LIVES_OF_FILE - 1)),
                         &stmt, err);
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(m->into->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_evidence other;

        read_evidence(stmt, &other);
        if (pm_evidence_compare(&who->evidence, &other) != PM_LINK_NONE)
            *out = false;
        if (pm_col_int(stmt, 8) >= *life)
            *life = pm_col_int(stmt, 8) + 1;
    }
    return st;
}
