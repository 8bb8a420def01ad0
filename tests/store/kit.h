/* kit: a store in a temporary folder, captures made by hand, and answers as text. */
#ifndef TESTS_STORE_KIT_H
#define TESTS_STORE_KIT_H

#include "unit.h"

#include "base/buf.h"
#include "base/record/capture.h"
#include "kit_rules.h"
#include "store/file/store.h"
#include "store/write/live_reading.h"
#include "store/write/put.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KIT_SWEEP 1000

typedef struct kit {
    char dir[64], path[96];
    pmapdb_store *store;
    pm_pool *pool;
} kit;

/* The analyzer knows that abort() ends a test, but not that cmocka's asserts do. */
static inline void kit_ok(pmapdb_status st, const pmapdb_error *err)
{
    if (st == PMAPDB_OK)
        return;
    print_error("status %d: %s\n", (int)st, err ? err->text : "");
    fail();
    abort();
}

static inline void kit_says(const pmapdb_error *err, const char *part)
{
    if (!strstr(err->text, part))
        fail_msg("no '%s' in '%s'", part, err->text);
}

/* Expects this status and an error text that contains `part`. */
static inline void kit_fails(pmapdb_status st, pmapdb_status wanted, const pmapdb_error *err,
                             const char *part)
{
    if (st != wanted)
        fail_msg("status %d, not %d: %s", (int)st, (int)wanted, err->text);
    kit_says(err, part);
}

/* Expects that no step has failed so far. */
static inline void kit_steps(const kit *k)
{
    pmapdb_error err = {0};

    kit_ok(pm_sql_end(k->store->sql, &err), &err);
}

static inline void kit_open(kit *k)
{
    pmapdb_open_options options = {.mode = PMAPDB_WRITE};
    pmapdb_error err = {0};

    kit_ok(pmapdb_open(k->path, &options, &k->store, &err), &err);
    if (!k->store)
        abort();
    /* These tests do not depend on the disk. */
    assert_int_equal(sqlite3_exec(k->store->db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), 0);
    kit_ok(kit_rules(k->store->sql, KIT_RULES), NULL);
}

static inline void kit_close(kit *k)
{
    pmapdb_close(k->store);
    k->store = NULL;
}

static inline void kit_reopen(kit *k)
{
    kit_close(k);
    kit_open(k);
}

static inline void kit_remove_store(kit *k)
{
    static const char *const ends[] = {"", "-wal", "-shm"};

    kit_close(k);
    for (size_t i = 0; i < 3; i++) {
        char path[128];

        snprintf(path, sizeof path, "%s%s", k->path, ends[i]);
        unlink(path);
    }
}

/* Replaces the store by an empty one. */
static inline void kit_anew(kit *k)
{
    kit_remove_store(k);
    kit_open(k);
}

/* Returns the size of the store's file with this ending ("", "-wal"), or -1 if it is missing. */
static inline int64_t kit_bytes(const kit *k, const char *end)
{
    char path[128];
    struct stat info;

    snprintf(path, sizeof path, "%s%s", k->path, end);
    return stat(path, &info) == 0 ? (int64_t)info.st_size : -1;
}

static inline kit *kit_new(void)
{
    kit *k = calloc(1, sizeof *k);

    if (!k)
        abort();
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1); /* no files of the user */
    snprintf(k->dir, sizeof k->dir, "/tmp/pmapdb-store-XXXXXX");
    if (!mkdtemp(k->dir) || pm_pool_new(&k->pool, NULL) != PMAPDB_OK)
        abort();
    snprintf(k->path, sizeof k->path, "%s/t.db", k->dir);
    kit_open(k);
    return k;
}

static inline void kit_free(kit *k)
{
    kit_remove_store(k);
    pm_pool_free(k->pool);
    rmdir(k->dir);
    free(k);
}

static inline int kit_enter(void **state)
{
    *state = kit_new();
    return 0;
}

static inline int kit_leave(void **state)
{
    kit_free(*state);
    return 0;
}

/* A test with its own store, k. */
#define IN_KIT(function) TEST_OF(kit *k, function, kit_enter, kit_leave)

/* ---- captures ---- */

/* Returns a complete capture without rows and with a unique hash. */
static inline pm_capture *kit_capture(const kit *k, pm_dialect dialect, int64_t pid,
                                      int64_t taken_ms)
{
    static uint64_t hash;
    pm_capture *c = calloc(1, sizeof *c);

    if (!c)
        abort();
    c->pool = k->pool;
    c->block = (pm_block){.dialect = dialect,
                          .pid = pid,
                          .time_ms = taken_ms,
                          .hash = ++hash,
                          .tool_size_kib = PMAPDB_UNKNOWN,
                          .tool_rss_kib = PMAPDB_UNKNOWN,
                          .command = PM_TEXT(""),
                          .missing = PM_TEXT(""),
                          .empty = PM_TEXT("")};
    c->source_dir = strdup("dir/");
    c->source_name = strdup("file");
    c->pid = pid;
    c->start_time = PMAPDB_UNKNOWN;
    c->taken_ms = taken_ms;
    c->time_source = PM_TIME_STREAM;
    return c;
}

static inline void kit_add(const kit *k, pm_capture *c, const pm_mapping *m)
{
    uint32_t id;

    kit_ok(pm_pool_mapping(k->pool, m, &id, NULL), NULL);
    c->rows = realloc(c->rows, (c->n_rows + 1) * sizeof *c->rows);
    if (!c->rows)
        abort();
    c->rows[c->n_rows++] = id;
    c->block.fields |= m->present;
    pm_totals_add(&c->block.totals, m);
}

/* Adds a row that has only the size and rss. */
static inline void kit_map(const kit *k, pm_capture *c, uint64_t start, uint64_t kib,
                           const char *perms, const char *path)
{
    pm_mapping m = {.start = start, .end = start + kib * 1024, .path = pm_text_of(path)};

    snprintf(m.perms, sizeof m.perms, "%s", perms);
    pm_set(&m, PM_SIZE, kib);
    pm_set(&m, PM_RSS, kib / 2);
    kit_add(k, c, &m);
}

static inline int kit_by_start(const void *a, const void *b)
{
    const pm_mapping *x = *(const pm_mapping *const *)a, *y = *(const pm_mapping *const *)b;

    return x->start < y->start ? -1 : x->start > y->start;
}

/* Returns the rows in the order of their starts; the caller frees the array. */
static inline const pm_mapping **kit_rows_by_start(const pm_capture *c)
{
    const pm_mapping **rows = calloc(c->n_rows + 1, sizeof *rows);

    if (!rows)
        abort();
    for (size_t i = 0; i < c->n_rows; i++)
        rows[i] = pm_capture_row(c, i);
    qsort(rows, c->n_rows, sizeof *rows, kit_by_start);
    return rows;
}

/* Returns a capture with sums only, all of them unknown. */
static inline pm_capture *kit_totals(const kit *k, pm_dialect dialect, int64_t pid,
                                     int64_t taken_ms)
{
    pm_capture *c = kit_capture(k, dialect, pid, taken_ms);

    c->block.state = PM_STATE_TOTALS;
    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        c->block.totals.v[i] = PMAPDB_UNKNOWN;
    return c;
}

static inline void kit_total(pm_capture *c, enum pm_total total, uint64_t fields, uint64_t kib)
{
    c->block.totals.v[total] = (int64_t)kib;
    c->block.fields |= fields;
}

static inline void kit_partial(pm_capture *c)
{
    c->block.state = PM_STATE_PARTIAL;
    c->missing = strdup("some rows");
    c->block.missing = pm_text_of(c->missing);
}

static inline void kit_command(pm_capture *c, const char *command)
{
    free(c->command);
    c->command = strdup(command);
    c->block.command = pm_text_of(c->command);
}

static inline void kit_name(pm_capture *c, const char *name, pm_name_rank rank)
{
    free(c->name);
    c->name = strdup(name);
    c->name_rank = rank;
}

/* Stores a capture in its own transaction. */
static inline pmapdb_status kit_try(pmapdb_store *s, const pm_capture *c, int64_t *capture_id,
                                    pm_stored *out, pmapdb_error *err)
{
    int64_t id = *capture_id;
    pmapdb_status st = pm_store_begin(s, err);

    if (st != PMAPDB_OK)
        return st;
    st = pm_store_put_within(s, c, KIT_SWEEP, &id, out, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st == PMAPDB_OK)
        *capture_id = id;
    else
        pm_store_rollback(s);
    return st;
}

static inline pm_stored kit_store(const kit *k, const pm_capture *c)
{
    pmapdb_error err = {0};
    pm_stored stored;
    int64_t capture_id = 0;

    kit_ok(kit_try(k->store, c, &capture_id, &stored, &err), &err);
    return stored;
}

/* Stores captures, `together` of them in each transaction; returns the number of new ones. */
static inline size_t kit_store_all(const kit *k, pm_capture *const *c, size_t n, size_t together)
{
    pmapdb_error err = {0};
    size_t new = 0;

    for (size_t i = 0; i < n; i++) {
        pm_stored stored;
        int64_t capture_id = 0;

        if (i % together == 0)
            kit_ok(pm_store_begin(k->store, &err), &err);
        kit_ok(pm_store_put_within(k->store, c[i], KIT_SWEEP, &capture_id, &stored, &err), &err);
        new += !stored.duplicate;
        if ((i + 1) % together == 0 || i + 1 == n)
            kit_ok(pm_store_commit(k->store, &err), &err);
    }
    return new;
}

/* Stores a beat and its captures. */
static inline void kit_store_sweep(const kit *k, const pm_sweep *sweep, int64_t ended_ms,
                                   pm_capture *const *c, size_t n)
{
    pmapdb_error err = {0};
    int64_t capture_id;
    pm_stored stored;

    kit_ok(pm_store_begin(k->store, &err), &err);
    capture_id = pm_sweep_begin(k->store->sql, 0);
    for (size_t i = 0; i < n; i++)
        kit_ok(pm_store_put_within(k->store, c[i], KIT_SWEEP, &capture_id, &stored, &err), &err);
    pm_sweep_end(k->store->sql, sweep, capture_id, ended_ms);
    kit_steps(k);
    kit_ok(pm_store_commit(k->store, &err), &err);
}

/* Stores and frees a capture. */
static inline pm_stored kit_put(const kit *k, pm_capture *c)
{
    pm_stored stored = kit_store(k, c);

    pm_capture_free(c);
    return stored;
}

static inline pmapdb_prune_result kit_prune(const kit *k, const pmapdb_prune_options *o)
{
    pmapdb_prune_result result;
    pmapdb_error err = {0};

    kit_ok(pmapdb_prune(k->store, o, &result, &err), &err);
    return result;
}

static inline pmapdb_prune_result kit_keep(const kit *k, pmapdb_keep keep)
{
    return kit_prune(k, &(pmapdb_prune_options){.keep = keep, .max_kib = PMAPDB_UNKNOWN});
}

/* ---- answers ---- */

/* Returns the number that a query returns. */
static inline int64_t kit_number(pmapdb_store *s, const char *sql)
{
    int64_t n = pm_sql_value(s->sql, sql, PM_NO_ARGS, -1);

    kit_ok(pm_sql_end(s->sql, NULL), NULL);
    return n;
}

/* Appends the rows of a query: columns between '|', rows ended by '\n', NULL as '?'. */
static inline void kit_rows(const kit *k, pm_buf *out, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int rc;

    if (sqlite3_prepare_v2(k->store->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(k->store->db));
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *text = (const char *)sqlite3_column_text(stmt, i);

            pm_buf_add(out, "|", i > 0, NULL);
            pm_buf_add(out, text ? text : "?", text ? strlen(text) : 1, NULL);
        }
        pm_buf_add(out, "\n", 1, NULL);
    }
    assert_int_equal(rc, SQLITE_DONE);
    sqlite3_finalize(stmt);
}

static inline void kit_expect(const kit *k, const char *sql, const char *wanted)
{
    pm_buf got = {0};

    kit_rows(k, &got, sql);
    if (strcmp(pm_buf_text(&got).data, wanted) != 0)
        print_error("%s\n", sql);
    assert_string_equal(pm_buf_text(&got).data, wanted);
    pm_buf_free(&got);
}

/* Begins a named query. */
static inline pmapdb_rows *kit_ask(const kit *k, const char *query)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};

    kit_ok(pmapdb_query(k->store, query, &rows, &err), &err);
    return rows;
}

static inline void kit_bind(pmapdb_rows *rows, const char *param, const char *value)
{
    pmapdb_error err = {0};

    kit_ok(pmapdb_bind(rows, param, value, &err), &err);
}

static inline bool kit_next(pmapdb_rows *rows)
{
    bool has = false;
    pmapdb_error err = {0};

    kit_ok(pmapdb_next(rows, &has, &err), &err);
    return has;
}

static inline void kit_exec(const kit *k, const char *sql)
{
    assert_int_equal(sqlite3_exec(k->store->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* ---- chance, the same every time ---- */

static inline uint64_t kit_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15U;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* 0..n-1 */
static inline uint64_t kit_below(uint64_t *seed, uint64_t n)
{
    return kit_random(seed) % n;
}

#endif
