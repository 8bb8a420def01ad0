/* watch: whether the files of a store that is open for long are still in their places. */
#ifndef PM_STORE_WATCH_H
#define PM_STORE_WATCH_H

#include "store/file/store.h"

/* The files beside the store as a run found them when it began. Only the last program to close a
 * store removes them, so beside an open store they stay. */
typedef struct pm_watch_files {
    struct {
        uint64_t device, inode;
    } part[2];    /* -wal, -shm */
    bool has_wal; /* else they are not used */
} pm_watch_files;

void pm_watch_begin(pmapdb_store *s, pm_watch_files *out);

/* Which file of the store was removed, renamed or replaced, so that new data would be lost: "" for
 * the store itself, else "-wal" or "-shm". NULL: all are in their places. */
const char *pm_watch_lost(pmapdb_store *s, const pm_watch_files *files);

/* The store was moved, but its -wal was not: the next program to open the file that took its place
 * would use the old -wal as its own. So the -wal is copied into the file that it belongs to,
 * wherever that is now, and emptied. False: another program still uses the -wal, which stays as it
 * was. */
bool pm_watch_clear(pmapdb_store *s, const pm_watch_files *files);

/* After "-wal" or "-shm" was lost. True: all that was stored is now in the file itself. False:
 * other programs write the store without knowing of this one; it stays as they leave it, also on
 * close. */
bool pm_watch_save(pmapdb_store *s);

#endif
