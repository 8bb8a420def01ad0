/* live: the maps of a running process, read so that it is held up least. */
#ifndef PM_SQLITE_LIVE_H
#define PM_SQLITE_LIVE_H

#include "sqlite/held.h"

pmapdb_status pm_live_read(pm_collect *out, const char *file, const char *pid, pmapdb_error *err);

#endif
