/* schema_test: a store whose tables, views or triggers are not those that the program made is
 * refused and named, for reading and for writing; what people add of their own is theirs. */
#include "kit.h"

static void change(const kit *k, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(k->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        print_error("%s: %s\n", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static pmapdb_status open_as(const kit *k, pmapdb_open_mode mode, pmapdb_error *err)
{
    pmapdb_open_options o = {.mode = mode};
    pmapdb_store *s = NULL;
    pmapdb_status st = pmapdb_open(k->path, &o, &s, err);

    pmapdb_close(s);
    return st;
}

static void is_refused(kit *k, const char *sql, const char *named)
{
    static const pmapdb_open_mode modes[] = {PMAPDB_READ, PMAPDB_CHANGE, PMAPDB_WRITE};

    kit_remove_store(k);
    kit_open(k);
    kit_close(k);
    change(k, sql);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        pmapdb_error err = {0};

        assert_int_equal(open_as(k, modes[i], &err), PMAPDB_SCHEMA);
        if (!strstr(err.text, named) || !strstr(err.text, k->path))
            print_error("%s: %s\n", sql, err.text);
        assert_non_null(strstr(err.text, named));
        assert_non_null(strstr(err.text, k->path));
    }
}

static void what_is_not_ours(void **state)
{
    kit *k = kit_of(state);

    is_refused(k, "DROP VIEW mappings", "view mappings is missing or was changed");
    is_refused(k, "DROP VIEW mappings; CREATE VIEW mappings AS SELECT 1 AS snapshot_id",
               "view mappings is missing or was changed");
    is_refused(k, "DROP TABLE pin; CREATE VIEW pin AS SELECT 1 AS snapshot_id",
               "table pin is missing or was changed");
    is_refused(k, "DROP INDEX snapshots_process", "index snapshots_process is missing");
    is_refused(k, "DROP TRIGGER map_cache_ver", "trigger map_cache_ver is missing");
    is_refused(k, "ALTER TABLE refused ADD COLUMN mine TEXT", "table refused is missing or was");
    is_refused(k, "CREATE TRIGGER mine AFTER INSERT ON snapshots BEGIN DELETE FROM pin; END",
               "trigger mine is none of pmapdb's");
    /* the name of one of ours, in another case, on another table */
    is_refused(k,
               "DROP TRIGGER map_cache_ver; CREATE TRIGGER Map_Cache_Ver AFTER INSERT ON capture "
               "BEGIN DELETE FROM pin; END",
               "trigger map_cache_ver is missing");
}

static void what_people_add(void **state)
{
    kit *k = kit_of(state);
    pmapdb_error err = {0};

    kit_close(k);
    change(k, "CREATE TABLE mine (a, b); CREATE INDEX mine_a ON mine (a);"
              "CREATE INDEX my_rss ON snapshots (rss_kib); CREATE VIEW my_view AS SELECT * FROM "
              "mappings; ANALYZE; VACUUM");
    kit_ok(open_as(k, PMAPDB_READ, &err), &err);
    kit_ok(open_as(k, PMAPDB_CHANGE, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_KIT(what_is_not_ours), IN_KIT(what_people_add)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
