/* remote_test: statements for ClickHouse: literals that no value leaves, and replies read back. */
#include "kit.h"

#include "store/read/remote.h"

#define HEAD                                                                                \
    "-- name: q\n-- engine: clickhouse\n-- title: T\n-- param: who text x W\n"              \
    "-- param: least-size kib 1M L\n-- param: most count 5 M\n-- param: share real 0.5 S\n" \
    "-- column: name text N\n-- column: rss_kib kib R\n-- column: at time A\n--\n"
#define USES " :least_size :most :share"

static pmapdb_rows *question(const kit *k, const char *text)
{
    pm_query_info *info = NULL;
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_catalog_parse("q.sql", pm_text_of(text), &info, &err), &err);
    kit_ok(pm_remote_query(k->store, info, &rows, &err), &err);
    return rows;
}

static void becomes(const kit *k, const char *body, const char *who, const char *want)
{
    char text[1024];
    pmapdb_rows *rows;
    pm_buf sql = {0};
    pmapdb_error err = {0};

    snprintf(text, sizeof text, HEAD "%s" USES, body);
    rows = question(k, text);
    kit_bind(rows, "who", who);
    kit_ok(pm_remote_sql(rows, &sql, &err), &err);
    snprintf(text, sizeof text, "%s toInt64(1024) 5 toFloat64(0.5)\nFORMAT TabSeparatedWithNames\n",
             want);
    assert_string_equal(sql.data, text);
    pm_buf_free(&sql);
    pmapdb_rows_close(rows);
}

IN_KIT(values_stay_in_their_literals)
{
    becomes(k, "a = :who", "it's", "a = 'it\\'s'");
    becomes(k, "a = :who", "\\", "a = '\\\\'");
    becomes(k, "a = :who", "\\' OR 1 --", "a = '\\\\\\' OR 1 --'");
    becomes(k, "a = :who", ":most", "a = ':most'");
    becomes(k, "a = :who AND b = :who", "", "a = '' AND b = ''");
    becomes(k, "a = :who", "a\nb\tc", "a = 'a\nb\tc'");
}

IN_KIT(strings_and_comments_are_copied)
{
    becomes(k, "':who' :who", "x", "':who' 'x'");
    becomes(k, "'it''s :who' :who", "x", "'it''s :who' 'x'");
    becomes(k, "'\\' :who' :who", "x", "'\\' :who' 'x'");
    becomes(k, "\":who\" `:who` :who", "x", "\":who\" `:who` 'x'");
    becomes(k, "1 -- it's :who\n:who", "x", "1 -- it's :who\n'x'");
    becomes(k, "/* it's :who */ :who", "x", "/* it's :who */ 'x'");
    becomes(k, "1::Int8 :who", "x", "1::Int8 'x'");
}

static void refuses(const kit *k, const char *body, const char *says)
{
    char text[1024];
    pmapdb_rows *rows;
    pm_buf sql = {0};
    pmapdb_error err = {0};

    snprintf(text, sizeof text, HEAD "%s", body);
    rows = question(k, text);
    kit_fails(pm_remote_sql(rows, &sql, &err), PMAPDB_USAGE, &err, says);
    pm_buf_free(&sql);
    pmapdb_rows_close(rows);
}

/* Only some servers take these for a string or a comment. */
IN_KIT(unsafe_places_are_refused)
{
    refuses(k, "# it's\n':who'", "q.sql:12: a character that is allowed only in");
    refuses(k, "$x$ :who $x$", "a character that is allowed only in");
    refuses(k, "\xe2\x80\x98:who\xe2\x80\x99", "a character that is allowed only in");
    refuses(k, "/* /* */ :who */", "a nested comment");
    refuses(k, "/* :who", "an unterminated comment");
    refuses(k, "'x :who", "an unterminated string");
    refuses(k, ":who; SELECT 2", "a second statement");
    refuses(k, ":whom", "the parameter ':whom' is not declared");
    refuses(k, "1", "is declared, but the statement does not use it");
}

/* A connection has room for the rows of one reply. */
static void replies(kit *k, const char *reply, pmapdb_status want, const char *says)
{
    pmapdb_rows *rows;
    pmapdb_error err = {0};

    kit_reopen(k);
    rows = question(k, HEAD ":who" USES);
    assert_int_equal(pm_remote_answer(rows, pm_text_of(reply), &err), want);
    if (says)
        kit_says(&err, says);
    pmapdb_rows_close(rows);
}

IN_KIT(rows_are_read_back)
{
    static const char reply[] = "name\trss_kib\tat\na\\tb\\\\\\'\\n\t12\t1772706000000\n"
                                "\\N\t\\N\t\\N\n\t0.5\t0\n\\\\N\tnan\t1\n";
    pmapdb_rows *rows = question(k, HEAD ":who" USES);
    pmapdb_error err = {0};

    kit_ok(pm_remote_answer(rows, pm_text_of(reply), &err), &err);
    assert_true(kit_next(rows));
    assert_string_equal(pmapdb_rows_text(rows, 0, NULL), "a\tb\\'\n");
    assert_int_equal(pmapdb_rows_int(rows, 1), 12);
    assert_string_equal(pmapdb_rows_text(rows, 2, NULL), "2026-03-05T10:20:00Z");
    assert_true(kit_next(rows));
    for (int i = 0; i < 3; i++)
        assert_int_equal(pmapdb_rows_type(rows, i), PMAPDB_NULL);
    assert_true(kit_next(rows));
    assert_string_equal(pmapdb_rows_text(rows, 0, NULL), "");
    assert_int_equal(pmapdb_rows_type(rows, 1), PMAPDB_REAL);
    assert_true(kit_next(rows));
    assert_string_equal(pmapdb_rows_text(rows, 0, NULL), "\\N");
    assert_int_equal(pmapdb_rows_type(rows, 1), PMAPDB_NULL);
    assert_false(kit_next(rows));
    pmapdb_rows_close(rows);
    replies(k, "name\trss_kib\tat\n", PMAPDB_OK, NULL);
    replies(k, "", PMAPDB_INPUT, "the server's reply is incomplete");
    replies(k, "name\trss_kib\n", PMAPDB_INPUT, "does not have the columns of q");
    replies(k, "name\trss_kib\tat\tx\n", PMAPDB_INPUT, "does not have the columns of q");
    replies(k, "name\tsize\tat\n", PMAPDB_INPUT, "does not have the columns of q");
    replies(k, "name\trss_kib\tat\na\t1\n", PMAPDB_INPUT, "does not have the columns of q");
    replies(k, "name\trss_kib\tat\na\t1\t2", PMAPDB_INPUT, "the server's reply is incomplete");
}

IN_KIT(engines_do_not_mix)
{
    static const pm_text plain =
        PM_TEXT("-- name: q\n-- title: T\n-- column: a int A\nSELECT 1 AS a");
    pm_query_info *info = NULL;
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};

    kit_ok(pm_catalog_parse("q.sql", plain, &info, &err), &err);
    kit_fails(pm_remote_query(k->store, info, &rows, &err), PMAPDB_USAGE, &err,
              "no '-- engine: clickhouse' line");
    kit_ok(pm_catalog_parse("q.sql", PM_TEXT(HEAD "SELECT 1"), &info, &err), &err);
    kit_fails(pm_query_check_alone(info, &err), PMAPDB_USAGE, &err,
              "this asks clickhouse: pmapdb fleet runs it");
    pm_catalog_free(info);
}

/* Every built-in question: its header is right, and all its parameters are used. */
IN_KIT(built_in_questions_are_whole)
{
    pm_names names = {0};

    kit_ok(pm_catalog_names(NULL, "fleet", &names, NULL), NULL);
    assert_true(names.n >= 11);
    for (size_t i = 0; i < names.n; i++) {
        char path[64];
        pm_query_info *info = NULL;
        pmapdb_rows *rows = NULL;
        pm_buf sql = {0};
        pmapdb_error err = {0};

        snprintf(path, sizeof path, "fleet/%s", names.name[i]);
        kit_ok(pm_catalog_find(NULL, path, &info, &err), &err);
        assert_true(info->title.len > 0 && info->title.len <= 62);
        kit_ok(pm_remote_query(k->store, info, &rows, &err), &err);
        kit_ok(pm_remote_hosts(rows, PM_TEXT("web-1\nweb-2\n"), &err), &err);
        for (int p = 0; p < info->n_params; p++)
            if (pm_text_equal(info->param[p].fallback, PM_TEXT("-")))
                kit_bind(rows, info->param[p].name.data, "web-2");
        kit_ok(pm_remote_sql(rows, &sql, &err), &err);
        pm_buf_free(&sql);
        pmapdb_rows_close(rows);
    }
    pm_names_free(&names);
}

RUN_TESTS(NULL, NULL)
