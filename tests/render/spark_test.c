/* spark_test: a time series as one row per key. */
#include "collect.h"

#include "render/course.h"
#include <math.h>

static const pm_column columns[] = {{"taken_at", PM_UNIT_TIME},
                                    {"name", PM_UNIT_TEXT},
                                    {"category", PM_UNIT_CATEGORY},
                                    {"size_kib", PM_UNIT_KIB},
                                    {"rss_kib", PM_UNIT_KIB}};
#define AT(minute) TEXT("2026-11-21T02:" minute ":00Z"), TEXT("a")

static const pm_value rows[] = {
    AT("00"), TEXT("heap"), INT(700), INT(0),   AT("00"), TEXT("stack"), INT(8), INT(8),
    AT("01"), TEXT("heap"), INT(700), INT(100), AT("01"), TEXT("stack"), INT(8), NONE,
    AT("02"), TEXT("heap"), INT(700), INT(700), AT("02"), TEXT("stack"), INT(8), INT(8),
};

#define B1 "\xe2\x96\x81"
#define B2 "\xe2\x96\x82"
#define B8 "\xe2\x96\x88"
#define NBSP "\xc2\xa0"

static void one_row_per_key(void **state)
{
    pm_render_options spark = {.spark = true};

    (void)state;
    assert_renders(spark, columns, 5, rows, 6,
                   "category  rss_kib_first  rss_kib_last  course\n"
                   "heap                  0           700  " B1 B2 B8 "\n"
                   "stack                 8             8  " B8 " " B8 "\n");
    spark.ascii = true;
    spark.spark_of = "size";
    assert_renders(spark, columns, 5, rows, 6,
                   "category  size_kib_first  size_kib_last  course\n"
                   "heap                 700            700  @@@\n"
                   "stack                  8              8  @@@\n");
    spark.top = 1;
    assert_renders(spark, columns, 5, rows, 6,
                   "category   size_kib_first  size_kib_last  course\n"
                   "heap                  700            700  @@@\n"
                   "[1 other]               8              8\n");
    spark = (pm_render_options){.spark = true, .format = PM_FORMAT_MD};
    assert_renders(spark, columns, 5, rows, 6,
                   "| category | rss_kib_first | rss_kib_last | course |\n"
                   "| --- | ---: | ---: | --- |\n"
                   "| heap | 0 | 700 | " B1 B2 B8 " |\n"
                   "| stack | 8 | 8 | " B8 NBSP B8 " |\n");
}

/* With one key only, its name says at least what it is; without any row there is a header. */
static void few_rows(void **state)
{
    pm_render_options spark = {.spark = true};

    (void)state;
    assert_renders(spark, columns, 5, rows, 1,
                   "category  rss_kib_first  rss_kib_last  course\n"
                   "heap                  0             0  " B1 "\n");
    assert_renders(spark, columns, 5, NULL, 0, "category  rss_kib_first  rss_kib_last  course\n");
}

static void a_chart_has_seconds(void **state)
{
    static const pm_column chart[] = {
        {"ts", PM_UNIT_REAL}, {"pid", PM_UNIT_INT}, {"value", PM_UNIT_REAL}};
    static const pm_value points[] = {REAL(1795226460.5), INT(2), REAL(0.5),
                                      REAL(1795226400.5), INT(2), REAL(1),
                                      INT(1795226400),    INT(3), INT(2)};

    (void)state;
    assert_renders((pm_render_options){.spark = true, .ascii = true}, chart, 3, points, 2,
                   "pid  value_first  value_last  course\n  2            1         0.5  @+\n");
    assert_renders((pm_render_options){.spark = true, .ascii = true}, chart, 3, points + 6, 1,
                   "pid  value_first  value_last  course\n  3            2           2  @\n");
}

static void what_has_no_course_is_refused(void **state)
{
    collected c = {0};
    pmapdb_error err = {0};

    (void)state;
    assert_int_equal(
        render_into(&c, (pm_render_options){.spark = true}, columns + 1, 4, NULL, 0, &err),
        PMAPDB_USAGE);
    assert_non_null(strstr(err.text, "taken_at"));
    assert_int_equal(render_into(&c, (pm_render_options){.spark = true, .spark_of = "pss"}, columns,
                                 5, NULL, 0, &err),
                     PMAPDB_USAGE);
    assert_non_null(strstr(err.text, "'pss'"));
    assert_int_equal(render_into(&c, (pm_render_options){.spark = true, .spark_of = "category"},
                                 columns, 5, NULL, 0, &err),
                     PMAPDB_USAGE);
    assert_int_equal(c.writes, 0);
    /* programs draw for themselves */
    assert_renders((pm_render_options){.spark = true, .format = PM_FORMAT_CSV}, columns + 3, 2,
                   NULL, 0, "size_kib,rss_kib\n");
}

/* Points at these minutes, of these values; negative minutes end the list. */
static void assert_course(const int *minutes, const double *v, const char *expected)
{
    int64_t moments[200];
    pm_point points[200];
    pm_course_axis axis;
    pm_buf out = {0};
    size_t n = 0;

    for (; minutes[n] >= 0; n++)
        points[n] = (pm_point){moments[n] = minutes[n] * INT64_C(60000), v[n]};
    axis = pm_course_axis_of(moments, n);
    assert_int_equal(pm_course_add(&out, &axis, points, n, true, " ", NULL), PMAPDB_OK);
    assert_string_equal(out.data ? out.data : "", expected);
    pm_buf_free(&out);
}

static void gaps_are_blank(void **state)
{
    (void)state;
    /* three steps without a capture are no gap yet, more are */
    assert_course((const int[]){0, 1, 2, 3, 6, 7, -1}, (const double[]){1, 1, 1, 1, 2, 2},
                  "++++++@@");
    assert_course((const int[]){0, 1, 2, 3, 7, 8, -1}, (const double[]){1, 1, 1, 1, 2, 2},
                  "++++   @@");
    assert_course((const int[]){5, -1}, (const double[]){3}, "@");
    assert_course((const int[]){5, 9, -1}, (const double[]){NAN, NAN}, "  ");
    assert_course((const int[]){0, 1, 2, -1}, (const double[]){-7, 0, 7}, "_+@");
}

/* What is longer than the line keeps its peak. */
static void the_largest_of_a_stretch_shows(void **state)
{
    int minutes[201];
    double v[200];
    char expected[PM_COURSE_WIDTH + 1];

    (void)state;
    for (int i = 0; i < 200; i++) {
        minutes[i] = i;
        v[i] = i == 100 ? 7 : i == 150 ? NAN : 1;
    }
    minutes[200] = -1;
    memset(expected, '.', PM_COURSE_WIDTH);
    expected[20] = '@'; /* 100 of 199 times 39, rounded */
    expected[PM_COURSE_WIDTH] = '\0';
    assert_course(minutes, v, expected);
}

static void refused_writes_come_out(void **state)
{
    (void)state;
    assert_refusals_pass((pm_render_options){.spark = true}, columns, 5, rows, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_per_key),         cmocka_unit_test(few_rows),
        cmocka_unit_test(a_chart_has_seconds),     cmocka_unit_test(what_has_no_course_is_refused),
        cmocka_unit_test(gaps_are_blank),          cmocka_unit_test(the_largest_of_a_stretch_shows),
        cmocka_unit_test(refused_writes_come_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
