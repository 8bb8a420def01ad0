/* foreign_files: files that somebody else put where SQLite keeps its own beside a store. It would
 * write to whatever they lead to. */
#ifndef PM_STORE_FOREIGN_FILES_H
#define PM_STORE_FOREIGN_FILES_H

#include "base/err.h"
#include <stdbool.h>

/* PMAPDB_SCHEMA: STORE-wal, -shm or -journal is not a file; for a writer also if the store or
 * one of these is another user's in a folder in which everybody may make files: who owns it reads
 * what is stored. A missing file is fine. */
pmapdb_status pm_foreign_files_check(const char *store, bool writes, pmapdb_error *err);

#endif
