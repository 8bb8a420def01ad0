/* space: the size of the store's file, and giving back what is free in it. */
#ifndef PM_STORE_SPACE_H
#define PM_STORE_SPACE_H

#include "store/file/steps.h"
#include "store/file/store.h"

typedef struct pm_space {
    int64_t file_kib; /* size of the file once the whole -wal is copied into it */
    int64_t used_kib; /* ... without its free pages */
    int64_t bare_kib; /* what a store without snapshots needs */
    bool shrinks;     /* made with auto_vacuum: free pages can be given back */
} pm_space;

pmapdb_status pm_space_read(pmapdb_store *s, pm_space *out, pmapdb_error *err);

/* Gives free pages back, some at a time, and brings the file to its new size. *held: a reader of
 * an older state keeps that from happening now; the next writer does it. */
pmapdb_status pm_space_give_back(pmapdb_store *s, const pm_steps *steps, bool *held,
                                 pmapdb_error *err);

/* The error is that of a full disk. */
bool pm_space_is_full(pmapdb_status st, const pmapdb_error *err);

/* Writes the whole file anew; from then on it shrinks. */
pmapdb_status pm_space_vacuum(pmapdb_store *s, pmapdb_error *err);

#endif
