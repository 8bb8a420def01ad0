/* catalog_test: headers of named queries, their errors, and the order in which files are found. */
#include "kit.h"

#include "store/file/embedded.h"
#include "store/read/catalog.h"
#include "store/read/query.h"
#include <ftw.h>
#include <sys/stat.h>

#define HEAD "-- name:   q\n-- title:  A title\n"
#define BODY "-- column: a int A number\n--\n-- About\n-- it.\nSELECT 1 AS a;\n"

TEST(parses)
{
    static const pm_text text =
        PM_TEXT(HEAD "-- param:  least kib 10M At least\n-- param:  who   text \"\" Who\n"
                     "-- param:  must int - Needed\n-- table:  a\n" BODY);
    pm_query_info *q = NULL;

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

    kit_fails(pm_catalog_parse("dir/q.sql", pm_text_of(text), &q, &err), PMAPDB_USAGE, &err, says);
}

TEST(errors_name_file_and_line)
{
    fails(HEAD "-- param: x\n" BODY, "dir/q.sql:3: a param line is NAME TYPE DEFAULT TEXT");
    fails(HEAD "-- param: x sise 1 Text\n" BODY, "dir/q.sql:3: no type 'sise'");
    fails(HEAD "-- column: x kibs Text\n" BODY, "dir/q.sql:3: no type 'kibs', did you mean 'kib'?");
    fails(HEAD "-- column:\n" BODY, "dir/q.sql:3: a column line is NAME TYPE TEXT");
    fails(HEAD "-- column: x\n" BODY, "dir/q.sql:3: a column line is NAME TYPE TEXT, not 'x'");
    fails(HEAD "-- param: 1x int 1 Text\n" BODY,
          "dir/q.sql:3: a parameter's name begins with a letter");
    fails(HEAD "-- param: x=y int 1 Text\n" BODY,
          "dir/q.sql:3: a parameter's name begins with a letter");
    fails(HEAD "-- param: x int 1 T\n-- param: x int 1 T\n" BODY,
          "dir/q.sql:4: declared twice: the parameter 'x'");
    fails(HEAD "-- column: a int A\n" BODY, "dir/q.sql:4: declared twice: the column 'a'");
    fails(HEAD "-- table: a b\n" BODY,
          "dir/q.sql:3: the table line names a column that is not declared: 'b'");
    fails(HEAD "-- narrow: b\n" BODY,
          "dir/q.sql:3: the narrow line names a column that is not declared: 'b'");
    fails("SELECT 1;\n", "dir/q.sql: a query begins with");
    fails("", "dir/q.sql: a query begins with");
    fails("-- title: no name\n" BODY, "dir/q.sql:1: the header has no '-- name:' line");
    fails(HEAD "SELECT 1", "dir/q.sql:1: the header has no '-- column:' line");
}

TEST(too_many_columns)
{
    pm_buf text = {0};

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

/* Removes the contents of the folder, including the open store. */
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

IN_KIT(own_files_come_first)
{
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

IN_KIT(wrong_files)
{
    pm_query_info *q = NULL;
    pmapdb_error err = {0};
    char path[256];

    put_file(k->dir, "one.sql", QUERY("other", "t"));
    kit_fails(pm_catalog_find(k->dir, "one", &q, &err), PMAPDB_USAGE, &err,
              "/one.sql:1: the name in the header is 'other'");
    put_file(k->dir, "one.sql", "-- name: one\n-- column: a\nSELECT 1 AS a");
    kit_fails(pm_catalog_find(k->dir, "one", &q, &err), PMAPDB_USAGE, &err, "/one.sql:2: ");
    assert_int_equal(pm_catalog_find(k->dir, "../one", &q, &err), PMAPDB_NOTFOUND);
    kit_fails(pm_catalog_find(k->dir, "nothing", &q, &err), PMAPDB_NOTFOUND, &err,
              "no query 'nothing'; there are: ");
    kit_says(&err, " categories");
    snprintf(path, sizeof path, "%s/one.sql", k->dir);
    unlink(path);
}

/* Expects an error because the header does not match the statement. */
static void promise(const kit *k, const char *text, const char *says)
{
    pm_query_info *q = NULL;
    sqlite3_stmt *stmt = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_catalog_parse("q", pm_text_of(text), &q, NULL), NULL);
    assert_int_equal(pm_query_check(k->store, q, &stmt, &err), PMAPDB_USAGE);
    assert_null(stmt);
    kit_says(&err, says);
    pm_catalog_free(q);
}

IN_KIT(promises_are_checked)
{
    promise(k, HEAD "-- column: a int A\nSELECT 1 AS b",
            "q:3: column 1 is called 'b', the header declares 'a'");
    promise(k, HEAD "-- column: a int A\n--\nSELECT 1 AS a, 2 AS b",
            "q:5: column 2, 'b', is not declared");
    promise(k, HEAD "-- column: a int A\n-- column: b int B\nSELECT 1 AS a",
            "q:4: column 2 is declared as 'b', the statement gives only 1 column");
    promise(k, HEAD "-- column: a int A\nSELECT 1 AS a;\nSELECT 2 AS a",
            "q:5: a query is one statement");
    promise(k, HEAD "-- column: a int A\nDELETE FROM snapshot", "q:4: a query only reads");
    promise(k, HEAD "-- column: a int A\nATTACH 'x' AS x", "q:4: a query only reads");
    promise(k, HEAD "-- column: a int A\nVACUUM INTO 'x'", "q:4: a query only reads");
    promise(k, HEAD "-- column: a int A\nSELECT load_extension('x') AS a",
            "q:4: not authorized to use function: load_extension");
    promise(k, HEAD "-- column: a int A\n\nSELEKT", "q:5: near \"SELEKT\"");
    promise(k, HEAD "-- column: a int A\n", "q: there is no statement");
}

IN_KIT(parameters_are_checked)
{
    promise(k, HEAD "-- column: a int A\n--\nSELECT\n:x AS a",
            "q:6: the parameter ':x' is not declared");
    promise(k, HEAD "-- param: least int 1 L\n-- column: a int A\nSELECT :lest AS a",
            "q:5: the parameter ':lest' is not declared, did you mean 'least'?");
    promise(k, HEAD "-- param: x int 1 X\n-- column: a int A\nSELECT 1 AS a",
            "q:3: the parameter 'x' is declared, but the statement does not use it");
    promise(k, HEAD "-- column: a int A\nSELECT ? AS a", "q:4: a parameter is written :name, not");
    promise(k, HEAD "-- column: a int A\nSELECT @x AS a", "a parameter is written :name, not '@x'");
    promise(k, HEAD "-- column: a int A\nSELECT :name_id AS a",
            "q:4: :name_id comes with a parameter of type process");
    promise(k, HEAD "-- param: dialect text \"\" D\n-- column: a int A\nSELECT 1 AS a",
            "q:3: the parameter 'dialect' is declared, but");
}

static void keeps(const kit *k, const char *text)
{
    pm_query_info *q = NULL;
    sqlite3_stmt *stmt = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_catalog_parse("q", pm_text_of(text), &q, &err), &err);
    kit_ok(pm_query_check(k->store, q, &stmt, &err), &err);
    kit_ok(pm_query_check_alone(q, &err), &err);
    sqlite3_finalize(stmt);
    pm_catalog_free(q);
}

/* The statement need not use parameters that only select the snapshot. */
IN_KIT(parameters_that_select)
{
    keeps(k, HEAD "-- param: process process only P\n-- param: dialect text \"\" D\n"
                  "-- param: snapshot snapshot last S\n-- column: a int A\n"
                  "SELECT :snapshot AS a");
    keeps(k, HEAD "-- param: process process only P\n-- column: a int A\n"
                  "SELECT :name_id AS a -- :nothing\n;\n");
    keeps(k, HEAD "-- param: min-size kib 1 M\n-- column: a int A\n-- A remark: of no key\n"
                  "SELECT ':x' || :min_size AS a");
}

/* ---- lists ---- */

IN_KIT(names_of_all)
{
    pm_names names;
    size_t n = 0, mine = 0;

    put_file(k->dir, "processes.sql", "x");
    put_file(k->dir, "aa.sql", "x");
    put_file(k->dir, ".hidden.sql", "x");
    put_file(k->dir, "aa.txt", "x");
    kit_ok(pm_catalog_names(k->dir, "", &names, NULL), NULL);
    while (pm_embedded_queries[n].name)
        n++;
    assert_int_equal(names.n, n + 1);
    assert_string_equal(names.name[0], "aa");
    for (size_t i = 1; i < names.n; i++) {
        assert_true(strcmp(names.name[i - 1], names.name[i]) < 0);
        mine += strcmp(names.name[i], "processes") == 0;
    }
    assert_int_equal(mine, 1);
    pm_names_free(&names);
    remove_tree(k->dir);
}

/* ---- words ---- */

static void binds(const kit *k, const char *query, const char *param, const char *value,
                  const char *says)
{
    pmapdb_rows *rows = kit_ask(k, query);
    pmapdb_error err = {0};
    bool has;

    kit_bind(rows, param, value);
    assert_int_equal(pmapdb_next(rows, &has, &err), says ? PMAPDB_NOTFOUND : PMAPDB_OK);
    assert_string_equal(err.text, says ? says : "");
    pmapdb_rows_close(rows);
}

IN_KIT(words_that_there_are)
{
    pmapdb_rows *rows = kit_ask(k, "snapshots");
    pmapdb_error err = {0};

    binds(k, "snapshots", "state", "partial", NULL);
    binds(k, "snapshots", "state", "", NULL);
    binds(k, "snapshots", "state", "partail",
          "no state 'partail', did you mean 'partial'? there are: complete partial totals");
    binds(k, "snapshots", "dialect", "pmap-XX", NULL);
    binds(k, "snapshots", "dialect", "smap",
          "no dialect 'smap', did you mean 'smaps'? there are: smaps pmap-XX pmap-X pmap-suse "
          "toybox-x busybox-x pagemap pmap-x pmap-d pmap toybox busybox maps smaps_rollup");
    assert_int_equal(pmapdb_bind(rows, "dialct", "x", &err), PMAPDB_USAGE);
    assert_string_equal(err.text, "snapshots has no parameter 'dialct', did you mean 'dialect'?");
    pmapdb_rows_close(rows);
}

/* Text from the rows lives on while another query is prepared on the store. */
IN_KIT(names_last)
{
    pmapdb_rows *rows = kit_ask(k, "snapshots"), *other;
    const char *name = pmapdb_rows_name(rows, 0);

    other = kit_ask(k, "processes");
    assert_false(kit_next(rows));
    assert_string_equal(name, "snapshot_id");
    pmapdb_rows_close(rows);
    pmapdb_rows_close(other);
}

RUN_TESTS(NULL, NULL)
