/* adhoc_values_test: SQL that a user types: its parameters, the names and units of its columns. */
#include "kit.h"

#include "store/read/adhoc.h"

static pmapdb_rows *asked(const kit *k, const char *sql, const pmapdb_sql_options *options)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};

    kit_ok(pmapdb_sql(k->store, sql, options, &rows, &err), &err);
    if (!rows)
        abort();
    return rows;
}

static bool next(pmapdb_rows *rows)
{
    bool has = false;
    pmapdb_error err = {0};

    kit_ok(pmapdb_next(rows, &has, &err), &err);
    return has;
}

static void refused(const kit *k, const char *sql)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = pmapdb_sql(k->store, sql, NULL, &rows, &err);

    if (st != PMAPDB_USAGE)
        print_error("%s: %d %s\n", sql, (int)st, err.text);
    assert_int_equal(st, PMAPDB_USAGE);
    assert_null(rows);
}

/* ---- parameters ---- */

static void param(const kit *k, const char *value, const char *type, const char *wanted)
{
    pmapdb_rows *rows = asked(k, "SELECT typeof(:v), :v, @v IS $v", NULL);
    const char *text;

    kit_ok(pmapdb_bind(rows, "v", value, NULL), NULL);
    assert_true(next(rows));
    assert_string_equal(pmapdb_rows_text(rows, 0, NULL), type);
    text = pmapdb_rows_text(rows, 1, NULL);
    assert_string_equal(text ? text : "NULL", wanted);
    assert_int_equal(pmapdb_rows_int(rows, 2), 1);
    pmapdb_rows_close(rows);
}

static void parameters(void **state)
{
    const kit *k = kit_of(state);

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

static void parameters_must_fit(void **state)
{
    const kit *k = kit_of(state);
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

static void units(void **state)
{
    pmapdb_rows *rows =
        asked(kit_of(state),
              "SELECT 1 AS rss_kib, 1 AS rss_kib_delta, 1 AS rss_kib_from, '' AS taken_at, 1 AS "
              "start, 1 AS \"end\", 1 AS offset, 1 AS n, 1.5 AS r, 'x' AS t, NULL AS u, 1 AS "
              "starts, 1 AS rss_kibi, 1 AS n, 1 AS rss_kib",
              NULL);

    unit(rows, 0, "rss_kib", "kib");
    unit(rows, 7, "n", "text");
    assert_true(next(rows));
    assert_int_equal(pmapdb_rows_columns(rows), 15);
    unit(rows, 1, "rss_kib_delta", "kib");
    unit(rows, 2, "rss_kib_from", "kib");
    unit(rows, 3, "taken_at", "time");
    unit(rows, 4, "start", "address");
    unit(rows, 5, "end", "address");
    unit(rows, 6, "offset", "address");
    unit(rows, 7, "n", "int");
    unit(rows, 8, "r", "real");
    unit(rows, 9, "t", "text");
    unit(rows, 10, "u", "text");
    unit(rows, 11, "starts", "int");
    unit(rows, 12, "rss_kibi", "int");
    unit(rows, 13, "n_2", "int");
    unit(rows, 14, "rss_kib_2", "kib");
    pmapdb_rows_close(rows);
}

static void a_row_is_seen_once(void **state)
{
    pmapdb_rows *rows = asked(kit_of(state), "VALUES (1), (2)", NULL);
    pmapdb_error err = {0};

    kit_ok(pm_adhoc_peek(rows, &err), &err);
    unit(rows, 0, "column1", "int");
    assert_true(next(rows));
    assert_int_equal(pmapdb_rows_int(rows, 0), 1);
    assert_true(next(rows));
    assert_int_equal(pmapdb_rows_int(rows, 0), 2);
    assert_false(next(rows));
    pmapdb_rows_close(rows);
}

static void too_many_columns(void **state)
{
    pm_buf sql = {0};

    pm_buf_addf(&sql, NULL, "SELECT 1");
    for (int i = 1; i < PM_QUERY_ITEMS; i++)
        pm_buf_addf(&sql, NULL, ", 1");
    pmapdb_rows_close(asked(kit_of(state), sql.data, NULL));
    pm_buf_addf(&sql, NULL, ", 1");
    refused(kit_of(state), sql.data);
    pm_buf_free(&sql);
}

/* "name" for 'name' is the commonest slip; as text it would find nothing, silently. */
static void double_quotes_are_names(void **state)
{
    pmapdb_rows *rows = NULL;
    pmapdb_error err = {0};

    assert_int_equal(pmapdb_sql(kit_of(state)->store, "SELECT 1 FROM name WHERE name = \"redis\"",
                                NULL, &rows, &err),
                     PMAPDB_USAGE);
    assert_string_equal(err.text,
                        "no such column: redis (\"...\" is a name; text is written 'redis')");
}

RUN_TESTS(IN_KIT(parameters), IN_KIT(parameters_must_fit), IN_KIT(units),
          IN_KIT(a_row_is_seen_once), IN_KIT(too_many_columns), IN_KIT(double_quotes_are_names))
