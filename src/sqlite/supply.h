/* supply: blocks one after the other, out of a file or out of a live process. */
#ifndef PM_SQLITE_SUPPLY_H
#define PM_SQLITE_SUPPLY_H

#include "sqlite/held.h"

typedef struct pm_supply pm_supply;

/* What `pmapdb import PATH` would read: a file, plain, packed or an archive, or a directory. What
 * could wait for a writer (a FIFO, a device) is refused. `dialect` may be NULL.
 *
 * With rows, a named file without a capture and what cannot be read are failures, once all that
 * came before was handed out. Without rows they are blocks with an error. */
pmapdb_status pm_supply_file(const char *path, const char *dialect, bool rows_wanted,
                             pm_supply **out, pmapdb_error *err);

/* The mappings of a process now; `file` is "smaps" or "maps", `pid` the name of its folder in
 * /proc. One that has none (a kernel thread, a zombie) supplies nothing. */
pmapdb_status pm_supply_live(const char *file, const char *pid, pm_supply **out, pmapdb_error *err);

void pm_supply_free(pm_supply *s);

/* The next block, the caller's to free; NULL at the end. */
pmapdb_status pm_supply_next(pm_supply *s, pm_held **out, pmapdb_error *err);

#endif
