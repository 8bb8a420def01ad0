/* health_test: pmapdb_doctor() in full: late schedules, the cost of reading, proved sums. Damage is
 * in tests/cli/doctor.sh. */
#include "heard.h"

IN_KIT(without_live_captures)
{
    heard h;
    pmapdb_doctor_result r = ask(k, &h, false);

    expect(&h, "snapshots", NOTE, "nothing is stored yet");
    expect(&h, "capture", OK, "none");
    assert_int_equal(r.troubles, 0);
}

/* Stores a job of two days, whose last beat is `age` seconds old. */
static void job_of_two_days(const kit *k, int job, int64_t age)
{
    int64_t end = now() - age;

    beats_job(k, job, job == 1 ? "a" : "b", job == 1 ? "--all" : "4711", 60000);
    for (int64_t i = 48; i >= 0; i--)
        beats_sweep(k, job, end - 3600 * i, 1000000 - 3600 * i, 0);
    here(k, end);
}

IN_KIT(a_job_on_time)
{
    heard h;

    job_of_two_days(k, 1, 170);
    ask(k, &h, false);
    expect(&h, "capture", OK, "since the last beat of --all");
    assert_true(h.number[find(&h, "capture")] >= 170000);
    expect(&h, "beats", NOTE, "49 of 2881 in 7 days; 0 missed, 2832 while no capture ran");
    expect(&h, "unreadable", NOTE, "3 in the last beat");
    expect(&h, "vanished", OK, "49 in 7 days");
    expect(&h, "changed", NOTE, "49 in 7 days");
}

/* A job is late after three steps, and never within a minute. */
IN_KIT(a_job_that_stopped)
{
    job_of_two_days(k, 1, 190);
    assert_int_equal(hears(k, "capture", TROUBLE, "has it ended?").troubles, 1);
    /* Another job of this host took its place. */
    job_of_two_days(k, 2, 10);
    hears(k, "capture", OK, "4711");
}

IN_KIT(what_is_no_service)
{
    heard h;

    job_of_two_days(k, 1, 190);
    kit_exec(k, "UPDATE host SET name = 'elsewhere'"); /* merged from another host */
    hears(k, "capture", NOTE, "has it ended?");
    kit_anew(k);
    job_of_two_days(k, 1, INT64_C(8) * 86400); /* a silence of eight days is no news */
    hears(k, "capture", NOTE, "8d");
    kit_anew(k);
    beats_job(k, 1, "a", "4711", 1000); /* a capture that ran for some seconds only */
    for (int64_t i = 10; i >= 0; i--)
        beats_sweep(k, 1, now() - 300 - i, 1000 - i, 0);
    here(k, now() - 300);
    ask(k, &h, false);
    expect(&h, "capture", NOTE, "has it ended?");
    expect(&h, "beats", OK, "11 of 11");
}

IN_KIT(what_reading_costs)
{
    heard h;

    job_of_two_days(k, 1, 10);
    ask(k, &h, false);
    expect(&h, "stall", OK, "worst one/1: one read 90 / 90 / 90 us, a map 1000 / 1000 / 1000 us");
    expect(&h, "underestimated", OK, "0 "); /* longer than 80 us, but too short to notice */
    expect(&h, "degraded", OK, "0 ");
    kit_exec(k, "UPDATE live_reading SET longest_us = 60000");
    hears(k, "underestimated", NOTE, "1 ");
    kit_exec(
        k, "UPDATE live_reading SET longest_us = 60000, predicted_us = 90000, degraded = 'large'");
    ask(k, &h, false);
    expect(&h, "stall", NOTE, "60ms at most");
    expect(&h, "underestimated", OK, "0 ");
    expect(&h, "degraded", NOTE, "1 in 7 days have sizes only; one: large");
}

/* Two jobs; the first has found no process for three beats. */
IN_KIT(beats_that_find_nothing)
{
    job_of_two_days(k, 1, 10);
    job_of_two_days(k, 2, 10);
    hears(k, "empty", OK, "0 ");
    beats_exec(k,
               "UPDATE beat SET unreadable = 0, vanished = 0, unmoved = 0, changed = 0 WHERE "
               "schedule_id = 1 AND "
               "capture_id IN (SELECT capture_id FROM beat WHERE started_ms > %lld)",
               (long long)(BEATS_MS + (now() - 10000) * 1000));
    hears(k, "empty", NOTE, "3 found no process: --all");
    kit_exec(k, "UPDATE beat SET unmoved = 0, unreadable = 0, vanished = 0, changed = 0");
    hears(k, "empty", NOTE, "49 found no process: --all; so did 1 other capture");
    /* The store has nothing else. */
    kit_exec(k, "PRAGMA foreign_keys = OFF; DELETE FROM live_reading; DELETE FROM snapshot");
    hears(k, "empty", NOTE, "49 found no process");
}

IN_KIT(clocks_and_reboots)
{
    job_of_two_days(k, 1, 10);
    hears(k, "clock", OK, "0 in 7 days, 0 reboots");
    kit_exec(k, "UPDATE beat SET mono_ns = mono_ns - 5000000000 WHERE mono_ns > 990000000000000");
    hears(k, "clock", NOTE, "1 in 7 days, 0 reboots; the largest 5s");
}

IN_KIT(a_snapshot_of_tomorrow)
{
    beats_job(k, 1, "a", "--all", 60000);
    here(k, now() + 86400);
    hears(k, "snapshots", NOTE, "in the future: a clock is or was wrong");
}

/* The stored sums are compared with the rows. */
IN_KIT(sums_are_proved)
{
    heard h;

    for (int64_t i = 0; i < 12; i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 1, BEATS_MS + i * 1000);

        kit_map(k, c, 0x1000, 64 + 4 * (uint64_t)i, "rw-p", "");
        kit_map(k, c, 0x900000, 64, "r-xp", "/bin/x");
        kit_put(k, c);
    }
    ask(k, &h, true);
    expect(&h, "readable", OK, "12 of 12");
    expect(&h, "sums", OK, "12 match the sums");
    expect(&h, "categories", OK, "12 match the sums");
    expect(&h, "references", OK, "0 ");
    kit_exec(k, "UPDATE snapshot SET rss_kib = rss_kib + 1 WHERE snapshot_id IN (2, 3, 4, 9)");
    ask(k, &h, true);
    expect(&h, "sums", TROUBLE, "4 do not match the sums of their mappings: @2 to @4, @9");
    expect(&h, "categories", TROUBLE, "4 do not match");
    kit_exec(k, "UPDATE snapshot SET rss_kib = rss_kib - 1 WHERE snapshot_id IN (2, 3, 4, 9);"
                "UPDATE snapshot SET pss_kib = 0 WHERE snapshot_id = 1"); /* unknown is not 0 */
    ask(k, &h, true);
    expect(&h, "sums", TROUBLE, "1 do not match the sums of their mappings: @1");
    kit_exec(k, "PRAGMA foreign_keys = OFF; DELETE FROM object WHERE object_id = 2");
    ask(k, &h, true);
    expect(&h, "references", TROUBLE, "1 region 2 refers to a row that is missing in object");
    expect(&h, "integrity", OK, "");
}

TEST(no_store_at_all)
{
    pmapdb_doctor_options options;
    pmapdb_doctor_result result;
    pmapdb_error err = {0};

    pmapdb_doctor_defaults(&options);
    kit_fails(pmapdb_doctor("/nonexistent/t.db", &options, &result, &err), PMAPDB_NOTFOUND, &err,
              "no store at");
}

RUN_TESTS(stop_clock, NULL)
