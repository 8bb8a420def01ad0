/* load_test: pmapdb.so comes in by any name, any number of times, into no SQLite that is too old;
 * and what it adds may be used where SQLite trusts it and nowhere else. */
#define SQLITE_CORE /* sqlite3ext.h: the type of the table of routines, and no names of its own */
#include "sqlite/kit.h"

#include <dlfcn.h>
#include <sqlite3ext.h>
#include <unistd.h>

TEST(two_connections)
{
    sqlite3 *a = kit_open(), *b = kit_open();

    assert_true(kit_int(a, "SELECT count(*) FROM maps('self')") > 5);
    assert_int_equal(sqlite3_close(a), SQLITE_OK);
    assert_true(kit_int(b, "SELECT count(*) FROM maps('self')") > 5);
    assert_int_equal(sqlite3_close(b), SQLITE_OK);
}

/* The second time replaces what the first added, also under a statement that was prepared. */
CONNECTED(loaded_twice)
{
    sqlite3_stmt *stmt;

    assert_int_equal(sqlite3_prepare_v2(db, "SELECT start FROM maps('self')", -1, &stmt, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    /* functions cannot be replaced under a running statement, and SQLite says so */
    assert_int_equal(sqlite3_load_extension(db, kit_extension(), NULL, NULL), SQLITE_ERROR);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_int_equal(sqlite3_reset(stmt), SQLITE_OK);
    kit_load(db, kit_extension(), NULL);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    kit_same(db, "SELECT kib_text(2048), count(*) > 5 FROM maps('self')", "2 MiB|1\n");
}

/* The name that SQLite makes of a file's name is not the point of entry of any other file. */
TEST(renamed)
{
    static const char *const names[] = {"other.so", "lib9-x.so.1"};
    char dir[] = "/tmp/pmapdb-XXXXXX", *path;

    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < 2; i++) {
        sqlite3 *db;

        path = sqlite3_mprintf("%s/%s", dir, names[i]);
        assert_int_equal(symlink(kit_extension(), path), 0);
        assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
        kit_load(db, path, NULL);
        assert_true(kit_int(db, "SELECT count(*) FROM maps('self')") > 5);
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
        unlink(path);
        sqlite3_free(path);
    }
    rmdir(dir);
}

TEST(asked_for_by_name)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    kit_load(db, kit_extension(), "sqlite3_pmapdb_init");
    kit_same(db, "SELECT kib_text(1536)", "1.5 MiB\n");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
    sqlite3_enable_load_extension(db, 1);
    kit_same(db, kit_sql("SELECT load_extension(%Q)", kit_extension()), "NULL\n");
    kit_same(db, "SELECT kib_text(1536)", "1.5 MiB\n");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* ---- an old SQLite ---- */

static sqlite3_api_routines old_sqlite;

static int old_number(void)
{
    return 3033000;
}

static const char *old_name(void)
{
    return "3.33.0";
}

static int take_routines(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    (void)db;
    (void)error;
    old_sqlite = *api;
    old_sqlite.libversion_number = old_number;
    old_sqlite.libversion = old_name;
    return SQLITE_OK;
}

TEST(too_old)
{
    void *file = dlopen(kit_extension(), RTLD_NOW);
    int (*init)(sqlite3 *, char **, const sqlite3_api_routines *);
    char *error = NULL;
    sqlite3 *db;

    assert_non_null(file);
    *(void **)&init = dlsym(file, "sqlite3_pmapdb_init");
    sqlite3_auto_extension((void (*)(void))take_routines);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    sqlite3_cancel_auto_extension((void (*)(void))take_routines);
    assert_int_equal(init(db, &error, &old_sqlite), SQLITE_ERROR);
    assert_string_equal(error, "pmapdb needs SQLite 3.34 or later, this is 3.33.0");
    sqlite3_free(error);
    kit_fails(db, "SELECT kib_text(1)", "no such function");
    sqlite3_close(db);
    dlclose(file);
}

/* ---- what may be used where ---- */

CONNECTED(tables_only_directly)
{
    static const char *const calls[] = {"smaps(1)", "maps('self')", "pmap_file('x')"};

    for (size_t i = 0; i < COUNT(calls); i++) {
        assert_int_equal(
            sqlite3_exec(db, kit_sql("CREATE VIEW v%d AS SELECT * FROM %s", (int)i, calls[i]), NULL,
                         NULL, NULL),
            SQLITE_OK);
        kit_fails(db, kit_sql("SELECT * FROM v%d", (int)i), "unsafe use of virtual table");
    }
    sqlite3_exec(db,
                 "CREATE TABLE t (x); CREATE TRIGGER r AFTER INSERT ON t BEGIN "
                 "DELETE FROM t WHERE x IN (SELECT start FROM maps('self')); END",
                 NULL, NULL, NULL);
    kit_fails(db, "INSERT INTO t VALUES (1)", "unsafe use of virtual table");
}

/* Also in an untrusted schema, and in an index, which needs deterministic functions. */
CONNECTED(functions_everywhere)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    assert_int_equal(
        sqlite3_exec(
            db,
            "CREATE TABLE t (kib, flags, perms); INSERT INTO t VALUES (1024, 'rd', 'r--p');"
            "CREATE VIEW v AS SELECT kib_text(kib), vmflags_text(flags), "
            "perms_text(perms) FROM t;"
            "CREATE INDEX i ON t (kib_text(kib), vmflags_text(flags), perms_text(perms))",
            NULL, NULL, NULL),
        SQLITE_OK);
    kit_same(db, "SELECT * FROM v", "1 MiB|readable|read, private\n");
    kit_same(db,
             "SELECT process_value('comm GLOB ''a*''', 1, 0, 0, 'root', 'abc', NULL, NULL, NULL, "
             "NULL, NULL)",
             "1\n");
}

/* The aggregates are compiled for the extension too; tests/store checks their results. */
CONNECTED(verdicts)
{
    static const char rows[] = "WITH RECURSIVE t(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM t "
                               "WHERE i < 99) SELECT ";

    kit_same(db,
             kit_sql("%s json_extract(leak_verdict(i * 60000, i * 60000, 1, 1000 + 40 * i, 1), "
                     "'$.verdict', '$.rate_per_h') FROM t",
                     rows),
             "[\"leak\",2400]\n");
    kit_same(db,
             kit_sql("%s json_extract(leak_report(leak_moments(i * 60000, 1, 1, i, NULL, NULL, "
                     "NULL, NULL, NULL, NULL, NULL, NULL), leak_runs('heap', 'heap', 1, i, i, 1, "
                     "1000 + 40 * i, 1000 + 40 * i, NULL, NULL, NULL, NULL), NULL, 'joint', NULL, "
                     "NULL, NULL, NULL, NULL, NULL, NULL), '$[0].key', '$[1].verdict') FROM t",
                     rows),
             "[\"total\",\"leak\"]\n");
    kit_fails(db, "SELECT leak_verdict(1, 2, 3, 'x', 5)", "value must be a number");
}

RUN_TESTS(NULL, NULL)
