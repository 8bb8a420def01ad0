/* map_cache_test: whatever happens between them, captures that are told what those before knew
 * leave the store that captures leave which know nothing: each table but map_cache is equal.
 *
 * PMAPDB_SEEDS=N: so many histories. */
#include "map_equal.h"
#include "map_shot.h"
#include "prune_world.h"

#include "base/num.h"

#define SEEDS 3
#define BEATS 130
#define SUBJECTS 3
#define BEAT_MS 5000

/* ---- what is recalled is what the tables say ---- */

static bool expect_recalled(const kit *k, const subject *s)
{
    pmapdb_error err = {0};
    pm_cached_map map;
    pm_stream got = {0}, want = {0};
    pm_objects *objects = NULL;
    pm_again *again = shot_again();
    bool done = false;

    kit_ok(pm_objects_new(k->store->sql, &objects, &err), &err);
    kit_ok(pm_map_cache_find(k->store->sql, SHOT_HOST, "boot", s->pid, s->start_time, &map, &err),
           &err);
    if (map.process_id) {
        kit_ok(pm_stream_load_head(k->store->sql, map.process_id, s->dialect, PM_STATE_COMPLETE,
                                   &got, &err),
               &err);
        pm_again_know_nothing(again, s->dialect);
        kit_ok(pm_map_cache_read(k->store->sql, objects, &map, &got, again, &done, &err), &err);
        load_rows(k, map.process_id, s->dialect, objects, &want);
    }
    if (done)
        expect_rows(&got, &want);
    pm_stream_free(&got);
    pm_stream_free(&want);
    pm_buf_free(&map.bytes);
    pm_objects_free(objects);
    pm_again_free(again);
    return done;
}

/* ---- histories ---- */

/* One of the two stores. */
typedef struct side {
    kit *k;
    bool cached;         /* knows what the captures before knew */
    shot warm[SUBJECTS]; /* of a program that goes on for some beats */
} side;

static struct {
    size_t shots, recalled, rows, marks, parsed;
} used;

static void step(subject *s, uint64_t *seed)
{
    static const char *const names[] = {"app", "app", "db"};

    for (uint64_t n = kit_below(seed, 4); n; n--)
        world_step(&s->world, seed);
    if (kit_below(seed, 25) == 0)
        s->dialect = s->dialect == PM_DIALECT_SMAPS ? PM_DIALECT_MAPS : PM_DIALECT_SMAPS;
    if (kit_below(seed, 60) == 0)
        s->no_ksm = !s->no_ksm;
    if (kit_below(seed, 60) == 0)
        s->new_key = !s->new_key;
    if (kit_below(seed, 70) == 0) /* exec, or what exe leads to was renamed */
        s->name = names[kit_below(seed, 3)];
    if (kit_below(seed, 70) == 0) { /* it ended, and another has its pid */
        s->start_time++;
        s->world.n = 0;
    }
    while (s->world.n < 5)
        world_step(&s->world, seed);
}

/* Text of the same processes, of any time so far, by another connection or this one. */
static void import_text(const kit *k, const subject *s, int64_t ms, uint64_t seed)
{
    static const pm_dialect dialects[] = {PM_DIALECT_SMAPS, PM_DIALECT_PMAP_SMALL_X,
                                          PM_DIALECT_PMAP_X};
    pm_capture *c = world_capture(k, &s->world, dialects[kit_below(&seed, 3)], s->pid, ms, &seed);

    c->host = SHOT_HOST;
    c->start_time = s->start_time;
    kit_name(c, kit_below(&seed, 9) ? s->name : "better", PM_NAME_GIVEN);
    kit_put(k, c);
}

static void import_by_another(const kit *k, const subject *s, int64_t ms, uint64_t seed)
{
    kit other = *k;

    kit_open(&other);
    import_text(&other, s, ms, seed);
    kit_close(&other);
}

static void tidy(const kit *k, uint64_t which)
{
    pmapdb_prune_options o;
    pmapdb_prune_result r;
    pmapdb_compact_result c;
    pmapdb_error err = {0};

    pmapdb_prune_defaults(&o);
    o.keep.last = 20 + (int64_t)which;
    if (which % 2)
        kit_ok(pmapdb_prune(k->store, &o, &r, &err), &err);
    else
        kit_ok(
            pmapdb_compact(k->store, &(pmapdb_compact_options){.vacuum = which % 4 == 0}, &c, &err),
            &err);
}

/* Captures of all processes in one transaction. `warm`: a program that goes on; it knows, and does
 * not tell. */
static void take_beat(side *x, const subject *s, int64_t ms, uint64_t own, bool warm)
{
    bool broken = kit_below(&own, 11) == 0, disturbed = kit_below(&own, 6) == 0;
    uint64_t noise = kit_random(&own);

    for (int i = 0; i < SUBJECTS; i++) {
        bool recall = x->cached && !x->warm[i].again;

        if (recall)
            used.recalled += expect_recalled(x->k, &s[i]);
        pm_capture_free(x->warm[i].capture);
        x->warm[i].capture = NULL;
        shot_take(x->k, &s[i], ms, own, recall, &x->warm[i]);
        used.shots += recall;
        if (recall && x->warm[i].known) {
            used.rows += x->warm[i].capture->n_rows;
            used.marks += x->warm[i].known;
            used.parsed += x->warm[i].parsed;
        }
    }
    if (disturbed)
        import_by_another(x->k, &s[noise % SUBJECTS], ms - (int64_t)(noise % 4) * 3300, noise);
    for (int tries = broken; tries >= 0; tries--) {
        shot_begin(x->k);
        shot_put(x->k, x->warm, SUBJECTS, x->cached && !warm);
        if (tries)
            pm_store_abandon(x->k->store);
        else
            shot_commit(x->k);
    }
}

static void end_program(side *x)
{
    for (int i = 0; i < SUBJECTS; i++)
        shot_free(&x->warm[i]);
    kit_close(x->k);
    kit_open(x->k);
}

/* Both stores meet the same. */
static void beat(side *x, const subject *s, int64_t n, uint64_t own)
{
    int64_t ms = SHOT_MS + n * BEAT_MS;
    bool warm = n % 40 > 30 && n % 40 < 37, clock_is_back = kit_below(&own, 20) == 0;

    if (!warm || n % 40 == 31)
        end_program(x);
    take_beat(x, s, clock_is_back ? ms - INT64_C(4) * BEAT_MS - 1 : ms, kit_random(&own), warm);
    if (kit_below(&own, 8) == 0)
        import_text(x->k, &s[n % SUBJECTS], ms - (int64_t)kit_below(&own, 30000), own);
    if (kit_below(&own, 14) == 0)
        tidy(x->k, own % 12);
}

static void play(side *a, side *b, uint64_t seed)
{
    subject s[SUBJECTS];
    uint64_t chance = seed;

    for (int i = 0; i < SUBJECTS; i++)
        s[i] =
            (subject){.pid = 40 + i, .start_time = 7, .name = "app", .dialect = PM_DIALECT_SMAPS};
    for (int64_t n = 0; n < BEATS; n++) {
        uint64_t own;

        for (int i = 0; i < SUBJECTS; i++)
            step(&s[i], &chance);
        own = kit_random(&chance);
        beat(a, s, n, own);
        beat(b, s, n, own);
        if (n % 20 == 19)
            expect_equal(a->k, b->k, seed, n);
    }
    expect_equal(a->k, b->k, seed, BEATS);
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    uint64_t n;

    return text && pm_num_all(pm_text_of(text), &n) ? n : otherwise;
}

static void whatever_happens(void **state)
{
    uint64_t seeds = from_environment("PMAPDB_SEEDS", SEEDS);

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        void *plain = NULL;
        side a = {.k = kit_of(state), .cached = true}, b = {.k = NULL};

        if (kit_enter(&plain) != 0 || !plain)
            abort();
        b.k = plain;
        play(&a, &b, seed);
        assert_true(PW_NONE(a.k, whole_broken));
        end_program(&a);
        end_program(&b);
        kit_leave(&plain);
        kit_remove_store(a.k);
        kit_open(a.k);
    }
    print_message("%zu of %zu recalled; of %zu mappings %zu were known, %zu parsed\n",
                  used.recalled, used.shots, used.rows, used.marks, used.parsed);
    assert_true(used.recalled * 3 > used.shots);  /* it is used, though much happens to it */
    assert_true(used.marks * 10 > used.rows * 8); /* and knows most of them */
    assert_true(used.parsed * 4 < used.rows);
}

/* ---- the usual life ---- */

/* An epoch fills up; a few mappings change now and then. */
static void a_long_quiet_life(void **state)
{
    kit *k = kit_of(state);
    subject s = {.pid = 40, .start_time = 7, .name = "app", .dialect = PM_DIALECT_SMAPS};
    uint64_t seed = 4;
    size_t parsed = 0, not_recalled = 0;
    const int64_t n = (int64_t)PM_EPOCH_CAPTURES + 40;
    shot t;

    while (s.world.n < 12)
        world_step(&s.world, &seed);
    for (int64_t i = 0; i < n; i++) {
        if (i % 9 == 0)
            world_touch(&s.world.map[kit_below(&seed, s.world.n)], &seed);
        if (i > (int64_t)PM_EPOCH_CAPTURES - 60)
            assert_true(expect_recalled(k, &s));
        shot_program(k, &s, SHOT_MS + i * BEAT_MS, true, &t);
        not_recalled += t.known == 0;
        parsed += t.known ? t.parsed : 0;
        shot_free(&t);
    }
    kit_expect(k, "SELECT count(*), max(off) FROM snapshots GROUP BY epoch_id",
               "1024|1023\n40|39\n");
    kit_expect(k, "SELECT epoch_id FROM map_cache", "2\n");
    assert_int_equal(not_recalled, 1);
    assert_in_range(parsed, 1, 12 * (size_t)n);
    assert_true(whole_store(k));
}

/* Others began an epoch, and it has more captures by now than the piece has before it. */
static void an_epoch_of_others(void **state)
{
    kit *k = kit_of(state);
    subject s = {.pid = 40, .start_time = 7, .name = "app", .dialect = PM_DIALECT_SMAPS};

    for (int64_t i = 0; i < 5; i++) {
        shot t;

        s.no_ksm = i > 0;
        shot_program(k, &s, SHOT_MS + i * BEAT_MS, i == 0, &t);
        shot_free(&t);
        assert_int_equal(expect_recalled(k, &s), i == 0);
    }
    kit_expect(k, "SELECT epoch_id, off FROM map_cache", "1|0\n");
}

/* Where few rows changed it is left as it is; where many did, it is written. */
static void when_it_is_written(void **state)
{
    static const struct {
        size_t changes;
        const char *off;
    } beats[] = {{0, "0\n"}, {1, "0\n"}, {2, "0\n"}, {12, "3\n"},
                 {0, "3\n"}, {3, "3\n"}, {12, "6\n"}};
    kit *k = kit_of(state);
    subject s = {.pid = 40, .start_time = 7, .name = "app", .dialect = PM_DIALECT_SMAPS};
    uint64_t seed = 9;

    while (s.world.n < 14)
        world_step(&s.world, &seed);
    for (size_t i = 0; i < sizeof beats / sizeof *beats; i++) {
        shot t;

        for (size_t m = 0; m < beats[i].changes; m++)
            s.world.map[m].swap += 4;
        shot_program(k, &s, SHOT_MS + (int64_t)i * BEAT_MS, true, &t);
        shot_free(&t);
        kit_expect(k, "SELECT off FROM map_cache", beats[i].off);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(whatever_happens),
        IN_KIT(a_long_quiet_life),
        IN_KIT(an_epoch_of_others),
        IN_KIT(when_it_is_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
