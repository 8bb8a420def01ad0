/* catalog_test: headers of named queries, their errors, and which file comes first. */
#include "kit.h"

#include "store/catalog.h"
#include "store/query.h"
#include <ftw.h>
#include <sys/stat.h>

#define HEAD "-- name:   q\n-- title:  A title\n"
#define BODY "-- column: a int A number\n--\n-- About\n-- it.\nSELECT 1 AS a;\n"

static void parses(void **state)
{
    static const pm_text text =
        PM_TEXT(HEAD "-- param:  least kib 10M At least\n-- param:  who   text \"\" Who\n"
                     "-- param:  must int - Needed\n-- table:  a\n" BODY);
    pm_query_info *q = NULL;

    (void)state;
    kit_ok(pm_catalog_parse("q.sql", text, &q, NULL), NULL);
    assert_true(pm_text_equal(q->name, PM_TEXT("q")));
    assert_true(pm_text_equal(q->title, PM_TEXT("A title")));
    assert_true(pm_text_equal(q->table, PM_TEXT("a")));
    assert_int_equal(q->n_params, 3);
    assert_true(pm_text_equal(q->param[0].name, PM_TEXT("least")));
    assert_true(pm_text_equal(q->param[0].fallback, PM_TEXT("10M")));
    assert_true(pm_text_equal(q->param[0].help, PM_TEXT("At least")));
    assert_int_equal(q->param[0].unit, PM_UNIT_KIB);
    assert_int_equal(q->param[1].fallback.len, 0);
    assert_true(pm_text_equal(q->param[2].fallback, PM_TEXT("-")));
    assert_int_equal(q->n_columns, 1);
    assert_int_equal(q->column[0].unit, PM_UNIT_INT);
    assert_true(pm_text_equal(q->column[0].help, PM_TEXT("A number")));
    assert_non_null(memmem(q->about.data, q->about.len, "About", 5));
    pm_catalog_free(q);
    pm_catalog_free(NULL);
}

static void fails(const char *text, const char *says)
{
    pm_query_info *q = NULL;
    pmapdb_error err = {0};

    assert_int_equal(pm_catalog_parse("dir/q.sql", pm_text_of(text), &q, &err), PMAPDB_USAGE);
    if (!strstr(err.text, says))
        print_error("%s\n", err.text);
    assert_non_null(strstr(err.text, says));
}

static void errors_name_file_and_line(void **state)
{
    (void)state;
    fails(HEAD "-- param: x\n" BODY, "dir/q.sql:3: a param line is NAME TYPE DEFAULT TEXT");
    fails(HEAD "-- param: x sise 1 Text\n" BODY, "dir/q.sql:3: no such type: 'sise'");
    fails(HEAD "-- column: x bytes Text\n" BODY, "dir/q.sql:3: no such type: 'bytes'");
    fails(HEAD "-- column:\n" BODY, "dir/q.sql:3: a column line is NAME TYPE TEXT");
    fails("SELECT 1;\n", "dir/q.sql: a query begins with");
    fails("", "dir/q.sql: a query begins with");
    fails("-- title: no name\n" BODY, "dir/q.sql: a query begins with");
    fails(HEAD "SELECT 1", "dir/q.sql: a query begins with");
}

static void too_many_columns(void **state)
{
    pm_buf text = {0};

    (void)state;
    pm_buf_addf(&text, NULL, HEAD);
    for (int i = 0; i <= PM_QUERY_ITEMS; i++)
        pm_buf_addf(&text, NULL, "-- column: c%d int Text\n", i);
    fails(text.data, "dir/q.sql:67: too many columns at 'c64'");
    pm_buf_free(&text);
}

/* ---- files ---- */

static void put_file(const char *dir, const char *name, const char *text)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "we");
    if (!f)
        abort();
    fputs(text, f);
    fclose(f);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    return at->level ? remove(path) : 0;
}

/* What is in it; the store is open, and goes too. */
static void remove_tree(const char *dir)
{
    assert_int_equal(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void title_is(const char *query_dir, const char *name, const char *wanted)
{
    pm_query_info *q = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_catalog_find(query_dir, name, &q, &err), &err);
    assert_true(pm_text_equal(q->title, pm_text_of(wanted)));
    pm_catalog_free(q);
}

#define QUERY(name, title) \
    "-- name: " name "\n-- title: " title "\n-- column: a int A\n--\nSELECT 1 AS a\n"

static void own_files_come_first(void **state)
{
    const kit *k = kit_of(state);
    char config[128], queries[160], own[128];

    snprintf(config, sizeof config, "%s/config", k->dir);
    snprintf(own, sizeof own, "%s/own", k->dir);
    mkdir(config, 0700);
    mkdir(own, 0700);
    snprintf(queries, sizeof queries, "%s/pmapdb", config);
    mkdir(queries, 0700);
    snprintf(queries, sizeof queries, "%s/pmapdb/queries", config);
    mkdir(queries, 0700);
    setenv("XDG_CONFIG_HOME", config, 1);
    title_is(NULL, "processes", "The processes in the store");
    title_is(own, "processes", "The processes in the store");
    put_file(queries, "processes.sql", QUERY("processes", "of the user"));
    put_file(queries, "mine.sql", QUERY("mine", "mine"));
    title_is(NULL, "processes", "of the user");
    title_is(NULL, "mine", "mine");
    put_file(own, "processes.sql", QUERY("processes", "of the directory"));
    title_is(own, "processes", "of the directory");
    title_is(own, "mine", "mine");
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    title_is(NULL, "processes", "The processes in the store");
    remove_tree(k->dir);
}

static void wrong_files(void **state)
{
    const kit *k = kit_of(state);
    pm_query_info *q = NULL;
    pmapdb_error err = {0};
    char path[256];

    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    put_file(k->dir, "one.sql", QUERY("other", "t"));
    assert_int_equal(pm_catalog_find(k->dir, "one", &q, &err), PMAPDB_USAGE);
    assert_non_null(strstr(err.text, "/one.sql: the name in the header is 'other'"));
    put_file(k->dir, "one.sql", "-- name: one\n-- column: a\nSELECT 1 AS a");
    assert_int_equal(pm_catalog_find(k->dir, "one", &q, &err), PMAPDB_USAGE);
    assert_non_null(strstr(err.text, "/one.sql:2: "));
    assert_int_equal(pm_catalog_find(k->dir, "../one", &q, &err), PMAPDB_NOTFOUND);
    assert_int_equal(pm_catalog_find(k->dir, "nothing", &q, &err), PMAPDB_NOTFOUND);
    assert_non_null(strstr(err.text, "no query 'nothing'; there are: "));
    assert_non_null(strstr(err.text, " processes"));
    snprintf(path, sizeof path, "%s/one.sql", k->dir);
    unlink(path);
}

/* What the header says is compared with what SQLite says. */
static void promise(const kit *k, const char *text, const char *says)
{
    pm_query_info *q = NULL;
    sqlite3_stmt *stmt = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_catalog_parse("q", pm_text_of(text), &q, NULL), NULL);
    assert_int_equal(pm_query_check(k->store->db, q, &stmt, &err), PMAPDB_USAGE);
    assert_null(stmt);
    if (!strstr(err.text, says))
        print_error("%s\n", err.text);
    assert_non_null(strstr(err.text, says));
    pm_catalog_free(q);
}

static void promises_are_checked(void **state)
{
    const kit *k = kit_of(state);

    promise(k, HEAD "-- column: a int A\nSELECT 1 AS b",
            "column 1 is declared as 'a', the "
            "statement gives 'b'");
    promise(k, HEAD "-- column: a int A\nSELECT 1 AS a, 2 AS b", "column 2");
    promise(k, HEAD "-- column: a int A\n-- column: b int B\nSELECT 1 AS a", "'(nothing)'");
    promise(k, HEAD "-- column: a int A\nSELECT 1 AS a; SELECT 2 AS a", "one statement");
    promise(k, HEAD "-- column: a int A\nDELETE FROM snapshots", "only reads");
    promise(k, HEAD "-- column: a int A\nSELEKT", "q: ");
    promise(k, HEAD "-- column: a int A\n", "only reads");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses),
        cmocka_unit_test(errors_name_file_and_line),
        cmocka_unit_test(too_many_columns),
        IN_KIT(own_files_come_first),
        IN_KIT(wrong_files),
        IN_KIT(promises_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
