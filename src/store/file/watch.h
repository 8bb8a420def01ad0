/* watch: detects whether the files of a store were moved while it is open for a long time. */
#ifndef PM_STORE_WATCH_H
#define PM_STORE_WATCH_H

#include "store/file/store.h"
#include <sys/stat.h>

/* The files next to the store at the start of a run. Only the last program that closes a store
 * removes them, so they stay while a store is open. */
typedef struct pm_watch_files {
    struct stat part[2]; /* -wal, -shm; all zero if the file was missing */
    bool has_wal;        /* false: the files are not used */
} pm_watch_files;

void pm_watch_begin(pmapdb_store *s, pm_watch_files *out);

/* Fails if a file of the store was removed, renamed or replaced, so that new data would be lost.
 * Saves the stored data as far as possible, and says where the data is now. */
pmapdb_status pm_watch_check(pmapdb_store *s, const pm_watch_files *files, pmapdb_error *err);

#endif
