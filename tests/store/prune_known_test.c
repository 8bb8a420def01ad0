/* prune_known_test: imports recognise removed captures; data of live captures is removed with them;
 * compacting. */
#include "prune_world.h"

#include "store/write/import_log.h"

/* ---- what imports know ---- */

/* Captures from standard input and live captures leave no trace: they cannot come again. */
IN_KIT(traces)
{
    static const pm_time_source sources[] = {PM_TIME_GIVEN, PM_TIME_STREAM, PM_TIME_NAME,
                                             PM_TIME_MTIME, PM_TIME_NOW,    PM_TIME_LIVE,
                                             PM_TIME_EVERY};
    pm_capture *c[8];

    for (size_t i = 0; i < 7; i++) {
        c[i] = pw_grown(k, 1, (int64_t)i);
        c[i]->time_source = sources[i];
        kit_store(k, c[i]);
    }
    pw_put_grown(k, 1, 20, 21);
    pw_keep_last(k, 1);
    kit_expect(
        k, "SELECT hash, taken_ms, n, ordinal, dialect, pid, host_id, import_log_id FROM forgotten",
        "1000|1700000000000|0|0|pmap-x|1|?|?\n"
        "1001|1700000060000|0|0|pmap-x|1|?|?\n"
        "1002|1700000120000|0|0|pmap-x|1|?|?\n"
        "1003|1700000180000|0|0|pmap-x|1|?|?\n"
        "1006|1700000360000|0|0|pmap-x|1|?|?\n");
    for (size_t i = 0; i < 7; i++) {
        bool again = sources[i] == PM_TIME_NOW || sources[i] == PM_TIME_LIVE;
        pm_stored stored;

        if (sources[i] == PM_TIME_MTIME)
            c[i]->taken_ms += 999; /* of the same second */
        stored = kit_store(k, c[i]);
        assert_int_equal(stored.duplicate, !again);
        assert_int_equal(stored.pruned, !again);
        assert_int_equal(stored.snapshot_id == 0, !again);
        pm_capture_free(c[i]);
    }
    kit_expect(k, "SELECT count(*) FROM snapshot", "3\n");
}

/* A capture of another host, pid, time, hash or dialect is not the same. */
IN_KIT(a_trace_is_of_one_capture)
{
    pm_capture *c = pw_grown(k, 1, 0);

    kit_store(k, c);
    pw_put_grown(k, 1, 5, 6);
    pw_keep_last(k, 1);
    assert_true(kit_store(k, c).pruned);
    c->host = "one";
    assert_false(kit_store(k, c).duplicate);
    c->host = NULL;
    c->pid = 2;
    assert_false(kit_store(k, c).duplicate);
    c->pid = 1;
    c->taken_ms++;
    assert_false(kit_store(k, c).duplicate);
    c->taken_ms--;
    c->block.hash++;
    assert_false(kit_store(k, c).duplicate);
    c->block.hash--;
    c->block.dialect = PM_DIALECT_PMAP;
    assert_false(kit_store(k, c).duplicate);
    pm_capture_free(c);
}

/* Two hosts gave the same bytes at the same time. */
IN_KIT(equal_traces_are_told_apart)
{
    const char *hosts[] = {NULL, "one", "two"};

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            pm_capture *c = pw_grown(k, 1, 0);

            c->host = hosts[i];
            assert_int_equal(kit_store(k, c).pruned, round == 1);
            pm_capture_free(c);
            c = pw_grown(k, 1, 9);
            c->host = hosts[i];
            kit_put(k, c);
        }
        pw_keep_last(k, 1);
    }
    kit_expect(k, "SELECT count(*), max(n) FROM forgotten", "3|2\n");
}

/* A log without times is identified by its sequence, whose beginning a prune removed. */
IN_KIT(a_log_goes_on)
{
    pm_log_block blocks[8];
    int64_t log_id, again, last_ms;
    pmapdb_error err = {0};

    for (size_t i = 0; i < 8; i++)
        blocks[i] = (pm_log_block){.pid = 1, .hash = 1000 + i};
    kit_ok(pm_log_match(k->store, NULL, blocks, 5, PW_AT(4), &log_id, &last_ms, &err), &err);
    for (int64_t n = 0; n < 5; n++) {
        pm_capture *c = pw_grown(k, 1, n);

        c->log_id = (uint64_t)log_id;
        c->time_source = PM_TIME_EVERY;
        kit_put(k, c);
    }
    pw_keep_last(k, 2);
    kit_ok(pm_log_match(k->store, NULL, blocks, 7, PW_AT(9), &again, &last_ms, &err), &err);
    assert_int_equal(again, log_id);
    assert_int_equal(last_ms, PW_AT(4));
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(blocks[i].known, i < 5);
        assert_int_equal(blocks[i].taken_ms, i < 5 ? PW_AT((int64_t)i) : 0);
    }
    /* With all of its captures removed, the log is still the same. */
    pw_prune(k, &(pmapdb_prune_options){
                    .drop = true, .force = true, .process = "app", .max_kib = PMAPDB_UNKNOWN});
    kit_ok(pm_log_match(k->store, NULL, blocks, 4, PW_AT(3), &again, &last_ms, &err), &err);
    assert_int_equal(again, log_id);
    assert_true(blocks[0].known && blocks[3].known);
}

/* ---- live captures ---- */

/* Stores a sweep of these processes. */
static void put_sweep(const kit *k, int64_t n, const int64_t *pids, size_t n_pids)
{
    pm_sweep sweep = {.host = "one",
                      .boot_id = "b",
                      .selection = "--all",
                      .every_ms = 60000,
                      .started_ms = PW_AT(n),
                      .mono_ns = n};
    pm_live live = {.boot_id = "b", .mono_ns = n, .utc_ms = PW_AT(n)};
    pm_capture *c[2];

    live.standing.comm = PM_TEXT("app");
    live.standing.environment = (pm_text){"A=1\0B=2", 8};
    live.standing.ppid = n < 5 ? 1 : 2; /* the parent ended: another live process */
    for (size_t i = 0; i < n_pids; i++) {
        c[i] = pw_grown(k, pids[i], n);
        c[i]->host = "one";
        c[i]->start_time = 77;
        c[i]->time_source = PM_TIME_LIVE;
        c[i]->live = &live;
    }
    kit_store_sweep(k, &sweep, PW_AT(n) + 5, c, n_pids);
    for (size_t i = 0; i < n_pids; i++)
        pm_capture_free(c[i]);
}

#define SWEEPS                                                                                     \
    "SELECT (SELECT count(*) FROM capture), (SELECT count(*) FROM beat), (SELECT count(*) FROM "   \
    "schedule), (SELECT count(*) FROM live_reading), (SELECT count(*) FROM live_process), "        \
    "(SELECT count(*) FROM environment), (SELECT count(*) FROM forgotten), (SELECT count(*) FROM " \
    "host)"

/* Prunes without the check that captures have snapshots: a sweep may be empty. */
static void prune_sweeps(const kit *k, const pmapdb_prune_options *o)
{
    kit_prune(k, o);
    assert_true(PW_NONE(k, pw_untidy));
    kit_expect(k, "SELECT * FROM pragma_foreign_key_check", "");
}

IN_KIT(sweeps)
{
    static const int64_t pids[] = {1, 100};
    pmapdb_prune_options o = {.keep.last = 2, .max_kib = PMAPDB_UNKNOWN, .process = "app"};

    for (int64_t n = 0; n < 10; n++)
        put_sweep(k, n, pids, n == 4 || n == 9 ? 0 : 2); /* empty sweeps */
    kit_expect(k, SWEEPS, "10|10|1|16|2|4|0|1\n");
    prune_sweeps(k, &o); /* the snapshots of db keep the sweeps */
    kit_expect(k, SWEEPS, "9|9|1|10|2|4|0|1\n");
    o.process = "db";
    prune_sweeps(k, &o); /* the last empty sweep is newer than all removed ones */
    kit_expect(k, SWEEPS, "3|3|1|4|1|2|0|1\n");
    o = (pmapdb_prune_options){
        .drop = true, .force = true, .host = "one", .max_kib = PMAPDB_UNKNOWN};
    prune_sweeps(k, &o);
    kit_expect(k, SWEEPS, "1|1|1|0|0|0|0|1\n");
}

/* The series and the job remember the newest capture that was removed. */
IN_KIT(how_far_is_remembered)
{
    static const int64_t pids[] = {1, 100};
    pmapdb_prune_options o = {.keep.last = 3, .max_kib = PMAPDB_UNKNOWN, .process = "app"};

    for (int64_t n = 0; n < 10; n++)
        put_sweep(k, n, pids, 2);
    prune_sweeps(k, &o);
    kit_expect(k,
               "SELECT name, (pruned_ms - 1700000000000) / 60000, (SELECT count(*) FROM schedule "
               "WHERE pruned_ms IS NULL AND removed_ms IS NULL) FROM name ORDER BY name",
               "app|6|1\ndb|?|1\n");
    o = (pmapdb_prune_options){.keep.last = 5, .max_kib = PMAPDB_UNKNOWN};
    prune_sweeps(k, &o);
    kit_expect(k,
               "SELECT name, (n.pruned_ms - 1700000000000) / 60000, (j.pruned_ms - 1700000000000) "
               "/ 60000, j.removed_ms = j.pruned_ms FROM name n, schedule j ORDER BY name",
               "app|6|4|1\ndb|4|4|1\n");
    o = (pmapdb_prune_options){
        .drop = true, .force = true, .host = "one", .max_kib = PMAPDB_UNKNOWN};
    prune_sweeps(k, &o); /* a merge needs the job */
    kit_expect(k, "SELECT (removed_ms - 1700000000000) / 60000 FROM schedule", "9\n");
}

IN_KIT(an_empty_name_is_refused)
{
    pmapdb_prune_options o = {
        .drop = true, .force = true, .process = "", .max_kib = PMAPDB_UNKNOWN};
    pmapdb_prune_result r;
    pmapdb_error err = {0};

    pw_put_grown(k, 1, 0, 3);
    assert_int_equal(pmapdb_prune(k->store, &o, &r, &err), PMAPDB_USAGE);
    o.process = NULL;
    o.host = "";
    assert_int_equal(pmapdb_prune(k->store, &o, &r, &err), PMAPDB_USAGE);
    assert_int_equal(pmapdb_pin(k->store, "", "last", "why", NULL, &err), PMAPDB_USAGE);
    assert_int_equal(pmapdb_unpin(k->store, "app", "", NULL, &err), PMAPDB_USAGE);
    kit_expect(k, "SELECT count(*), (SELECT count(*) FROM pin) FROM snapshot", "3|0\n");
}

/* ---- compacting ---- */

static pmapdb_compact_result compact(const kit *k)
{
    pmapdb_compact_options o = {0};
    pmapdb_compact_result r;
    pmapdb_error err = {0};

    pw_remember(k);
    kit_ok(pmapdb_compact(k->store, &o, &r, &err), &err);
    assert_true(PW_NONE(k, pw_changed) && PW_NONE(k, whole_broken) && PW_NONE(k, pw_untidy));
    return r;
}

/* Compacting makes epochs no larger than appending does. */
IN_KIT(epochs_stay_bounded)
{
    world_history h;
    pmapdb_compact_result r;
    int64_t in_order;

    pw_history(k, &h, 3, 60);
    kit_store_all(k, h.capture, h.n, 4);
    r = compact(k);
    in_order = (int64_t)r.epochs_before;
    assert_true(r.epochs_after <= r.epochs_before);
    kit_anew(k);
    for (size_t i = 0; i < h.n; i++)
        kit_store(k, h.capture[(i * 89) % h.n]);
    assert_int_not_equal(h.n % 89, 0);
    r = compact(k);
    assert_true((int64_t)r.epochs_after <= in_order + in_order / 2);
    world_free(&h);
    kit_anew(k);
    pw_fill(k, 300);
    r = compact(k);
    assert_true(r.epochs_before > 40);
    assert_true(r.epochs_after + 2 >= r.epochs_before); /* they were full */
}

/* Blocks of one file and moment share a row of table capture; a prune between two of them took it.
 */
IN_KIT(a_capture_that_went_is_made_again)
{
    pm_capture *first = pw_grown(k, 1, 0), *second = pw_grown(k, 2, 0);
    int64_t capture_id = 0;
    pm_stored stored;
    pmapdb_error err = {0};

    kit_ok(kit_try(k->store, first, &capture_id, &stored, &err), &err);
    pw_put_grown(k, 1, 5, 6);
    pw_keep_last(k, 1);
    kit_ok(kit_try(k->store, second, &capture_id, &stored, &err), &err);
    assert_false(stored.duplicate);
    assert_true(PW_NONE(k, whole_broken));
    pm_capture_free(first);
    pm_capture_free(second);
}

RUN_TESTS(NULL, NULL)
