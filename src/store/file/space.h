/* space: the size of a store's file, and returning its free space. */
#ifndef PM_STORE_SPACE_H
#define PM_STORE_SPACE_H

#include "store/file/steps.h"
#include "store/file/store.h"

typedef struct pm_space {
    int64_t file_kib; /* size of the file after the full -wal is copied into it */
    int64_t used_kib; /* ... without its free pages */
    int64_t bare_kib; /* size of a store without snapshots */
    bool shrinks;     /* made with auto_vacuum: free pages can be given back */
} pm_space;

/* The functions below keep failures in s->sql. */

pm_space pm_space_read(pmapdb_store *s);

/* Frees unused pages, some at a time, and shrinks the file. Returns true if a reader of an older
 * state prevents it now; the next writer will shrink the file. */
bool pm_space_give_back(pmapdb_store *s, const pm_steps *steps);

/* Writes the whole file again; afterwards the file can shrink. */
void pm_space_vacuum(pmapdb_store *s);

/* True if the error is a full disk. */
bool pm_space_is_full(pmapdb_status st, const pmapdb_error *err);

#endif
