/* prune_test: the moments that stay after a prune are unchanged, to the KiB; the store is
 * consistent at every point, even after an interruption; imports continue as before.
 *
 * PMAPDB_SEEDS=N: the number of histories. */
#include "prune_world.h"

#define SEEDS 6

static pmapdb_prune_options options_of(int64_t last, int64_t within_ms)
{
    pmapdb_prune_options o;

    pmapdb_prune_defaults(&o);
    o.keep = (pmapdb_keep){.last = last, .within_ms = within_ms};
    return o;
}

/* ---- histories ---- */

/* The rules in SQL: keeps the newest `last` moments of each name, moments within, and pinned ones.
 */
static void expect_kept(const kit *k, int64_t last, int64_t within_ms)
{
    pm_buf sql = {0};

    kit_exec(k, "DROP TABLE IF EXISTS temp.kept");
    pm_buf_addf(&sql, NULL,
                "CREATE TEMP TABLE kept AS WITH x AS (SELECT s.snapshot_id, p.name_id, "
                "s.moment_ms, dense_rank() OVER (PARTITION BY p.name_id ORDER BY s.moment_ms DESC) "
                "AS k, max(s.moment_ms) OVER (PARTITION BY p.name_id) AS newest FROM snapshot s "
                "JOIN process p ON p.process_id = s.process_id) SELECT snapshot_id FROM x WHERE k "
                "<= %lld OR moment_ms > newest - %lld OR (name_id, moment_ms) IN (SELECT "
                "y.name_id, y.moment_ms FROM x y JOIN pin i ON i.snapshot_id = y.snapshot_id)",
                (long long)last, (long long)within_ms);
    kit_exec(k, sql.data);
    pm_buf_free(&sql);
}

static const char *const not_as_expected[] = {
    "SELECT 'kept', snapshot_id FROM (SELECT snapshot_id FROM snapshot EXCEPT SELECT snapshot_id "
    "FROM temp.kept)",
    "SELECT 'removed', snapshot_id FROM (SELECT snapshot_id FROM temp.kept EXCEPT SELECT "
    "snapshot_id FROM snapshot)",
};

/* Numbers of every mapping, whatever the ids, beside a store that was never pruned. What depends on
 * captures that are gone may differ: lineages, what rules about neighbours say, which captures
 * less than a second apart are one moment. */
#define NUMBERS(schema)                                                                           \
    "SELECT p.pid, s.taken_ms, s.dialect, s.ordinal, m.start, m.end, m.size_kib, m.rss_kib, "     \
    "m.pss_kib, m.dirty_kib, m.private_kib, m.private_dirty_kib, m.swap_kib, m.perms, m.offset, " \
    "m.device, m.inode, m.flags, m.path, m.ksm_kib FROM " schema ".snapshot s JOIN " schema       \
    ".process p ON p.process_id = s.process_id JOIN " schema                                      \
    ".mappings m ON m.snapshot_id = s.snapshot_id"
static const char *const not_as_given[] = {
    "SELECT 'not as given', * FROM (" NUMBERS("main") " EXCEPT " NUMBERS("whole") ")",
    "SELECT 'missing', * FROM (" NUMBERS(
        "whole") " WHERE (p.pid, s.taken_ms, s.dialect, s.ordinal) IN (SELECT pid, taken_ms, "
                 "dialect, ordinal FROM main.snapshot JOIN main.process USING (process_id)) "
                 "EXCEPT " NUMBERS("main") ")",
};

/* Stores captures in few transactions; order_test varies the transactions. */
static size_t store_some(const kit *k, pm_capture *const *c, size_t n)
{
    return kit_store_all(k, c, n, 5);
}

/* A quarter of the captures comes after the prune, older and newer ones and some between. */
static bool goes_on(const kit *k, const kit *whole, const world_history *h, size_t before)
{
    pm_buf attach = {0};
    size_t new = store_some(k, h->capture + before, h->n - before);
    bool good;

    assert_int_equal(new, h->n - before);
    pm_buf_addf(&attach, NULL, "ATTACH '%s' AS whole", whole->path);
    kit_exec(k, attach.data);
    good = PW_NONE(k, whole_broken) && PW_NONE(k, not_as_given);
    kit_exec(k, "DETACH whole");
    pm_buf_free(&attach);
    return good;
}

/* Prunes. In `many` transactions: each moment weighs more than one transaction, because its
 * snapshots seem to have 8 million mappings. */
static void prune_in(const kit *k, const pmapdb_prune_options *o, bool many)
{
    if (many)
        kit_exec(k, "UPDATE snapshot SET mappings = mappings + 8388608");
    kit_prune(k, o);
    if (many)
        kit_exec(k, "UPDATE snapshot SET mappings = mappings - 8388608");
}

static bool try_seed(kit *k, kit *whole, uint64_t seed)
{
    uint64_t chance = seed;
    world_history h;
    int64_t last = 1 + (int64_t)kit_below(&chance, 9);
    int64_t within_ms = kit_below(&chance, 2) ? (int64_t)kit_below(&chance, 600000) : 0;
    pmapdb_prune_options o = options_of(last, within_ms);
    size_t before;
    bool good;

    kit_anew(k);
    kit_anew(whole);
    pw_history(k, &h, seed, 40);
    store_some(whole, h.capture, h.n);
    before = h.n - h.n / 4;
    world_shuffle(&h, kit_random(&chance));
    store_some(k, h.capture, before);
    if (kit_below(&chance, 2))
        kit_exec(
            k,
            "INSERT INTO pin SELECT snapshot_id, 'x', 0 FROM snapshot WHERE snapshot_id % 29 = 1");
    pw_remember(k);
    expect_kept(k, last, within_ms);
    prune_in(k, &o, kit_below(&chance, 2));
    good = PW_NONE(k, not_as_expected) && PW_NONE(k, pw_changed) && PW_NONE(k, whole_broken) &&
           PW_NONE(k, pw_untidy);
    /* All stored captures are known, removed or not. */
    assert_int_equal(store_some(k, h.capture, before), 0);
    good = good && goes_on(k, whole, &h, before);
    world_free(&h);
    if (!good)
        print_error("seed %llu\n", (unsigned long long)seed);
    return good;
}

IN_KIT(what_stays_is_what_was_there)
{
    kit *whole = kit_new();
    int failed = 0;

    for (WORLD_SEEDS(seed, SEEDS))
        failed += !try_seed(k, whole, seed);
    kit_free(whole);
    assert_int_equal(failed, 0);
}

/* ---- interrupted ---- */

typedef struct interrupt {
    uint64_t calls, at; /* at the at-th call; 0: never */
} interrupt;

static bool stop_between(void *ctx, const pmapdb_progress *progress)
{
    interrupt *i = ctx;

    (void)progress;
    return ++i->calls != i->at;
}

/* Fails a commit: it becomes a rollback, as if the program had been killed before it. */
static int fail_commit(void *ctx)
{
    interrupt *i = ctx;

    return ++i->calls == i->at;
}

/* Conditions that hold at every point; the next prune tidies the rest. */
static const char *const torn[] = {
    "SELECT * FROM pragma_foreign_key_check",
    "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    "SELECT 'orphan epoch', epoch_id FROM epoch WHERE epoch_id NOT IN (SELECT epoch_id FROM "
    "snapshot)",
    "SELECT 'half a moment', moment_ms FROM (SELECT DISTINCT p.name_id, t.moment_ms FROM temp.s t "
    "JOIN temp.of_name p ON p.process_id = t.process_id JOIN snapshot n ON n.snapshot_id = "
    "t.snapshot_id) x WHERE EXISTS (SELECT 1 FROM temp.s t JOIN temp.of_name p ON p.process_id = "
    "t.process_id WHERE p.name_id = x.name_id AND t.moment_ms = x.moment_ms AND t.snapshot_id NOT "
    "IN (SELECT snapshot_id FROM snapshot))",
    "SELECT 'end of an epoch', v.epoch_id FROM mapping_version v JOIN (SELECT epoch_id, max(off) "
    "AS top FROM snapshot GROUP BY epoch_id) e ON e.epoch_id = v.epoch_id WHERE v.first > e.top OR "
    "v.last >= e.top",
};

static void describe(const kit *k, pm_buf *out)
{
    pm_buf_clear(out);
    kit_rows(k, out,
             "SELECT s.snapshot_id, s.taken_ms, l.first_snapshot_id, m.* FROM snapshot s LEFT "
             "JOIN mappings m ON m.snapshot_id = s.snapshot_id LEFT JOIN lineage l ON l.lineage_id "
             "= m.lineage_id ORDER BY 1, m.start");
    kit_rows(k, out, "SELECT hash, taken_ms, n, dialect, pid FROM forgotten");
    kit_rows(k, out, "SELECT epoch_id, process_id, dialect, state FROM epoch ORDER BY 1");
}

/* Opens a copy of `filled`. */
static void fill(kit *k, const kit *filled)
{
    char command[256];

    kit_remove_store(k);
    snprintf(command, sizeof command, "cp '%s' '%s'", filled->path, k->path);
    assert_int_equal(system(command), 0);
    kit_open(k);
    pw_remember(k);
    kit_exec(k, "DROP TABLE IF EXISTS temp.of_name; CREATE TEMP TABLE of_name AS SELECT "
                "process_id, name_id FROM process");
}

/* Interrupts a prune at point `at`, checks the store, and runs the prune again to its end. Returns
 * whether the point was reached. */
static bool interrupt_at(kit *k, const kit *filled, uint64_t at, bool in_commit, const pm_buf *want)
{
    pmapdb_prune_options o = options_of(3, 0);
    interrupt i = {0, at};
    pmapdb_prune_result r;
    pmapdb_status st;
    pm_buf got = {0};

    fill(k, filled);
    if (in_commit) {
        sqlite3_commit_hook(k->store->db, fail_commit, &i);
    } else {
        o.ctx = &i;
        o.on_progress = stop_between;
    }
    st = pmapdb_prune(k->store, &o, &r, NULL);
    sqlite3_commit_hook(k->store->db, NULL, NULL);
    if (i.calls < at) {
        assert_int_equal(st, PMAPDB_OK);
        return false;
    }
    assert_int_not_equal(st, PMAPDB_OK);
    assert_true(PW_NONE(k, torn) && PW_NONE(k, pw_changed));
    o = options_of(3, 0);
    kit_prune(k, &o);
    assert_true(PW_NONE(k, pw_changed) && PW_NONE(k, whole_broken) && PW_NONE(k, pw_untidy));
    describe(k, &got);
    assert_string_equal(pm_buf_text(&got).data, pm_buf_text(want).data);
    pm_buf_free(&got);
    return true;
}

IN_KIT(whole_at_every_point)
{
    pmapdb_prune_options o = options_of(3, 0);
    pm_buf want = {0};
    world_history h;
    const uint64_t seed = 7;
    kit *filled = kit_new();

    pw_history(filled, &h, seed, 24);
    world_shuffle(&h, seed);
    store_some(filled, h.capture, h.n);
    kit_close(filled); /* the file has all */
    fill(k, filled);
    kit_prune(k, &o);
    describe(k, &want);
    for (uint64_t at = 1; interrupt_at(k, filled, at, true, &want); at++)
        ;
    for (uint64_t at = 1; interrupt_at(k, filled, at, false, &want); at++)
        ;
    pm_buf_free(&want);
    world_free(&h);
    kit_free(filled);
}

/* A writer that comes between two steps, and one that reads throughout. */
typedef struct company {
    kit other; /* its own connection */
    pm_capture *const *capture;
    size_t n, stored;
    sqlite3_stmt *reader;
} company;

static bool store_one(void *ctx, const pmapdb_progress *progress)
{
    company *c = ctx;

    (void)progress;
    if (c->stored < c->n)
        assert_false(kit_store(&c->other, c->capture[c->stored++]).duplicate);
    return true;
}

/* Checks the rows after the first, which was read before the prune: the reader sees no change. */
static void expect_reader(const company *c, const pm_buf *want)
{
    const char *rest = strchr(pm_buf_text(want).data, '\n') + 1;
    pm_buf got = {0};

    while (sqlite3_step(c->reader) == SQLITE_ROW)
        pm_buf_addf(&got, NULL, "%lld|%lld\n", (long long)sqlite3_column_int64(c->reader, 0),
                    (long long)sqlite3_column_int64(c->reader, 1));
    assert_string_equal(pm_buf_text(&got).data, rest);
    pm_buf_free(&got);
}

IN_KIT(others_go_on)
{
    static const char *const sums = "SELECT snapshot_id, sum(size_kib) FROM mappings GROUP BY 1";
    pmapdb_prune_options o = options_of(2, 0);
    pm_buf want = {0};
    world_history h;
    company c = {.other = *k};
    sqlite3 *db;
    pmapdb_prune_result r;

    pw_history(k, &h, 11, 40);
    store_some(k, h.capture, h.n / 2);
    kit_rows(k, &want, sums);
    kit_open(&c.other);
    c.capture = h.capture + h.n / 2;
    c.n = h.n - h.n / 2;
    assert_int_equal(sqlite3_open(k->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sums, -1, &c.reader, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(c.reader), SQLITE_ROW); /* now it has its state */
    o.ctx = &c;
    o.on_progress = store_one;
    r = kit_prune(k, &o);
    assert_true(c.stored > 1);
    assert_true(r.held); /* by the reader: the file cannot shrink yet */
    expect_reader(&c, &want);
    assert_true(PW_NONE(k, whole_broken));
    store_some(k, c.capture + c.stored, c.n - c.stored);
    assert_int_equal(store_some(k, h.capture, h.n), 0);
    assert_true(PW_NONE(k, whole_broken));
    sqlite3_finalize(c.reader);
    sqlite3_close(db);
    kit_close(&c.other);
    r = kit_keep(k, (pmapdb_keep){.last = 1});
    assert_false(r.held);
    assert_true(PW_NONE(k, whole_broken) && PW_NONE(k, pw_untidy));
    pm_buf_free(&want);
    world_free(&h);
}

/* Others add to moments and pin snapshots after the plan was made. */
static bool join_and_pin(void *ctx, const pmapdb_progress *progress)
{
    company *c = ctx;
    pmapdb_error err = {0};

    (void)progress;
    if (c->stored++)
        return true;
    pw_put_grown(&c->other, 2, 3, 4); /* of the moment of snapshot 4 */
    kit_ok(pmapdb_pin(c->other.store, NULL, "@6", "x", NULL, &err), &err);
    return true;
}

IN_KIT(what_changed_since_the_plan_stays)
{
    pmapdb_prune_options o = options_of(1, 0);
    company c = {.other = *k};
    pmapdb_prune_result r;

    pw_put_grown(k, 1, 0, 10);
    kit_open(&c.other);
    o.ctx = &c;
    o.on_progress = join_and_pin;
    r = kit_prune(k, &o);
    assert_int_equal(r.snapshots_removed, 7);
    kit_expect(k, "SELECT snapshot_id FROM snapshot", "4\n6\n10\n11\n");
    assert_true(PW_NONE(k, whole_broken) && PW_NONE(k, pw_untidy));
    kit_close(&c.other);
    o = options_of(1, 0);
    kit_prune(k, &o);
    kit_expect(k, "SELECT snapshot_id FROM snapshot", "6\n10\n");
}

RUN_TESTS(NULL, NULL)
