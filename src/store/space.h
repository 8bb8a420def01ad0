/* space: the size of the store's file, and giving back what is free in it. */
#ifndef PM_STORE_SPACE_H
#define PM_STORE_SPACE_H

#include "store/steps.h"
#include "store/store.h"

typedef struct pm_space {
    int64_t file_kib; /* of the store when all that was written is in its file */
    int64_t used_kib; /* of that, not free */
    int64_t bare_kib; /* of that, what a store without snapshots needs */
    bool shrinks;     /* made with auto_vacuum: free space can be given back */
} pm_space;

pmapdb_status pm_space_read(pmapdb_store *s, pm_space *out, pmapdb_error *err);

/* Gives free pages back, some at a time, and brings the file to its new size. *held: a reader of
 * an older state keeps that from happening now; whoever writes next does it. */
pmapdb_status pm_space_give_back(pmapdb_store *s, const pm_steps *steps, bool *held,
                                 pmapdb_error *err);

/* Of a store that this program has closed, by the path of its -wal: keeps room on the disk for the
 * next writer. It is what a prune has where the disk is full. */
#define PM_SPACE_RESERVE_BYTES (512 << 10)
void pm_space_reserve(const char *wal);

/* Writes the whole file anew; from then on it shrinks. */
pmapdb_status pm_space_vacuum(pmapdb_store *s, pmapdb_error *err);

#endif
