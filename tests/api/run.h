/* run: an import in a folder of its own, and its events as text. */
#ifndef TESTS_API_RUN_H
#define TESTS_API_RUN_H

#include "source/box.h"

#include "pmapdb.h"
#include "store/file/store.h"
#include <sys/wait.h>

typedef struct importing {
    pmapdb_store *store;
    pmapdb_import_options options;
    pmapdb_import_result result;
    pm_buf news; /* a line per event */
} importing;

static inline void on_event(void *ctx, const pmapdb_import_event *e)
{
    importing *in = ctx;

    if (e->error) {
        pm_buf_addf(&in->news, NULL, "%s%s: %s\n",
                    e->known     ? "(known) "
                    : e->trouble ? ""
                                 : "(note) ",
                    e->path, e->error);
        return;
    }
    pm_buf_addf(&in->news, NULL, "%s %lld %s +%lld %s %s %s %lld%s", e->path,
                e->pid == PMAPDB_UNKNOWN ? -1LL : (long long)e->pid, e->name,
                (long long)(e->taken_ms - 1795229318000), e->dialect, e->state, e->checked,
                (long long)e->mappings, e->duplicate ? " again" : "");
    if (e->missing)
        pm_buf_addf(&in->news, NULL, " [%s]", e->missing);
    for (size_t i = 0; i < e->n_warnings; i++)
        pm_buf_addf(&in->news, NULL, " [%s]", e->warnings[i]);
    pm_buf_addf(&in->news, NULL, "\n");
}

static inline void begin(importing *in)
{
    pmapdb_open_options options = {.mode = PMAPDB_WRITE};
    pmapdb_error err = {0};

    *in = (importing){0};
    pmapdb_import_defaults(&in->options);
    in->options.on_event = on_event;
    in->options.ctx = in;
    if (pmapdb_open("t.db", &options, &in->store, &err) != PMAPDB_OK)
        print_error("%s\n", err.text);
    assert_non_null(in->store);
}

static inline void end(importing *in)
{
    pmapdb_close(in->store);
    pm_buf_free(&in->news);
}

static inline void run(importing *in, const char *path)
{
    pmapdb_error err = {0};

    pm_buf_clear(&in->news);
    if (pmapdb_import(in->store, &path, 1, &in->options, &in->result, &err) != PMAPDB_OK)
        print_error("%s\n", err.text);
}

static inline void expect(const importing *in, const char *wanted)
{
    assert_string_equal(pm_buf_text(&in->news).data, wanted);
}

static inline void count(const importing *in, uint64_t stored, uint64_t duplicates,
                         uint64_t trouble)
{
    assert_int_equal(in->result.stored, stored);
    assert_int_equal(in->result.duplicates, duplicates);
    assert_int_equal(in->result.new_trouble, trouble);
}

/* Writes pmap -x with a heap of `kib`. `head` has the header, and may have lines above it. */
static inline void write_x(const char *path, const char *head, int kib)
{
    pm_buf text = {0};

    pm_buf_addf(&text, NULL,
                "%s\n"
                "Address           Kbytes     RSS   Dirty Mode  Mapping\n"
                "0000000000400000       4       4       4 r-x-- app\n"
                "0000000000600000 %7d       8       8 rw---   [ anon ]\n"
                "00007ffd40b62000     132      12      12 rw---   [ stack ]\n"
                "---------------- ------- ------- ------- \n"
                "total kB         %7d      24      24\n",
                head, kib, kib + 136);
    box_write(path, text.data, text.len);
    pm_buf_free(&text);
}

static inline void shell(const char *command)
{
    int status = system(command); // NOLINT(cert-env33-c)

    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline int64_t number(const importing *in, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t n;

    assert_int_equal(sqlite3_prepare_v2(in->store->db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    n = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return n;
}

/* Each test gets an import into t.db, in a folder of its own. */
static inline int import_setup(void **state)
{
    static importing in;

    *state = &in;
    if (box_enter(NULL) != 0)
        return -1;
    begin(&in);
    return 0;
}

static inline int import_teardown(void **state)
{
    end(*state);
    return box_leave(NULL);
}

#define WITH_IMPORT(function) TEST_OF(importing *in, function, import_setup, import_teardown)

#endif
