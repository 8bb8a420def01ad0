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
    is_refused(k, "ALTER TABLE refused ADD COLUMN mine TEXT", "table refused is missing or was");
    is_refused(k, "CREATE TRIGGER mine AFTER INSERT ON snapshots BEGIN DELETE FROM pin; END",
               "trigger mine is none of pmapdb's");
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

static const char *dialect_name(int n)
{
    return pm_dialect_name((pm_dialect)n);
}

static const char *state_name(int n)
{
    return pm_state_name((pm_state)n);
}

static const char *checked_name(int n)
{
    return pm_checked_name((pm_checked)n);
}

static const char *time_source_name(int n)
{
    return pm_time_source_name((pm_time_source)n);
}

/* Its words are spelled as the program spells their numbers. */
static void words_of_snapshots(void **state)
{
    static const struct {
        const char *column, *(*name)(int n);
        int n;
    } words[] = {{"dialect", dialect_name, PM_DIALECT_COUNT},
                 {"state", state_name, PM_STATE_TOTALS + 1},
                 {"checked", checked_name, PM_CHECKED_ROLLUP + 1},
                 {"time_source", time_source_name, PM_TIME_EVERY + 1}};
    const kit *k = kit_of(state);

    kit_put(k, kit_totals(k, PM_DIALECT_ROLLUP, 1, 1700000000000));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int n = 0; n < words[i].n; n++) {
            char sql[100], wanted[100];

            snprintf(sql, sizeof sql, "UPDATE snapshots SET %s_code = %d", words[i].column, n);
            kit_exec(k, sql);
            snprintf(sql, sizeof sql, "SELECT %s FROM snapshots", words[i].column);
            snprintf(wanted, sizeof wanted, "%s\n", words[i].name(n));
            kit_expect(k, sql, wanted);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_KIT(what_is_not_ours), IN_KIT(what_people_add),
                                       IN_KIT(words_of_snapshots)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
