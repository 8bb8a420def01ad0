/* select_test: the notations that users write for processes and snapshots. */
#include "kit.h"

#include "base/clock/clock.h"
#include "store/read/select.h"

#define HOUR INT64_C(3600000)
#define MS 1763683200000 /* 2025-11-21T00:00:00Z */

/* One capture per hour, @1..@6: four of pid 1, "redis", then two of pid 2, "worker". */
static void fill(const kit *k)
{
    for (int hour = 0; hour < 6; hour++) {
        pm_capture *c =
            kit_capture(k, PM_DIALECT_PMAP_SMALL_X, hour < 4 ? 1 : 2, MS + (int64_t)hour * HOUR);

        kit_name(c, hour < 4 ? "redis" : "worker", PM_NAME_GIVEN);
        kit_map(k, c, 0x7ff000000000, 132, "rw-p", "[stack]");
        kit_put(k, c);
    }
}

static const pm_scope everything = {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, 0};

/* wanted 0: no such snapshot exists. */
static void picks_of(const kit *k, const pm_scope *scope, const char *dialect, const char *selector,
                     int64_t back_from, int64_t wanted)
{
    pm_pick pick = {0};
    pmapdb_status st = pm_select_snapshot(k->store->sql, scope, pm_text_of(dialect),
                                          pm_text_of(selector), back_from, &pick, NULL);

    if (st != (wanted ? PMAPDB_OK : PMAPDB_NOTFOUND) || (wanted && pick.snapshot_id != wanted))
        fail_msg("%s: status %d, @%lld", selector, (int)st, (long long)pick.snapshot_id);
}

static void picks(const kit *k, const pm_scope *scope, const char *selector, int64_t back_from,
                  int64_t wanted)
{
    picks_of(k, scope, NULL, selector, back_from, wanted);
}

static pmapdb_status pick_any(const kit *k, const char *selector, pm_pick *out, pmapdb_error *err)
{
    return pm_select_snapshot(k->store->sql, &everything, pm_text_of(NULL), pm_text_of(selector),
                              PMAPDB_UNKNOWN, out, err);
}

static void picks_none(const kit *k, const char *selector, pmapdb_status wanted, const char *says)
{
    pm_pick pick;
    pmapdb_error err = {0};

    kit_fails(pick_any(k, selector, &pick, &err), wanted, &err, says);
}

/* Expects the first snapshot, and the mark that the time is before it. */
static void clips(const kit *k, const char *selector)
{
    pm_pick pick;

    kit_ok(pick_any(k, selector, &pick, NULL), NULL);
    assert_int_equal(pick.snapshot_id, 1);
    assert_true(pick.clipped);
}

IN_KIT(words)
{
    fill(k);
    picks(k, &everything, "first", PMAPDB_UNKNOWN, 1);
    picks(k, &everything, "last", PMAPDB_UNKNOWN, 6);
    picks(k, &everything, "prev", PMAPDB_UNKNOWN, 5);
    picks(k, &everything, "@3", PMAPDB_UNKNOWN, 3);
    picks(k, &(const pm_scope){1, PMAPDB_UNKNOWN, 0}, "last", PMAPDB_UNKNOWN, 4);
    picks(k, &(const pm_scope){2, PMAPDB_UNKNOWN, 0}, "first", PMAPDB_UNKNOWN, 5);
    picks(k, &(const pm_scope){PMAPDB_UNKNOWN, 1, 0}, "prev", PMAPDB_UNKNOWN, 3);
}

IN_KIT(times)
{
    char ago[40];

    fill(k);
    picks(k, &everything, "2025-11-21T02:00:00Z", PMAPDB_UNKNOWN, 3);
    picks(k, &everything, "2025-11-21T02:59:59Z", PMAPDB_UNKNOWN, 3);
    picks(k, &everything, "2025-11-21T04:30+02:00", PMAPDB_UNKNOWN, 3);
    picks(k, &everything, "1763683200", PMAPDB_UNKNOWN, 1);
    picks(k, &everything, "2031-01-01", PMAPDB_UNKNOWN, 6);
    picks(k, &everything, "now", PMAPDB_UNKNOWN, 6);
    /* from the clock */
    snprintf(ago, sizeof ago, "now-%lldms", (long long)(pm_clock_now() - MS - 3 * HOUR - 5000));
    picks(k, &everything, ago, PMAPDB_UNKNOWN, 4);
    snprintf(ago, sizeof ago, "%lldms ago", (long long)(pm_clock_now() - MS - 3 * HOUR - 5000));
    picks(k, &everything, ago, PMAPDB_UNKNOWN, 4);
    picks(k, &everything, "yesterday", PMAPDB_UNKNOWN, 6);
    clips(k, "2025-11-20");
    clips(k, "-7d");
}

IN_KIT(spans_count_back_from_the_newest)
{
    fill(k);
    picks(k, &everything, "-2h", PMAPDB_UNKNOWN, 4);
    picks(k, &everything, "-90m", PMAPDB_UNKNOWN, 4);
    picks(k, &everything, "-0s", PMAPDB_UNKNOWN, 6);
    picks(k, &(const pm_scope){1, PMAPDB_UNKNOWN, 0}, "-2h", PMAPDB_UNKNOWN, 2);
    /* or from the time of --to */
    picks(k, &everything, "-2h", MS + 3 * HOUR, 2);
    picks(k, &everything, "-1h", MS + HOUR, 1);
    picks(k, &everything, "2h", PMAPDB_UNKNOWN, 4);
}

IN_KIT(errors_list_what_there_is)
{
    fill(k);
    picks_none(k, "@99", PMAPDB_NOTFOUND,
               "@1 (first, 2025-11-21T00:00:00Z) to @6 (last, 2025-11-21T05:00:00Z)");
    picks_none(k, "newest", PMAPDB_USAGE,
               "'newest' is not a snapshot: give first, last, prev, @ID");
    picks_none(k, "-2x", PMAPDB_USAGE, "'-2x'");
    picks_none(k, "", PMAPDB_USAGE, "''");
    picks_none(k, "@", PMAPDB_USAGE, "'@'");
    picks_none(k, "now-", PMAPDB_USAGE, "'now-'");
}

/* @1 is not in the series of another process. */
IN_KIT(ids_of_other_processes_are_not_in_scope)
{
    fill(k);
    picks(k, &(const pm_scope){2, PMAPDB_UNKNOWN, 0}, "@1", PMAPDB_UNKNOWN, 0);
}

IN_KIT(a_dialect_has_its_own_series)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 1, MS + 2 * HOUR);

    fill(k);
    kit_map(k, c, 0x7ff000000000, 132, "rw-p", "[stack]");
    kit_put(k, c);
    /* The dialect with most fields is taken, unless another one is asked for. */
    picks(k, &everything, "2025-11-21T02:30Z", PMAPDB_UNKNOWN, 7);
    picks_of(k, &everything, "smaps", "last", PMAPDB_UNKNOWN, 7);
    picks_of(k, &everything, "pmap-x", "2025-11-21T02:30Z", PMAPDB_UNKNOWN, 3);
    picks_of(k, &everything, "maps", "last", PMAPDB_UNKNOWN, 0);
}

/* ---- processes ---- */

static void is_scope(const kit *k, const char *selector, int64_t process_id, int64_t name_id)
{
    pm_scope scope;
    pmapdb_error err = {0};

    kit_ok(pm_select_process(k->store->sql, pm_text_of(selector), &scope, &err), &err);
    assert_int_equal(scope.process_id, process_id);
    assert_int_equal(scope.name_id, name_id);
}

static void is_no_scope(const kit *k, const char *selector, const char *says)
{
    pm_scope scope;
    pmapdb_error err = {0};

    kit_fails(pm_select_process(k->store->sql, pm_text_of(selector), &scope, &err), PMAPDB_NOTFOUND,
              &err, says);
}

IN_KIT(processes)
{
    is_no_scope(k, "only", "the store is empty");
    fill(k);
    is_scope(k, "", PMAPDB_UNKNOWN, PMAPDB_UNKNOWN);
    is_scope(k, "redis", PMAPDB_UNKNOWN, 1);
    is_scope(k, "1", 1, PMAPDB_UNKNOWN);
    is_scope(k, "worker/2", 2, PMAPDB_UNKNOWN);
    is_scope(k, "@2", 2, PMAPDB_UNKNOWN);
    is_no_scope(k, "only",
                "which process? give one, the largest are first; there are: redis/1, worker/2");
    is_no_scope(k, "nginx", "no process 'nginx'; there are: redis/1, worker/2");
    is_no_scope(k, "redis/2", "no process 'redis/2'");
    is_no_scope(k, "@9", "no process '@9'");
    is_no_scope(k, "77", "no process '77'");
}

/* An exec changed the program of redis/1: the program that it ran before does not select it. */
IN_KIT(the_last_known_program_selects)
{
    fill(k);
    kit_exec(k, "UPDATE process SET boot_id = 'b'");
    kit_exec(k, "INSERT INTO live_process (live_process_id, hash, comm, exe) "
                "VALUES (1, 1, 'old', '/bin/older'), (2, 2, 'new', '/bin/newer')");
    kit_exec(k, "INSERT INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, "
                "longest_us) VALUES (1, 1, 0, 0, 0, 0), (3, 2, 0, 0, 0, 0)");
    is_scope(k, "new", 1, PMAPDB_UNKNOWN);
    is_scope(k, "newer", 1, PMAPDB_UNKNOWN);
    is_no_scope(k, "old", "no process 'old'");
    is_no_scope(k, "older", "no process 'older'");
}

IN_KIT(the_only_one_needs_no_name)
{
    pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, 1, MS);

    kit_name(c, "a/b:c", PM_NAME_GIVEN);
    kit_map(k, c, 0x10000, 8, "rw-p", "");
    kit_put(k, c);
    is_scope(k, "only", PMAPDB_UNKNOWN, 1);
    is_scope(k, "a/b:c", PMAPDB_UNKNOWN, 1);
    is_scope(k, "a/b:c/1", 1, PMAPDB_UNKNOWN);
}

IN_KIT(lives_of_one_pid_must_be_chosen)
{
    for (int life = 0; life < 2; life++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, 7, MS + (int64_t)life * HOUR);

        kit_name(c, "app", PM_NAME_GIVEN);
        kit_map(k, c, 0x7ff000000000U + (uint64_t)life * 4096, 132, "rw-p", "[stack]");
        kit_put(k, c);
    }
    is_no_scope(k, "7", "'7' means 2 processes");
    is_no_scope(k, "app/7", "as @ID");
    is_scope(k, "app", PMAPDB_UNKNOWN, 1);
    is_scope(k, "only", PMAPDB_UNKNOWN, 1);
}

IN_KIT(hosts)
{
    static const char *const names[] = {"web1", "web2"};

    for (int i = 0; i < 2; i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_PMAP_SMALL_X, i + 1, MS);

        c->host = names[i];
        kit_name(c, "app", PM_NAME_GIVEN);
        kit_map(k, c, 0x10000, 8, "rw-p", "");
        kit_put(k, c);
    }
    is_no_scope(k, "app", "there are: web1:app/1, web2:app/2");
    is_scope(k, "web2:app", PMAPDB_UNKNOWN, 2);
    is_no_scope(k, "web3:app", "no process");
    for (int i = 0; i < 2; i++) {
        const pm_scope host = {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, i + 1};

        picks(k, &host, "first", PMAPDB_UNKNOWN, i + 1);
        picks(k, &host, "last", PMAPDB_UNKNOWN, i + 1);
    }
}

RUN_TESTS(NULL, NULL)
