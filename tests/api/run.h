/* run: an import in a box, and its news as text. */
#ifndef TESTS_API_RUN_H
#define TESTS_API_RUN_H

#include "source/box.h"

#include "pmapdb.h"
#include "store/file/store.h"
#include <sys/wait.h>

typedef struct import {
    pmapdb_store *store;
    pmapdb_import_options options;
    pmapdb_import_result result;
    pm_buf news; /* a line per event */
} import;

static inline void on_event(void *ctx, const pmapdb_import_event *e)
{
    import *in = ctx;

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

static inline void begin(import *in)
{
    pmapdb_open_options options = {.mode = PMAPDB_WRITE};
    pmapdb_error err = {0};

    *in = (import){0};
    pmapdb_import_defaults(&in->options);
    in->options.on_event = on_event;
    in->options.ctx = in;
    if (pmapdb_open("t.db", &options, &in->store, &err) != PMAPDB_OK)
        print_error("%s\n", err.text);
    assert_non_null(in->store);
}

static inline void end(import *in)
{
    pmapdb_close(in->store);
    pm_buf_free(&in->news);
}

static inline void run(import *in, const char *path)
{
    pmapdb_error err = {0};

    pm_buf_clear(&in->news);
    if (pmapdb_import(in->store, &path, 1, &in->options, &in->result, &err) != PMAPDB_OK)
        print_error("%s\n", err.text);
}

static inline void expect(const import *in, const char *wanted)
{
    assert_string_equal(pm_buf_text(&in->news).data, wanted);
}

static inline void count(const import *in, uint64_t stored, uint64_t duplicates, uint64_t trouble)
{
    assert_int_equal(in->result.stored, stored);
    assert_int_equal(in->result.duplicates, duplicates);
    assert_int_equal(in->result.new_trouble, trouble);
}

static inline void shell(const char *command)
{
    int status = system(command); // NOLINT(cert-env33-c)

    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline int64_t number(const import *in, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int64_t n;

    assert_int_equal(sqlite3_prepare_v2(in->store->db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    n = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return n;
}

/* The state of a test is an import into t.db, in a box of its own. */
typedef struct import_box {
import of;
    void *box;
} import_box;

static inline int import_setup(void **state)
{
    import_box *b = *state = calloc(1, sizeof *b);

    if (!b || box_enter(&b->box) != 0)
        return -1;
    begin(&b->of);
    return 0;
}

static inline int import_teardown(void **state)
{
    import_box *b = *state;
    int failed;

    end(&b->of);
    failed = box_leave(&b->box);
    free(b);
    return failed;
}

#define WITH_IMPORT(function) TEST_OF(import *in, function, import_setup, import_teardown)

#endif
