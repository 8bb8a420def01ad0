/* merge_take: what taking a process over (merge_take.c) and the rows of its epochs
 * (merge_rows.c) share. */
#ifndef PM_STORE_MERGE_TAKE_H
#define PM_STORE_MERGE_TAKE_H

#include "store/epoch.h"
#include "store/merge/merge_run.h"

/* The captures of one epoch there that are in one window: an epoch here. */
typedef struct pm_take_part {
    int64_t there, here;
    pm_dialect dialect;
    pm_state state;
    uint64_t fields;
    struct pm_take_one {
        int64_t off;         /* there; here they are 0, 1, 2 ... */
        int64_t snapshot_id; /* its row here */
        pm_totals totals;    /* -1 is unknown */
    } * capture;
    size_t n, cap;
} pm_take_part;

typedef struct pm_take {
    pm_merge *m;
    int64_t process_id, name_id; /* here */
    pm_moments *moments;
    pm_pairs sizes;                        /* of regions there, KiB + 1 */
    pm_pairs snapshots, regions, lineages; /* there -> here */
    pm_take_part *part;                    /* of the window at hand */
    size_t n_parts, cap_parts;
} pm_take;

/* The versions of its rows and of its sums. Its snapshots are there. */
pmapdb_status pm_take_versions(pm_take *t, const pm_take_part *part, pmapdb_error *err);

#endif
