/* source: the bytes of captures: files, directories (recursive, names sorted), files compressed
 * with gzip, xz, zstd or bzip2, tar archives (compressed or not), standard input.
 *
 * The caller pulls: pm_source_next returns the next file or archive member, pm_source_read its
 * bytes. In directories, only regular files are opened, and no names that begin with a dot. A FIFO
 * or device in a directory is skipped; one named on the command line, including "-", is read.
 * Symbolic links to directories inside directories are not followed.
 *
 * The first bytes of a file decide its format, not its name. A compressed member of a tar is
 * decompressed too. If compressed data are damaged, libarchive returns only the complete blocks: up
 * to 64 KiB before the damage are lost, 128 KiB with zstd, 900 KB with bzip2.
 */
#ifndef PM_SOURCE_SOURCE_H
#define PM_SOURCE_SOURCE_H

#include "base/err.h"

#define PM_SOURCE_STDIN "-"

typedef struct pm_source_entry {
    const char *name;     /* last part; a compressed file's name without .gz .xz .zst .bz2 */
    const char *path;     /* as shown to the user: FILE, ARCHIVE:MEMBER, - */
    const char *own_path; /* MEMBER, or the path of a file */
    /* A member without a time has that of its archive. PMAPDB_UNKNOWN for standard input, and for a
     * file on a proc filesystem: the mtime of such a file is the moment when its name was first
     * looked up. */
    int64_t mtime_ms;
    bool named; /* the list of paths contains the file itself, not its directory or archive */
    bool in_archive;
    bool is_stdin; /* plain or compressed; members of a tar on standard input are in_archive */
    bool changed;  /* at the end of a plain file: its size has changed since it was opened */
    bool skipped;  /* its name shows that it is not a capture, so it is not read */
} pm_source_entry;

typedef struct pm_source pm_source;

/* unpacked: the most bytes that are unpacked from one packed file; 0: the default (unpack.h). */
pmapdb_status pm_source_new(const char *const *paths, size_t n_paths, uint64_t unpacked,
                            pm_source **out, pmapdb_error *err);
void pm_source_free(pm_source *s);

/* Returns the next entry, or *entry = NULL at the end. A failure concerns only one file, which err
 * names; the caller reports it and may continue. The entry is valid until the next call. */
pmapdb_status pm_source_next(pm_source *s, const pm_source_entry **entry, pmapdb_error *err);

/* Returns the next bytes of the current entry; *n = 0 at its end. The bytes are valid until the
 * next call. After a failure (damaged compression, I/O error) the rest of the file is lost; the
 * bytes before are valid. */
pmapdb_status pm_source_read(pm_source *s, const char **bytes, size_t *n, pmapdb_error *err);

#endif
