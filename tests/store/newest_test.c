/* newest_test: what is remembered of processes does not grow with those that ended. */
#include "kit.h"

#include "store/newest.h"

#define PLACES INT64_C(4096) /* of a table: ids apart by so many meet in one */

static pm_newest_of *get(const kit *k, pm_newest *w, int64_t process_id)
{
    pm_put p = {.sql = k->store->sql, .process_id = process_id, .sweep_ms = KIT_SWEEP};
    pm_newest_of *state = NULL;

    kit_ok(pm_newest_get(&p, w, &state, NULL), NULL);
    assert_non_null(state);
    assert_int_equal(state->process_id, process_id);
    return state;
}

/* A hundred go on, one in each sweep is seen once. Their ids meet in one place of the table. */
static void those_that_ended_are_dropped(void **state)
{
    const kit *k = kit_of(state);
    pm_newest w = {0};
    pm_newest_of *lasting[100];
    size_t most = 0;

    get(k, &w, 999 * PLACES); /* ends at once, and leaves a gap before the others */
    for (int64_t i = 0; i < 100; i++)
        lasting[i] = get(k, &w, (i + 1) * PLACES);
    for (int64_t sweep = 0; sweep < 5000; sweep++) {
        for (int64_t i = 0; i < 100; i++)
            assert_ptr_equal(get(k, &w, (i + 1) * PLACES), lasting[i]);
        get(k, &w, (1000 + sweep) * PLACES);
        most = most > w.used ? most : w.used;
    }
    assert_in_range(most, 100, 1000);
    pm_newest_free(&w);
}

/* Many that are asked for in turns are no ended ones. */
static void those_that_go_on_are_kept(void **state)
{
    enum { MANY = 3000 };
    const kit *k = kit_of(state);
    pm_newest w = {0};
    pm_newest_of *first = get(k, &w, 1);

    for (int sweep = 0; sweep < 4; sweep++)
        for (int64_t i = 1; i <= MANY; i++) {
            pm_newest_of *p = get(k, &w, i);

            if (i == 1)
                assert_ptr_equal(p, first);
        }
    assert_int_equal(w.used, MANY);
    pm_newest_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_KIT(those_that_ended_are_dropped),
        IN_KIT(those_that_go_on_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
