/* leak_functions_test: leak_verdict and leak_report in SQL. tests/stats checks the verdicts; this
 * file checks that the rows arrive there unchanged. */
#include "store/func/functions.h"

#include "unit.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
/* Table t counts from 0 to 199. A step is a minute; 40 KiB per step are 2,400 KiB/h. */
#define MINUTES                                                                         \
    "CREATE TABLE t AS WITH RECURSIVE t(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM t " \
    "WHERE i < 199) SELECT i FROM t;"

static int open_db(void **state)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(pm_functions_add(db, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, MINUTES, NULL, NULL, NULL), SQLITE_OK);
    *state = db;
    return 0;
}

static int close_db(void **state)
{
    return sqlite3_close(*state);
}

/* Returns the value of a statement, or the text of its error; NULL is "NULL". For sqlite3_free. */
static char *answer(void **state, const char *sql)
{
    sqlite3_stmt *stmt;
    char *out;

    assert_int_equal(sqlite3_prepare_v2(*state, sql, -1, &stmt, NULL), SQLITE_OK);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        out = sqlite3_mprintf("%s", sqlite3_column_type(stmt, 0) == SQLITE_NULL
                                        ? "NULL"
                                        : (const char *)sqlite3_column_text(stmt, 0));
    else
        out = sqlite3_mprintf("%s", sqlite3_errmsg(*state));
    sqlite3_finalize(stmt);
    return out;
}

static void says(void **state, const char *sql, const char *expected)
{
    char *got = answer(state, sql);

    assert_string_equal(got, expected);
    sqlite3_free(got);
}

static void same(void **state, const char *left, const char *right)
{
    char *expected = answer(state, right);

    says(state, left, expected);
    sqlite3_free(expected);
}

#define VERDICT(args) "SELECT leak_verdict(" args ") FROM t"
#define STEADY_GROWTH "i * 60000, i * 60000, 1, 1000 + 40 * i, 7"

TEST(a_line_is_a_leak)
{
    says(state,
         "SELECT json_extract(v, '$.verdict', '$.shape', '$.snapshots', '$.lives', '$.first', "
         "'$.last', '$.rate_per_h') FROM (SELECT leak_verdict(" STEADY_GROWTH ") AS v FROM t)",
         "[\"leak\",\"linear\",200,1,1000,8960,2400]");
    /* Unknown values have no key. */
    says(state,
         "SELECT group_concat(key) FROM json_each((SELECT leak_verdict(" STEADY_GROWTH ") FROM t))",
         "verdict,shape,snapshots,lives,span_h,first,last,rate_per_h,rate_low,rate_high,"
         "confidence,since,detectable_per_h,last_at");
    says(state, "SELECT json_extract(leak_verdict(" STEADY_GROWTH "), '$.last_at') FROM t",
         "1970-01-01T03:19:00Z");
    says(state,
         "SELECT json_extract(leak_verdict(" STEADY_GROWTH ", 10160), '$.limit', '$.eta_h') FROM t",
         "[10160,0.5]");
}

TEST(the_order_of_rows_says_nothing)
{
    same(state,
         "SELECT leak_verdict(" STEADY_GROWTH ") FROM (SELECT i FROM t ORDER BY i * 77 % 200)",
         VERDICT(STEADY_GROWTH));
    same(state, "SELECT leak_verdict(" STEADY_GROWTH ") FROM (SELECT i FROM t ORDER BY i DESC)",
         VERDICT(STEADY_GROWTH));
}

/* Plateaus of ten uneven snapshots, as ten rows, as one row, or as rows of three, three and four.
 */
TEST(how_runs_are_cut_says_nothing)
{
#define AT(i) "((" i ") * 60000 + (" i ") % 10 % 3 * 9000)"
    static const char each[] = VERDICT(AT("i") ", " AT("i") ", 1, 1000 + i / 10 * 100, 7");

    same(state,
         VERDICT(AT("i") ", " AT("i + 9") ", 10, 1000 + i / 10 * 100, 7") " WHERE i % 10 = 0",
         each);
    same(state,
         "SELECT leak_verdict(" AT("i + j") ", " AT(
             "i + j + n - 1") ", n, 1000 + i / 10 * 100, 7) "
                              "FROM t JOIN (SELECT 0 AS j, 3 AS n UNION ALL SELECT 3, 3 UNION ALL "
                              "SELECT 6, 4) "
                              "WHERE i % 10 = 0",
         each);
}

/* A run over a gap differs from two runs beside the gap. */
TEST(a_gap_stays_a_gap)
{
#define GROWTH                                                                                 \
    "UNION ALL SELECT 600000000 + i * 60000, 600000000 + i * 60000, 1, 1000 + 40 * (i - 149) " \
    "FROM t WHERE i >= 150)"
    char *over = answer(state, "SELECT leak_verdict(f, l, n, v, 7) FROM (SELECT 0 AS f, 608940000 "
                               "AS l, 150 AS n, 1000 AS v " GROWTH);
    char *beside = answer(state, "SELECT leak_verdict(f, l, n, v, 7) FROM (SELECT 0 AS f, 5940000 "
                                 "AS l, 100 AS n, 1000 AS v UNION ALL SELECT 606000000, 608940000, "
                                 "50, 1000 " GROWTH);

    assert_string_not_equal(over, beside);
    sqlite3_free(over);
    sqlite3_free(beside);
}

TEST(a_restart_is_no_growth)
{
    says(state,
         "SELECT json_extract(leak_verdict(i * 60000, i * 60000, 1, 1000 + 5000 * (i >= 100), i / "
         "100), '$.verdict', '$.lives') FROM t",
         "[\"steady\",2]");
    says(state,
         "SELECT json_extract(leak_verdict(i * 60000, i * 60000, 1, 1000 + 40 * (i % 100), i / "
         "100), '$.verdict', '$.lives') FROM t",
         "[\"leak\",2]");
}

/* Lives with the same value stay separate. */
TEST(lives_are_not_joined)
{
    says(state,
         "SELECT json_extract(leak_verdict(i * 60000, i * 60000, 1, 1000, i / 100), '$.lives') "
         "FROM t",
         "2");
}

TEST(unknown_is_not_zero)
{
    same(state, VERDICT("i * 60000, i * 60000, 1, CASE WHEN i % 2 THEN 1000 + 40 * i END, 7"),
         VERDICT(STEADY_GROWTH) " WHERE i % 2");
    says(state,
         "SELECT json_extract(leak_verdict(i, i, 1, NULL, 7), '$.verdict', '$.first') FROM t",
         "[\"too-few\",null]");
    says(state, VERDICT(STEADY_GROWTH) " WHERE 0", "NULL");
}

TEST(seven_are_too_few)
{
    says(state,
         "SELECT json_extract(leak_verdict(" STEADY_GROWTH "), '$.verdict', '$.snapshots', "
         "'$.reason', '$.rate_per_h') FROM t WHERE i < 7",
         "[\"too-few\",7,\"7 snapshots: 8 are needed\",null]");
    says(state,
         "SELECT json_extract(leak_verdict(" STEADY_GROWTH "), '$.verdict') FROM t WHERE i < 8",
         "leak");
    says(state, "SELECT json_extract(leak_verdict(i, i, 1, i, i), '$.reason') FROM t",
         "8 snapshots are needed, in lives of at least 6");
    says(state, "SELECT json_extract(leak_verdict(i, i, 1, NULL, 1), '$.reason') FROM t",
         "rss is unknown");
}

TEST(what_is_wrong_is_said)
{
    says(state, VERDICT("'x', i, 1, 1, 1"), "leak_verdict: first_ms must be a whole number");
    says(state, VERDICT("i, NULL, 1, 1, 1"), "leak_verdict: last_ms must be a whole number");
    says(state, VERDICT("i + 1, i, 1, 1, 1"),
         "leak_verdict: last_ms is before the beginning of the span");
    says(state, VERDICT("i, i, 0, 1, 1"), "leak_verdict: n must be 1 or more");
    says(state, VERDICT("i, i, 1 << 40, 1, 1"),
         "leak_verdict: n makes more than 1048576 snapshots");
    says(state, VERDICT("i, i, 1, '12', 1"), "leak_verdict: value must be a number or NULL");
    says(state, VERDICT("i, i, 1, 1, 'a'"), "leak_verdict: life must be a whole number");
    says(state, VERDICT("i, i, 1, 1e16, 1"), "leak_verdict: value is more than 2^53");
    says(state, VERDICT("i, i, 1, -9e999, 1"), "leak_verdict: value is more than 2^53");
    says(state, VERDICT("i, 9223372036854775807, 1, 1, 1"),
         "leak_verdict: last_ms is more than 2^53");
    says(state, VERDICT("-9223372036854775808, i, 1, 1, 1"),
         "leak_verdict: first_ms is more than 2^53");
    says(state, VERDICT("i * 1000, i * 1000 + 400000, 400, i * 100, 1"),
         "leak_verdict: runs overlap, so they are of more than one series");
    says(state, VERDICT("i, i, 1, 1, 1, 'a'"), "leak_verdict: limit_kib must be a number or NULL");
    says(state,
         "SELECT leak_report(NULL, NULL, NULL, 'privat', NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
         "leak_report: metric is not 'privat'");
    says(state, "SELECT leak_runs('k', 'heap', 1, 0, 1, 1, 'much', 1, 1, 1, 1, 1)",
         "leak_runs: size_kib must be a number or NULL");
    says(state,
         "SELECT leak_report(NULL, NULL, NULL, NULL, NULL, 'loud', NULL, NULL, NULL, NULL, NULL)",
         "leak_report: sensitivity is not 'loud'");
}

/* ---- leak_report ---- */

/* Columns of moments: ms, epoch, place, sums, kib; of runs in epoch 1: key, category, first, last,
 * n, kib. */
#define MOMENTS "SELECT i * 60000 AS ms, 1 AS epoch, i AS off, NULL AS sums, NULL AS v FROM t"
#define REPORT_OF(moments, runs, options)                                                        \
    "SELECT leak_report((SELECT leak_moments(ms, 1, epoch, off, sums, NULL, v, v, v, v, v, 0) "  \
    "FROM (" moments ")), (SELECT leak_runs(key, category, 1, f, l, n, v, v, v, v, v, 0) FROM (" \
    "SELECT 1 AS key, 1 AS category, 1 AS f, 1 AS l, 1 AS n, 1 AS v WHERE 0 UNION ALL " runs     \
    ")), NULL, " options ") AS j"
#define REPORT(runs, options) REPORT_OF(MOMENTS, runs, options)
#define HEAP "SELECT 'heap', 'heap', i, i, 1, 1000 + 40 * i FROM t"
#define FLAT "SELECT 'stack', 'stack', 0, 199, 1, 132"
#define NO_LIMITS ", NULL, NULL, NULL, NULL, NULL"
#define JOINT_ALONE "'joint', NULL, 'normal'"
#define JOINT JOINT_ALONE NO_LIMITS

TEST(the_process_comes_first_then_the_worst)
{
    says(state,
         "SELECT group_concat(json_extract(value, '$.key', '$.verdict', '$.metric', '$.unit', "
         "'$.rate_per_h', '$.first', '$.last', '$.category'), ' ') FROM json_each((" REPORT(
             FLAT " UNION ALL " HEAP, JOINT) "))",
         "[\"total\",\"leak\",\"rss\",\"KiB\",2400,1132,9092,\"total\"] "
         "[\"heap\",\"leak\",\"rss\",\"KiB\",2400,1000,8960,\"heap\"] "
         "[\"stack\",\"steady\",\"rss\",\"KiB\",0,132,132,\"stack\"]");
    same(state, REPORT(HEAP " UNION ALL " FLAT, JOINT), REPORT(FLAT " UNION ALL " HEAP, JOINT));
}

/* Two halves of one key add up; parts without a snapshot are cut off. */
TEST(runs_add_up_and_are_cut)
{
    same(state,
         REPORT("SELECT 'heap', 'heap', i, i, 1 - h, 500 + 20 * i FROM t, "
                "(SELECT 0 AS h UNION ALL SELECT 1)",
                JOINT),
         REPORT(HEAP, JOINT));
    same(state, REPORT("SELECT 'stack', 'stack', 0, 32767, 1, 132", JOINT), REPORT(FLAT, JOINT));
    same(state, REPORT(FLAT " UNION ALL SELECT 'never', 'heap', 200, 32767, 1, 5", JOINT),
         REPORT(FLAT, JOINT));
    same(state,
         REPORT_OF("SELECT * FROM (" MOMENTS ") WHERE off % 10 OR off < 20 OR off > 180",
                   HEAP " UNION ALL SELECT 'never', 'heap', 50, 50, 1, 5", JOINT),
         REPORT_OF("SELECT * FROM (" MOMENTS ") WHERE off % 10 OR off < 20 OR off > 180",
                   HEAP " WHERE i % 10 OR i < 20 OR i > 180", JOINT));
}

TEST(a_metric_alone)
{
    says(state,
         "SELECT json_extract(j, '$[1].metric', '$[1].rate_per_h') FROM (" REPORT(
             HEAP, "'pss', NULL, 'low'" NO_LIMITS) ")",
         "[\"pss\",2400]");
    says(state,
         "SELECT json_extract(j, '$[1].metric', '$[1].unit', '$[1].rate_per_h') FROM (" REPORT(
             "SELECT 'anon', 'anonymous', i, i, 10 + i, 1000 FROM t",
             "'mappings', NULL, NULL" NO_LIMITS) ")",
         "[\"mappings\",\"mappings\",60]");
    says(state,
         "SELECT json_extract(j, '$[1].limit', '$[1].eta_h') FROM (" REPORT(
             HEAP, "'rss', 9960, 'high'" NO_LIMITS) ")",
         "[9960,0.416667]");
}

/* The total ends at 9,092 KiB and grows by 2,400 KiB/h; -1 is no limit. */
TEST(limits_of_live_captures)
{
    static const char none[] = REPORT(FLAT " UNION ALL " HEAP, JOINT);

    same(state, REPORT(FLAT " UNION ALL " HEAP, JOINT_ALONE ", -1, -1, -1, NULL, NULL"), none);
    says(state,
         "SELECT json_extract(j, '$[0].limit', '$[0].eta_h', '$[0].limit_by', '$[1].limit_by', "
         "'$[2].key', '$[2].limit', '$[2].limit_by') FROM (" REPORT(
             FLAT " UNION ALL " HEAP, JOINT_ALONE ", 13892, 50000, 8192, 65530, NULL") ")",
         "[13892,2,\"cgroup\",\"cgroup\",\"stack\",13892,\"cgroup\"]");
    says(state,
         "SELECT json_extract(j, '$[0].limit_by', '$[1].limit_by', '$[2].limit_by') FROM (" REPORT(
             FLAT " UNION ALL " HEAP, JOINT_ALONE ", NULL, NULL, 8192, NULL, NULL") ")",
         "[null,null,\"stack\"]");
    says(state, REPORT(HEAP, JOINT_ALONE ", 'max', NULL, NULL, NULL, NULL"),
         "leak_report: memory_max_kib must be a number or NULL");
}

/* Snapshots that do not show the keys give sums of the process, in any order and at other times. */
TEST(sums)
{
#define BLIND "SELECT 'heap', 'heap', 0, 199, 1, NULL"
#define SUMS(from) "SELECT i * 60000 + 7, 2, i, '" from "', 1000 + 40 * i FROM t"
#define TOTALS MOMENTS " UNION ALL " SUMS("VmRSS")
    says(state,
         "SELECT json_array_length(j) || ' ' || json_extract(j, '$[0].key', '$[0].verdict', "
         "'$[0].rss_from') FROM (" REPORT_OF(MOMENTS " UNION ALL " SUMS("total"), FLAT " WHERE 0",
                                             JOINT) ")",
         "1 [\"total\",\"leak\",\"mappings\"]");
    says(state,
         "SELECT json_extract(j, '$[0].verdict', '$[0].rate_per_h', '$[0].first', '$[0].last', "
         "'$[0].rss_from', '$[0].last_at', '$[1].rss_from', '$[1].last_at') FROM (" REPORT_OF(
             TOTALS, BLIND, JOINT) ")",
         "[\"leak\",2400,1000,8960,\"VmRSS\",\"1970-01-01T03:19:00.007Z\",null,null]");
    same(state, REPORT_OF(TOTALS, BLIND, JOINT),
         REPORT_OF("SELECT * FROM (" TOTALS ") ORDER BY ms DESC", BLIND, JOINT));
    says(state, "SELECT json_extract(j, '$[0].rss_from') FROM (" REPORT(FLAT, JOINT) ")",
         "mappings");
    says(state, "SELECT leak_moments(0, 1, 1, 0, 'total', 1, 1, 'much', 1, 1, 1, 1)",
         "leak_moments: rss_kib must be a number or NULL");
}

/* A path may contain any byte; one path in two categories gives two keys. */
TEST(keys_come_back_as_they_went_in)
{
    says(
        state,
        "SELECT json_extract(j, '$[1].key') = '/a\"b\\c' || char(10, 1, 228) AND json_valid(j) "
        "FROM "
        "(" REPORT("SELECT '/a\"b\\c' || char(10, 1, 228), 'mapped-file', 0, 199, 1, 4", JOINT) ")",
        "1");
    says(state,
         "SELECT json_array_length(j) FROM (" REPORT(
             "SELECT '[anon]', 'anonymous', 0, 199, 1, 4 UNION ALL "
             "SELECT '[anon]', 'reserve', 0, 199, 1, 4",
             JOINT) ")",
         "3");
}

TEST(nothing_of_nothing)
{
    says(state, REPORT_OF(MOMENTS " WHERE 0", HEAP, JOINT), "NULL");
    says(state,
         "SELECT json_extract(j, '$[0].verdict') FROM (" REPORT_OF(MOMENTS " LIMIT 1",
                                                                   HEAP " WHERE 0", JOINT) ")",
         "too-few");
}

RUN_TESTS(open_db, close_db)
