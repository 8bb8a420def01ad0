/* merge_known_test: what a merge takes for known, and what it learns of a process besides its
 * captures; by hand. Histories by chance are merge_test.c's. */
#include "merged.h"
#include "whole.h"

/* The same text of one pid at one time: of another life it is another capture. */
static void live_ones_are_known_by_their_life(void **state)
{
    kit *a = kit_of(state), *b = new_kit();
    pm_live live = {.boot_id = "b0000000-0000-0000-0000-000000000000"};
    pm_merge_counts counts;
    void *k = b;

    for (int i = 0; i < 2; i++) {
        pm_capture *c = kit_capture(a, PM_DIALECT_SMAPS, 7, 1700000000000);

        kit_map(a, c, 0x1000, 64, "rw-p", "");
        c->host = "alpha";
        c->live = &live;
        c->time_source = PM_TIME_LIVE;
        c->start_time = 5 + i;
        c->block.hash = 99;
        kit_put(i ? b : a, c);
    }
    counts = merge(a, b);
    assert_int_equal(counts.new, 1);
    counts = merge(a, b);
    assert_int_equal(counts.known, 1);
    kit_leave(&k);
}

/* Copies drop what an mtime has below a second. */
static void an_mtime_counts_in_seconds(void **state)
{
    kit *a = kit_of(state), *b = new_kit();
    pm_merge_options dry = {.sweep_ms = KIT_SWEEP, .dry_run = true};
    pm_merge_counts counts;
    bool theirs;
    void *k = b;

    for (int i = 0; i < 2; i++) {
        pm_capture *c = kit_capture(a, PM_DIALECT_SMAPS, 7, 1700000000000 + INT64_C(700) * i);

        kit_map(a, c, 0x1000, 64, "rw-p", "");
        c->time_source = PM_TIME_MTIME;
        c->block.hash = 99;
        kit_put(i ? b : a, c);
    }
    kit_ok(pm_merge_store(a->store, b->store, &dry, &counts, &theirs, NULL), NULL);
    assert_int_equal(counts.known, 1);
    assert_int_equal(merge(a, b).new, 0);
    kit_leave(&k);
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

/* Who gave the better name and the earlier command was pruned since. */
static void what_a_process_knows_comes_along(void **state)
{
    kit *a = kit_of(state), *b = new_kit();
    void *k = b;

    put_named(a, 1700000050000, "plain", PM_NAME_HEADER, "late command");
    put_named(b, 1700000010000, "better", PM_NAME_COMM, "early command");
    put_named(b, 1700000020000, "plain", PM_NAME_HEADER, "late command");
    kit_exec(b, "PRAGMA foreign_keys = OFF; DELETE FROM snapshots WHERE off = 0;"
                "UPDATE process SET identity = 'command'");
    assert_int_equal(merge(a, b).new, 1);
    kit_expect(a,
               "SELECT name, name_rank, name_ms, command, command_ms, identity, "
               "(SELECT count(*) FROM snapshots) FROM process JOIN name USING (name_id)",
               "better|2|1700000010000|early command|1700000010000|command|2\n");
    assert_true(whole_store(a));
    kit_leave(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(live_ones_are_known_by_their_life),
        IN_KIT(an_mtime_counts_in_seconds),
        IN_KIT(what_a_process_knows_comes_along),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
