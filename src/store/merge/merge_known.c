/* merge_known: which snapshots of a process this store has. */
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
                PM_I(to), PM_S(who->boot_id), PM_I(who->start_time)),
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
            item->known = pruned ? PM_MERGE_PRUNED : 0;
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
