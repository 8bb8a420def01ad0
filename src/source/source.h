/* source: the bytes of captures: files, directories (recursive, names sorted), files
 * compressed with gzip, xz, zstd or bzip2, tar archives (compressed or not), standard input.
 *
 * Pull: pm_source_next gives the next file or archive member, pm_source_read its bytes. Only
 * regular files are opened (a FIFO or device in a directory is passed over; one that is named on
 * the command line, "-" included, is read), and no names that begin with a dot. Symbolic links to
 * directories inside directories are not followed.
 *
 * What a file is, its first bytes say and not its name. A compressed member of a tar is
 * decompressed too. Of damaged compression, libarchive hands out only the blocks that it had
 * finished: up to 64 KiB before the damage are lost, 128 KiB with zstd, 900 KB with bzip2.
 */
#ifndef PM_SOURCE_SOURCE_H
#define PM_SOURCE_SOURCE_H

#include "base/err.h"

#define PM_SOURCE_STDIN "-"

typedef struct pm_source_entry {
    const char *dir;  /* DIR of a file, ARCHIVE:DIR of a member; "" for none; no slash at its end */
    const char *name; /* last part; a compressed file's name without .gz .xz .zst .bz2 */
    const char *path; /* as the user would find it: FILE, ARCHIVE:MEMBER, - */
    const char *own_path; /* MEMBER; of a file its path */
    /* A member without one has its archive's. PMAPDB_UNKNOWN for standard input. */
    int64_t mtime_ms;
    bool named; /* the file itself (not its directory or archive) stood in the list */
    bool in_archive;
    bool is_stdin; /* plain or compressed; members of a tar on standard input are in_archive */
    bool closed;   /* its name says that it is no capture: nothing of it is read */
} pm_source_entry;

typedef struct pm_source pm_source;

pmapdb_status pm_source_new(const char *const *paths, size_t n_paths, pm_source **out,
                            pmapdb_error *err);
void pm_source_free(pm_source *s);

/* Of one packed file, so many bytes are unpacked at most; 0 is the usual (unpack.h). */
void pm_source_limit(pm_source *s, uint64_t unpacked);

/* At the end of a plain file: there was more of it by then than when it was opened, or less. */
bool pm_source_changed(const pm_source *s);

/* The next entry, or *entry = NULL at the end. A failure concerns one file (err names it): the
 * caller reports it and may go on. The entry lasts until the next call. */
pmapdb_status pm_source_next(pm_source *s, const pm_source_entry **entry, pmapdb_error *err);

/* The next bytes of the current entry; *n = 0 at its end. Bytes last until the next call. After a
 * failure (damaged compression, I/O error) the rest of the file is lost; what came before is good.
 */
pmapdb_status pm_source_read(pm_source *s, const char **bytes, size_t *n, pmapdb_error *err);

/* Reads a small file whole: at most `max` bytes into buf. False when it is not there or not
 * readable. */
bool pm_source_slurp(const char *path, size_t max, char *buf, size_t *n);

#endif
