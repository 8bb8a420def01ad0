/* watch: whether the files of a store that is open for long are still in their places. */
#ifndef PM_STORE_WATCH_H
#define PM_STORE_WATCH_H

#include "store/file/store.h"

/* The files beside the store as a run found them when it began. Nobody but the last to close a
 * store takes them away, so beside an open one they stay. */
typedef struct pm_watch_files {
    struct {
        uint64_t device, inode;
    } part[2];    /* -wal, -shm */
    bool has_wal; /* else they are not used */
} pm_watch_files;

void pm_watch_begin(pmapdb_store *s, pm_watch_files *out);

/* Which of the store's files was removed, renamed or replaced, so that what is written goes where
 * nobody looks: "" is the store itself, else "-wal" or "-shm". NULL: all are in their places. */
const char *pm_watch_lost(pmapdb_store *s, const pm_watch_files *files);

/* The store itself is not where it was, but its -wal is: whoever opens what is there now would take
 * the old -wal for its own. So what stands in it goes into the file that it belongs to, wherever
 * that is now, and it is left empty. False: others use it still, and it is as it was. */
bool pm_watch_clear(pmapdb_store *s, const pm_watch_files *files);

/* What is left of it where "-wal" or "-shm" was lost. True: all that was stored is in the file
 * itself. Where others write without knowing of this one, false, and the store stays as they leave
 * it: nothing is copied when it is closed either. */
bool pm_watch_save(pmapdb_store *s);

#endif
