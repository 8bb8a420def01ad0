/* unpack: compressed files and tar archives -> members, through libarchive.
 *
 * A compressed file that is no tar is one member without a path. Of a tar come the regular files;
 * a member that is compressed itself is decompressed too.
 */
#ifndef PM_SOURCE_UNPACK_H
#define PM_SOURCE_UNPACK_H

#include "source/feed.h"

typedef struct pm_member {
    const char *path; /* inside the archive; NULL: the compressed file itself */
    int64_t mtime_ms; /* PMAPDB_UNKNOWN where path is NULL, or the archive has none */
    bool compressed;  /* its name may end in .gz */
    bool closed;      /* as in pm_source_entry */
} pm_member;

typedef struct pm_unpack pm_unpack;

/* By magic bytes: compressed, or a tar (that of before 1988 has none: its checksum). An empty tar
 * is nothing but NULs, which only its name tells from any other file of that kind. */
bool pm_unpack_wants(const char *head, size_t n, const char *path);
bool pm_unpack_is_packed(const char *head, size_t n);

/* Feed and label (the path, for messages) must outlive the reader. */
pmapdb_status pm_unpack_open(pm_feed *feed, const char *label, pm_unpack **out, pmapdb_error *err);
void pm_unpack_close(pm_unpack *u);

/* So many bytes are unpacked at most; 0, and unless it is said: the usual (unpack_limit.h). What is
 * behind them is a failure of the member at hand, and the end of the archive. */
void pm_unpack_most(pm_unpack *u, uint64_t bytes);

/* *found is false at the end. After a failure that concerns one member, the next call goes on
 * behind it; after any other it finds the end. */
pmapdb_status pm_unpack_next(pm_unpack *u, pm_member *member, bool *found, pmapdb_error *err);

/* As pm_source_read. */
pmapdb_status pm_unpack_read(pm_unpack *u, const char **bytes, size_t *n, pmapdb_error *err);

#endif
