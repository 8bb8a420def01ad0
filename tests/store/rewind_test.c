/* rewind_test: late captures: rows that refer to captures that are taken off stay; many late
 * captures in one transaction are put back once; an abandoned transaction leaves nothing. */
#include "merged.h"
#include "whole.h"
#include "world.h"

#define T0 INT64_C(1700000000000)
#define MINUTE 60000
#define CAPTURES 40

static void history(const kit *k, pm_capture *out[CAPTURES])
{
    world w = {0};
    uint64_t seed = 7;

    for (int i = 0; i < 8; i++)
        world_add(&w, &seed);
    for (int64_t i = 0; i < CAPTURES; i++) {
        pm_dialect dialect = i % 5 == 3 ? PM_DIALECT_PMAP_SMALL_X : PM_DIALECT_SMAPS;

        out[i] = world_capture(k, &w, dialect, 100, T0 + i * MINUTE, &seed);
        world_step(&w, &seed);
    }
}

static void answer(const kit *k, pm_buf *out)
{
    pm_buf_clear(out);
    kit_rows(k, out,
             "SELECT s.taken_ms, s.dialect, m.start, m.size_kib, m.rss_kib, m.category, m.path "
             "FROM snapshot s JOIN mappings m ON m.snapshot_id = s.snapshot_id ORDER BY 1, 2, 3");
    kit_rows(k, out,
             "SELECT dialect, first_ms, last_ms, start, end, rss_kib, reason, category FROM "
             "lineage_history ORDER BY 1, 2, 4, 3");
    kit_rows(k, out,
             "SELECT s.taken_ms, c.category, c.size_kib, c.rss_kib FROM snapshot s "
             "JOIN categories c ON c.snapshot_id = s.snapshot_id ORDER BY 1, 2");
    kit_rows(k, out, "SELECT count(*), max(off) FROM snapshot GROUP BY epoch_id ORDER BY 1, 2");
}

/* Stores every step-th capture from `from` on. */
static void put_within(const kit *k, pm_capture *const *c, size_t from, size_t step)
{
    pmapdb_error err = {0};

    for (size_t i = from; i < CAPTURES; i += step) {
        pm_stored stored;
        int64_t capture_id = 0;

        kit_ok(pm_store_put_within(k->store, c[i], KIT_SWEEP, &capture_id, &stored, &err), &err);
        assert_true(stored.snapshot_id > 0);
    }
}

static void free_history(pm_capture **c)
{
    for (size_t i = 0; i < CAPTURES; i++)
        pm_capture_free(c[i]);
}

IN_KIT(many_in_one_transaction)
{
    kit *late = kit_new();
    pm_capture *c[CAPTURES];
    pm_buf want = {0}, got = {0};
    pmapdb_error err = {0};

    history(k, c);
    for (size_t i = 0; i < CAPTURES; i++)
        kit_store(k, c[i]);
    answer(k, &want);
    for (size_t i = 0; i < CAPTURES; i += 2)
        kit_store(late, c[i]);
    kit_ok(pm_store_begin(late->store, &err), &err);
    put_within(late, c, 1, 2);
    assert_true(pm_store_put_waits(late->store));
    kit_ok(pm_store_commit(late->store, &err), &err);
    assert_false(pm_store_put_waits(late->store));
    answer(late, &got);
    assert_string_equal(got.data, want.data);
    assert_true(whole_store(late));
    free_history(c);
    pm_buf_free(&want);
    pm_buf_free(&got);
    kit_free(late);
}

IN_KIT(nothing_of_an_abandoned_one)
{
    pm_capture *c[CAPTURES];
    pm_buf want = {0}, got = {0};
    pmapdb_error err = {0};

    history(k, c);
    for (size_t i = 0; i < CAPTURES; i += 2)
        kit_store(k, c[i]);
    answer(k, &want);
    kit_ok(pm_store_begin(k->store, &err), &err);
    put_within(k, c, 1, 4);
    pm_store_rollback(k->store);
    answer(k, &got);
    assert_string_equal(got.data, want.data);
    kit_store(k, c[1]); /* the store still works */
    assert_true(whole_store(k));
    free_history(c);
    pm_buf_free(&want);
    pm_buf_free(&got);
}

IN_KIT(what_refers_to_them_stays)
{
    static const char referred[] =
        "SELECT s.taken_ms, s.capture_id, i.reason, l.read_us FROM snapshot s JOIN pin i ON "
        "i.snapshot_id = s.snapshot_id JOIN live_reading l ON l.snapshot_id = s.snapshot_id "
        "ORDER BY 1";
    pm_capture *c[CAPTURES];
    pm_buf want = {0};

    history(k, c);
    for (size_t i = 0; i < CAPTURES; i++)
        if (i != 3)
            kit_store(k, c[i]);
    kit_exec(k, "INSERT INTO pin SELECT snapshot_id, 'pin ' || taken_ms, 1 FROM snapshot;"
                "INSERT INTO live_process (hash) VALUES (1);"
                "INSERT INTO live_reading (snapshot_id, live_process_id, mono_ns, read_us, cpu_us, "
                "longest_us) SELECT snapshot_id, 1, 1, taken_ms % 1000003, 1, 1 FROM snapshot");
    kit_rows(k, &want, referred);
    kit_store(k, c[3]);
    kit_expect(k, referred, want.data);
    assert_true(whole_store(k));
    free_history(c);
    pm_buf_free(&want);
}

/* ---- after a prune ---- */

#define SLIDES 30
#define PAGE 65536

/* A mapping that moves by half of its length each minute, and one that stays. */
static void slide(const kit *k, pm_capture *out[SLIDES])
{
    for (int64_t i = 0; i < SLIDES; i++) {
        out[i] = kit_capture(k, PM_DIALECT_SMAPS, 100, T0 + i * MINUTE);
        kit_map(k, out[i], 0x400000, 64, "r-xp", "/opt/app");
        if (i >= 4)
            kit_map(k, out[i], 0x10000000 + (uint64_t)i * PAGE, 128, "rw-p", "");
    }
}

/* Stores all but the second one, and leaves every third moment. */
static void fill(const kit *k, pm_capture *const *c)
{
    for (size_t i = 0; i < SLIDES; i++)
        if (i != 1)
            kit_store(k, c[i]);
    kit_exec(k, "INSERT INTO pin SELECT snapshot_id, 'third', 1 FROM snapshot "
                "WHERE taken_ms / 60000 % 3 = 0");
    kit_keep(k, (pmapdb_keep){.last = 1});
}

/* A lineage stays one where a prune removed the captures in which its mapping moved. */
IN_KIT(lineages_over_holes)
{
    pm_capture *c[SLIDES];

    slide(k, c);
    fill(k, c);
    kit_store(k, c[1]);
    kit_expect(k,
               "SELECT count(DISTINCT lineage_id), count(*) > 5 FROM mappings WHERE perms = 'rw-p'",
               "1|1\n");
    assert_true(whole_store(k));
    for (size_t i = 0; i < SLIDES; i++)
        pm_capture_free(c[i]);
}

RUN_TESTS(NULL, NULL)
