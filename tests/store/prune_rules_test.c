/* prune_rules_test: the moments that the rules keep, and the reasons. Times are local, in zones
 * with and without summer time; the expected results were worked out by hand from restic's
 * manual. */
#include "kit.h"

#include "base/clock/clock.h"
#include <time.h>

#define N_MAX 64

static kit *store; /* the running test's */

static void set_zone(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
}

static int enter(void **state)
{
    *state = store = kit_new();
    set_zone("UTC");
    return 0;
}

/* A store with one capture at each of the times, which stand newest first, one per line. */
static void fill(const char *times)
{
    int64_t ms[N_MAX];
    size_t n = 0;

    kit_anew(store);
    for (const char *line = times; *line; line = strchr(line, '\n') + 1) {
        const char *equals = strstr(line, " =");

        assert_non_null(equals);
        assert_true(n < N_MAX);
        assert_true(pm_clock_parse((pm_text){line, (size_t)(equals - line)}, &ms[n++]));
    }
    while (n--) {
        pm_capture *c = kit_capture(store, PM_DIALECT_PMAP, 7, ms[n]);

        kit_map(store, c, 0x10000, 64, "rw-p", "[heap]");
        c->block.hash = n + 1;
        kit_put(store, c);
    }
}

static void add_plan(pm_buf *out)
{
    sqlite3_stmt *rows = pm_sql_ask(
        store->store->sql,
        "SELECT m.moment_ms, (SELECT ' ' || group_concat(substr('oldest ', 1, 7 * r.oldest) || "
        "r.word, ', ') FROM keep_reason r WHERE r.moment_ms = m.moment_ms) FROM keep_moment m "
        "ORDER BY m.moment_ms DESC",
        PM_NO_ARGS);

    while (pm_sql_next(store->store->sql, rows)) {
        const char *why = pm_col_text(rows, 1).data;
        char at[PM_CLOCK_TEXT];

        pm_clock_format(pm_col_int(rows, 0), at);
        pm_buf_addf(out, NULL, "%s =%s\n", at, why ? why : "");
    }
}

/* times: "TIME = why", why empty where the moment goes. */
static void check_at(const pmapdb_keep *keep, const char *now, const char *times)
{
    pm_sql *sql;
    pmapdb_error err = {0};
    int64_t now_ms = INT64_MAX;
    pm_buf got = {0};

    if (now)
        assert_true(pm_clock_parse(pm_text_of(now), &now_ms));
    fill(times);
    sql = store->store->sql;
    pm_sql_script(sql, "keep-plan",
                  PM_PARAMS({":last", PM_I(keep->last)}, {":hourly", PM_I(keep->hourly)},
                            {":daily", PM_I(keep->daily)}, {":weekly", PM_I(keep->weekly)},
                            {":monthly", PM_I(keep->monthly)}, {":yearly", PM_I(keep->yearly)},
                            {":within_ms", PM_I(keep->within_ms)}, {":now_ms", PM_I(now_ms)},
                            {":rules", PM_I(1)}, {":drop", PM_I(0)}));
    add_plan(&got);
    kit_ok(pm_sql_end(sql, &err), &err);
    assert_string_equal(pm_buf_text(&got).data, times);
    pm_buf_free(&got);
}

static void check(const pmapdb_keep *keep, const char *times)
{
    check_at(keep, NULL, times);
}

TEST_WITH(last, enter, kit_leave)
{
    check(&(pmapdb_keep){.last = 2}, "2026-11-21T02:00:00Z = last\n"
                                     "2026-11-21T01:00:00Z = last\n"
                                     "2026-11-21T00:00:00Z =\n");
    check(&(pmapdb_keep){.last = 3}, "2026-11-21T02:00:00Z = last\n");
    check(&(pmapdb_keep){.last = PMAPDB_KEEP_ALL}, "2026-11-21T02:00:00Z = last\n"
                                                   "2026-11-21T01:00:00Z = last\n");
    check(&(pmapdb_keep){.last = 2}, "");
}

/* The last of each period; empty periods do not count. */
TEST_WITH(periods, enter, kit_leave)
{
    check(&(pmapdb_keep){.hourly = 2}, "2026-11-21T09:59:59.999Z = hourly\n"
                                       "2026-11-21T09:00:00Z =\n"
                                       "2026-11-21T04:30:00Z = hourly\n"
                                       "2026-11-21T04:10:00Z =\n"
                                       "2026-11-21T03:59:59Z =\n");
    check(&(pmapdb_keep){.daily = 2, .monthly = 2}, "2026-03-02T12:00:00Z = daily, monthly\n"
                                                    "2026-03-02T00:00:00Z =\n"
                                                    "2026-02-28T23:59:59Z = daily, monthly\n"
                                                    "2026-02-28T23:00:00Z =\n"
                                                    "2026-02-01T23:00:00Z =\n"
                                                    "2026-01-01T00:00:00Z =\n");
    check(&(pmapdb_keep){.yearly = 2}, "2027-01-01T00:00:00Z = yearly\n"
                                       "2026-12-31T23:59:59Z = yearly\n"
                                       "2026-01-01T00:00:00Z =\n"
                                       "2025-06-01T00:00:00Z =\n");
}

/* From Monday 0:00 to Sunday 24:00, over the end of the year too: 2026-12-28 is a Monday,
 * 2027-01-03 a Sunday, of one week. */
TEST_WITH(weeks, enter, kit_leave)
{
    check(&(pmapdb_keep){.weekly = 2}, "2026-11-23T00:00:00Z = weekly\n"
                                       "2026-11-22T23:59:59Z = weekly\n"
                                       "2026-11-16T00:00:00Z =\n"
                                       "2026-11-15T23:59:59Z =\n");
    check(&(pmapdb_keep){.weekly = 3}, "2027-01-04T00:00:00Z = weekly\n"
                                       "2027-01-03T23:00:00Z = weekly\n"
                                       "2026-12-28T00:00:00Z =\n"
                                       "2026-12-27T23:59:59Z = weekly\n"
                                       "2026-12-21T00:00:00Z =\n"
                                       "2026-12-20T23:59:59Z =\n");
    /* before 1970 there is nothing, but the week of its first Thursday begins in 1969 */
    check(&(pmapdb_keep){.weekly = 1}, "1970-01-04T23:00:00Z = weekly\n"
                                       "1970-01-01T00:00:00Z =\n");
}

/* Where a rule has places left, the oldest of all stays. */
TEST_WITH(the_oldest, enter, kit_leave)
{
    check(&(pmapdb_keep){.daily = 3, .weekly = 1}, "2026-11-21T12:00:00Z = daily, weekly\n"
                                                   "2026-11-21T06:00:00Z =\n"
                                                   "2026-11-20T12:00:00Z = daily\n"
                                                   "2026-11-20T06:00:00Z =\n"
                                                   "2026-11-20T01:00:00Z = oldest daily\n");
}

TEST_WITH(within, enter, kit_leave)
{
    /* Counted from the newest, not from now; a moment of exactly this age goes, as in restic. */
    check(&(pmapdb_keep){.within_ms = 3600000}, "2020-01-01T02:00:00Z = within\n"
                                                "2020-01-01T01:00:01Z = within\n"
                                                "2020-01-01T01:00:00Z =\n"
                                                "2019-01-01T00:00:00Z =\n");
    check(&(pmapdb_keep){.last = 1, .within_ms = 1}, "2020-01-01T02:00:00Z = last, within\n"
                                                     "2020-01-01T01:00:00Z =\n");
    /* a clock that was wrong once does not make everything else old */
    check_at(&(pmapdb_keep){.within_ms = 3600000}, "2026-01-01T12:00:00Z",
             "2036-01-01T02:00:00Z = within\n"
             "2026-01-01T11:30:00Z = within\n"
             "2026-01-01T11:00:00Z = within\n"
             "2026-01-01T10:30:00Z =\n");
    check_at(&(pmapdb_keep){.within_ms = 3600000}, "2010-01-01T12:00:00Z",
             "2036-01-01T02:00:00Z = within\n"
             "2026-01-01T11:30:00Z =\n");
}

TEST_WITH(any_rule_is_enough, enter, kit_leave)
{
    check(&(pmapdb_keep){.last = 1, .hourly = 2, .daily = 2, .weekly = 2},
          "2026-11-24T10:10:00Z = last, hourly, daily, weekly\n"
          "2026-11-24T10:05:00Z =\n"
          "2026-11-24T09:50:00Z = hourly\n"
          "2026-11-24T08:50:00Z =\n"
          "2026-11-23T23:50:00Z = daily\n"
          "2026-11-22T20:00:00Z = weekly\n"
          "2026-11-22T10:00:00Z =\n"
          "2026-11-10T10:00:00Z =\n");
}

/* Berlin's clock goes from 2:00 to 3:00 on 2026-03-29 and from 3:00 back to 2:00 on 2026-10-25. */
TEST_WITH(summer_time, enter, kit_leave)
{
    set_zone("Europe/Berlin");
    /* 2:30 comes twice: two hours, one day */
    check(&(pmapdb_keep){.hourly = 3, .daily = 1}, "2026-10-25T02:10:00Z = hourly, daily\n"
                                                   "2026-10-25T01:30:00Z = hourly\n"
                                                   "2026-10-25T01:00:00Z =\n"
                                                   "2026-10-25T00:30:00Z = hourly\n"
                                                   "2026-10-25T00:00:00Z =\n"
                                                   "2026-10-24T23:30:00Z =\n");
    /* the day of 25 hours: it begins at 22:00 and ends at 23:00 UTC */
    check(&(pmapdb_keep){.daily = 3}, "2026-10-25T23:00:00Z = daily\n"
                                      "2026-10-25T22:59:59Z = daily\n"
                                      "2026-10-24T22:00:00Z =\n"
                                      "2026-10-24T21:59:59Z = daily\n"
                                      "2026-10-23T22:00:00Z =\n"
                                      "2026-10-23T21:59:59Z =\n");
    /* the day of 23 hours, and the week that it ends */
    check(&(pmapdb_keep){.daily = 2, .weekly = 2}, "2026-03-29T22:00:00Z = daily, weekly\n"
                                                   "2026-03-29T21:59:59Z = daily, weekly\n"
                                                   "2026-03-28T23:00:00Z =\n"
                                                   "2026-03-22T23:00:00Z =\n"
                                                   "2026-03-22T22:59:59Z =\n");
    /* hours of zones that are half an hour off */
    set_zone("Asia/Kolkata");
    check(&(pmapdb_keep){.hourly = 2}, "2026-11-21T09:29:59Z = hourly\n"
                                       "2026-11-21T08:30:00Z =\n"
                                       "2026-11-21T08:29:59Z = hourly\n"
                                       "2026-11-21T07:30:00Z =\n"
                                       "2026-11-21T07:29:59Z =\n");
}

/* 12 Sundays, as in restic's manual. */
TEST_WITH(the_example_of_restic, enter, kit_leave)
{
    check(&(pmapdb_keep){.daily = 4}, "2019-11-17T11:00:00Z = daily\n"
                                      "2019-11-10T11:00:00Z = daily\n"
                                      "2019-11-03T11:00:00Z = daily\n"
                                      "2019-10-27T11:00:00Z = daily\n"
                                      "2019-10-20T11:00:00Z =\n"
                                      "2019-10-13T11:00:00Z =\n"
                                      "2019-10-06T11:00:00Z =\n"
                                      "2019-09-29T11:00:00Z =\n"
                                      "2019-09-22T11:00:00Z =\n"
                                      "2019-09-15T11:00:00Z =\n"
                                      "2019-09-08T11:00:00Z =\n"
                                      "2019-09-01T11:00:00Z =\n");
}

IN_KIT(wrong_rules_are_refused)
{
    static const pmapdb_keep wrong[] = {{0}, {.last = -2}, {.within_ms = -1}};
    pmapdb_prune_result r;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        pmapdb_prune_options o = {.keep = wrong[i], .max_kib = PMAPDB_UNKNOWN};

        assert_int_equal(pmapdb_prune(k->store, &o, &r, NULL), PMAPDB_USAGE);
    }
}

RUN_TESTS(NULL, NULL)
