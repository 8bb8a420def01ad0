/* merging: stores made of captures, merges of them, and the events as text. */
#ifndef TESTS_API_MERGING_H
#define TESTS_API_MERGING_H

#include "api/run.h"

#include <unistd.h>

/* ---- stores ---- */

static inline pmapdb_store *open_store(const char *path, pmapdb_open_mode mode)
{
    pmapdb_open_options options = {.mode = mode};
    pmapdb_error err = {0};
    pmapdb_store *store = NULL;

    if (pmapdb_open(path, &options, &store, &err) != PMAPDB_OK)
        fail_msg("%s", err.text);
    return store;
}

static inline int64_t ask(const char *path, const char *sql)
{
    importing in = {.store = open_store(path, PMAPDB_READ)};
    int64_t n = number(&in, sql);

    pmapdb_close(in.store);
    return n;
}

#define SNAPSHOTS "SELECT count(*) FROM snapshot"

/* Writes pmap -x of a process with a heap of `kib`; the name of the file has the second `at`. */
static inline void write_capture(int pid, int at, int kib)
{
    char path[64], head[64];

    snprintf(path, sizeof path, "%d-%d.x", 1795229318 + at, pid);
    snprintf(head, sizeof head, "%d:   app%d -v", pid, pid);
    write_x(path, head, kib);
}

/* Imports every capture of the current folder, and removes the files. */
static inline void import_into(const char *path, const char *host, int64_t every_ms)
{
    pmapdb_store *store = open_store(path, PMAPDB_WRITE);
    pmapdb_import_options options;
    pmapdb_import_result result;
    const char *here = ".";
    pmapdb_error err = {0};

    pmapdb_import_defaults(&options);
    options.host = host;
    options.every_ms = every_ms;
    if (pmapdb_import(store, &here, 1, &options, &result, &err) != PMAPDB_OK)
        fail_msg("%s", err.text);
    pmapdb_close(store);
    shell("rm -f *.x *.log");
}

/* Adds n captures of the pid to a store, from second `at` on, 10 s apart. */
static inline void make_store(const char *path, const char *host, int pid, int at, int n)
{
    for (int i = 0; i < n; i++)
        write_capture(pid, at + 10 * i, 64 + 4 * i);
    import_into(path, host, PMAPDB_UNKNOWN);
}

/* ---- merging ---- */

typedef struct merging {
    pmapdb_merge_options options;
    pmapdb_merge_result result;
    pm_buf news;
    int go_on; /* how often on_progress returns true; -1: always */
} merging;

/* Removes the current folder: SQLite names a file by its whole path. */
static inline const char *without_folder(const char *text)
{
    char folder[512];
    size_t n = getcwd(folder, sizeof folder) ? strlen(folder) : 0;

    return strncmp(text, folder, n) == 0 ? text + n + 1 : text;
}

static inline void on_merge(void *ctx, const pmapdb_merge_event *e)
{
    merging *m = ctx;

    pm_buf_addf(&m->news, NULL,
                "%s: %llu hosts, %llu processes, %llu snapshots, %llu new, %llu known", e->path,
                (unsigned long long)e->hosts, (unsigned long long)e->processes,
                (unsigned long long)e->snapshots, (unsigned long long)e->new_ones,
                (unsigned long long)e->known);
    if (e->error)
        pm_buf_addf(&m->news, NULL, " ERROR %s", without_folder(e->error));
    if (e->warning)
        pm_buf_addf(&m->news, NULL, " [%s]", e->warning);
    pm_buf_addf(&m->news, NULL, "\n");
}

static inline bool on_progress(void *ctx, const pmapdb_progress *progress)
{
    merging *m = ctx;

    (void)progress;
    return m->go_on < 0 || m->go_on-- > 0;
}

static inline void start(merging *m)
{
    *m = (merging){.go_on = -1};
    pmapdb_merge_defaults(&m->options);
    m->options.ctx = m;
    m->options.on_event = on_merge;
    m->options.on_progress = on_progress;
}

/* Merges the n stores into `into`, which may be NULL. */
static inline pmapdb_status merge(merging *m, const char *into, const char *const *paths, size_t n)
{
    pmapdb_store *store =
        into ? open_store(into, m->options.dry_run ? PMAPDB_READ : PMAPDB_WRITE) : NULL;
    pmapdb_error err = {0};
    pmapdb_status st;

    pm_buf_clear(&m->news);
    st = pmapdb_merge(store, paths, n, &m->options, &m->result, &err);
    if (st != PMAPDB_OK && st != PMAPDB_STOPPED)
        print_error("%s\n", err.text);
    pmapdb_close(store);
    return st;
}

#define MERGE(m, into, ...)                            \
    merge(m, into, (const char *const[]){__VA_ARGS__}, \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static inline void expect_news(const merging *m, const char *wanted)
{
    assert_string_equal(pm_buf_text(&m->news).data, wanted);
}

static inline void finish(merging *m)
{
    pm_buf_free(&m->news);
}

/* ---- damage ---- */

static inline void damage(const char *path, const char *sql)
{
    pmapdb_store *store = open_store(path, PMAPDB_WRITE);

    sqlite3_exec(store->db, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON", NULL,
                 NULL, NULL);
    assert_int_equal(sqlite3_exec(store->db, sql, NULL, NULL, NULL), SQLITE_OK);
    pmapdb_close(store);
}

/* Each test gets a merge, in a folder of its own. */
static inline int merging_setup(void **state)
{
    static merging m;

    *state = &m;
    start(&m);
    return box_enter(NULL);
}

static inline int merging_teardown(void **state)
{
    finish(*state);
    return box_leave(NULL);
}

#define WITH_MERGE(function) TEST_OF(merging *m, function, merging_setup, merging_teardown)

#endif
