/* unpack: reads the members of compressed files and tar archives through libarchive.
 *
 * A compressed file that is not a tar is one member without a path. The members of a tar are its
 * regular files; a member that is itself compressed is decompressed too.
 *
 * Unless the caller sets a limit, at most 64 GiB of one file are unpacked, and beyond the first GiB
 * at most 1,000 times the bytes read from the file. Captures compress by 40:1 to 150:1, the log of
 * an idle process by 700:1 (one year is 2 GiB). gzip cannot exceed 1,030:1; the other formats reach
 * 10,000:1 on zeros. Bytes beyond the limit make the current member fail and end the archive.
 */
#ifndef PM_SOURCE_UNPACK_H
#define PM_SOURCE_UNPACK_H

#include "source/feed.h"

struct archive;

typedef struct pm_member {
    const char *path; /* inside the archive; NULL: the compressed file itself */
    const char *link; /* the target of a symbolic link, which has no bytes; else NULL */
    int64_t mtime_ms; /* PMAPDB_UNKNOWN if path is NULL or the archive has no time */
    bool compressed;  /* its name may end in .gz */
    bool skipped;     /* as in pm_source_entry */
} pm_member;

typedef struct pm_unpack pm_unpack;

/* Feed, label (the path, for messages) and advice must outlive the reader. `most` is the maximum of
 * unpacked bytes, or 0 for the default. `advice` ends the message about this limit; may be empty.
 */
pmapdb_status pm_unpack_open(pm_feed *feed, const char *label, uint64_t most, const char *advice,
                             pm_unpack **out, pmapdb_error *err);
void pm_unpack_close(pm_unpack *u);

/* *found is false at the end. After a failure of one member, the next call continues after this
 * member; after any other failure, it finds the end. */
pmapdb_status pm_unpack_next(pm_unpack *u, pm_member *member, bool *found, pmapdb_error *err);

/* Like pm_source_read. */
pmapdb_status pm_unpack_read(pm_unpack *u, const char **bytes, size_t *n, pmapdb_error *err);

/* Writes the member, which may be a symbolic link, to the file `path` through a disk of libarchive.
 * A damaged member leaves no file, because a page map that is cut would show too few pages. */
pmapdb_status pm_unpack_to(pm_unpack *u, struct archive *disk, const char *path, pmapdb_error *err);

#endif
