/* unpack: compressed files and tar archives -> members, through libarchive.
 *
 * A compressed file that is no tar is one member without a path. Of a tar come the regular files;
 * a member that is compressed itself is decompressed too.
 *
 * How much of one file is unpacked: unless the caller names a number, 64 GiB, and beyond the first
 * GiB no more than 1,000 times what was read of the file. Captures pack 40:1 to 150:1, the log of
 * an idle process 700:1, of which a year is 2 GiB; gzip cannot do more than 1,030:1, the others
 * make 10,000:1 of zeros. Bytes beyond the limit are a failure of the current member, and the end
 * of the archive.
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

/* Feed and label (the path, for messages) must outlive the reader. `most`: bytes that are unpacked
 * at most, or 0. */
pmapdb_status pm_unpack_open(pm_feed *feed, const char *label, uint64_t most, pm_unpack **out,
                             pmapdb_error *err);
void pm_unpack_close(pm_unpack *u);

/* *found is false at the end. After a failure that concerns one member, the next call goes on
 * after it; after any other it finds the end. */
pmapdb_status pm_unpack_next(pm_unpack *u, pm_member *member, bool *found, pmapdb_error *err);

/* As pm_source_read. */
pmapdb_status pm_unpack_read(pm_unpack *u, const char **bytes, size_t *n, pmapdb_error *err);

#endif
