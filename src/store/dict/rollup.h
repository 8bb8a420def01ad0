/* rollup: the sums of each category of one capture, sorted by category id. */
#ifndef PM_STORE_ROLLUP_H
#define PM_STORE_ROLLUP_H

#include "base/record/mapping.h"

typedef struct pm_category_sums {
    int64_t category_id;
    int64_t
        v[PM_TOTAL_COUNT]; /* columns of category_version after `last`; PMAPDB_UNKNOWN is NULL */
    int32_t first; /* offset at which the version began; used only in the state of an open epoch */
} pm_category_sums;

typedef struct pm_rollup {
    pm_category_sums *item; /* sorted by category_id; an item without mappings counts as absent */
    size_t n, cap;
} pm_rollup;

void pm_rollup_free(pm_rollup *r);
void pm_rollup_clear(pm_rollup *r);

/* Finds the sums of a category; 0 each if it is new. *out is valid until the next call. */
pmapdb_status pm_rollup_of(pm_rollup *r, int64_t category_id, pm_category_sums **out,
                           pmapdb_error *err);

/* Adds up all rows; their lineages must be decided. */
struct pm_rows;
pmapdb_status pm_rollup_rows(pm_rollup *r, const struct pm_rows *rows, uint64_t fields,
                             pmapdb_error *err);

/* For a capture with sums only: they become the one category total, with an unknown number of
 * mappings. */
pmapdb_status pm_rollup_totals(pm_rollup *r, const pm_totals *totals, pmapdb_error *err);

/* True if the category has mappings, or an unknown number of them. */
static inline bool pm_category_sums_any(const pm_category_sums *s)
{
    return s->v[PM_TOTAL_MAPPINGS] != 0;
}

static inline bool pm_category_sums_equal(const pm_category_sums *a, const pm_category_sums *b)
{
    return memcmp(a->v, b->v, sizeof a->v) == 0;
}

#endif
