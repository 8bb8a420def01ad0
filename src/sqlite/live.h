/* live: the map of a process, whole or an error. */
#ifndef PM_SQLITE_LIVE_H
#define PM_SQLITE_LIVE_H

#include "api/blocks.h"
#include <sqlite3ext.h>

/* The mappings of a process now; `file` is "smaps" or "maps", `pid` a number or 'self'. One that
 * has none (a kernel thread, a zombie) supplies nothing. */
pmapdb_status pm_live_blocks(const char *file, sqlite3_value *pid, pm_blocks **out,
                             pmapdb_error *err);

#endif
