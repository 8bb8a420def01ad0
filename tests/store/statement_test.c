/* statement_test: SQLite's errors in a statement, with their lines. */
#include "kit.h"

#include "store/read/statement.h"

/* ---- what SQLite says ---- */

static void says(const kit *k, const char *sql, const char *wanted)
{
    char where[] = "f", *text = strdup(sql);
    pm_query_info info = {.where = where, .text = text, .body = text + strspn(text, "\n")};
    sqlite3_stmt *stmt = NULL;
    pmapdb_error err = {0};

    assert_non_null(text);
    assert_int_equal(pm_statement_prepare(k->store, &info, "a query", &stmt, &err), PMAPDB_USAGE);
    free(text);
    assert_null(stmt);
    if (strcmp(err.text, wanted) != 0)
        print_error("%s\n%s\n", sql, err.text);
    assert_string_equal(err.text, wanted);
}

IN_KIT(lines)
{
    says(k, "SELECT 1\nFROM\nWHERE 1", "f:3: near \"WHERE\": syntax error");
    /* the first two x are correct; others are in a comment and in a string */
    says(k, "SELECT x -- x\n, 'x'\n, 1 AS x x\nFROM t", "f:3: near \"x\": syntax error");
    says(k, "SELECT (1\n,\n2))\n", "f:3: near \")\": syntax error");
    says(k, "SELECT 1\n>=\n=> 2", "f:3: near \"=\": syntax error");
    says(k, "SELECT 1\n, 'abc", "f:2: unrecognized token: \"'abc\"");
    says(k, "SELECT 1\n, #", "f:2: unrecognized token: \"#\"");
    says(k, "SELECT 1\n,\n", "f:1: incomplete input");
    says(k, "SELECT 1,\nrss_kb\nFROM mappings",
         "f:2: no such column: rss_kb, did you mean 'rss_kib'?");
    says(k, "SELECT 1,\nm.pth FROM mappings m", "f:2: no such column: m.pth, did you mean 'path'?");
    says(k, "SELECT\nhst_id FROM snapshot", "f:2: no such column: hst_id, did you mean 'host_id'?");
    /* a column of tables that are not read */
    says(k, "SELECT 1 FROM snapshot\nORDER BY 1, name",
         "f:2: no such column: name, did you mean 'name_id'?");
    says(k, "SELECT 1\nFROM nothing_like_it", "f:2: no such table: nothing_like_it");
    says(k, "SELECT 1,\nfooo(2)", "f:2: no such function: fooo");
    says(k, "SELECT 1,\ncuont(2)", "f:2: no such function: cuont, did you mean 'count'?");
    says(k, "SELECT abs(1),\nabs()", "f:2: wrong number of arguments to function abs()");
    says(k, "SELECT 1\nFROM process p,\nname n WHERE\nhost_id = 1",
         "f:4: ambiguous column name: host_id");
    says(k, "SELECT 1;\n\n-- more\nSELECT 2",
         "f:3: a query is one statement: a second one begins here");
    says(k, "\n\nDELETE FROM snapshot", "f:3: a query only reads");
    says(k, "-- nothing\n", "f: there is no statement");
    says(k, "", "f: there is no statement");
}

/* Without a file, an error names the line if there are several lines. */
TEST(without_a_file)
{
    char two[] = "a\nb", one[] = "a b\n";
    pm_query_info info = {.text = two};
    pmapdb_error err = {0};

    pm_query_fail(&info, two + 2, &err, "x");
    assert_string_equal(err.text, "line 2: x");
    info.text = one;
    pm_query_fail(&info, one + 2, &err, "x");
    assert_string_equal(err.text, "x");
}

RUN_TESTS(NULL, NULL)
