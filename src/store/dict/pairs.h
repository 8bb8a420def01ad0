/* pairs: id -> id, of rows of one store to rows of another. Ids are never 0. */
#ifndef PM_STORE_PAIRS_H
#define PM_STORE_PAIRS_H

#include "pmapdb.h"
#include <stddef.h>
#include <stdint.h>

typedef struct pm_pairs {
    struct pm_pairs_slot {
        int64_t key, value;
    } * slot; /* open addressing; key 0: free */
    size_t size, used;
} pm_pairs;

void pm_pairs_free(pm_pairs *p);

/* 0: none. */
int64_t pm_pairs_get(const pm_pairs *p, int64_t key);

/* Replaces what was there. */
pmapdb_status pm_pairs_put(pm_pairs *p, int64_t key, int64_t value, pmapdb_error *err);

#endif
