/* same_test: a store whose writer recognises the mappings of the capture before is, byte for byte,
 * the one of a writer that compares them all. */
#include "whole.h"
#include "world.h"

#define MS INT64_C(1700000000000)
#define BEATS 220

static int by_start(const void *a, const void *b, void *pool)
{
    const pm_mapping *x = pm_pool_get(pool, *(const uint32_t *)a);
    const pm_mapping *y = pm_pool_get(pool, *(const uint32_t *)b);

    return x->start < y->start ? -1 : x->start > y->start;
}

/* One process as captures show it. */
typedef struct subject {
    world world;
    int64_t pid, start_time;
    pm_dialect dialect;
    bool no_pss, no_ksm; /* its kernel does not print it */
} subject;

static void step(subject *s, uint64_t *seed)
{
    for (uint64_t n = kit_below(seed, 4); n; n--)
        world_step(&s->world, seed);
    if (kit_below(seed, 30) == 0)
        s->dialect = s->dialect == PM_DIALECT_SMAPS ? PM_DIALECT_PMAP_SMALL_X : PM_DIALECT_SMAPS;
    if (kit_below(seed, 50) == 0)
        s->no_ksm = !s->no_ksm;
    if (kit_below(seed, 20) == 0)
        s->no_pss = !s->no_pss;
    if (kit_below(seed, 70) == 0)
        s->start_time++;
}

/* Takes a field from row i. */
static void lack(const kit *k, pm_capture *c, size_t i, enum pm_field field)
{
    pm_mapping m = *pm_capture_row(c, i);

    m.value[field] = 0;
    m.present &= ~PM_BIT(field);
    kit_ok(pm_pool_mapping(k->pool, &m, &c->rows[i], NULL), NULL);
}

static void adjust(const kit *k, const subject *s, pm_capture *c)
{
    c->block.fields = 0;
    pm_totals_zero(&c->block.totals);
    for (size_t i = 0; i < c->n_rows; i++) {
        const pm_mapping *m = pm_capture_row(c, i);

        if (s->no_ksm)
            lack(k, c, i, PM_KSM);
        if (s->no_pss && m->start / WORLD_PAGE % 8 == 0) /* some rows only: the sum is unknown */
            lack(k, c, i, PM_PSS);
        c->block.fields |= pm_capture_row(c, i)->present;
        pm_totals_add(&c->block.totals, pm_capture_row(c, i));
    }
}

static pm_live live_at(int64_t ms)
{
    return (pm_live){.boot_id = "boot",
                     .mono_ns = ms * 1000000,
                     .utc_ms = MS + ms,
                     .predicted_us = PMAPDB_UNKNOWN,
                     .standing = {.comm = PM_TEXT("app")}};
}

/* In the order of addresses but for one in twenty, which a tool sorted otherwise. Text of a live
 * process has its start time and sometimes a better name. */
static void put(const kit *k, const subject *s, int64_t ms, uint64_t seed)
{
    pm_live live = live_at(ms);
    pm_capture *c = world_capture(k, &s->world, s->dialect, s->pid, MS + ms, &seed);
    bool is_live = s->pid % 2 && kit_below(&seed, 20);

    adjust(k, s, c);
    if (kit_below(&seed, 20))
        qsort_r(c->rows, c->n_rows, sizeof *c->rows, by_start, k->pool);
    kit_name(c, "app", PM_NAME_EXE);
    if (kit_below(&seed, 40) == 0)
        kit_name(c, kit_below(&seed, 2) ? "x" : "y", PM_NAME_GIVEN);
    if (s->pid % 2)
        c->start_time = s->start_time;
    if (is_live) {
        c->live = &live;
        c->time_source = PM_TIME_LIVE;
    }
    kit_put(k, c);
}

/* A pool of its own for each capture: nothing can be recognised. */
static void renew_pool(kit *k)
{
    pm_pool_free(k->pool);
    kit_ok(pm_pool_new(&k->pool, NULL), NULL);
}

static void chance(kit *knowing, kit *plain, uint64_t seed)
{
    subject subjects[3];

    for (int i = 0; i < 3; i++)
        subjects[i] = (subject){.pid = 40 + i, .dialect = PM_DIALECT_SMAPS};
    for (int64_t beat = 0; beat < BEATS; beat++)
        for (int i = 0; i < 3; i++) {
            int64_t ms = beat * 5000, late = kit_below(&seed, 25) == 0 ? 12500 : 0;
            uint64_t own;

            step(&subjects[i], &seed);
            own = kit_random(&seed);
            put(knowing, &subjects[i], ms - late, own);
            renew_pool(plain);
            put(plain, &subjects[i], ms - late, own);
        }
}

/* What ties captures to a life, or makes up a context; an address of 0: not mapped. */
typedef struct shape {
    uint64_t program, stack, libc;
    const char *perms, *path;
} shape;

static pm_stored put_shape(const kit *k, int64_t beat, const shape *s, const char *name,
                           bool is_live)
{
    pm_live live = live_at(beat * 5000);
    pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 4711, MS + beat * 5000);

    c->block.hash = (uint64_t)beat;
    kit_map(k, c, 0x300000, 64, "r-xp", "/lib/early.so");
    if (s->program)
        kit_map(k, c, s->program, (0x500000 - s->program) / 1024, s->perms, s->path);
    kit_map(k, c, 0x600000, 64, "r-xp", "/bin/other");
    kit_map(k, c, s->libc, (0x800000 - s->libc) / 1024, "r--p", "/lib/libc.so.6");
    kit_map(k, c, s->stack, (UINT64_C(0x7ff0000) - s->stack) / 1024, "rw-p", "[stack]");
    for (size_t i = 0; i < c->n_rows; i++) {
        pm_mapping m = *pm_capture_row(c, i);

        m.present |= PM_HAS_INODE | PM_HAS_PSEUDO;
        kit_ok(pm_pool_mapping(k->pool, &m, &c->rows[i], NULL), NULL);
        c->block.fields |= m.present;
    }
    kit_name(c, name, strcmp(name, "app") == 0 ? PM_NAME_EXE : PM_NAME_GIVEN);
    c->start_time = 7;
    if (is_live) {
        c->live = &live;
        c->time_source = PM_TIME_LIVE;
    }
    return kit_put(k, c);
}

static const shape before = {0x480000, UINT64_C(0x7f00000), 0x780000, "r-xp", "/bin/app"};

/* Only one thing changes. */
static const shape after[] = {
    {0x400000, UINT64_C(0x7f00000), 0x780000, "r-xp", "/bin/app"},
    {0x480000, UINT64_C(0x7e00000), 0x780000, "r-xp", "/bin/app"},
    {0x480000, UINT64_C(0x7f00000), 0x700000, "r-xp", "/bin/app"},
    {0x480000, UINT64_C(0x7f00000), 0x780000, "r--p", "/bin/app"},
    {0x480000, UINT64_C(0x7f00000), 0x780000, "r-xp", "/bin/app2"},
    {0, UINT64_C(0x7f00000), 0x780000, "r-xp", "/bin/app"},
};

static void one_thing(kit *knowing, kit *plain, uint64_t which)
{
    for (int64_t beat = 0; beat < 6; beat++) {
        const shape *s = beat < 3 ? &before : &after[which];

        put_shape(knowing, beat, s, "app", true);
        renew_pool(plain);
        put_shape(plain, beat, s, "app", true);
    }
}

static void fail_where_they_differ(const pm_buf *a, const pm_buf *b, uint64_t seed)
{
    size_t at = 0;

    while (a->data[at] == b->data[at])
        at++;
    at = at > 300 ? at - 300 : 0;
    fail_msg("seed %d:\n%.600s\n----\n%.600s", (int)seed, a->data + at, b->data + at);
}

static void compare(kit *knowing, void (*play)(kit *, kit *, uint64_t), uint64_t seed)
{
    void *plain = NULL;
    pm_buf a, b;

    if (kit_enter(&plain) != 0 || !plain)
        abort();
    play(knowing, plain, seed);
    a = whole_content(knowing);
    b = whole_content(plain);
    if (!pm_text_equal(pm_buf_text(&a), pm_buf_text(&b)))
        fail_where_they_differ(&a, &b, seed);
    assert_true(whole_store(knowing));
    pm_buf_free(&a);
    pm_buf_free(&b);
    kit_leave(&plain);
    kit_remove_store(knowing);
    kit_open(knowing);
}

static void one_thing_changes(void **state)
{
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        compare(kit_of(state), one_thing, i);
}

static void whatever_changes(void **state)
{
    for (uint64_t seed = 1; seed <= 12; seed++)
        compare(kit_of(state), chance, seed);
}

/* A text capture names the process anew: what was known of it is known no longer. */
static void renamed_by_text(void **state)
{
    const kit *k = kit_of(state);
    int64_t first = put_shape(k, 0, &before, "app", true).name_id;

    assert_int_equal(put_shape(k, 1, &before, "app", true).name_id, first);
    assert_int_not_equal(put_shape(k, 2, &before, "best", false).name_id, first);
    assert_int_not_equal(put_shape(k, 3, &before, "app", true).name_id, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(one_thing_changes),
        IN_KIT(whatever_changes),
        IN_KIT(renamed_by_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
