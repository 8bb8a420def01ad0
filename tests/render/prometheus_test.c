/* prometheus_test: golden gauges, which follow OpenMetrics 1.0. */
#include "collect.h"

#include <math.h>
#include <stdio.h>

#define WORDS(v)           \
    {                      \
        (v), sizeof(v) - 1 \
    }
#define NOW INT64_C(1795229678000) /* 2026-11-21T02:54:38Z */

static pm_render_options prometheus(const pm_about *about)
{
    return (pm_render_options){.format = PM_FORMAT_PROMETHEUS, .now_ms = NOW, .about = about};
}

TEST(every_unit_has_its_base_unit)
{
    static const pm_column columns[] = {{"snapshot_id", PM_UNIT_SNAPSHOT},
                                        {"pid", PM_UNIT_INT},
                                        {"category", PM_UNIT_CATEGORY},
                                        {"start", PM_UNIT_ADDRESS},
                                        {"mappings", PM_UNIT_COUNT},
                                        {"rss_kib_delta", PM_UNIT_KIB},
                                        {"rate_per_h", PM_UNIT_RATE},
                                        {"last_at", PM_UNIT_TIME},
                                        {"eta", PM_UNIT_DURATION},
                                        {"share", PM_UNIT_RATIO},
                                        {"live", PM_UNIT_BOOL},
                                        {"maps_per_h", PM_UNIT_REAL},
                                        {"lineage_id", PM_UNIT_LINEAGE},
                                        {"process_id", PM_UNIT_PROCESS}};
    static const pm_value rows[] = {
        INT(7),    INT(4711),  TEXT("heap"), INT(0x7f00),
        INT(3),    INT(-5),    REAL(3600),   TEXT("2026-11-21T02:54:36.500Z"),
        INT(1500), REAL(0.25), INT(1),       REAL(2),
        INT(12),   INT(1)};
    static const pm_text help[COUNT_OF(columns)] = {
        [5] = WORDS("A \"quoted\" \\ thing\nof two lines"), [7] = WORDS("Its last")};
    static const pm_about about = {
        .name = WORDS("top-growers"), .title = WORDS("What grew"), .help = help};
#define L "{pid=\"4711\",category=\"heap\",lineage_id=\"12\",process_id=\"1\"} "

    assert_renders(
        prometheus(&about), columns, COUNT_OF(columns), rows, 1,
        "# TYPE pmapdb_top_growers_mappings gauge\n"
        "# HELP pmapdb_top_growers_mappings mappings. What grew\n"
        "pmapdb_top_growers_mappings" L "3\n"
        "# TYPE pmapdb_top_growers_rss_delta_bytes gauge\n"
        "# UNIT pmapdb_top_growers_rss_delta_bytes bytes\n"
        "# HELP pmapdb_top_growers_rss_delta_bytes A 'quoted' \\\\ thing\\nof two lines. What "
        "grew\n"
        "pmapdb_top_growers_rss_delta_bytes" L "-5120\n"
        "# TYPE pmapdb_top_growers_rate_bytes_per_second gauge\n"
        "# UNIT pmapdb_top_growers_rate_bytes_per_second bytes_per_second\n"
        "# HELP pmapdb_top_growers_rate_bytes_per_second rate_per_h. What grew\n"
        "pmapdb_top_growers_rate_bytes_per_second" L "1024.0\n"
        "# TYPE pmapdb_top_growers_last_age_seconds gauge\n"
        "# UNIT pmapdb_top_growers_last_age_seconds seconds\n"
        "# HELP pmapdb_top_growers_last_age_seconds Seconds since then: Its last. What grew\n"
        "pmapdb_top_growers_last_age_seconds" L "1.5\n"
        "# TYPE pmapdb_top_growers_eta_seconds gauge\n"
        "# UNIT pmapdb_top_growers_eta_seconds seconds\n"
        "# HELP pmapdb_top_growers_eta_seconds eta. What grew\n"
        "pmapdb_top_growers_eta_seconds" L "1.5\n"
        "# TYPE pmapdb_top_growers_share_ratio gauge\n"
        "# UNIT pmapdb_top_growers_share_ratio ratio\n"
        "# HELP pmapdb_top_growers_share_ratio share. What grew\n"
        "pmapdb_top_growers_share_ratio" L "0.25\n"
        "# TYPE pmapdb_top_growers_live gauge\n"
        "# HELP pmapdb_top_growers_live live. What grew\n"
        "pmapdb_top_growers_live" L "1\n"
        "# TYPE pmapdb_top_growers_maps_per_hour gauge\n"
        "# HELP pmapdb_top_growers_maps_per_hour maps_per_h. What grew\n"
        "pmapdb_top_growers_maps_per_hour" L "2.0\n"
        "# EOF\n");
}

static const pm_column simple[] = {{"path", PM_UNIT_TEXT}, {"rss_kib", PM_UNIT_KIB}};
#define RSS                                                                                  \
    "# TYPE pmapdb_rss_bytes gauge\n# UNIT pmapdb_rss_bytes bytes\n# HELP pmapdb_rss_bytes " \
    "rss_kib\n"

TEST(unknown_is_no_sample_and_no_label)
{
    static const pm_value rows[] = {TEXT("a"), NONE, NONE, INT(1), TEXT("b"), REAL(NAN)};
    static const pm_value none[] = {TEXT("a"), NONE};

    assert_renders(prometheus(NULL), simple, 2, rows, 3, RSS "pmapdb_rss_bytes 1024\n# EOF\n");
    assert_renders(prometheus(NULL), simple, 2, none, 1, "# EOF\n");
    assert_renders(prometheus(NULL), simple, 2, NULL, 0, "# EOF\n");
}

TEST(labels_are_escaped_and_utf8)
{
    static const pm_value rows[][2] = {
        {TEXT("a\"b\\c\nd,e"), INT(1)},
        {TEXT("x\xff\xc3\xa9"), INT(2)},
        {TEXT("\x1b[31m"), INT(3)},
        {TEXT(""), INT(4)},
    };

    assert_renders(prometheus(NULL), simple, 2, rows[0], 4,
                   RSS "pmapdb_rss_bytes{path=\"a\\\"b\\\\c\\nd,e\"} 1024\n"
                       "pmapdb_rss_bytes{path=\"x\xef\xbf\xbd\xc3\xa9\"} 2048\n"
                       "pmapdb_rss_bytes{path=\"\x1b[31m\"} 3072\n"
                       "pmapdb_rss_bytes 4096\n# EOF\n");
}

static void expect_refusal(const pm_column *columns, int n, const pm_value *rows, int n_rows,
                           const char *part)
{
    collected c = {0};
    pmapdb_error err = {0};

    assert_int_equal(render_into(&c, prometheus(NULL), columns, n, rows, n_rows, &err),
                     PMAPDB_USAGE);
    assert_non_null(strstr(err.text, part));
    assert_int_equal(c.writes, 0);
    pm_buf_free(&c.text);
}

TEST(equal_labels_or_names_are_refused)
{
    static const pm_column mappings[] = {
        {"start", PM_UNIT_ADDRESS}, {"path", PM_UNIT_TEXT}, {"rss_kib", PM_UNIT_KIB}};
    static const pm_column twice[] = {{"a b", PM_UNIT_TEXT}, {"a-b", PM_UNIT_TEXT}};
    static const pm_column ages[] = {{"last_at", PM_UNIT_TIME}, {"last_ms", PM_UNIT_TIME}};
    static const pm_value rows[] = {INT(1), TEXT("\xff"), INT(1), INT(2), TEXT("\xfe"), INT(2)};
    static const pm_value texts[] = {TEXT("x"), TEXT("y")};

    expect_refusal(mappings, 3, rows, 2, "two rows have the labels {path=\"\xef\xbf\xbd\"}");
    expect_refusal(twice, 2, texts, 1, "'a b' and 'a-b' are both 'a_b'");
    expect_refusal(ages, 2, NULL, 0, "'last_at' and 'last_ms' are both 'pmapdb_last_age_seconds'");
}

TEST(the_process_that_was_asked_for_is_a_label)
{
    static const pm_sample_label asked = {WORDS("process"), WORDS("redis")};
    static const pm_about about = {.labels = &asked, .n_labels = 1};
    static const pm_column own[] = {{"process", PM_UNIT_TEXT}, {"rss_kib", PM_UNIT_KIB}};
    static const pm_value rows[] = {TEXT("a"), INT(1)};

    assert_renders(prometheus(&about), simple, 2, rows, 1,
                   RSS "pmapdb_rss_bytes{path=\"a\",process=\"redis\"} 1024\n# EOF\n");
    assert_renders(prometheus(&about), own, 2, rows, 1,
                   RSS "pmapdb_rss_bytes{process=\"a\"} 1024\n# EOF\n");
}

TEST(rows_of_one_snapshot_have_its_age)
{
    static const pm_sample_label asked[] = {{WORDS("process"), WORDS("redis")},
                                            {WORDS("category"), WORDS("heap")}};
    static const pm_about about = {
        .name = WORDS("files"), .labels = asked, .n_labels = 2, .moment_ms = NOW - 1500};
    static const pm_column columns[] = {{"path", PM_UNIT_TEXT}, {"rss_kib", PM_UNIT_KIB}};
    static const pm_value rows[] = {TEXT("a"), INT(1)};

    assert_renders(prometheus(&about), columns, 2, rows, 1,
                   "# TYPE pmapdb_files_rss_bytes gauge\n# UNIT pmapdb_files_rss_bytes bytes\n"
                   "# HELP pmapdb_files_rss_bytes rss_kib\n"
                   "pmapdb_files_rss_bytes{path=\"a\",process=\"redis\",category=\"heap\"} 1024\n"
                   "# TYPE pmapdb_files_age_seconds gauge\n"
                   "# UNIT pmapdb_files_age_seconds seconds\n"
                   "# HELP pmapdb_files_age_seconds Seconds since the snapshot\n"
                   "pmapdb_files_age_seconds{process=\"redis\",category=\"heap\"} 1.500\n# EOF\n");
    assert_renders(prometheus(&about), columns, 2, rows, 0, "# EOF\n");
}

/* The role of a column without a declared type follows from its values. */
TEST(undeclared_columns_are_what_they_hold)
{
    static const pm_column columns[] = {{"count(*)", PM_UNIT_TEXT},
                                        {"2nd", PM_UNIT_TEXT},
                                        {"_x", PM_UNIT_TEXT},
                                        {"pid", PM_UNIT_TEXT},
                                        {"%", PM_UNIT_TEXT}};
    static const pm_value rows[] = {INT(5), TEXT("a"), REAL(HUGE_VAL), INT(7), REAL(1e300)};
#define LABELS "{n2nd=\"a\",pid=\"7\"} "

    assert_renders(
        prometheus(NULL), columns, 5, rows, 1,
        "# TYPE pmapdb_count gauge\n# HELP pmapdb_count count(*)\npmapdb_count" LABELS "5\n"
        "# TYPE pmapdb_x gauge\n# HELP pmapdb_x _x\npmapdb_x" LABELS "+Inf\n"
        "# TYPE pmapdb_column gauge\n# HELP pmapdb_column %\npmapdb_column" LABELS "1e+300\n"
        "# EOF\n");
}

TEST(too_big_for_an_integer_is_a_real)
{
    static const pm_value rows[] = {NONE, INT(INT64_MAX / 512)};

    assert_renders(prometheus(NULL), simple, 2, rows, 1,
                   RSS "pmapdb_rss_bytes 1.8446744073709552e+19\n# EOF\n");
}

static pmapdb_status render_many(size_t top, int64_t rows, collected *c, size_t *left_out,
                                 pmapdb_error *err)
{
    pm_render_options options = prometheus(NULL);
    pm_sink sink = {c, collect};
    pm_render *r = NULL;
    pmapdb_status st;

    options.top = top;
    st = pm_render_new(&options, &sink, simple, 2, &r, err);
    for (int64_t i = 0; i < rows && st == PMAPDB_OK; i++) {
        pm_value values[] = {NONE, INT(i)};
        char text[40];

        snprintf(text, sizeof text, "%d", (int)i);
        values[0] = (pm_value){.kind = PM_VALUE_TEXT, .t = pm_text_of(text)};
        st = pm_render_row(r, values, err);
    }
    if (st == PMAPDB_OK)
        st = pm_render_end(r, err);
    if (r)
        *left_out = pm_render_left_out(r);
    pm_render_free(r);
    return st;
}

TEST(samples_are_bounded)
{
    collected c = {0};
    pmapdb_error err = {0};
    size_t left_out = 7;

    assert_int_equal(render_many(0, 10000, &c, &left_out, &err), PMAPDB_OK);
    assert_int_equal(left_out, 0);
    c.writes = 0;
    assert_int_equal(render_many(0, 10001, &c, &left_out, &err), PMAPDB_USAGE);
    assert_non_null(strstr(err.text, "more than 10000 samples"));
    assert_int_equal(c.writes, 0);
    pm_buf_clear(&c.text);
    assert_int_equal(render_many(2, 10001, &c, &left_out, &err), PMAPDB_OK);
    assert_int_equal(left_out, 9999);
    assert_string_equal(c.text.data, RSS "pmapdb_rss_bytes{path=\"0\"} 0\n"
                                         "pmapdb_rss_bytes{path=\"1\"} 1024\n# EOF\n");
    pm_buf_free(&c.text);
}

RUN_TESTS(NULL, NULL)
