/* health_live_test: the rows of pmapdb_doctor() about live captures: each condition from both
 * sides. */
#include "heard.h"

#define DAY INT64_C(86400)
#define WEEK (7 * DAY)

/* Stores a job that is on time, so that its cost is checked; the newest snapshot is at second 0. */
static void begin(const kit *k)
{
    beats_job(k, 1, "a", "--all", 60000);
    beats_sweep(k, 1, 0, 2 * WEEK, 0);
    snapshot(k, 1, 0);
    beats_sights(k);
}

/* ---- underestimated, stall, degraded ---- */

#define STALLED " in 7 days stalled longer than predicted, and than 50 ms"

/* A snapshot exactly a week before the newest one counts. */
IN_KIT(underestimated_in_a_week)
{
    begin(k);
    snapshot(k, 1, -WEEK);
    snapshot(k, 1, -WEEK - 1);
    beats_sights(k);
    kit_exec(k, "UPDATE live_reading SET longest_us = 60000");
    hears_exactly(k, "underestimated", NOTE, "2" STALLED);
}

IN_KIT(underestimated_on_both_sides)
{
    static const struct {
        const char *set;
        int64_t n;
    } cases[] = {
        {"longest_us = 50000, predicted_us = 40000", 0},
        {"longest_us = 50001, predicted_us = 40000", 1},
        {"longest_us = 60000, predicted_us = 59999", 1},
        {"longest_us = 60000, predicted_us = 60000", 0},
        {"longest_us = 60000, predicted_us = 90000, read_us = 100000", 0},
        {"longest_us = 60000, predicted_us = 40000, degraded = 'large'", 0},
        {"longest_us = 60000, predicted_us = NULL", 0},
    };

    begin(k);
    for (size_t i = 0; i < COUNT(cases); i++) {
        beats_exec(k, "UPDATE live_reading SET degraded = NULL, %s", cases[i].set);
        hears_exactly(k, "underestimated", cases[i].n ? NOTE : OK,
                      cases[i].n ? "1" STALLED : "0" STALLED);
    }
}

/* A tenth of a second of CPU in ten seconds; a worse stall more than a week ago does not count. */
IN_KIT(the_longest_stall)
{
    begin(k);
    snapshot(k, 1, -10);
    snapshot(k, 2, -1);
    snapshot(k, 2, -WEEK - 1);
    beats_sights(k);
    beats_exec(k,
               "UPDATE live_reading SET cpu_us = 100000, longest_us = CASE WHEN snapshot_id IN "
               "(SELECT snapshot_id FROM snapshot WHERE process_id = 1) THEN 50000 ELSE 40000 END");
    beats_exec(k,
               "UPDATE live_reading SET longest_us = 900000 WHERE snapshot_id = (SELECT "
               "snapshot_id FROM snapshot WHERE taken_ms = %lld)",
               (long long)(BEATS_MS - (WEEK + 1) * 1000));
    hears_exactly(
        k, "stall", OK,
        "50ms at most, in 7 days; worst one/1: one read 50000 / 50000 / 50000 us, a map 1000 / "
        "1000 / 1000 us (median, 99 %, most), CPU 1 % of a core");
    kit_exec(k, "UPDATE live_reading SET longest_us = 50001 WHERE longest_us = 50000");
    hears_exactly(
        k, "stall", NOTE,
        "50ms at most, in 7 days; worst one/1: one read 50001 / 50001 / 50001 us, a map 1000 / "
        "1000 / 1000 us (median, 99 %, most), CPU 1 % of a core");
}

/* The reason shown is that of the longest stall. */
IN_KIT(sizes_only)
{
    begin(k);
    snapshot(k, 2, 0);
    snapshot(k, 2, -1);
    beats_sights(k);
    kit_exec(k,
             "UPDATE live_reading SET longest_us = 10, degraded = 'old' WHERE snapshot_id > 1;"
             "UPDATE live_reading SET longest_us = 20, degraded = 'large' WHERE snapshot_id = 1");
    hears_exactly(k, "degraded", NOTE, "3 in 7 days have sizes only; one: large");
}

/* ---- empty ---- */

#define EMPTY "UPDATE beat SET unreadable = 0, vanished = 0, unmoved = 0, changed = 0"

/* Ten beats, a minute apart, up to second `end`. */
static void beats_of(const kit *k, int job, const char *boot, const char *selection, int64_t every,
                     int64_t end)
{
    beats_job(k, job, boot, selection, every);
    for (int64_t i = 9; i >= 0; i--)
        beats_sweep(k, job, end - 60 * i, WEEK + end - 60 * i, 0);
}

IN_KIT(what_was_found_is_not_empty)
{
    static const char *const columns[] = {"unreadable", "vanished", "unmoved", "changed"};

    beats_of(k, 1, "a", "--all", 60000, 0);
    snapshot(k, 1, 0);
    for (size_t i = 0; i < 4; i++) {
        kit_exec(k, EMPTY);
        hears_exactly(k, "empty", NOTE, "10 found no process: --all");
        beats_exec(k, "UPDATE beat SET %s = 1", columns[i]);
        hears_exactly(k, "empty", OK, "0 found no process since the last beat that found one");
    }
}

/* The third and the eighth of ten beats stored something, so two empty beats are left. Beats before
 * the week do not count. */
IN_KIT(beats_after_the_last_snapshot)
{
    beats_of(k, 1, "a", "--all", 60000, 0);
    beats_sweep(k, 1, -WEEK - 60, 5, 0);
    snapshot(k, 1, 0);
    kit_exec(k, EMPTY);
    hears_exactly(k, "empty", NOTE, "10 found no process: --all");
    for (int64_t beat = 3; beat <= 8; beat += 5) {
        snapshot(k, 2, 60 * (beat - 10));
        beats_exec(k,
                   "UPDATE snapshot SET capture_id = (SELECT capture_id FROM beat WHERE started_ms "
                   "= %lld) WHERE snapshot_id = (SELECT max(snapshot_id) FROM snapshot)",
                   (long long)(BEATS_MS + 60000 * (beat - 10)));
    }
    hears_exactly(k, "empty", NOTE, "2 found no process: --all");
}

/* After a reboot, the job of the new boot counts; jobs of another host or step are separate. */
IN_KIT(the_newest_of_equal_jobs)
{
    beats_of(k, 1, "a", "--all", 60000, -1000);
    kit_exec(k, EMPTY);
    beats_of(k, 2, "b", "--all", 60000, 0);
    snapshot(k, 1, 0);
    hears_exactly(k, "empty", OK, "0 found no process since the last beat that found one");
    kit_exec(k, "UPDATE schedule SET every_ms = 30000 WHERE schedule_id = 1");
    hears_exactly(k, "empty", NOTE, "10 found no process: --all");
    kit_exec(k, "UPDATE schedule SET every_ms = 60000; INSERT INTO host (host_id, name) VALUES "
                "(901, 'there'); UPDATE schedule SET host_id = 901 WHERE schedule_id = 1");
    hears_exactly(k, "empty", NOTE, "10 found no process: --all");
}

/* The job with most empty beats comes first, then the newest. */
IN_KIT(several_empty_jobs)
{
    beats_of(k, 1, "a", "a", 60000, 0);
    beats_of(k, 2, "a", "b", 60000, 1);
    snapshot(k, 1, 1);
    kit_exec(k, EMPTY);
    hears_exactly(k, "empty", NOTE, "10 found no process: b; so did 1 other capture");
    beats_job(k, 3, "a", "c", 60000);
    beats_sweep(k, 3, 2, WEEK, 0);
    kit_exec(k, EMPTY);
    hears_exactly(k, "empty", NOTE, "10 found no process: b; so did 2 other captures");
}

/* ---- capture, beats ---- */

/* Stores a job with a beat every ten seconds for ten minutes, until `age` seconds ago. */
static void quick_job(const kit *k, int64_t age)
{
    beats_job(k, 1, "a", "4711", 10000);
    for (int64_t i = 60; i >= 0; i--)
        beats_sweep(k, 1, now() - age - 10 * i, 5000 - 10 * i, 0);
    here(k, now() - age);
}

IN_KIT(never_late_within_a_minute)
{
    quick_job(k, 50);
    hears(k, "capture", OK, "since the last beat of 4711");
    kit_anew(k);
    quick_job(k, 65);
    hears(k, "capture", NOTE, "has it ended?");
}

IN_KIT(no_step_no_delay)
{
    heard h;

    beats_job(k, 1, "a", "4711", 0);
    beats_sweep(k, 1, now() - 3600, 5000, 0);
    here(k, now() - 3600);
    ask(k, &h, false);
    expect(&h, "capture", OK, "1h00m since the last beat of 4711 on ");
    assert_null(strstr(h.words[find(&h, "capture")], "step"));
}

/* Stores a job on host `there` that ran for an hour and ended `age` seconds ago. */
static void job_there(const kit *k, int job, const char *there, int64_t age)
{
    beats_job(k, job, "x", "4712", 60000);
    beats_exec(k, "INSERT INTO host (host_id, name) VALUES (%d, '%s');", 900 + job, there);
    beats_exec(k, "UPDATE schedule SET host_id = %d WHERE schedule_id = %d", 900 + job, job);
    for (int64_t i = 60; i >= 0; i--)
        beats_sweep(k, job, now() - age - 60 * i, WEEK - 60 * i, 0);
}

/* Trouble comes before a note, then the longest silence; one of more than a week does not count. */
IN_KIT(the_worst_of_several_hosts)
{
    here(k, now());
    job_there(k, 2, "two", 7200);
    job_there(k, 3, "three", 10800);
    job_there(k, 4, "four", WEEK + 100);
    hears(k, "capture", NOTE, "3h00m since the last beat of 4712 on three");
    beats_job(k, 1, "a", "--all", 60000);
    for (int64_t i = 48; i >= 0; i--)
        beats_sweep(k, 1, now() - 300 - 3600 * i, 1000000 - 3600 * i, 0);
    here(k, now() + 1);
    hears(k, "capture", TROUBLE, "s since the last beat of --all");
}

/* Two schedules: one with 4 beats, of which the fourth is 2 steps late and one was missed; one with
 * 10. */
IN_KIT(beats_of_all_jobs)
{
    static const int64_t minutes[] = {0, 1, 2, 5};

    beats_of(k, 1, "a", "--all", 60000, 0);
    hears_exactly(k, "beats", OK,
                  "10 of 10 in 7 days; 0 missed, 0 while no capture ran; the slowest took 100ms");
    beats_job(k, 2, "a", "4711", 60000);
    for (size_t i = 0; i < 4; i++)
        beats_sweep(k, 2, 60 * (minutes[i] - 4) + 1, 1000 + 60 * minutes[i], minutes[i] == 5);
    snapshot(k, 1, 0);
    beats_exec(k, "UPDATE beat SET ended_ms = started_ms + 700 WHERE started_ms = %lld",
               (long long)(BEATS_MS - INT64_C(179000)));
    hears_exactly(k, "beats", NOTE,
                  "14 of 16 in 7 days; 1 missed, 1 while no capture ran; the slowest took 700ms");
    kit_exec(k, "UPDATE beat SET missed = 2 * missed");
    hears_exactly(k, "beats", NOTE,
                  "14 of 16 in 7 days; 2 missed, 0 while no capture ran; the slowest took 700ms");
    hears_exactly(k, "vanished", OK, "14 in 7 days ended while they were read");
    hears_exactly(k, "changed", NOTE, "14 in 7 days changed their map too quickly to be read");
}

/* The newest beat of the newest host's newest job. */
IN_KIT(unreadable_in_the_last_beat)
{
    static const char may[] =
        "2 in the last beat, for the user of that capture; root or CAP_SYS_PTRACE can read them";

    beats_of(k, 1, "a", "--all", 60000, 0);
    beats_of(k, 2, "a", "4711", 60000, -1);
    snapshot(k, 1, 0);
    beats_exec(k,
               "UPDATE beat SET unreadable = CASE WHEN capture_id = (SELECT capture_id FROM beat "
               "WHERE started_ms = %lld) THEN 2 ELSE 7 END",
               (long long)BEATS_MS);
    hears_exactly(k, "unreadable", NOTE, may);
    kit_exec(k, "INSERT INTO host (host_id, name) VALUES (901, 'there'); UPDATE schedule SET "
                "host_id = 901 WHERE schedule_id = 2");
    hears_exactly(k, "unreadable", NOTE, may);
    kit_exec(k, "UPDATE beat SET unreadable = unreadable - 2");
    hears_exactly(k, "unreadable", OK, "0 in the last beat");
}

/* ---- clock ---- */

/* Jumps back by ten minutes and forward by five; a jump by a year lies before the week. */
IN_KIT(the_largest_jump)
{
    int64_t mono = 1060 + 600 + WEEK / 2; /* agrees with the wall clock */

    beats_job(k, 1, "a", "--all", 60000);
    beats_sweep(k, 1, -WEEK - 31536000, 1000, 0);
    beats_sweep(k, 1, -WEEK - 600, 1060, 0);
    for (int64_t i = 0; i < 3; i++)
        beats_sweep(k, 1, 60 * i - WEEK / 2, mono + 60 * i, 0);
    beats_sweep(k, 1, 180 - 600 - WEEK / 2, mono + 180, 0);
    beats_sweep(k, 1, 240 - 300 - WEEK / 2, mono + 240, 0);
    snapshot(k, 1, 0);
    hears_exactly(k, "clock", NOTE,
                  "2 in 7 days, 0 reboots; the largest -10m00s on here at 2023-11-11T10:06:20Z");
    beats_job(k, 2, "b", "--all", 60000);
    beats_sweep(k, 2, 0, 5, 0);
    hears_exactly(k, "clock", NOTE,
                  "2 in 7 days, 1 reboot; the largest -10m00s on here at 2023-11-11T10:06:20Z");
}

RUN_TESTS(stop_clock, NULL)
