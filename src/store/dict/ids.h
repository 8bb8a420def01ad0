/* ids: a set of row ids: filled, sorted once, then searched. */
#ifndef PM_STORE_IDS_H
#define PM_STORE_IDS_H

#include "pmapdb.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pm_ids {
    int64_t *id;
    size_t n, cap;
} pm_ids;

void pm_ids_free(pm_ids *s);
pmapdb_status pm_ids_add(pm_ids *s, int64_t id, pmapdb_error *err);

/* Sorts the ids and removes duplicates. Call before pm_ids_has. */
void pm_ids_sort(pm_ids *s);
bool pm_ids_has(const pm_ids *s, int64_t id);

#endif
