/* foreign_files: detects foreign files in the places where SQLite keeps its own files next to a
 * store. SQLite would write to wherever they lead. */
#ifndef PM_STORE_FOREIGN_FILES_H
#define PM_STORE_FOREIGN_FILES_H

#include "base/err.h"
#include <stdbool.h>

/* Returns PMAPDB_SCHEMA if STORE-wal, -shm or -journal is not a regular file. For a writer also if
 * the store or one of these files belongs to another user and every user may create files in the
 * folder: the owner could read the stored data. A missing file is fine. */
pmapdb_status pm_foreign_files_check(const char *store, bool writes, pmapdb_error *err);

#endif
