/* health_kept_test: the rows of pmapdb_doctor() about the contents of the store: each condition
 * from both sides. */
#include "heard.h"

#include "store/read/query.h"

#define DAY INT64_C(86400)
#define WEEK (7 * DAY)

static void totals(const kit *k, int64_t second)
{
    pm_capture *c = kit_totals(k, PM_DIALECT_ROLLUP, 1, BEATS_MS + second * 1000);

    kit_total(c, PM_TOTAL_RSS, PM_BIT(PM_RSS), 32);
    kit_name(c, "one", PM_NAME_GIVEN);
    kit_put(k, c);
}

/* ---- snapshots, partial, dialects, pins ---- */

/* Clocks of two hosts may differ by a minute. */
IN_KIT(how_far_ahead)
{
    heard h;

    snapshot(k, 1, now() + 50);
    ask(k, &h, false);
    expect(&h, "snapshots", OK, "1 of 1 process, ");
    assert_null(strstr(h.words[find(&h, "snapshots")], "in the future"));
    snapshot(k, 2, now() + 90);
    hears(k, "snapshots", NOTE, "2 of 2 processes, ");
    hears(k, "snapshots", NOTE, "which is in the future: a clock is or was wrong");
}

IN_KIT(what_is_partial)
{
    heard h;

    snapshot(k, 1, 0);
    totals(k, 60); /* a capture with sums only lacks no rows */
    ask(k, &h, false);
    expect_exactly(&h, "partial", OK, "0 lack rows");
    expect_exactly(&h, "dialects", OK, "2 smaps 1, smaps_rollup 1");
    expect_exactly(&h, "pins", OK, "0 that prune does not remove");
    kit_exec(k, "UPDATE snapshot SET state_code = 1 WHERE snapshot_id = 1; "
                "INSERT INTO pin (snapshot_id, reason, pinned_ms) VALUES (1, 'x', 0)");
    totals(k, 120);
    ask(k, &h, false);
    expect_exactly(&h, "partial", NOTE, "1 lack rows: pmapdb snapshots --state partial");
    expect_exactly(&h, "dialects", OK, "2 smaps_rollup 2, smaps 1");
    expect_exactly(&h, "pins", OK, "1 that prune does not remove");
}

/* ---- rules ---- */

IN_KIT(which_rules)
{
    snapshot(k, 1, 0);
    hears_exactly(k, "rules", OK, "kit from a file, applied at 2023-11-14T22:13:20Z");
    kit_exec(k, "UPDATE rule_set SET name = 'default'");
    hears_exactly(k, "rules", NOTE,
                  "default this pmapdb has other rules of this name: pmapdb rules --diff default");
    kit_exec(k, "DELETE FROM rule_set");
    hears_exactly(k, "rules", OK, "default as built in");
}

/* ---- gaps and refusals ---- */

/* A snapshot per minute, with an hour missing eight days ago, and two shorter gaps of late. */
IN_KIT(gaps_of_a_week)
{
    for (int64_t i = 0; i < 5; i++)
        snapshot(k, 1, -8 * DAY - 60 * i);
    snapshot(k, 1, -8 * DAY + 3600);
    for (int64_t i = 1; i < 5; i++)
        snapshot(k, 1, -8 * DAY + 3600 + 60 * i);
    for (int64_t i = 0; i < 10; i++)
        snapshot(k, 1, -60 * i);
    /* A gap belongs to the day on which it ended. */
    hears(k, "gaps", NOTE, "1 in the last 7 days of the store; longest: 7d");
    for (int64_t i = 0; i < 10; i++)
        snapshot(k, 1, 1800 + 60 * i);
    for (int64_t i = 0; i < 10; i++)
        snapshot(k, 1, 3540 + 60 * i);
    kit_exec(k, "UPDATE name SET pruned_ms = 1699999900000"); /* leaves the two late gaps */
    hears_exactly(k, "gaps", NOTE,
                  "2 in the last 7 days of the store; longest: 30m00s of one, to "
                  "2023-11-14T22:43:20Z: pmapdb gaps");
}

/* The week is that of this machine's clock: refused captures have no time of their own. */
IN_KIT(refusals_of_a_week)
{
    int64_t ms = pm_clock_now();

    snapshot(k, 1, 0);
    beats_exec(k, "INSERT INTO refused (hash, first_ms, reason) VALUES (1, %lld, 'old')",
               (long long)(ms - (WEEK + 60) * 1000));
    hears(k, "refused", OK, "0 new in 7 days, of 1");
    beats_exec(k,
               "INSERT INTO refused (hash, first_ms, reason) VALUES (2, %lld, 'b'), (3, %lld, 'a')",
               (long long)(ms - (WEEK - 60) * 1000), (long long)(ms - DAY * 1000));
    hears(k, "refused", NOTE, "2 new in 7 days, of 3; newest: a: pmapdb refusals");
    kit_exec(k, "DELETE FROM refused WHERE hash = 2");
    hears(k, "refused", NOTE, "1 new in 7 days, of 2; newest: a: pmapdb refusals");
}

IN_KIT(fields_by_name)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 1, BEATS_MS);
    pm_mapping m = {.start = 0x9000, .end = 0xa000, .perms = "r--p", .path = PM_TEXT("/x")};

    pm_set(&m, PM_SIZE, 4);
    pm_set(&m, PM_RSS, 4);
    m.extra = PM_TEXT("Foo: 8 kB\nBar: 0 kB");
    kit_add(k, c, &m);
    kit_put(k, c);
    hears(k, "fields", NOTE, "2 stored, but unknown to this pmapdb: Bar, Foo");
}

/* ---- growth ---- */

/* Reads the size of the store and its growth per day from the last row of store-growth. */
static void pace_of(const kit *k, double *store, double *day)
{
    pmapdb_rows *rows = kit_ask(k, "store-growth");

    while (kit_next(rows)) {
        *store = pmapdb_rows_real(rows, 5);
        *day = pmapdb_rows_real(rows, 6);
    }
    pmapdb_rows_close(rows);
    assert_true(*day >= 1);
}

static void hears_growth(const kit *k, int64_t max_size_kib, pmapdb_health state, const char *part)
{
    pmapdb_doctor_options options;
    heard h;

    pmapdb_doctor_defaults(&options);
    options.max_size_kib = max_size_kib;
    ask_with(k, &h, options);
    expect(&h, "growth", state, part);
}

/* Stores many maps, every hour for four days, and moves them from the -wal into the file. */
static void four_days(const kit *k, int64_t end)
{
    for (int64_t i = 96; i >= 0; i--) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 1, BEATS_MS + (end - 3600 * i) * 1000);

        for (uint64_t n = 0; n < 60; n++)
            kit_map(k, c, 0x100000 * (n + 1), 64 + 4 * (uint64_t)i, "rw-p", "");
        kit_name(c, "one", PM_NAME_GIVEN);
        kit_put(k, c);
    }
    heard_checkpoint(k);
}

IN_KIT(days_that_are_left)
{
    double store = 0, day = 0;

    four_days(k, now());
    pace_of(k, &store, &day);
    hears_growth(k, (int64_t)(store + 2.5 * day), TROUBLE, "a day, of the last 7: 2 days until ");
    hears_growth(k, (int64_t)(store + 1.5 * day), TROUBLE, "a day, of the last 7: 1 day until ");
    hears_growth(k, (int64_t)(store + 3.5 * day), NOTE, "3 days until ");
    hears_growth(k, (int64_t)(store + 29.5 * day), NOTE, ": pmapdb prune");
    hears_growth(k, (int64_t)(store + 30.5 * day), OK, "30 days until ");
    hears_growth(k, (int64_t)(store + 60.5 * day), OK, "60 days until "); /* the disk ends later */
}

/* A limit that the file and its -wal reach or exceed. */
IN_KIT(larger_than_allowed)
{
    heard h;
    double kib;

    four_days(k, now());
    heard_checkpoint(k);
    ask(k, &h, false);
    kib = h.number[find(&h, "size")];
    hears_growth(k, (int64_t)kib, TROUBLE, "the store is larger than ");
    hears_growth(k, (int64_t)kib - 4, TROUBLE, "the store is larger than ");
    hears_growth(k, (int64_t)kib + 4, TROUBLE, "0 days until ");
}

IN_KIT(stores_without_a_pace)
{
    four_days(k, now() - WEEK - 3600);
    hears(k, "growth", OK, "0 KiB a day: nothing newer than 20");
    kit_anew(k);
    four_days(k, now() - WEEK + 3600);
    hears(k, "growth", OK, "days until ");
    kit_anew(k);
    snapshot(k, 1, now() - DAY + 60);
    snapshot(k, 1, now());
    hears(k, "growth", OK, "? a day: not known yet, the store holds less than a day");
    snapshot(k, 1, now() - DAY - 60);
    hears(k, "growth", OK, "days until ");
}

RUN_TESTS(stop_clock, NULL)
