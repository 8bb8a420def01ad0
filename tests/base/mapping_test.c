/* mapping: the field table, and sums in which unknown is not zero. */
#include "unit.h"

#include "base/record/mapping.h"

TEST(fields_are_found)
{
    assert_int_equal(pm_field_find(PM_TEXT("Rss")), PM_RSS);
    assert_int_equal(pm_field_find(PM_TEXT("rss")), PM_FIELD_COUNT);
    assert_int_equal(pm_field_find(PM_TEXT("")), PM_FIELD_COUNT);
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        assert_int_equal(pm_field_find(pm_text_of(pm_fields[i].key)), i);
}

/* Stores contain bits of these fields: other numbers would change the meaning of old stores. */
TEST(field_numbers_are_fixed)
{
    assert_int_equal(PM_SIZE, 0);
    assert_int_equal(PM_RSS, 3);
    assert_int_equal(PM_PRIVATE_DIRTY, 9);
    assert_int_equal(PM_SWAP, 19);
    assert_int_equal(PM_DIRTY, 24);
    assert_true(PM_FIELD_COUNT <= 32); /* the bits from 32 on are not of numbers */
}

TEST(totals_of_one)
{
    pm_mapping m = {0};

    assert_int_equal(pm_total_of(&m, PM_TOTAL_MAPPINGS), 1);
    for (int i = PM_TOTAL_SIZE; i < PM_TOTAL_COUNT; i++)
        assert_int_equal(pm_total_of(&m, (enum pm_total)i), PMAPDB_UNKNOWN);
    pm_set(&m, PM_SIZE, 132);
    pm_set(&m, PM_RSS, 0);
    pm_set(&m, PM_PRIVATE_DIRTY, 20);
    assert_int_equal(pm_total_of(&m, PM_TOTAL_SIZE), 132);
    assert_int_equal(pm_total_of(&m, PM_TOTAL_RSS), 0);
    assert_int_equal(pm_total_of(&m, PM_TOTAL_PRIVATE),
                     PMAPDB_UNKNOWN); /* the clean half is unknown */
    pm_set(&m, PM_PRIVATE_CLEAN, 4);
    assert_int_equal(pm_total_of(&m, PM_TOTAL_PRIVATE), 24);
    assert_int_equal(pm_total_of(&m, PM_TOTAL_PRIVATE_DIRTY), 20);
}

TEST(sums)
{
    pm_mapping a = {0}, b = {0};
    pm_totals t = {{0}};

    pm_set(&a, PM_SIZE, 132);
    pm_set(&a, PM_RSS, 8);
    pm_set(&b, PM_SIZE, 4);
    pm_totals_add(&t, &a);
    pm_totals_add(&t, &a);
    assert_int_equal(t.v[PM_TOTAL_RSS], 16);
    pm_totals_add(&t, &b);
    pm_totals_add(&t, &a);
    assert_int_equal(t.v[PM_TOTAL_MAPPINGS], 4);
    assert_int_equal(t.v[PM_TOTAL_SIZE], 3 * 132 + 4);
    assert_int_equal(t.v[PM_TOTAL_RSS], PMAPDB_UNKNOWN);
    assert_int_equal(t.v[PM_TOTAL_PSS], PMAPDB_UNKNOWN);
}

RUN_TESTS(NULL, NULL)
