/* space: the size of the store's file, giving back what is free in it, and the room on the disk
 * that is kept for a prune. */
#ifndef PM_STORE_SPACE_H
#define PM_STORE_SPACE_H

#include "store/pace.h"
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

/* Before something is added: a whole reserve lies behind what the -wal holds, else the disk is full
 * and the error says so. *scarce: it nearly is, so that what is about to be committed is to be
 * looked at too. Not inside a transaction. */
pmapdb_status pm_space_check(pmapdb_store *s, bool *scarce, pmapdb_error *err);

/* Inside a transaction, before it is committed: the file can take what it writes, and then a
 * whole reserve is left. pm_space_settle sees to that once it is committed. */
pmapdb_status pm_space_check_written(pmapdb_store *s, pmapdb_error *err);
void pm_space_settle(pmapdb_store *s);

/* The transaction `st` is of did not fit on the disk: true where it is to be tried again with
 * pace->now, after all was given back that can be. Rolls it back; any other failure is false and
 * changes nothing. */
bool pm_space_try_again(pmapdb_store *s, pm_pace *pace, pmapdb_status st, const pmapdb_error *err);

/* The error is that of a full disk. */
bool pm_space_is_full(pmapdb_status st, const pmapdb_error *err);

/* Copies what the -wal holds into the file, as far as readers let it, and without waiting; where
 * the disk has no room for what the file grows by, into the blocks of the reserve. */
void pm_space_copy_wal(pmapdb_store *s);

/* Writes the whole file anew; from then on it shrinks. */
pmapdb_status pm_space_vacuum(pmapdb_store *s, pmapdb_error *err);

#endif
