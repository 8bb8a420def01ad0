/* threads_test: a program that uses the library from many threads, each with its own handles, on
 * one store: imports, live captures of itself, queries, verdicts, SQL, merges, prunes, rules, a
 * doctor. No snapshot is lost or doubled, the sums are right, no call fails because of a lock.
 *
 * Runs for two seconds, or for PMAPDB_THREADS_S. tsan.sh builds and runs it under
 * ThreadSanitizer.
 */
#include "api/blocks.h"
#include "source/box.h"

#include "base/clock_kit.h"
#include "pmapdb.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define START_MS 1795229318000
#define STEP_MS 60000

typedef struct worker {
    pthread_t thread;
    const char *what;
    void (*turn)(struct worker *w, pmapdb_store *store, int n);
    int number;
    bool writes;
    int turns, stored;
    char wrong[600]; /* the first error; empty: none */
} worker;

static char samples[PATH_MAX], packed[PATH_MAX];
static atomic_bool ended;

static void wrong(worker *w, const char *what, const pmapdb_error *err)
{
    if (!w->wrong[0])
        snprintf(w->wrong, sizeof w->wrong, "%s %d: %s: %s", w->what, w->number, what,
                 err ? err->text : "");
}

static bool is_ok(worker *w, pmapdb_status st, const char *what, const pmapdb_error *err)
{
    if (st != PMAPDB_OK)
        wrong(w, what, err);
    return st == PMAPDB_OK;
}

/* ---- what the threads do ---- */

static void import_at(worker *w, pmapdb_store *store, const char *file, int64_t at_ms)
{
    char path[PATH_MAX + 64], name[16];
    const char *const paths[] = {path};
    pmapdb_import_options o;
    pmapdb_import_result r = {0};
    pmapdb_error err = {0};

    snprintf(path, sizeof path, "%s/%s", samples, file);
    snprintf(name, sizeof name, "part%d", w->number);
    pmapdb_import_defaults(&o);
    o.at_ms = at_ms;
    o.name = o.host = name;
    if (is_ok(w, pmapdb_import(store, paths, 1, &o, &r, &err), "import", &err))
        w->stored += (int)r.stored;
}

static void imports(worker *w, pmapdb_store *store, int n)
{
    int64_t at_ms = START_MS + (int64_t)n * STEP_MS;

    import_at(w, store, n % 2 ? "1795229318-12766.smaps" : "1795229498-12766.smaps", at_ms);
    if (n % 3 == 0) /* late */
        import_at(w, store, "1795229348-12766.x", at_ms - STEP_MS / 2);
}

static void captures(worker *w, pmapdb_store *store, int n)
{
    const int64_t self = getpid();
    pmapdb_capture_options o;
    pmapdb_capture_result r = {0};
    pmapdb_error err = {0};

    (void)n;
    pmapdb_capture_defaults(&o);
    o.pids = &self;
    o.n_pids = 1;
    o.max_stall_us = 60000000;
    o.name = "self";
    is_ok(w, pmapdb_capture(store, &o, &r, &err), "capture", &err);
}

/* Reads all rows and returns their number. Adds the integers of the last column to *sum. */
static int read_rows(worker *w, pmapdb_rows *rows, int64_t *sum)
{
    pmapdb_error err = {0};
    pmapdb_status st;
    bool has = false;
    int n = 0;
    size_t len;

    while ((st = pmapdb_next(rows, &has, &err)) == PMAPDB_OK && has) {
        for (int i = 0; i < pmapdb_rows_columns(rows); i++)
            if (pmapdb_rows_type(rows, i) == PMAPDB_TEXT)
                pmapdb_rows_text(rows, i, &len);
        if (sum)
            *sum += pmapdb_rows_int(rows, pmapdb_rows_columns(rows) - 1);
        n++;
    }
    is_ok(w, st, "next", &err);
    pmapdb_rows_close(rows);
    return n;
}

static void asks(worker *w, pmapdb_store *store, int n)
{
    static const char *const names[] = {"categories", "mappings", "growth",    "diff-category",
                                        "leaks",      "gaps",     "by-name",   "leaks",
                                        "snapshots",  "files",    "processes", "top-lineages"};
    const char *name = names[n % (int)(sizeof names / sizeof *names)];
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = pmapdb_query(store, name, &rows, &err);

    if (st == PMAPDB_OK && strcmp(name, "gaps") != 0 && strcmp(name, "by-name") != 0)
        st = pmapdb_bind(rows, "process", "part0:part0", &err);
    if (st != PMAPDB_OK)
        pmapdb_rows_close(rows);
    if (is_ok(w, st, name, &err))
        read_rows(w, rows, NULL);
}

static void adds_up(worker *w, pmapdb_store *store, int n)
{
    static const char text[] =
        "SELECT kib_text(s.size_kib), (m.n, m.size) IS NOT (s.mappings, s.size_kib) FROM snapshot "
        "s JOIN (SELECT snapshot_id, count(*) AS n, sum(size_kib) AS size FROM mappings GROUP BY "
        "1) m USING (snapshot_id) ORDER BY s.snapshot_id DESC LIMIT 20";
    pmapdb_sql_options o = {.timeout_ms = 60000};
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};
    int64_t bad = 0;

    (void)n;
    if (is_ok(w, pmapdb_sql(store, text, &o, &rows, &err), "sql", &err)) {
        read_rows(w, rows, &bad);
        if (bad)
            wrong(w, "sums", NULL);
    }
}

static void tidies(worker *w, pmapdb_store *store, int n)
{
    static const char *const others[] = {"other.db"};
    pmapdb_prune_options prune;
    pmapdb_prune_result pruned;
    pmapdb_compact_options compact = {0};
    pmapdb_compact_result compacted;
    pmapdb_merge_options merge;
    pmapdb_merge_result merged;
    pmapdb_error err = {0};

    pmapdb_prune_defaults(&prune);
    prune.keep.last = 3;
    prune.process = "self";
    pmapdb_merge_defaults(&merge);
    if (n % 3 == 0)
        is_ok(w, pmapdb_prune(store, &prune, &pruned, &err), "prune", &err);
    else if (n % 3 == 1)
        is_ok(w, pmapdb_compact(store, &compact, &compacted, &err), "compact", &err);
    else
        is_ok(w, pmapdb_merge(store, others, 1, &merge, &merged, &err), "merge", &err);
}

static void rules(worker *w, pmapdb_store *store, int n)
{
    pmapdb_rules_options o = {.rules = n % 2 ? "default" : "pmap-dotnet"};
    pmapdb_rules_result r;
    pmapdb_error err = {0};

    is_ok(w, pmapdb_rules_apply(store, &o, &r, &err), "rules", &err);
}

static void examines(worker *w, pmapdb_store *store, int n)
{
    pmapdb_doctor_options o;
    pmapdb_doctor_result r;
    pmapdb_error err = {0};

    (void)store;
    pmapdb_doctor_defaults(&o);
    o.deep = n % 2;
    if (is_ok(w, pmapdb_doctor("one.db", &o, &r, &err), "doctor", &err) && r.troubles)
        wrong(w, "doctor finds trouble", NULL);
}

/* Reads an archive. The first thread that reads an archive loads libarchive. */
static void explains(worker *w, pmapdb_store *store, int n)
{
    const char *const paths[] = {packed};
    const pm_blocks_options how = {.paths = paths, .n_paths = 1};
    pm_found_block *found = NULL;
    pm_blocks *blocks = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = pm_blocks_new(&how, &blocks, &err);

    (void)store;
    (void)n;
    if (st == PMAPDB_OK)
        st = pm_blocks_next(blocks, &found, &err);
    while (st == PMAPDB_OK && found && !found->capture) { /* the end of a member */
        pm_found_block_free(found);
        found = NULL;
        st = pm_blocks_next(blocks, &found, &err);
    }
    if (is_ok(w, st, "explain", &err) && (!found || found->error))
        wrong(w, "nothing in the archive", NULL);
    pm_found_block_free(found);
    pm_blocks_free(blocks);
}

/* Parses a local time with the name of its zone, while other threads ask for local time. */
static void reads_times(worker *w, pmapdb_store *store, int n)
{
    int64_t ms = 0;

    (void)store;
    (void)n;
    for (int i = 0; i < 2000; i++)
        if (!is_moment(PM_TEXT("Sat Nov 21 02:05:32 CET 2026"), &ms) || ms != 1795223132000) {
            wrong(w, "a time in words", NULL);
            return;
        }
}

static void asks_local(worker *w, pmapdb_store *store, int n)
{
    (void)w;
    (void)store;
    for (time_t t = 0; t < 2000; t++) {
        time_t at = ((time_t)n * 2000 + t) * 86400 % 1700000000;
        struct tm tm;

        localtime_r(&at, &tm);
        mktime(&tm);
    }
}

/* ---- the run ---- */

static void *work(void *ctx)
{
    worker *w = ctx;
    pmapdb_open_options o = {.mode = w->writes ? PMAPDB_WRITE : PMAPDB_READ};
    pmapdb_store *store = NULL;
    pmapdb_error err = {0};

    for (int n = 0; !ended && !w->wrong[0]; n++) {
        /* a handle is opened anew now and then: the last one to close does more */
        if (n % 7 == 0) {
            pmapdb_close(store);
            store = NULL;
            if (!is_ok(w, pmapdb_open("one.db", &o, &store, &err), "open", &err))
                break;
        }
        w->turn(w, store, n);
        w->turns++;
    }
    pmapdb_close(store);
    return NULL;
}

static int64_t number(const char *sql)
{
    pmapdb_open_options o = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};
    worker w = {.what = "in the end"};
    int64_t sum = 0;

    assert_int_equal(pmapdb_open("one.db", &o, &store, &err), PMAPDB_OK);
    assert_int_equal(pmapdb_sql(store, sql, NULL, &rows, &err), PMAPDB_OK);
    read_rows(&w, rows, &sum);
    pmapdb_close(store);
    assert_string_equal(w.wrong, "");
    return sum;
}

static void prepare(void)
{
    pmapdb_open_options o = {.mode = PMAPDB_WRITE};
    const char *dbs[] = {"one.db", "other.db"};

    for (int i = 0; i < 2; i++) {
        worker w = {.what = "prepare", .number = i ? 77 : 0};
        pmapdb_store *store = NULL;
        pmapdb_error err = {0};

        assert_int_equal(pmapdb_open(dbs[i], &o, &store, &err), PMAPDB_OK);
        for (int n = 0; n < 6; n++)
            imports(&w, store, n - 100);
        captures(&w, store, 0);
        pmapdb_close(store);
        assert_string_equal(w.wrong, "");
    }
}

IN_BOX(at_once)
{
    worker workers[] = {
        {.what = "import", .turn = imports, .writes = true, .number = 0},
        {.what = "import", .turn = imports, .writes = true, .number = 1},
        {.what = "import", .turn = imports, .writes = true, .number = 2},
        {.what = "capture", .turn = captures, .writes = true},
        {.what = "tidy", .turn = tidies, .writes = true},
        {.what = "rules", .turn = rules, .writes = true},
        {.what = "ask", .turn = asks, .number = 1},
        {.what = "ask", .turn = asks, .number = 2},
        {.what = "sql", .turn = adds_up},
        {.what = "doctor", .turn = examines},
        {.what = "explain", .turn = explains, .number = 1},
        {.what = "explain", .turn = explains, .number = 2},
        {.what = "times", .turn = reads_times},
        {.what = "local time", .turn = asks_local},
    };
    const size_t n = sizeof workers / sizeof *workers;
    const char *seconds = getenv("PMAPDB_THREADS_S");
    int64_t before, stored = 0;

    setenv("TZ", "Europe/Berlin", 1);
    prepare();
    before = number("SELECT count(*) FROM snapshot s JOIN process p USING (process_id) WHERE "
                    "p.pid = 12766");
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    sleep(seconds ? (unsigned)strtoul(seconds, NULL, 10) : 2);
    ended = true;
    for (size_t i = 0; i < n; i++)
        pthread_join(workers[i].thread, NULL);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(workers[i].wrong, "");
        assert_true(workers[i].turns > 0);
        stored += workers[i].stored;
        print_message("%-10s %6d\n", workers[i].what, workers[i].turns);
    }
    /* part77 comes from the merged store, perhaps in part before the first count */
    assert_int_equal(number("SELECT count(*) FROM snapshot s JOIN process p USING (process_id) "
                            "JOIN name n USING (name_id) WHERE p.pid = 12766 AND n.name <> "
                            "'part77'"),
                     before + stored);
    assert_int_equal(number("SELECT count(*) - count(DISTINCT p.process_id || ' ' || taken_ms || "
                            "dialect) FROM snapshot s JOIN process p USING (process_id) WHERE "
                            "p.pid = 12766"),
                     0);
    assert_int_equal(number("SELECT integrity_check <> 'ok' FROM pragma_integrity_check"), 0);
}

int main(void)
{
    if (!realpath("samples/captures/leaky-20261121", samples) ||
        !realpath("tests/fixtures/archives/snap.tar.gz", packed))
        return 1;
    return unit_run(NULL, NULL);
}
