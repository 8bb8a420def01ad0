/* script_test: tokens of SQL, and the lines of what is wrong with a statement. */
#include "kit.h"

#include "store/read/guard.h"
#include "store/read/script.h"
#include "store/read/trouble.h"

static void tokens(void **state)
{
    static const char *const wanted[] = {"SELECT", "a",    ".",   "\"b \"\" c\"", ",",    "'it''s'",
                                         ",",      "''",   ",",   "[x]",          "`y`",  ">",
                                         "=",      ":p_1", "@q",  "$r",           "?1",   "?",
                                         "1",      ".",    "5e3", "\xc3\xa4",     "'open"};
    pm_text sql = PM_TEXT("-- c\n/* d 'x' */ SELECT a.\"b \"\" c\", 'it''s', '',[x] `y` >= :p_1 @q "
                          "$r ?1 ? 1.5e3 \xc3\xa4 -- end\n'open");

    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        pm_text token = pm_script_token(&sql);

        if (!pm_text_equal(token, pm_text_of(wanted[i])))
            print_error("%zu: %.*s\n", i, (int)token.len, token.data);
        assert_true(pm_text_equal(token, pm_text_of(wanted[i])));
    }
    assert_int_equal(pm_script_token(&sql).len, 0);
    assert_int_equal(pm_script_token(&sql).len, 0);
}

static void cut_anywhere(void **state)
{
    static const pm_text sql = PM_TEXT("/* c */ 'a''b' \"c\" [d] -- e\n:f");

    (void)state;
    for (size_t n = 0; n <= sql.len; n++) {
        char *copy = malloc(n + 1); /* no byte behind it */
        pm_text rest = {copy, n};
        size_t used = 0;

        assert_non_null(copy);
        memcpy(copy, sql.data, n);
        for (pm_text t; (t = pm_script_token(&rest)).len;)
            used += t.len;
        assert_true(used <= n);
        assert_int_equal(rest.len, 0);
        free(copy);
    }
}

static void finds(void **state)
{
    static const pm_text sql =
        PM_TEXT("-- rss\nSELECT 'rss', brss, \"RSS\", rss_kib FROM t WHERE rss");

    (void)state;
    assert_ptr_equal(pm_script_find(sql, PM_TEXT("rss")).data, strstr(sql.data, "\"RSS\""));
    assert_ptr_equal(pm_script_find(sql, PM_TEXT("where")).data, strstr(sql.data, "WHERE"));
    assert_null(pm_script_find(sql, PM_TEXT("pss")).data);
}

/* ---- what SQLite says ---- */

static void says(const kit *k, const char *sql, const char *wanted)
{
    pm_script script = {"f", pm_text_of(sql)};
    sqlite3_stmt *stmt = NULL;
    pm_guard guard;
    pmapdb_error err = {0};

    pm_guard_set(k->store->db, &guard);
    assert_int_not_equal(pm_trouble_prepare(k->store->db, &script, &guard, "a query", &stmt, &err),
                         PMAPDB_OK);
    pm_guard_clear(k->store->db);
    assert_null(stmt);
    if (strcmp(err.text, wanted) != 0)
        print_error("%s\n%s\n", sql, err.text);
    assert_string_equal(err.text, wanted);
}

static void lines(void **state)
{
    const kit *k = kit_of(state);

    says(k, "SELECT 1\nFROM\nWHERE 1", "f:3: near \"WHERE\": syntax error");
    /* the first two x are right, and one stands in a comment and a string */
    says(k, "SELECT x -- x\n, 'x'\n, 1 AS x x\nFROM t", "f:3: near \"x\": syntax error");
    says(k, "SELECT (1\n,\n2))\n", "f:3: near \")\": syntax error");
    says(k, "SELECT 1\n>=\n=> 2", "f:3: near \"=\": syntax error");
    says(k, "SELECT 1\n, 'abc", "f:2: unrecognized token: \"'abc\"");
    says(k, "SELECT 1\n, #", "f:2: unrecognized token: \"#\"");
    says(k, "SELECT 1\n,\n", "f:2: incomplete input");
    says(k, "SELECT 1,\nrss_kb\nFROM mappings",
         "f:2: no such column: rss_kb, did you mean 'rss_kib'?");
    says(k, "SELECT 1,\nm.pth FROM mappings m", "f:2: no such column: m.pth, did you mean 'path'?");
    /* nearest are columns of tables that are not read: host, and name further down */
    says(k, "SELECT\nhst_id FROM snapshot", "f:2: no such column: hst_id");
    says(k, "SELECT 1 FROM snapshot\nORDER BY 1, name", "f:2: no such column: name");
    says(k, "SELECT 1\nFROM nothing_like_it",
         "f:2: no such table: nothing_like_it; there are: categories category_runs "
         "lineage_history lineages mappings processes snapshots");
    says(k, "SELECT 1,\nfooo(2)", "f:2: no such function: fooo");
    says(k, "SELECT 1,\ncuont(2)", "f:2: no such function: cuont, did you mean 'count'?");
    says(k, "SELECT abs(1),\nabs()", "f:1: wrong number of arguments to function abs()");
    says(k, "SELECT 1\nFROM process p,\nname n WHERE\nhost_id = 1",
         "f:4: ambiguous column name: host_id");
    says(k, "SELECT 1;\n\n-- more\nSELECT 2",
         "f:4: a query is one statement: here begins a second one");
    says(k, "\n\nDELETE FROM snapshot", "f:3: a query only reads: DELETE FROM snapshot is refused");
    says(k, "-- nothing\n", "f: there is no statement");
    says(k, "", "f: there is no statement");
}

/* Only a line where there are several, and no file. */
static void without_a_file(void **state)
{
    static const pm_text two = PM_TEXT("a\nb"), one = PM_TEXT("a b\n");
    pm_script script = {NULL, two};
    pmapdb_error err = {0};

    (void)state;
    pm_script_fail(&script, two.data + 2, &err, PMAPDB_USAGE, "x");
    assert_string_equal(err.text, "line 2: x");
    script.text = one;
    pm_script_fail(&script, one.data + 2, &err, PMAPDB_USAGE, "x");
    assert_string_equal(err.text, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),         cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(finds),          IN_KIT(lines),
        cmocka_unit_test(without_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
