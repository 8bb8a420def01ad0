/* merge_log: logs without times, which are known by the sequence of their blocks, as import knows
 * them (log.c): a log here that is a prefix of one there makes only the rest new; one there that
 * is a prefix of one here is known, unless its last block is later. */
#include "store/merge/merge_run.h"

#include "base/buf.h"
#include "store/process.h"
#include <stdlib.h>

typedef struct block {
    int64_t pid, hash, taken_ms;
    int64_t snapshot_id; /* PM_MERGE_PRUNED: it was one */
    pm_dialect dialect;
} block;

/* A log as it was stored, with what a prune removed: pid by pid, in the order of time. */
typedef struct sequence {
    int64_t log_id, last_ms;
    block *block;
    size_t n, cap;
} sequence;

static pmapdb_status read_sequence(pm_sql *sql, int64_t log_id, sequence *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT p.pid AS pid, s.hash, s.taken_ms AS taken_ms, s.snapshot_id, s.dialect, "
        "s.ordinal AS ordinal FROM snapshot s JOIN process p ON p.process_id = s.process_id "
        "WHERE s.import_log_id = ?1 UNION ALL SELECT pid, hash, taken_ms, NULL, dialect, ordinal "
        "FROM forgotten WHERE import_log_id = ?1 ORDER BY 1, 3, 6",
        PM_ARGS(PM_I(log_id)), &stmt, err);

    *out = (sequence){.log_id = log_id, .last_ms = PMAPDB_UNKNOWN};
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        int64_t id = pm_col_int(stmt, 3);
        block b = {pm_col_int(stmt, 0), pm_col_int(stmt, 1), pm_col_int(stmt, 2),
                   id == PMAPDB_UNKNOWN ? PM_MERGE_PRUNED : id,
                   pm_dialect_find(pm_col_text(stmt, 4))};

        st = pm_grow(&out->block, &out->cap, out->n, sizeof *out->block, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        out->block[out->n++] = b;
        if (b.taken_ms > out->last_ms)
            out->last_ms = b.taken_ms;
    }
    return st;
}

/* One past the last block of the pid of block `from`. */
static size_t pid_end(const sequence *s, size_t from)
{
    size_t i = from;

    while (i < s->n && s->block[i].pid == s->block[from].pid)
        i++;
    return i;
}

/* Which of two is a prefix of the other, pid by pid. */
typedef struct relation {
    bool here_in_there, there_in_here;
} relation;

static relation relate(const sequence *there, const sequence *here)
{
    relation r = {true, true};
    size_t t = 0, h = 0;

    while (t < there->n || h < here->n) {
        bool only_here = t == there->n || (h < here->n && here->block[h].pid < there->block[t].pid);
        bool only_there = !only_here && (h == here->n || there->block[t].pid < here->block[h].pid);
        size_t t_end = only_here ? t : pid_end(there, t);
        size_t h_end = only_there ? h : pid_end(here, h);

        for (; t < t_end && h < h_end; t++, h++)
            if (there->block[t].hash != here->block[h].hash)
                return (relation){false, false};
        r.there_in_here &= t == t_end;
        r.here_in_there &= h == h_end;
        t = t_end;
        h = h_end;
    }
    return r;
}

/* The blocks there that are blocks here, by their place; the others come behind them. */
static pmapdb_status pair(pm_merge *m, const sequence *there, const sequence *here,
                          pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    size_t h = 0;

    for (size_t t = 0; t < there->n && st == PMAPDB_OK; t++) {
        const block *b = &there->block[t];
        bool gone = b->snapshot_id == PM_MERGE_PRUNED;

        while (h < here->n && here->block[h].pid < b->pid)
            h++;
        if (h < here->n && here->block[h].pid == b->pid) {
            if (!gone)
                st = pm_pairs_put(&m->log_known, b->snapshot_id, here->block[h].snapshot_id, err);
            h++;
        } else if (!gone &&
                   b->taken_ms <= here->last_ms) /* a beat that was late, as in an import */
            st = pm_pairs_put(&m->log_ms, b->snapshot_id, here->last_ms + 1 + (int64_t)t, err);
    }
    return st;
}

/* ---- candidates ---- */

/* The log of the very block, by its time; *exact counts those that are stored. */
static pmapdb_status find_exact(pm_merge *m, const sequence *there, int64_t host_id, size_t *exact,
                                int64_t *log_id, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    *exact = 0;
    *log_id = 0;
    for (size_t i = 0; i < there->n && st == PMAPDB_OK; i++) {
        const block *b = &there->block[i];
        int64_t found;

        if (b->snapshot_id == PM_MERGE_PRUNED) {
            ++*exact; /* nothing is to be stored of it */
            continue;
        }
        st = pm_sql_int(
            m->into->sql,
            "SELECT coalesce(s.import_log_id, -1) FROM process p CROSS JOIN snapshot s "
            "ON s.process_id = p.process_id AND s.taken_ms = ?3 WHERE coalesce(p.pid, -1) = ?1 "
            "AND coalesce(p.host_id, 0) = ?2 AND s.hash = ?4 AND s.dialect = ?5 LIMIT 1",
            PM_ARGS(PM_I(b->pid == PMAPDB_UNKNOWN ? -1 : b->pid), PM_I(host_id), PM_I(b->taken_ms),
                    PM_I(b->hash), PM_S(pm_dialect_name(b->dialect))),
            0, &found, err);
        *exact += found != 0;
        if (found > 0 && !*log_id)
            *log_id = found;
    }
    return st;
}

/* Logs here that hold the first block of one of its pids: no other can be a prefix, or have one. */
static pmapdb_status find_candidates(pm_merge *m, const sequence *there, int64_t host_id,
                                     pm_ids *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < there->n && st == PMAPDB_OK; i = pid_end(there, i)) {
        const block *b = &there->block[i];
        sqlite3_stmt *stmt;
        bool has;

        st = pm_sql_rows(
            m->into->sql,
            "SELECT s.import_log_id FROM process p CROSS JOIN snapshot s "
            "ON s.process_id = p.process_id AND s.hash = ?3 AND s.import_log_id IS NOT NULL "
            "WHERE coalesce(p.pid, -1) = ?1 AND coalesce(p.host_id, 0) = ?2 "
            "UNION SELECT import_log_id FROM forgotten WHERE hash = ?3 AND import_log_id IS NOT "
            "NULL "
            "AND coalesce(pid, -1) = ?1 AND coalesce(host_id, 0) = ?2",
            PM_ARGS(PM_I(b->pid == PMAPDB_UNKNOWN ? -1 : b->pid), PM_I(host_id), PM_I(b->hash)),
            &stmt, err);
        while (st == PMAPDB_OK && (st = pm_sql_step(m->into->sql, stmt, &has, err)) == PMAPDB_OK &&
               has)
            if ((st = pm_ids_add(out, pm_col_int(stmt, 0), err)) != PMAPDB_OK)
                pm_sql_done(stmt);
    }
    pm_ids_sort(out);
    return st;
}

/* The latest that holds all of it; else the latest that it continues. */
static pmapdb_status choose(pm_merge *m, const sequence *there, const pm_ids *candidates,
                            sequence *best, pmapdb_error *err)
{
    bool holds = false;
    pmapdb_status st = PMAPDB_OK;

    *best = (sequence){.last_ms = PMAPDB_UNKNOWN};
    for (size_t i = 0; i < candidates->n && st == PMAPDB_OK; i++) {
        sequence here, worse;
        bool held, continued;
        relation r;

        st = read_sequence(m->into->sql, candidates->id[i], &here, err);
        r = st == PMAPDB_OK ? relate(there, &here) : (relation){false, false};
        held = r.there_in_here && there->last_ms / 1000 <= here.last_ms / 1000;
        continued = r.here_in_there && !r.there_in_here;
        worse = here;
        if ((held && (!holds || here.last_ms > best->last_ms)) ||
            (continued && !holds && here.last_ms > best->last_ms)) {
            worse = *best;
            *best = here;
            holds = held;
        }
        free(worse.block);
    }
    return st;
}

/* ---- one log ---- */

static pmapdb_status match(pm_merge *m, const sequence *there, int64_t host_id, pmapdb_error *err)
{
    pm_ids candidates = {0};
    sequence best = {0};
    size_t exact;
    int64_t log_id;
    pmapdb_status st = find_exact(m, there, host_id, &exact, &log_id, err);

    if (st == PMAPDB_OK && exact < there->n)
        st = find_candidates(m, there, host_id, &candidates, err);
    if (st == PMAPDB_OK && exact < there->n)
        st = choose(m, there, &candidates, &best, err);
    if (st == PMAPDB_OK && best.n) {
        log_id = best.log_id;
        st = pair(m, there, &best, err);
    }
    if (st == PMAPDB_OK && log_id)
        st = pm_pairs_put(&m->logs, there->log_id, log_id, err);
    pm_ids_free(&candidates);
    free(best.block);
    return st;
}

static pmapdb_status one_log(pm_merge *m, int64_t log_id, const char *host, pmapdb_error *err)
{
    sequence there = {0};
    int64_t host_id;
    pmapdb_status st = pm_merge_host_id(m, host, &host_id, err);

    if (st == PMAPDB_OK && host_id >= 0)
        st = pm_merge_theirs(m, read_sequence(m->from->sql, log_id, &there, err));
    if (st == PMAPDB_OK && there.n)
        st = match(m, &there, host_id, err);
    free(there.block);
    return st;
}

pmapdb_status pm_merge_logs(pm_merge *m, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st;

    if (!m->into)
        return PMAPDB_OK;
    st = pm_merge_theirs(
        m, pm_sql_rows(m->from->sql,
                       "SELECT l.import_log_id, h.name FROM import_log l LEFT JOIN host h "
                       "ON h.host_id = l.host_id",
                       PM_NO_ARGS, &stmt, err));
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err))) == PMAPDB_OK &&
           has) {
        pm_text name = pm_col_text(stmt, 1);

        st = one_log(m, pm_col_int(stmt, 0), name.data ? name.data : m->options->host, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

pmapdb_status pm_merge_log(pm_merge *m, int64_t there, int64_t *here, pmapdb_error *err)
{
    int64_t host_id;
    pmapdb_status st;

    *here = there ? pm_pairs_get(&m->logs, there) : 0;
    if (!there || *here)
        return PMAPDB_OK;
    st = pm_host_of(m->into->sql, pm_merge_host(m), &host_id, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(m->into->sql, "INSERT INTO import_log (host_id) VALUES (?1)",
                        PM_ARGS(PM_I(host_id)), err);
    if (st != PMAPDB_OK)
        return st;
    *here = pm_sql_last_id(m->into->sql);
    return pm_pairs_put(&m->logs, there, *here, err);
}
