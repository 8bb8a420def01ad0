/* rewind_test: late captures: rows that refer to captures that are taken off stay; many late
 * captures in one transaction are put back once; an abandoned transaction leaves nothing; the work
 * can end after any capture, and others write meanwhile. */
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

/* Every step-th from `from` on. */
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

static void many_in_one_transaction(void **state)
{
    kit *in_order = kit_of(state), *late = new_kit();
    pm_capture *c[CAPTURES];
    pm_buf want = {0}, got = {0};
    pmapdb_error err = {0};
    void *leave = late;

    history(in_order, c);
    for (size_t i = 0; i < CAPTURES; i++)
        kit_store(in_order, c[i]);
    answer(in_order, &want);
    for (size_t i = 0; i < CAPTURES; i += 2)
        kit_store(late, c[i]);
    kit_ok(pm_store_begin(late->store, &err), &err);
    put_within(late, c, 1, 2);
    assert_true(pm_store_put_waits(late->store));
    kit_ok(pm_store_put_end(late->store, &err), &err);
    assert_false(pm_store_put_waits(late->store));
    kit_ok(pm_store_commit(late->store, &err), &err);
    answer(late, &got);
    assert_string_equal(got.data, want.data);
    assert_true(whole_store(late));
    free_history(c);
    pm_buf_free(&want);
    pm_buf_free(&got);
    kit_leave(&leave);
}

static void nothing_of_an_abandoned_one(void **state)
{
    kit *k = kit_of(state);
    pm_capture *c[CAPTURES];
    pm_buf want = {0}, got = {0};
    pmapdb_error err = {0};

    history(k, c);
    for (size_t i = 0; i < CAPTURES; i += 2)
        kit_store(k, c[i]);
    answer(k, &want);
    kit_ok(pm_store_begin(k->store, &err), &err);
    put_within(k, c, 1, 4);
    pm_store_abandon(k->store);
    answer(k, &got);
    assert_string_equal(got.data, want.data);
    kit_store(k, c[1]); /* and it goes on */
    assert_true(whole_store(k));
    free_history(c);
    pm_buf_free(&want);
    pm_buf_free(&got);
}

static void what_refers_to_them_stays(void **state)
{
    static const char referred[] =
        "SELECT s.taken_ms, s.capture_id, i.reason, l.read_us FROM snapshot s JOIN pin i ON "
        "i.snapshot_id = s.snapshot_id JOIN live_reading l ON l.snapshot_id = s.snapshot_id "
        "ORDER BY 1";
    kit *k = kit_of(state);
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

/* ---- in turns ---- */

#define NEWEST (CAPTURES - 6) /* these come while others wait */
#define LATE_STEP 4

static bool is_late(size_t i)
{
    return i < NEWEST && i % LATE_STEP == 1;
}

/* What is true of each snapshot, whether it waits or not. */
static void sums(const kit *k, pm_buf *out)
{
    pm_buf_clear(out);
    kit_rows(k, out,
             "SELECT s.taken_ms, s.dialect, m.start, m.size_kib, m.rss_kib, m.path FROM snapshot s "
             "JOIN mappings m ON m.snapshot_id = s.snapshot_id ORDER BY 1, 2, 3");
}

/* All that is stored must read as in a store that never had late captures. */
static void compare_sums(const kit *k, const kit *plain)
{
    pm_buf got = {0}, want = {0};

    sums(k, &got);
    sums(plain, &want);
    assert_string_equal(got.data, want.data);
    pm_buf_free(&got);
    pm_buf_free(&want);
}

/* Another program writes between two turns, so this one reads everything again. */
static void other_writes(const kit *k)
{
    static int n;
    char text[96];
    sqlite3 *db = NULL;

    snprintf(text, sizeof text, "INSERT INTO refused VALUES (%d, 1, 'other')", ++n);
    assert_int_equal(sqlite3_open(k->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Stores captures that are late and puts the others back, one in each transaction; returns the
 * number of transactions. */
static int all_turns(const kit *k, pm_capture *const *c, bool others)
{
    bool later = true;
    int n = 0;

    k->store->turn_ms = 0;
    for (size_t i = 1; i < NEWEST; i += LATE_STEP)
        for (later = true; later; n++) {
            later = kit_turn(k, c[i]).later;
            if (others)
                other_writes(k);
        }
    for (; kit_rest(k); n++)
        if (others)
            other_writes(k);
    return n;
}

static void in_turns(bool others)
{
    kit *in_order = new_kit(), *late = new_kit();
    pm_capture *c[CAPTURES];
    pm_buf want = {0}, got = {0};
    void *leave[] = {in_order, late};

    history(in_order, c);
    for (size_t i = 0; i < CAPTURES; i++)
        kit_store(in_order, c[i]);
    for (size_t i = 0; i < CAPTURES; i++)
        if (!is_late(i))
            kit_store(late, c[i]);
    assert_true(all_turns(late, c, others) >= CAPTURES - CAPTURES / LATE_STEP);
    answer(in_order, &want);
    answer(late, &got);
    assert_string_equal(got.data, want.data);
    compare_sums(late, in_order);
    assert_true(whole_store(late));
    free_history(c);
    pm_buf_free(&want);
    pm_buf_free(&got);
    kit_leave(&leave[0]);
    kit_leave(&leave[1]);
}

static void one_capture_in_a_turn(void **state)
{
    (void)state;
    in_turns(false);
}

static void others_write_between_turns(void **state)
{
    (void)state;
    in_turns(true);
}

/* The program is killed after a turn: what is stored is whole. A capture that comes then waits,
 * too; the next import puts all back. */
static void killed_between_turns(void **state)
{
    kit *in_order = kit_of(state);
    pm_capture *c[CAPTURES];
    pm_buf want = {0}, got = {0};

    history(in_order, c);
    for (size_t i = 0; i < CAPTURES; i++)
        kit_store(in_order, c[i]);
    answer(in_order, &want);
    for (size_t kill = 0; kill < NEWEST; kill += 5) {
        kit *late = new_kit(), *plain = new_kit();
        void *leave[] = {late, plain};

        for (size_t i = 0; i < NEWEST; i++)
            if (!is_late(i))
                kit_store(late, c[i]);
        late->store->turn_ms = 0;
        kit_turn(late, c[1]);
        for (size_t i = 0; i < kill; i++)
            kit_rest(late);
        kit_close(late);
        kit_open(late);
        for (size_t i = NEWEST; i < CAPTURES; i++)
            kit_store(late, c[i]);
        for (size_t i = 0; i < CAPTURES; i++)
            if (!is_late(i) || i == 1)
                kit_store(plain, c[i]);
        compare_sums(late, plain);
        all_turns(late, c, false);
        answer(late, &got);
        assert_string_equal(got.data, want.data);
        assert_true(whole_store(late));
        kit_leave(&leave[0]);
        kit_leave(&leave[1]);
    }
    free_history(c);
    pm_buf_free(&want);
    pm_buf_free(&got);
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
    const pmapdb_prune_options options = {.keep.last = 1, .max_kib = PMAPDB_UNKNOWN};
    pmapdb_prune_result result;
    pmapdb_error err = {0};

    for (size_t i = 0; i < SLIDES; i++)
        if (i != 1)
            kit_store(k, c[i]);
    kit_exec(k, "INSERT INTO pin SELECT snapshot_id, 'third', 1 FROM snapshot "
                "WHERE taken_ms / 60000 % 3 = 0");
    kit_ok(pmapdb_prune(k->store, &options, &result, &err), &err);
}

/* A lineage stays one where a prune removed the captures in which its mapping moved: also where the
 * program is killed between two captures. */
static void lineages_over_holes(void **state)
{
    static const char moved[] = "SELECT count(DISTINCT lineage_id), count(*) > 5 FROM mappings "
                                "WHERE perms = 'rw-p'";
    kit *whole = kit_of(state);
    pm_capture *c[SLIDES];

    slide(whole, c);
    fill(whole, c);
    kit_store(whole, c[1]);
    kit_expect(whole, moved, "1|1\n");
    for (size_t kill = 0; kill < SLIDES / 3; kill++) {
        kit *late = new_kit();
        void *leave = late;

        fill(late, c);
        late->store->turn_ms = 0;
        while (kit_turn(late, c[1]).later)
            continue;
        for (size_t i = 0; i < kill; i++)
            kit_rest(late);
        kit_close(late);
        kit_open(late);
        while (kit_rest(late))
            continue;
        kit_expect(late, moved, "1|1\n");
        assert_true(whole_store(late));
        kit_leave(&leave);
    }
    for (size_t i = 0; i < SLIDES; i++)
        pm_capture_free(c[i]);
}

RUN_TESTS(IN_KIT(killed_between_turns), IN_KIT(lineages_over_holes), TEST(one_capture_in_a_turn),
          TEST(others_write_between_turns), IN_KIT(many_in_one_transaction),
          IN_KIT(nothing_of_an_abandoned_one), IN_KIT(what_refers_to_them_stays))
