/* explain_test: what a program gets from pmapdb_explain: counts, events, a stop, bad options. */
#include "pmapdb.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#define TOOLS "tests/fixtures/tools/"

typedef struct heard {
    int n, stop_at; /* events so far; false from this one on, 0: never */
    int64_t pid, last_line, mappings, size_kib;
    size_t n_why, n_notes;
    bool stored;
} heard;

static bool on_event(void *ctx, const pmapdb_explain_event *e)
{
    heard *h = ctx;

    h->n++;
    h->pid = e->pid;
    h->last_line = e->last_line;
    h->mappings = e->mappings;
    h->size_kib = e->size_kib;
    h->n_why = e->n_why;
    h->n_notes = e->n_notes;
    h->stored = !e->error;
    assert_int_equal(h->stored, e->state && e->checked && e->confidence);
    return h->n != h->stop_at;
}

/* The numbers are those of the file: 100 lines, 48 rows twice, "total kB 17831932" of which 124 are
 * shared mappings counted twice. */
static void events(void **state)
{
    const char *const paths[] = {TOOLS "procps-3.3.10-x.txt"};
    heard h = {0};
    pmapdb_explain_options o = {.ctx = &h, .on_event = on_event};
    pmapdb_explain_result r;
    pmapdb_error err;

    assert_int_equal(pmapdb_explain(paths, 1, &o, &r, &err), PMAPDB_OK);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.pid, 16098);
    assert_int_equal(h.last_line, 100);
    assert_int_equal(h.mappings, 48);
    assert_int_equal(h.size_kib, 17831932 - 124);
    assert_int_equal(h.n_notes, 2);
    assert_true(h.n_why >= 3);
    assert_int_equal(r.captures, 1);
    assert_int_equal(r.refused, 0);
    assert_int_equal(r.trouble, 0);
}

static void counts(void **state)
{
    const char *const paths[] = {TOOLS "procps-4.0.2-multi-x.txt", TOOLS "procps-4.0.2-kthread.txt",
                                 "nowhere"};
    heard h = {0};
    pmapdb_explain_options o = {.ctx = &h, .on_event = on_event};
    pmapdb_explain_result r;

    assert_int_equal(pmapdb_explain(paths, 3, &o, &r, NULL), PMAPDB_OK);
    assert_int_equal(h.n, 5);
    assert_false(h.stored);
    assert_true(h.last_line == PMAPDB_UNKNOWN && h.size_kib == PMAPDB_UNKNOWN);
    assert_int_equal(r.captures, 3);
    assert_int_equal(r.refused, 2);
    assert_int_equal(r.trouble, 2);
}

static void stop(void **state)
{
    const char *const paths[] = {TOOLS "procps-4.0.2-multi-x.txt"};
    heard h = {.stop_at = 2};
    pmapdb_explain_options o = {.ctx = &h, .on_event = on_event};
    pmapdb_explain_result r;

    assert_int_equal(pmapdb_explain(paths, 1, &o, &r, NULL), PMAPDB_STOPPED);
    assert_int_equal(h.n, 2);
}

static void options(void **state)
{
    const char *const paths[] = {TOOLS "procps-3.3.10-x.txt"};
    pmapdb_explain_options o = {.dialect = "pmap-Q"};
    pmapdb_explain_result r;
    pmapdb_error err;

    assert_int_equal(pmapdb_explain(paths, 1, &o, &r, &err), PMAPDB_USAGE);
    assert_non_null(strstr(err.text, "'pmap-Q'"));
    assert_non_null(strstr(err.text, "smaps_rollup"));
    o.dialect = "pmap-x";
    assert_int_equal(pmapdb_explain(paths, 1, &o, &r, &err), PMAPDB_OK);
    assert_int_equal(r.captures, 1);
}

RUN_TESTS(TEST(events), TEST(counts), TEST(stop), TEST(options))
