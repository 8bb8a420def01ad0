/* watch: detects whether the files of a store were moved while it is open for a long time. */
#ifndef PM_STORE_WATCH_H
#define PM_STORE_WATCH_H

#include "store/file/store.h"

/* The files next to the store at the begin of a run. Only the last program that closes a store
 * removes them, so they stay while a store is open. */
typedef struct pm_watch_files {
    struct {
        uint64_t device, inode;
    } part[2];    /* -wal, -shm */
    bool has_wal; /* false: the files are not used */
} pm_watch_files;

void pm_watch_begin(pmapdb_store *s, pm_watch_files *out);

/* Returns the file of the store that was removed, renamed or replaced, so that new data would be
 * lost: "" for the store itself, "-wal" or "-shm". NULL: all files are in their places. */
const char *pm_watch_lost(pmapdb_store *s, const pm_watch_files *files);

/* Call if the store was moved without its -wal: the next program that opens the file in its place
 * would use the old -wal as its own. Copies the -wal into the file that it belongs to, wherever
 * that is now, and empties it. Returns false if another program still uses the -wal, which then
 * stays unchanged. */
bool pm_watch_clear(pmapdb_store *s, const pm_watch_files *files);

/* Call after "-wal" or "-shm" was lost. Returns true if all stored data is now in the file itself.
 * Returns false if other programs write the store and cannot see this one; the file stays as they
 * leave it, also on close. */
bool pm_watch_save(pmapdb_store *s);

#endif
