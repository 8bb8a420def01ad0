/* merge_known_test: the captures that a merge recognises as known, and the facts about a process
 * that it takes over; made by hand. merge_test.c has random histories. */
#include "merged.h"
#include "whole.h"

/* The same text of one pid at one time is a different capture if the life is different. */
IN_KIT(live_ones_are_known_by_their_life)
{
    kit *b = kit_new();
    pm_live live = {.boot_id = "b0000000-0000-0000-0000-000000000000"};
    pm_merge_counts counts;

    for (int i = 0; i < 2; i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, 1700000000000);

        kit_map(k, c, 0x1000, 64, "rw-p", "");
        c->host = "alpha";
        c->live = &live;
        c->time_source = PM_TIME_LIVE;
        c->start_time = 5 + i;
        c->block.hash = 99;
        kit_put(i ? b : k, c);
    }
    counts = merge(k, b);
    assert_int_equal(counts.event.new_ones, 1);
    counts = merge(k, b);
    assert_int_equal(counts.event.known, 1);
    kit_free(b);
}

/* Copying a file may drop the fraction of a second of its mtime. */
IN_KIT(an_mtime_counts_in_seconds)
{
    kit *b = kit_new();
    pmapdb_merge_options dry = {.sweep_ms = KIT_SWEEP, .dry_run = true};
    pm_merge_counts counts;
    bool theirs;

    for (int i = 0; i < 2; i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, 1700000000000 + INT64_C(700) * i);

        kit_map(k, c, 0x1000, 64, "rw-p", "");
        c->time_source = PM_TIME_MTIME;
        c->block.hash = 99;
        kit_put(i ? b : k, c);
    }
    kit_ok(pm_merge_store(k->store, b->store, &dry, &counts, &theirs, NULL), NULL);
    assert_int_equal(counts.event.known, 1);
    assert_int_equal(merge(k, b).event.new_ones, 0);
    kit_free(b);
}

static void put_named(const kit *k, int64_t ms, const char *name, pm_name_rank rank,
                      const char *command)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, ms);

    kit_map(k, c, 0x7ffc00000000, 64, "rw-p", "[stack]");
    kit_name(c, name, rank);
    kit_command(c, command);
    kit_put(k, c);
}

/* The snapshot that gave the better name and the earlier command was pruned. */
IN_KIT(what_a_process_knows_comes_along)
{
    kit *b = kit_new();

    put_named(k, 1700000050000, "plain", PM_NAME_HEADER, "late command");
    put_named(b, 1700000010000, "better", PM_NAME_COMM, "early command");
    put_named(b, 1700000020000, "plain", PM_NAME_HEADER, "late command");
    kit_exec(b, "PRAGMA foreign_keys = OFF; DELETE FROM snapshot WHERE off = 0;"
                "UPDATE process SET identity = 'command'");
    assert_int_equal(merge(k, b).event.new_ones, 1);
    kit_expect(k,
               "SELECT name, name_rank, name_ms, command, command_ms, identity, "
               "(SELECT count(*) FROM snapshot) FROM process JOIN name USING (name_id)",
               "better|2|1700000010000|early command|1700000010000|command|2\n");
    assert_true(whole_store(k));
    kit_free(b);
}

/* Minute n of a job on host "one". */
static void put_sweep(const kit *k, int64_t n)
{
    pm_sweep sweep = {.host = "one",
                      .boot_id = "b",
                      .selection = "--all",
                      .every_ms = 60000,
                      .started_ms = 1700000000000 + 60000 * n,
                      .mono_ns = n};
    pm_live live = {.boot_id = "b", .mono_ns = n, .utc_ms = sweep.started_ms};
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 7, sweep.started_ms);

    kit_map(k, c, 0x1000, 64, "rw-p", "");
    kit_name(c, "app", PM_NAME_GIVEN);
    c->host = "one";
    c->start_time = 5;
    c->live = &live;
    c->time_source = PM_TIME_LIVE;
    kit_store_sweep(k, &sweep, sweep.started_ms + 5, &c, 1);
    pm_capture_free(c);
}

#define HELD                                                                                  \
    "SELECT (SELECT count(*) FROM snapshot), (SELECT count(*) FROM beat), (j.pruned_ms - "    \
    "1700000000000) / 60000, (j.removed_ms - 1700000000000) / 60000, (SELECT (n.pruned_ms - " \
    "1700000000000) / 60000 FROM name n) FROM schedule j"

/* Sweeps that this store pruned stay away, even if nothing of their job is left. Sweeps that the
 * other store pruned can come from a third store. */
IN_KIT(pruned_sweeps_stay_away)
{
    const pmapdb_prune_options two = {.keep.last = 2, .max_kib = PMAPDB_UNKNOWN};
    const pmapdb_prune_options none = {
        .drop = true, .force = true, .host = "one", .max_kib = PMAPDB_UNKNOWN};
    kit *b = kit_new(), *c = kit_new();

    for (int64_t n = 0; n < 6; n++)
        put_sweep(b, n);
    assert_int_equal(merge(k, b).event.new_ones, 6);
    kit_expect(k, HELD, "6|6|?|?|?\n");
    kit_prune(k, &two);
    put_sweep(b, 6);
    assert_int_equal(merge(k, b).event.new_ones, 1);
    kit_expect(k, HELD, "3|3|3|3|3\n");
    kit_prune(k, &none);
    put_sweep(b, 7);
    assert_int_equal(merge(k, b).event.new_ones, 1);
    kit_expect(k, HELD, "1|1|6|6|?\n"); /* the name was inserted again */
    kit_prune(b, &two);
    assert_int_equal(merge(c, b).event.new_ones, 2);
    kit_expect(c, HELD, "2|2|5|?|5\n");
    assert_int_equal(merge(c, k).event.new_ones, 0);
    put_sweep(k, 9);
    kit_exec(k, "UPDATE schedule SET pruned_ms = NULL, removed_ms = NULL");
    put_sweep(k, 1); /* as an older copy of b has it */
    assert_int_equal(merge(c, k).event.new_ones, 2);
    kit_expect(c, HELD, "4|4|6|?|5\n");
    kit_free(b);
    kit_free(c);
}

RUN_TESTS(NULL, NULL)
