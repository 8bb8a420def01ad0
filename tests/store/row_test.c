/* row_test: mappings with any fields, whose numbers may contradict each other, have their original
 * values in the view mappings, in the sums and after recall. */
#include "kit.h"

#include "store/recall/recall_rows.h"

#define ROUNDS 400
#define ROWS 8
#define KIB_OF_ROW 64

/* ---- mappings by chance ---- */

/* Equal numbers are frequent, because the encoding leaves out numbers that follow from others. */
static uint64_t any_number(uint64_t *seed)
{
    static const uint64_t some[] = {0, 0, 4, 4, 8, 12, 16, 20, UINT64_C(1) << 40};

    return some[kit_below(seed, COUNT(some))];
}

/* Makes the numbers agree as those of the kernel do. */
static void agree(pm_mapping *m)
{
    uint64_t *v = m->value;

    v[PM_RSS] = v[PM_PRIVATE_DIRTY] + v[PM_PRIVATE_CLEAN] + v[PM_SHARED_CLEAN] + v[PM_SHARED_DIRTY];
    v[PM_DIRTY] = v[PM_SHARED_DIRTY] + v[PM_PRIVATE_DIRTY];
    v[PM_PSS] = v[PM_PRIVATE_DIRTY] + v[PM_PRIVATE_CLEAN] + v[PM_SHARED_DIRTY] / 2;
    v[PM_PSS_DIRTY] = v[PM_PRIVATE_DIRTY] + v[PM_SHARED_DIRTY] / 2;
    v[PM_ANONYMOUS] = v[PM_PRIVATE_DIRTY];
    v[PM_PRIVATE] = v[PM_PRIVATE_DIRTY] + v[PM_PRIVATE_CLEAN];
}

static pm_mapping any_mapping(size_t at, uint64_t fields, uint64_t *seed)
{
    pm_mapping m = {.start = 0x7f0000000000 + at * 0x100000, .perms = "rw-p"};

    bool is_pagemap = fields & PM_BIT(PM_PRIVATE);

    m.end = m.start + UINT64_C(1024) * KIB_OF_ROW;
    m.present = is_pagemap || kit_below(seed, 4) ? fields : fields & kit_random(seed);
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        m.value[i] = any_number(seed);
    if (is_pagemap || kit_below(seed, 3))
        agree(&m);
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        if (!pm_has(&m, PM_BIT(i)))
            m.value[i] = 0;
    return m;
}

/* Returns the fields of a tool, or any fields. */
static uint64_t any_fields(uint64_t *seed)
{
    static const uint64_t parts = PM_BIT(PM_PRIVATE_DIRTY) | PM_BIT(PM_PRIVATE_CLEAN) |
                                  PM_BIT(PM_SHARED_CLEAN) | PM_BIT(PM_SHARED_DIRTY);

    switch (kit_below(seed, 5)) {
    case 0:
        return PM_NUMBERS & ~PM_BIT(PM_DIRTY) & ~PM_BIT(PM_PRIVATE);
    case 1:
        return PM_BIT(PM_SIZE) | PM_BIT(PM_RSS) | PM_BIT(PM_DIRTY);
    case 2:
        return PM_NUMBERS & ~PM_BIT(PM_DIRTY) & ~PM_BIT(PM_PRIVATE) & ~parts;
    case 3: /* pagemap */
        return PM_BIT(PM_SIZE) | PM_BIT(PM_RSS) | PM_BIT(PM_ANONYMOUS) | PM_BIT(PM_PRIVATE) |
               PM_BIT(PM_SWAP);
    default:
        return kit_random(seed) & PM_NUMBERS & ~PM_BIT(PM_PRIVATE);
    }
}

/* ---- expected rows ---- */

static int64_t sum_of(const pm_mapping *m, enum pm_field a, enum pm_field b)
{
    return pm_has(m, PM_BIT(a) | PM_BIT(b)) ? (int64_t)(m->value[a] + m->value[b]) : PMAPDB_UNKNOWN;
}

static void add_number(pm_buf *out, int64_t number)
{
    if (number == PMAPDB_UNKNOWN)
        pm_buf_addf(out, NULL, "|?");
    else
        pm_buf_addf(out, NULL, "|%lld", (long long)number);
}

static void want_row(pm_buf *out, const pm_mapping *m)
{
    pm_buf_addf(out, NULL, "%llu", (unsigned long long)m->start);
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        add_number(out, i == PM_DIRTY && !pm_has(m, PM_BIT(PM_DIRTY))
                            ? sum_of(m, PM_SHARED_DIRTY, PM_PRIVATE_DIRTY)
                        : i == PM_PRIVATE && !pm_has(m, PM_BIT(PM_PRIVATE))
                            ? sum_of(m, PM_PRIVATE_CLEAN, PM_PRIVATE_DIRTY)
                            : pm_mapping_value(m, (enum pm_field)i));
    pm_buf_addf(out, NULL, "\n");
}

/* ---- comparing ---- */

static void in_the_view(const kit *k, int64_t snapshot_id, const pm_mapping *m)
{
    pm_buf want = {0}, got = {0}, sql = {0};

    for (size_t i = 0; i < ROWS; i++)
        want_row(&want, &m[i]);
    pm_buf_addf(&sql, NULL, "SELECT start");
    for (int i = 0; i < PM_FIELD_COUNT; i++)
        pm_buf_addf(&sql, NULL, ", %s", pm_fields[i].column);
    pm_buf_addf(&sql, NULL, " FROM mappings WHERE snapshot_id = %lld ORDER BY start",
                (long long)snapshot_id);
    kit_rows(k, &got, sql.data);
    assert_string_equal(got.data, want.data);
    pm_buf_free(&sql);
    pm_buf_free(&want);
    pm_buf_free(&got);
}

static void in_the_history(const kit *k, int64_t snapshot_id)
{
    char sql[600];

    snprintf(sql, sizeof sql,
             "SELECT m.start FROM mappings m JOIN lineage_history h ON h.region_id = m.region_id "
             "WHERE m.snapshot_id = %lld AND (h.size_kib, h.rss_kib, h.pss_kib, h.private_kib, "
             "h.private_dirty_kib, h.swap_kib) IS NOT (m.size_kib, m.rss_kib, m.pss_kib, "
             "m.private_kib, m.private_dirty_kib, m.swap_kib)",
             (long long)snapshot_id);
    kit_expect(k, sql, "");
}

/* Compares the stored sums with those of the capture. */
static void in_the_sums(const kit *k, int64_t snapshot_id, const pm_totals *totals)
{
    pm_buf want = {0};
    char sql[300];

    for (int i = 0; i < PM_TOTAL_COUNT; i++)
        add_number(&want, totals->v[i] < 0 ? PMAPDB_UNKNOWN : totals->v[i]);
    pm_buf_add(&want, "\n", 2, NULL);
    snprintf(sql, sizeof sql,
             "SELECT sum(mappings), sum(size_kib), sum(rss_kib), sum(pss_kib), sum(private_kib), "
             "sum(private_dirty_kib), sum(swap_kib) FROM categories WHERE snapshot_id = %lld",
             (long long)snapshot_id);
    kit_expect(k, sql, want.data + 1);
    pm_buf_free(&want);
}

static void in_what_is_recalled(const kit *k, int64_t epoch_id, const pm_mapping *m)
{
    pm_recall_rows e = {0};
    pm_pool *pool = NULL;
    pmapdb_error err = {0};
    uint32_t *rows = NULL;
    size_t n = 0;

    kit_ok(pm_pool_new(&pool, &err), &err);
    pm_recall_rows_load(k->store->sql, pool, epoch_id, 0, &e);
    pm_recall_rows_at(k->store->sql, &e, 0, &rows, &n);
    kit_steps(k);
    assert_int_equal(n, ROWS);
    for (size_t i = 0; i < n; i++) {
        const pm_mapping *got = &pool->mappings[rows[i]]->m;

        assert_int_equal(got->present, m[i].present);
        assert_memory_equal(got->value, m[i].value, sizeof got->value);
    }
    free(rows);
    pm_recall_rows_free(&e);
    pm_pool_free(pool);
}

IN_KIT(any_fields_come_back)
{
    uint64_t seed = 1;

    for (int round = 1; round <= ROUNDS; round++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, round, INT64_C(1000) * round);
        uint64_t fields = any_fields(&seed);
        pm_mapping m[ROWS];
        pm_totals totals;

        for (size_t i = 0; i < ROWS; i++) {
            m[i] = any_mapping(i, fields, &seed);
            kit_add(k, c, &m[i]);
        }
        totals = c->block.totals;
        kit_put(k, c);
        in_the_view(k, round, m);
        in_the_history(k, round);
        in_the_sums(k, round, &totals);
        in_what_is_recalled(k, round, m);
    }
    kit_expect(k, "SELECT count(*), count(DISTINCT epoch_id) FROM snapshot", "400|400\n");
}

/* Mappings of pmap -x and -X need no row in table rare_fields. */
IN_KIT(mappings_of_tools_have_no_rare_fields)
{
    static const uint64_t fields[] = {PM_BIT(PM_SIZE) | PM_BIT(PM_RSS) | PM_BIT(PM_DIRTY),
                                      PM_BIT(PM_SIZE) | PM_BIT(PM_RSS) | PM_BIT(PM_PSS) |
                                          PM_BIT(PM_REFERENCED) | PM_BIT(PM_ANONYMOUS),
                                      PM_BIT(PM_SIZE) | PM_BIT(PM_RSS)};

    for (size_t i = 0; i < 3; i++) {
        pm_capture *c = kit_capture(k, PM_DIALECT_SMAPS, 1 + (int64_t)i, 1000);
        pm_mapping m = {.start = 0x1000, .end = 0x21000, .perms = "rw-p", .present = fields[i]};

        m.value[PM_SIZE] = 128;
        m.value[PM_RSS] = 100;
        m.value[PM_DIRTY] = i == 0 ? 60 : 0;
        m.value[PM_PSS] = m.value[PM_REFERENCED] = i == 1 ? 80 : 0;
        m.value[PM_ANONYMOUS] = i == 1 ? 72 : 0;
        kit_add(k, c, &m);
        kit_put(k, c);
    }
    kit_expect(k, "SELECT count(*) FROM rare_fields", "0\n");
    kit_expect(k,
               "SELECT snapshot_id, rss_kib, dirty_kib, anonymous_kib, private_kib, "
               "private_dirty_kib, pss_kib FROM mappings ORDER BY 1",
               "1|100|60|?|?|?|?\n2|100|?|72|?|?|80\n3|100|?|?|?|?|?\n");
}

RUN_TESTS(NULL, NULL)
