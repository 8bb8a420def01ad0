/* walk: turns a list of paths into a sequence of open files. Directories are walked in byte order
 * of their names, without names that begin with a dot. Symbolic links to files are followed;
 * symbolic links to directories only if they are in the list. */
#ifndef PM_SOURCE_WALK_H
#define PM_SOURCE_WALK_H

#include "base/err.h"
#include "base/text.h"
#include <fts.h>

typedef struct pm_walk_file {
    int fd;           /* the caller closes it, unless is_stdin or skipped */
    const char *path; /* valid until the next call */
    int64_t mtime_ms; /* PMAPDB_UNKNOWN for standard input */
    bool regular, named, is_stdin;
    bool skipped; /* as in pm_source_entry */
} pm_walk_file;

/* Begins with the paths, which must outlive it, and `next` 0. */
typedef struct pm_walk {
    const char *const *paths;
    size_t n_paths, next;
    FTS *tree; /* of the path before `next`, or NULL; the owner closes it */
} pm_walk;

/* *found is false at the end. A failure concerns one path; the next call continues after this path.
 */
pmapdb_status pm_walk_next(pm_walk *walk, pm_walk_file *file, bool *found, pmapdb_error *err);

/* True if a file must not be opened, because its path is one of /proc that cannot be a capture. For
 * files found on disk or inside an archive, not for files named by the user. */
bool pm_walk_skips(pm_text path);

/* A message has room for 511 bytes, so a long path shows only its end, which is more informative.
 */
#define PM_SHOWN "%s%s"
#define PM_SHOW(path) pm_walk_dots(path), pm_walk_tail(path)
const char *pm_walk_dots(const char *path);
const char *pm_walk_tail(const char *path);

#endif
