/* running_test: after any coming and going, the sums are those of the mappings that are there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parse/running.h"

#define N 40

static uint64_t draw(uint64_t *seed, uint64_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % n;
}

/* Now and then a field is missing. */
static pm_mapping some_mapping(uint64_t *seed)
{
    pm_mapping m = {.present = draw(seed, 3) ? PM_HAS_FLAGS : PM_HAS_FLAGS | PM_HAS_OFFSET};

    for (int i = 0; i < PM_FIELD_COUNT; i++)
        if (draw(seed, 30))
            pm_set(&m, (enum pm_field)i, draw(seed, 1000));
    return m;
}

static void expect(const pm_running *r, const pm_mapping *m, const bool *there)
{
    pm_totals wanted, got = pm_running_totals(r);
    uint64_t fields = 0;

    pm_totals_zero(&wanted);
    for (int i = 0; i < N; i++)
        if (there[i]) {
            pm_totals_add(&wanted, &m[i]);
            fields |= m[i].present;
        }
    assert_memory_equal(&got, &wanted, sizeof got);
    assert_true(pm_running_fields(r) == fields);
}

static void coming_and_going(void **state)
{
    pm_mapping m[N];
    bool there[N] = {false};
    pm_running r = {0};
    uint64_t seed = 7;

    (void)state;
    for (int i = 0; i < N; i++)
        m[i] = some_mapping(&seed);
    for (int i = 0; i < 20000; i++) {
        uint64_t k = draw(&seed, i / 500 % 2 ? N : 3); /* sometimes hardly any are left */

        there[k] = !there[k];
        if (there[k])
            pm_running_add(&r, &m[k]);
        else
            pm_running_remove(&r, &m[k]);
        expect(&r, m, there);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coming_and_going)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
