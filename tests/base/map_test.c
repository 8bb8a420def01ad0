/* map_test: a map compared with a plain array, and keys with several values. */
#include "unit.h"

#include "base/map.h"

#define KEYS 5000

TEST(keys_keep_their_values)
{
    static int64_t expected[KEYS];
    pm_map map = {0};
    int64_t value = 7;

    assert_false(pm_map_get(&map, 1, &value));
    assert_int_equal(value, 7);
    for (int round = 0; round < 3; round++)
        for (int64_t i = 0; i < KEYS; i++) {
            expected[i] = i * 31 + round;
            assert_int_equal(pm_map_put(&map, (uint64_t)i << 12, expected[i], NULL), PMAPDB_OK);
        }
    assert_int_equal(map.used, KEYS);
    for (int64_t i = 0; i < KEYS; i++) {
        assert_true(pm_map_get(&map, (uint64_t)i << 12, &value));
        assert_int_equal(value, expected[i]);
    }
    assert_false(pm_map_get(&map, (uint64_t)KEYS << 12, &value));
    pm_map_clear(&map);
    assert_false(pm_map_get(&map, 0, &value));
    pm_map_free(&map);
}

static bool has_parity(const void *wanted, int64_t value)
{
    return value % 2 == *(const int64_t *)wanted;
}

TEST(one_hash_of_several_things)
{
    pm_map map = {0};
    int64_t odd = 1, value = 0;

    assert_int_equal(pm_map_add(&map, 42, 10, NULL), PMAPDB_OK);
    assert_false(pm_map_find(&map, 42, has_parity, &odd, &value));
    assert_int_equal(pm_map_add(&map, 42, 11, NULL), PMAPDB_OK);
    assert_true(pm_map_find(&map, 42, has_parity, &odd, &value));
    assert_int_equal(value, 11);
    assert_int_equal(map.used, 2);
    pm_map_free(&map);
}

RUN_TESTS(NULL, NULL)
