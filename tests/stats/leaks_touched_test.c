/* leaks_touched: a growing line is a leak, unless the new memory is in use. If the touched pages do
 * not show it, the curve decides. */
#include "stats/leaks_models.h"

enum { WINDOWS = 6, STEP = 6 };

static const model growing = {"heap",      {1, 0},      {4000, 400}, {3000, 400},
                              {3000, 400}, {3000, 400}, {3000, 400}, {0, 0}};

/* Windows of five minutes; `share` of the memory at their beginning, without the first 3000 KiB, is
 * not touched. */
static void judge_windows(const char *category, const double *share, size_t n)
{
    pm_leak_window window[WINDOWS];
    pm_leak_windows windows = {window, n};
    pm_leak_options options = jointly;
    model m = growing;

    m.category = category;
    for (size_t i = 0; i < n; i++) {
        size_t from = STEP * (i + 1) - 2, to = from + 5;
        double was = 3000 + 400.0 * (double)from, rss = 3000 + 400.0 * (double)to;

        window[i] = (pm_leak_window){INT64_C(1800000000000) + (int64_t)from * 60000,
                                     INT64_C(1800000000000) + (int64_t)to * 60000, was, rss,
                                     rss - share[i] * (was - 3000)};
    }
    options.touched = &windows;
    judge_n(&m, 1, &options, N);
}

TEST(leak_without_windows)
{
    judge_windows("heap", NULL, 0);
    assert_int_equal(rows[1].verdict, PM_VERDICT_LEAK);
    assert_string_equal(rows[1].touched, "");
}

TEST(untouched)
{
    static const double share[WINDOWS] = {1, 1, 1, 1, 1, 1};
    double before;

    judge_windows("heap", NULL, 0);
    before = rows[1].confidence;
    judge_windows("heap", share, WINDOWS);
    assert_int_equal(rows[1].verdict, PM_VERDICT_LEAK);
    assert_true(rows[1].confidence >= before);
    assert_non_null(
        strstr(rows[1].touched, "grew in 30 minutes, 12 MiB were not touched again (6 windows)"));
}

TEST(in_use)
{
    static const double share[WINDOWS] = {0};

    judge_windows("heap", share, WINDOWS);
    assert_int_equal(rows[1].verdict, PM_VERDICT_SUSPECT);
    assert_int_equal(rows[0].verdict, PM_VERDICT_SUSPECT);
    assert_int_equal(strncmp(rows[1].reason, "a cache in use?", 15), 0);
    assert_non_null(strstr(rows[1].touched, "none was not touched again"));
}

static void expect_unknown(const char *category, const double *share, size_t n, const char *why)
{
    double before;

    judge_windows(category, NULL, 0);
    before = rows[1].confidence;
    judge_windows(category, share, n);
    assert_int_equal(rows[1].verdict, PM_VERDICT_LEAK);
    assert_true(rows[1].confidence == before);
    assert_int_equal(strncmp(rows[1].touched, "cannot tell: ", 13), 0);
    assert_non_null(strstr(rows[1].touched, why));
}

/* The curve alone decides, and the message says why. */
TEST(cannot_tell)
{
    static const double all[WINDOWS] = {0}, half[WINDOWS] = {.5, .5, .5, .5, .5, .5},
                        idle[WINDOWS] = {NAN, NAN, NAN, NAN, NAN, NAN},
                        rare[WINDOWS] = {0, 0, 0, 0, 0, 1};

    expect_unknown("heap", all, 1, "two are needed");
    expect_unknown("heap", half, WINDOWS, "part of the growth is in use");
    expect_unknown("heap", idle, WINDOWS, "idled");
    expect_unknown("memfd/jvm-heap", all, WINDOWS, "shared memory");
    expect_unknown("anonymous/v8-heap", all, WINDOWS, "a collection touches the whole heap");
    expect_unknown("anonymous/v8-heap", rare, WINDOWS, "all windows but one");
}

/* A single window with a pause or with a dump does not decide. */
TEST(exceptions)
{
    static const double pause[WINDOWS] = {0, 0, 0, 0, 1, 0}, dump[WINDOWS] = {1, 1, 1, 0, 1, 1},
                        dumps[WINDOWS] = {1, 0, 1, 0, 0, 1};

    judge_windows("heap", pause, WINDOWS);
    assert_int_equal(rows[1].verdict, PM_VERDICT_SUSPECT);
    judge_windows("heap", dump, WINDOWS);
    assert_int_equal(rows[1].verdict, PM_VERDICT_LEAK);
    judge_windows("anonymous/go-heap", dumps, WINDOWS); /* windows with a collection are left out */
    assert_int_equal(rows[1].verdict, PM_VERDICT_LEAK);
    assert_int_equal(strncmp(rows[1].touched, "of the ", 7), 0);
}

RUN_TESTS(NULL, NULL)
