/* lately: the newest moment of each name, in memory: what comes in the order of time finds its
 * moment without asking the store for all processes of its name. What a moment is, see moment.h. */
#ifndef PM_STORE_LATELY_H
#define PM_STORE_LATELY_H

#include "base/dialect.h"
#include "base/err.h"
#include <stdint.h>

typedef struct pm_moment_item {
    int64_t snapshot_id, process_id, pid, taken_ms, ordinal, hash, moment_ms;
    pm_dialect dialect;
    pm_state state;
    bool preferred;
    bool live; /* of one sweep with all of its taken_ms, and with none of another */
} pm_moment_item;

/* Order in time; independent of ids: those differ between orders of import. */
int pm_moment_compare(const pm_moment_item *a, const pm_moment_item *b);
/* The one that is preferred comes first; of equal ones the later. */
int pm_moment_compare_worth(const pm_moment_item *a, const pm_moment_item *b);

typedef struct pm_lately pm_lately;

pmapdb_status pm_lately_new(int64_t sweep_ms, pm_lately **out, pmapdb_error *err);
void pm_lately_free(pm_lately *l);

/* Puts an item into the newest moment of its name, or begins the next with it: its moment_ms and
 * preferred are set, and *demoted is a snapshot that is preferred no longer, or 0. *known = false:
 * the store must be asked, because nothing is known of the name, or the item comes late, or it
 * takes others out of their moment. Nothing is then known of the name any more. */
pmapdb_status pm_lately_add(pm_lately *l, int64_t name_id, pm_moment_item *item, int64_t *demoted,
                            bool *known, pmapdb_error *err);

/* The newest moment of the name is this. */
pmapdb_status pm_lately_set(pm_lately *l, int64_t name_id, int64_t moment_ms,
                            const pm_moment_item *items, size_t n, pmapdb_error *err);
void pm_lately_forget(pm_lately *l, int64_t name_id);

#endif
