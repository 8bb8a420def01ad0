/* block_source: blocks one after the other, out of a file or out of a live process. */
#ifndef PM_SQLITE_BLOCK_SOURCE_H
#define PM_SQLITE_BLOCK_SOURCE_H

#include "sqlite/blocks.h"

typedef struct pm_block_source pm_block_source;

/* What `pmapdb import PATH` would read: a file, plain, packed or an archive, or a directory. What
 * could wait for a writer (a FIFO, a device) is refused. `dialect` may be NULL.
 *
 * With rows, a named file without a capture and what cannot be read are failures, once all that
 * came before was handed out. Without rows they are blocks with an error. */
pmapdb_status pm_block_source_file(const char *path, const char *dialect, bool rows_wanted,
                                   pm_block_source **out, pmapdb_error *err);

/* The mappings of a process now; `file` is "smaps" or "maps", `pid` the name of its folder in
 * /proc. One that has none (a kernel thread, a zombie) supplies nothing. */
pmapdb_status pm_block_source_live(const char *file, const char *pid, pm_block_source **out,
                                   pmapdb_error *err);

void pm_block_source_free(pm_block_source *s);

/* The next block, the caller's to free; NULL at the end. */
pmapdb_status pm_block_source_next(pm_block_source *s, pm_found_block **out, pmapdb_error *err);

#endif
