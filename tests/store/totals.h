/* totals: captures with sums only and captures with mappings, made by hand. */
#ifndef TESTS_STORE_TOTALS_H
#define TESTS_STORE_TOTALS_H

#include "kit.h"

#define MS INT64_C(1700000000000)
#define MINUTE 60000
#define S PM_DIALECT_SMAPS
#define X PM_DIALECT_PMAP_SMALL_X
#define ROLLUP PM_DIALECT_ROLLUP

/* Returns a capture with sums only, n minutes after MS; an rss of 0 is unknown. */
static inline pm_capture *with_sums(const kit *k, pm_dialect dialect, int64_t pid, int64_t n,
                                    uint64_t size, uint64_t rss)
{
    pm_capture *c = kit_totals(k, dialect, pid, MS + n * MINUTE);

    kit_name(c, "app", PM_NAME_HEADER);
    kit_total(c, PM_TOTAL_SIZE, PM_BIT(PM_SIZE), size);
    if (rss)
        kit_total(c, PM_TOTAL_RSS, PM_BIT(PM_RSS), rss);
    return c;
}

static inline void put_sums(const kit *k, pm_dialect dialect, int64_t pid, int64_t n, uint64_t size,
                            uint64_t rss)
{
    kit_put(k, with_sums(k, dialect, pid, n, size, rss));
}

static inline pm_capture *with_mappings(const kit *k, pm_dialect dialect, int64_t pid, int64_t n,
                                        uint64_t heap)
{
    pm_capture *c = kit_capture(k, dialect, pid, MS + n * MINUTE);

    kit_name(c, "app", PM_NAME_HEADER);
    kit_map(k, c, 0x10000, heap, "rw-p", "[heap]");
    kit_map(k, c, 0x7ff000000000, 132, "rw-p", "[stack]");
    return c;
}

static inline void put_rows(const kit *k, pm_dialect dialect, int64_t pid, int64_t n, uint64_t heap)
{
    kit_put(k, with_mappings(k, dialect, pid, n, heap));
}

#endif
