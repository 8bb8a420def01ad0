/* strip_test: version tables taken apart and put together, against lists that are kept by hand. */
#include "kit.h"

#include "store/strip.h"

#define CAPTURES 40
#define KEYS 12

/* value[k][key]: 0 is absent */
typedef struct model {
    int value[CAPTURES][KEYS];
    size_t n;
} model;

static pm_cell cell_of(int key, int value)
{
    pm_cell c = {.key = key + 100};

    for (int i = 0; i < PM_VER_READ; i++)
        c.m.v[i] = PMAPDB_UNKNOWN;
    c.m.v[PM_VER_RSS] = value;
    return c;
}

static void set(pm_strip *s, const model *m, size_t k, uint64_t *seed)
{
    pm_cell cells[KEYS];
    size_t n = 0;

    for (int key = 0; key < KEYS; key++)
        if (m->value[k][key])
            cells[n++] = cell_of(key, m->value[k][key]);
    for (size_t i = n; i > 1; i--) {
        size_t at = kit_below(seed, i);
        pm_cell c = cells[i - 1];

        cells[i - 1] = cells[at];
        cells[at] = c;
    }
    assert_int_equal(pm_strip_set(s, k, cells, n, NULL), PMAPDB_OK);
}

static void fill(model *m, size_t k, uint64_t *seed)
{
    for (int key = 0; key < KEYS; key++) {
        int before = k ? m->value[k - 1][key] : 1;

        m->value[k][key] = kit_below(seed, 4) ? before : (int)kit_below(seed, 4);
    }
}

static void make(model *m, pm_strip *s, uint64_t *seed)
{
    *m = (model){.n = 1 + kit_below(seed, CAPTURES / 2)};
    *s = (pm_strip){0};
    assert_int_equal(pm_strip_init(s, m->n, NULL), PMAPDB_OK);
    for (size_t k = 0; k < m->n; k++) {
        fill(m, k, seed);
        set(s, m, k, seed);
    }
}

/* Each capture of the strip has what the model says. */
static void check(const pm_strip *s, const model *m)
{
    for (size_t k = 0; k < m->n; k++) {
        size_t at = 0;

        for (int key = 0; key < KEYS; key++) {
            bool has = m->value[k][key] != 0;

            assert_int_equal(pm_strip_has_key(s, k, key + 100), has);
            if (!has)
                continue;
            assert_true(at < s->captures[k].n);
            assert_int_equal(s->cells[s->captures[k].cell[at]].key, key + 100);
            assert_int_equal(s->cells[s->captures[k].cell[at]].m.v[PM_VER_RSS], m->value[k][key]);
            at++;
        }
        assert_int_equal(at, s->captures[k].n);
        assert_false(pm_strip_has_key(s, k, 99));
        assert_false(pm_strip_has_key(s, k, 100 + KEYS));
    }
}

/* Sorted, within bounds, open only at the end, and no two equal neighbours. */
static void check_versions(const pm_strip *made, size_t n)
{
    for (size_t i = 0; i < made->n_saved; i++) {
        const pm_version *v = &made->saved[i], *next = v + 1;

        assert_true(v->first >= 0 && v->first < (int64_t)n);
        if (v->last != PMAPDB_UNKNOWN)
            assert_true(v->first <= v->last && v->last < (int64_t)n - 1);
        if (i + 1 == made->n_saved)
            break;
        assert_true(pm_version_compare(v, next) < 0);
        if (v->cell.key != next->cell.key)
            continue;
        assert_true(v->last != PMAPDB_UNKNOWN && v->last < next->first);
        if (v->last + 1 == next->first)
            assert_false(pm_metrics_equal(&v->cell.m, &next->cell.m));
    }
}

/* -> versions -> captures -> versions */
static void round_trip(const pm_strip *s, const model *m)
{
    pm_strip made = {0}, again = {0}, twice = {0};

    assert_int_equal(pm_strip_versions(s, m->n, &made, NULL), PMAPDB_OK);
    check_versions(&made, m->n);
    assert_int_equal(pm_strip_init(&again, m->n, NULL), PMAPDB_OK);
    for (size_t i = 0; i < made.n_saved; i++)
        assert_int_equal(pm_strip_add(&again, m->n, &made.saved[i], NULL), PMAPDB_OK);
    check(&again, m);
    assert_int_equal(again.n_saved, made.n_saved);
    assert_int_equal(pm_strip_versions(&again, m->n, &twice, NULL), PMAPDB_OK);
    assert_int_equal(twice.n_saved, made.n_saved);
    for (size_t i = 0; i < made.n_saved; i++) {
        assert_int_equal(pm_version_compare(&made.saved[i], &twice.saved[i]), 0);
        assert_int_equal(made.saved[i].last, twice.saved[i].last);
        assert_true(pm_metrics_equal(&made.saved[i].cell.m, &twice.saved[i].cell.m));
    }
    pm_strip_free(&made, 0);
    pm_strip_free(&twice, 0);
    pm_strip_free(&again, m->n);
}

static void versions_give_back_the_captures(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t chance = seed;
        model m;
        pm_strip s;

        make(&m, &s, &chance);
        check(&s, &m);
        round_trip(&s, &m);
        pm_strip_free(&s, m.n);
    }
}

static void captures_are_put_between(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t chance = seed;
        model m;
        pm_strip s;

        make(&m, &s, &chance);
        for (int step = 0; step < 10 && m.n < CAPTURES; step++) {
            size_t k = kit_below(&chance, m.n + 1);

            assert_int_equal(pm_strip_make_room(&s, m.n, NULL), PMAPDB_OK);
            pm_strip_open_gap(&s, m.n, k);
            memmove(&m.value[k + 1], &m.value[k], (m.n - k) * sizeof m.value[0]);
            m.n++;
            fill(&m, k, &chance);
            set(&s, &m, k, &chance);
            k = kit_below(&chance, m.n);
            fill(&m, k, &chance);
            set(&s, &m, k, &chance);
            check(&s, &m);
        }
        round_trip(&s, &m);
        pm_strip_free(&s, m.n);
    }
}

static void splits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t chance = seed;
        model m, tail = {0};
        pm_strip s, to = {0};
        size_t k, n;

        make(&m, &s, &chance);
        n = m.n;
        k = kit_below(&chance, n + 1);
        assert_int_equal(pm_strip_split(&s, &to, n, k, NULL), PMAPDB_OK);
        tail.n = n - k;
        memcpy(tail.value, &m.value[k], tail.n * sizeof m.value[0]);
        m.n = k;
        check(&s, &m);
        round_trip(&s, &m);
        pm_strip_free(&s, n);
        check(&to, &tail);
        round_trip(&to, &tail);
        pm_strip_free(&to, tail.n);
    }
}

static void equal_keys_are_refused(void **state)
{
    pm_strip s = {0};
    pm_cell cells[] = {cell_of(1, 1), cell_of(2, 1), cell_of(1, 2)};
    pmapdb_error err;

    (void)state;
    assert_int_equal(pm_strip_init(&s, 1, NULL), PMAPDB_OK);
    assert_int_equal(pm_strip_set(&s, 0, cells, 3, &err), PMAPDB_INPUT);
    pm_strip_free(&s, 1);
}

/* Versions that a damaged file gives reach behind the last capture. */
static void bounds_of_a_file_are_not_trusted(void **state)
{
    pm_strip s = {0};
    pm_version v = {cell_of(1, 1), -5, 900};

    (void)state;
    assert_int_equal(pm_strip_init(&s, 3, NULL), PMAPDB_OK);
    assert_int_equal(pm_strip_add(&s, 3, &v, NULL), PMAPDB_OK);
    for (size_t k = 0; k < 3; k++)
        assert_true(pm_strip_has_key(&s, k, 101));
    pm_strip_free(&s, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_give_back_the_captures),
        cmocka_unit_test(captures_are_put_between),
        cmocka_unit_test(splits),
        cmocka_unit_test(equal_keys_are_refused),
        cmocka_unit_test(bounds_of_a_file_are_not_trusted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
