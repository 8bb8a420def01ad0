/* sql_test: a value that is lost for lack of memory is not stored as NULL. */
#include "kit.h"

/* Reads a text while no memory can be allocated; the text is larger than SQLite's own reserve. */
static void lose_a_text(const kit *k)
{
    sqlite3_stmt *stmt = pm_sql_ask(k->store->sql, "SELECT zeroblob(9000)", PM_NO_ARGS);
    pm_text text;

    assert_true(pm_sql_next(k->store->sql, stmt));
    sqlite3_hard_heap_limit64(1);
    text = pm_col_text(stmt, 0);
    sqlite3_hard_heap_limit64(0);
    assert_null(text.data);
    pm_sql_done(stmt);
}

static pmapdb_status put(const kit *k, pmapdb_error *err)
{
    pm_sql_do(k->store->sql, "INSERT INTO host (name) VALUES ('h')", PM_NO_ARGS);
    return pm_sql_end(k->store->sql, err);
}

/* The next statement fails, and the one after it works. */
IN_KIT(is_told_once)
{
    pmapdb_error err = {0};

    lose_a_text(k);
    assert_int_equal(put(k, &err), PMAPDB_NOMEM);
    assert_string_equal(err.text, "out of memory");
    kit_ok(put(k, &err), &err);
}

/* Nothing is committed before the caller has received the failure. */
IN_KIT(is_not_forgotten)
{
    pmapdb_error err = {0};

    kit_ok(pm_store_begin(k->store, &err), &err);
    kit_ok(put(k, &err), &err);
    lose_a_text(k);
    assert_int_not_equal(sqlite3_exec(k->store->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(pm_store_commit(k->store, &err), PMAPDB_NOMEM);
    pm_store_rollback(k->store);
    kit_expect(k, "SELECT count(*) FROM host", "0\n");
    kit_ok(put(k, &err), &err);
}

/* After a failure no step does anything, no commit succeeds, and the end returns the failure. */
IN_KIT(first_failure_is_kept)
{
    static const char put[] = "INSERT INTO host (name) VALUES (?1)";
    pm_sql *sql = k->store->sql;
    pmapdb_error err = {0};

    kit_ok(pm_store_begin(k->store, &err), &err);
    pm_sql_do(sql, put, PM_ARGS(PM_S("a")));
    assert_true(pm_sql_ok(sql));
    pm_sql_do(sql, put, PM_ARGS(PM_S("a"))); /* name is unique */
    assert_false(pm_sql_ok(sql));
    pm_sql_do(sql, put, PM_ARGS(PM_S("b")));
    assert_null(pm_sql_ask(sql, "SELECT 1", PM_NO_ARGS));
    assert_int_equal(pm_sql_value(sql, "SELECT count(*) FROM host", PM_NO_ARGS, -1), -1);
    assert_int_not_equal(sqlite3_exec(k->store->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    kit_fails(pm_sql_end(sql, &err), PMAPDB_DATABASE, &err, "UNIQUE");
    pm_store_rollback(k->store);
    kit_expect(k, "SELECT count(*) FROM host", "0\n");
    assert_int_equal(pm_sql_end(sql, &err), PMAPDB_OK);
}

RUN_TESTS(NULL, NULL)
