/* rare_fields_test: rows of table rare_fields: one row for all mappings that share it. */
#include "kit.h"

#include "store/dict/row.h"

/* Encodes a mapping of a capture with the same fields. */
static bool of_whole(const pm_mapping *m, pm_rare_fields *out)
{
    pm_metrics row;

    return pm_row_encode(m, m->present, &row, out);
}

/* Returns rare fields with 4 KiB of KSM only. */
static pm_rare_fields detail(void)
{
    pm_mapping m = {.present = PM_NUMBERS};
    pm_rare_fields d;

    m.value[PM_KSM] = 4;
    assert_true(of_whole(&m, &d));
    return d;
}

static int64_t put(const kit *k, const pm_rare_fields *d)
{
    pm_metrics row;

    pm_rare_put(k->store->sql, d, &row);
    return row.v[PM_VER_RARE];
}

IN_KIT(of_a_mapping)
{
    pm_mapping m = {.present = PM_NUMBERS & ~PM_BIT(PM_FILE_PMD), .extra = PM_TEXT("Foo: 8 kB")};
    static const int64_t wanted[PM_RARE_NUMBERS] = {
        7, 8, 9, 10, 11, 1, 2, 3, PMAPDB_UNKNOWN, 5, 6, 12, 13, PMAPDB_UNKNOWN};
    static const int64_t nothing[PM_RARE_NUMBERS] = {0};
    pm_rare_fields d;

    for (size_t i = 0; i < PM_RARE_VALUES; i++)
        m.value[pm_rare_columns[i]] = (uint64_t)(wanted[i] == PMAPDB_UNKNOWN ? 77 : wanted[i]);
    assert_true(of_whole(&m, &d));
    assert_memory_equal(d.number, wanted, sizeof wanted);
    assert_true(pm_text_equal(d.extra, PM_TEXT("Foo: 8 kB")));

    /* 0 is a value where another one is usual. */
    m = (pm_mapping){.present = PM_NUMBERS};
    m.value[PM_PRIVATE_DIRTY] = m.value[PM_SWAP] = 4;
    assert_true(of_whole(&m, &d));
    assert_memory_equal(d.number, nothing, 3 * sizeof *nothing);
}

/* Values that follow from other fields, and unknown values, need no row. */
IN_KIT(usual_values_need_no_row)
{
    pm_mapping m = {.present = PM_NUMBERS & ~PM_BIT(PM_KSM)};
    pm_rare_fields d;

    assert_false(of_whole(&m, &d));
    m.value[PM_KSM] = 4;
    m.value[PM_SHARED_DIRTY] = 8;
    m.value[PM_PRIVATE_DIRTY] = m.value[PM_ANONYMOUS] = 12;
    m.value[PM_PSS_DIRTY] = m.value[PM_DIRTY] = m.value[PM_RSS] = m.value[PM_PSS] = 20;
    m.value[PM_SWAP] = m.value[PM_SWAP_PSS] = 16;
    assert_false(of_whole(&m, &d));
    for (size_t i = 0; i < PM_RARE_NUMBERS; i++)
        assert_int_equal(d.number[i], PMAPDB_UNKNOWN);
}

/* Three quarters of the shared memory are dirty; the part of this process is 40 KiB. */
IN_KIT(a_part_of_the_shared)
{
    pm_mapping m = {.present = PM_NUMBERS};
    pm_rare_fields d;

    m.value[PM_PRIVATE_DIRTY] = m.value[PM_ANONYMOUS] = 8;
    m.value[PM_PRIVATE_CLEAN] = 4;
    m.value[PM_SHARED_DIRTY] = 90;
    m.value[PM_SHARED_CLEAN] = 30;
    m.value[PM_RSS] = 132;
    m.value[PM_DIRTY] = 98;
    m.value[PM_PSS] = 52;
    m.value[PM_PSS_DIRTY] = 38;
    assert_false(of_whole(&m, &d));
    m.value[PM_PSS_DIRTY]--;
    assert_true(of_whole(&m, &d));
    assert_int_equal(d.number[0], 37);
    m.value[PM_SHARED_CLEAN] = m.value[PM_SHARED_DIRTY] = UINT64_C(1)
                                                          << 40; /* too much to multiply */
    m.value[PM_PSS] = UINT64_C(1) << 41;
    assert_true(of_whole(&m, &d));
    assert_int_equal(d.number[0], 37);
}

/* A row that lacks fields of its epoch stores its fields, and the values that no longer follow. */
IN_KIT(what_a_row_lacks)
{
    pm_mapping m = {.present = PM_NUMBERS & ~PM_BIT(PM_SHARED_DIRTY)};
    pm_metrics row;
    pm_rare_fields d;

    m.value[PM_RSS] = 20;
    m.value[PM_PSS_DIRTY] = 4;
    assert_true(pm_row_encode(&m, PM_NUMBERS, &row, &d));
    assert_int_equal(d.number[0], 4);
    assert_int_equal(d.number[1], PMAPDB_UNKNOWN);
    assert_int_equal(d.number[11], 20);
    assert_int_equal(d.number[PM_RARE_FIELDS], m.present);
    pm_rare_put(k->store->sql, &d, &row);
    assert_int_equal(row.v[PM_VER_RARE], 1);
    assert_int_equal(row.v[PM_VER_RSS], 20);
    assert_int_equal(pm_metrics_fields(&row, PM_NUMBERS), m.present);
}

/* Rows differ if a number or the text differs, or is unknown in one of them. */
IN_KIT(equal_ones_share_a_row)
{
    pm_rare_fields first = detail(), d;
    int64_t id[2 * PM_RARE_NUMBERS + 2] = {put(k, &first)};
    size_t n = 1;

    for (size_t i = 0; i < PM_RARE_NUMBERS; i++) {
        d = first;
        d.number[i] = 100;
        id[n++] = put(k, &d);
        d.number[i] = 0;
        id[n++] = put(k, &d);
    }
    d = first;
    d.extra = PM_TEXT("Foo: 8 kB");
    id[n++] = put(k, &d);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(id[i], id[j]);
    assert_int_equal(put(k, &d), id[n - 1]);
    assert_int_equal(put(k, &first), id[0]);
    d = first;
    d.number[3] = 0;
    assert_int_equal(put(k, &d), id[8]);
    kit_expect(k, "SELECT count(*) FROM rare_fields", "30\n");
    kit_expect(
        k, "SELECT ksm_kib, lazy_free_kib, extra FROM rare_fields WHERE rare_fields_id IN (1, 30)",
        "4|?|?\n4|?|Foo: 8 kB\n"); /* no text is NULL */
}

RUN_TESTS(NULL, NULL)
