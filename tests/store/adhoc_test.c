/* adhoc_test: SQL that a user types: forbidden statements, limits, parameters, names and units of
 * columns. */
#include "kit.h"

#include "set_clock.h"
#include "store/read/adhoc.h"
#include <dirent.h>
#include <sys/stat.h>

#define FOREVER "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "

static pmapdb_rows *asked(const kit *k, const char *sql, const pmapdb_sql_options *options)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};

    kit_ok(pmapdb_sql(k->store, sql, options, &rows, &err), &err);
    if (!rows)
        abort();
    return rows;
}

/* ---- reading only ---- */

static size_t files_in(const char *dir)
{
    DIR *d = opendir(dir);
    size_t n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* Returns a checksum of the file. */
static uint64_t sum_of(const char *path)
{
    FILE *f = fopen(path, "re");
    uint64_t sum = 1469598103934665603U;

    if (!f)
        abort();
    for (int c; (c = fgetc(f)) != EOF;)
        sum = (sum ^ (uint64_t)c) * 1099511628211U;
    fclose(f);
    return sum;
}

static void refused(const kit *k, const char *sql)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = pmapdb_sql(k->store, sql, NULL, &rows, &err);

    if (st != PMAPDB_USAGE)
        fail_msg("%s: %d %s", sql, (int)st, err.text);
    assert_null(rows);
}

static void writefile(sqlite3_context *ctx, int n, sqlite3_value **args)
{
    (void)n;
    (void)args;
    fail(); /* called */
    sqlite3_result_null(ctx);
}

/* Adds a function that some builds of SQLite have. */
static int add_dangerous(sqlite3 *db, char **message, const struct sqlite3_api_routines *api)
{
    (void)message;
    (void)api;
    return sqlite3_create_function(db, "writefile", -1, SQLITE_UTF8, NULL, writefile, NULL, NULL);
}

static const char *const attacks[] = {
    "INSERT INTO host VALUES (1, 'x')",
    "INSERT INTO host VALUES (1, 'x') RETURNING 1",
    "WITH x AS (SELECT 1) INSERT INTO host SELECT 1, 'x' FROM x",
    "REPLACE INTO host VALUES (1, 'x')",
    "UPDATE process SET pid = 1",
    "UPDATE process SET pid = 1 RETURNING pid",
    "DELETE FROM snapshot",
    "DELETE FROM snapshot RETURNING 1",
    "UPDATE sqlite_master SET sql = ''",
    "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0, 'x')",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x (a)",
    "CREATE TEMP VIEW x AS SELECT 1",
    "CREATE VIRTUAL TABLE x USING fts5(a)",
    "CREATE TEMP TRIGGER x AFTER INSERT ON host BEGIN SELECT 1; END",
    "DROP VIEW mappings",
    "ALTER TABLE host RENAME TO x",
    "CREATE INDEX x ON host (name)",
    "REINDEX",
    "ANALYZE",
    "VACUUM",
    "VACUUM INTO 'made-by-adhoc-test.db'",
    "ATTACH 'made-by-adhoc-test.db' AS x",
    "ATTACH ':memory:' AS x",
    "DETACH main",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "SAVEPOINT x",
    "PRAGMA writable_schema = 1",
    "PRAGMA writable_schema(1)",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA \"\"",
    "PRAGMA query_only = OFF",
    "PRAGMA user_version = 7",
    "PRAGMA application_id = 7",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "PRAGMA optimize",
    "PRAGMA temp_store_directory = '/'",
    "PRAGMA trusted_schema = ON",
    "PRAGMA hard_heap_limit = 1",
    "PRAGMA no_such_pragma",
    "SELECT load_extension('x')",
    "SELECT writefile('x', 'y')",
    "SELECT Writefile('x', 'y')",
    "SELECT 1 WHERE writefile('x', 'y')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT readfile('/etc/passwd')",
    "EXPLAIN DELETE FROM snapshot",
    "SELECT 1; DELETE FROM snapshot",
    "; DELETE FROM snapshot",
    "",
    "-- only",
};

IN_KIT(changes_nothing)
{
    uint64_t sum, wal;
    size_t files;
    char path[128];
    struct stat info;

    snprintf(path, sizeof path, "%s-wal", k->path);
    kit_close(k);
    sqlite3_auto_extension((void (*)(void))add_dangerous);
    kit_open(k);
    sqlite3_cancel_auto_extension((void (*)(void))add_dangerous);
    sum = sum_of(k->path);
    wal = sum_of(path);
    files = files_in(k->dir);
    for (size_t i = 0; i < COUNT(attacks); i++)
        refused(k, attacks[i]);
    assert_int_equal(files_in(k->dir), files);
    assert_true(sum_of(k->path) == sum && sum_of(path) == wal);
    assert_int_not_equal(stat("made-by-adhoc-test.db", &info), 0);
}

static int64_t hosts(const kit *k)
{
    pmapdb_rows *rows = asked(k, "SELECT count(*) FROM host", NULL);
    int64_t n;

    assert_true(kit_next(rows));
    n = pmapdb_rows_int(rows, 0);
    pmapdb_rows_close(rows);
    return n;
}

/* Statements within one read transaction see one state of the store. */
IN_KIT(reads_what_the_transaction_shows)
{
    kit other = *k;

    kit_ok(pmapdb_begin_read(k->store, NULL), NULL);
    assert_int_equal(hosts(k), 0);
    kit_open(&other);
    kit_exec(&other, "INSERT INTO host (name) VALUES ('x')");
    assert_int_equal(hosts(k), 0);
    pmapdb_end_read(k->store);
    assert_int_equal(hosts(k), 1);
    kit_close(&other);
}

IN_KIT(reads)
{
    static const char *const allowed[] = {
        "SELECT count(*) FROM mappings",
        "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
        "VALUES (1), (2)",
        "EXPLAIN QUERY PLAN SELECT * FROM mappings",
        "EXPLAIN SELECT 1",
        "PRAGMA table_info(mappings)",
        "PRAGMA user_version",
        "PRAGMA integrity_check",
        "SELECT name FROM pragma_table_xinfo('snapshots')",
        "SELECT value FROM json_each('[1, 2]')",
        "SELECT kib_text(2048)",
        "SELECT 1;",
        "SELECT 1; -- the end",
    };

    for (size_t i = 0; i < COUNT(allowed); i++) {
        pmapdb_rows *rows = asked(k, allowed[i], NULL);

        assert_true(kit_next(rows));
        pmapdb_rows_close(rows);
    }
}

/* ---- limits ---- */

#define MS INT64_C(1000000)

/* Runs a statement with a limit of 200 ms. The clocks stand still unless the test moves them, so a
 * busy machine does not matter. */
static pmapdb_rows *with_200_ms(const kit *k, const char *sql)
{
    static const pmapdb_sql_options options = {.timeout_ms = 200};

    set_clock_step(CLOCK_MONOTONIC, 0);
    set_clock_step(CLOCK_THREAD_CPUTIME_ID, 0);
    return asked(k, sql, &options);
}

static void close_rows(pmapdb_rows *rows)
{
    pmapdb_rows_close(rows);
    set_clock_free();
}

IN_KIT(stops_in_time)
{
    pmapdb_rows *rows = with_200_ms(k, FOREVER "SELECT count(*) FROM c");
    pmapdb_error err = {0};
    bool has;

    set_clock_step(CLOCK_MONOTONIC, MS);
    assert_int_equal(pmapdb_next(rows, &has, &err), PMAPDB_TIMEOUT);
    assert_string_equal(err.text, "stopped: not finished after 0.2 s; --timeout allows more");
    assert_int_equal(err.db_code & 0xff, SQLITE_INTERRUPT);
    close_rows(rows);
}

/* A statement that stays below its limit ends normally. */
IN_KIT(goes_on_until_then)
{
    pmapdb_rows *rows =
        with_200_ms(k, FOREVER "SELECT count(*) FROM (SELECT x FROM c LIMIT 100000)");

    set_clock_step(CLOCK_MONOTONIC, 1000);
    assert_true(kit_next(rows));
    close_rows(rows);
}

/* Returns the number of rows until the timeout, or -1; each row advances the clock. */
static int rows_until_timeout(pmapdb_rows *rows, clockid_t clock, int64_t advance_ns)
{
    pmapdb_status st = PMAPDB_OK;
    int n = 0;

    for (bool has = true; st == PMAPDB_OK && has && n < 1000000; n++) {
        st = pmapdb_next(rows, &has, NULL);
        set_clock_advance(clock, advance_ns);
    }
    return st == PMAPDB_TIMEOUT ? n : -1;
}

/* Each row of an endless result comes in time, but all of them together exceed the limit. */
IN_KIT(stops_between_rows)
{
    pmapdb_rows *rows = with_200_ms(k, FOREVER "SELECT x FROM c");

    set_clock_step(CLOCK_MONOTONIC, MS);
    assert_in_range(rows_until_timeout(rows, CLOCK_MONOTONIC, 0), 2, 1000000);
    close_rows(rows);
}

/* The CPU time that the caller spends on the rows counts, too. */
IN_KIT(work_of_the_caller_counts)
{
    pmapdb_rows *rows = with_200_ms(k, FOREVER "SELECT x FROM c");

    assert_in_range(rows_until_timeout(rows, CLOCK_THREAD_CPUTIME_ID, MS), 200, 10000);
    close_rows(rows);
}

/* The time in which the caller waits does not count. */
IN_KIT(waiting_does_not_count)
{
    pmapdb_rows *rows = with_200_ms(k, FOREVER "SELECT x FROM c LIMIT 50000");

    assert_int_equal(rows_until_timeout(rows, CLOCK_MONOTONIC, 1000 * MS), -1);
    close_rows(rows);
}

IN_KIT(stops_at_max_rows)
{
    static const struct {
        int64_t max;
        int rows;
        bool cut;
    } cases[] = {{0, 3, false}, {1, 1, true}, {2, 2, true}, {3, 3, false}, {4, 3, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        pmapdb_sql_options options = {.max_rows = cases[i].max};
        pmapdb_rows *rows = asked(k, "VALUES (1), (2), (3)", &options);

        for (int again = 0; again < 2; again++) { /* after the end, the statement begins again */
            for (int n = 0; n < cases[i].rows; n++) {
                assert_true(kit_next(rows));
                assert_int_equal(pmapdb_rows_int(rows, 0), n + 1);
            }
            assert_false(kit_next(rows));
            assert_true(pmapdb_rows_cut(rows) == cases[i].cut);
        }
        pmapdb_rows_close(rows);
    }
}

IN_KIT(limits_below_zero)
{
    static const pmapdb_sql_options wrong[] = {{.timeout_ms = -1}, {.max_rows = -1}};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        pmapdb_rows *rows = NULL;
        pmapdb_error err = {0};

        kit_fails(pmapdb_sql(k->store, "SELECT 1", &wrong[i], &rows, &err), PMAPDB_USAGE, &err,
                  "must not be below zero");
        assert_null(rows);
    }
}

static void fails_at_step(const kit *k, const char *sql, const char *says)
{
    pmapdb_rows *rows = asked(k, sql, NULL);
    pmapdb_error err = {0};
    bool has;

    assert_int_equal(pmapdb_next(rows, &has, &err), PMAPDB_USAGE);
    assert_string_equal(err.text, says);
    pmapdb_rows_close(rows);
}

IN_KIT(fails_with_words)
{
    fails_at_step(k, "SELECT randomblob(1e9)", "a text or blob of more than 64 MiB");
    fails_at_step(k, "SELECT abs(-9223372036854775808)", "integer overflow");
    fails_at_step(k, "SELECT json('{')", "malformed JSON");
}

/* ---- parameters ---- */

static void param(const kit *k, const char *value, const char *type, const char *wanted)
{
    pmapdb_rows *rows = asked(k, "SELECT typeof(:v), :v, @v IS $v", NULL);
    const char *text;

    kit_bind(rows, "v", value);
    assert_true(kit_next(rows));
    assert_string_equal(pmapdb_rows_text(rows, 0, NULL), type);
    text = pmapdb_rows_text(rows, 1, NULL);
    assert_string_equal(text ? text : "NULL", wanted);
    assert_int_equal(pmapdb_rows_int(rows, 2), 1);
    pmapdb_rows_close(rows);
}

IN_KIT(parameters)
{
    param(k, "5", "integer", "5");
    param(k, "-5", "integer", "-5");
    param(k, "9223372036854775807", "integer", "9223372036854775807");
    param(k, "0x7fff", "integer", "32767");
    param(k, "0xffffffffff600000", "integer", "-10485760");
    param(k, "1.5", "real", "1.5");
    param(k, "1e3", "real", "1000.0");
    param(k, "9223372036854775808", "real", "9.22337203685478e+18");
    param(k, "", "null", "NULL");
    param(k, "redis", "text", "redis");
    param(k, "'7'", "text", "7");
    param(k, "''", "text", "");
    param(k, "'", "text", "'");
    param(k, "inf", "text", "inf");
    param(k, "nan", "text", "nan");
    param(k, "0x", "text", "0x");
    param(k, "0x1p3", "text", "0x1p3");
    param(k, "-", "text", "-");
    param(k, "1-2", "text", "1-2");
    param(k, "1 ", "text", "1 ");
    param(k, "\xff", "text", "\xff");
}

IN_KIT(parameters_must_fit)
{
    pmapdb_rows *rows = asked(k, "SELECT :since", NULL);
    pmapdb_error err = {0};
    bool has;

    assert_int_equal(pmapdb_next(rows, &has, &err), PMAPDB_USAGE);
    assert_string_equal(err.text, "the statement needs --param since=VALUE");
    assert_int_equal(pmapdb_bind(rows, "snice", "1", &err), PMAPDB_USAGE);
    assert_string_equal(err.text, "the statement has no parameter 'snice', did you mean 'since'?");
    pmapdb_rows_close(rows);
    refused(k, "SELECT ?");
    refused(k, "SELECT :a, ?");
}

/* ---- columns ---- */

static void unit(const pmapdb_rows *rows, int i, const char *name, const char *wanted)
{
    assert_string_equal(pmapdb_rows_name(rows, i), name);
    assert_string_equal(pmapdb_rows_unit(rows, i), wanted);
}

IN_KIT(units)
{
    pmapdb_rows *rows =
        asked(k,
              "SELECT 1 AS rss_kib, 1 AS rss_kib_delta, 1 AS rss_kib_from, '' AS taken_at, 1 AS "
              "start, 1 AS \"end\", 1 AS offset, 1 AS n, 1.5 AS r, 'x' AS t, NULL AS u, 1 AS "
              "starts, 1 AS rss_kibi, 1 AS n, 1 AS rss_kib",
              NULL);
    pm_buf got = {0};

    unit(rows, 0, "rss_kib", "kib");
    unit(rows, 7, "n", "text");
    assert_true(kit_next(rows));
    for (int i = 0; i < pmapdb_rows_columns(rows); i++)
        pm_buf_addf(&got, NULL, "%s %s\n", pmapdb_rows_name(rows, i), pmapdb_rows_unit(rows, i));
    assert_string_equal(got.data,
                        "rss_kib kib\nrss_kib_delta kib\nrss_kib_from kib\ntaken_at time\n"
                        "start address\nend address\noffset address\nn int\nr real\nt text\n"
                        "u text\nstarts int\nrss_kibi int\nn_2 int\nrss_kib_2 kib\n");
    pm_buf_free(&got);
    pmapdb_rows_close(rows);
}

IN_KIT(a_row_is_seen_once)
{
    pmapdb_rows *rows = asked(k, "VALUES (1), (2)", NULL);
    pmapdb_error err = {0};

    kit_ok(pm_adhoc_peek(rows, &err), &err);
    unit(rows, 0, "column1", "int");
    assert_true(kit_next(rows));
    assert_int_equal(pmapdb_rows_int(rows, 0), 1);
    assert_true(kit_next(rows));
    assert_int_equal(pmapdb_rows_int(rows, 0), 2);
    assert_false(kit_next(rows));
    pmapdb_rows_close(rows);
}

IN_KIT(too_many_columns)
{
    pm_buf sql = {0};

    pm_buf_addf(&sql, NULL, "SELECT 1");
    for (int i = 1; i < PM_QUERY_ITEMS; i++)
        pm_buf_addf(&sql, NULL, ", 1");
    pmapdb_rows_close(asked(k, sql.data, NULL));
    pm_buf_addf(&sql, NULL, ", 1");
    refused(k, sql.data);
    pm_buf_free(&sql);
}

/* Users often write "name" for 'name'; as a text it would silently find nothing. */
IN_KIT(double_quotes_are_names)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};

    assert_int_equal(
        pmapdb_sql(k->store, "SELECT 1 FROM name WHERE name = \"redis\"", NULL, &rows, &err),
        PMAPDB_USAGE);
    assert_string_equal(err.text,
                        "no such column: redis (\"...\" is a name; text is written '...')");
}

RUN_TESTS(NULL, NULL)
