/* archive: libarchive, loaded when the first archive is read. With its dependencies (XML, ICU), it
 * would more than double the start time of the program, and most runs read no archive. */
#ifndef PM_SOURCE_ARCHIVE_H
#define PM_SOURCE_ARCHIVE_H

#include "base/err.h"
#include "base/text.h"
#include <archive.h>
#include <archive_entry.h>

/* The functions of libarchive that the program calls. */
#define PM_ARCHIVE_CALLS(CALL)              \
    CALL(archive_bzlib_version)             \
    CALL(archive_entry_clear)               \
    CALL(archive_entry_filetype)            \
    CALL(archive_entry_free)                \
    CALL(archive_entry_hardlink)            \
    CALL(archive_entry_mtime)               \
    CALL(archive_entry_mtime_is_set)        \
    CALL(archive_entry_mtime_nsec)          \
    CALL(archive_entry_new2)                \
    CALL(archive_entry_pathname)            \
    CALL(archive_entry_pathname_utf8)       \
    CALL(archive_entry_set_filetype)        \
    CALL(archive_entry_set_mtime)           \
    CALL(archive_entry_set_pathname)        \
    CALL(archive_entry_set_perm)            \
    CALL(archive_entry_set_size)            \
    CALL(archive_entry_set_symlink)         \
    CALL(archive_entry_symlink)             \
    CALL(archive_errno)                     \
    CALL(archive_error_string)              \
    CALL(archive_filter_bytes)              \
    CALL(archive_format)                    \
    CALL(archive_liblzma_version)           \
    CALL(archive_libzstd_version)           \
    CALL(archive_read_data_block)           \
    CALL(archive_read_data_skip)            \
    CALL(archive_read_free)                 \
    CALL(archive_read_new)                  \
    CALL(archive_read_next_header2)         \
    CALL(archive_read_open1)                \
    CALL(archive_read_set_callback_data)    \
    CALL(archive_read_set_read_callback)    \
    CALL(archive_read_support_filter_bzip2) \
    CALL(archive_read_support_filter_gzip)  \
    CALL(archive_read_support_filter_xz)    \
    CALL(archive_read_support_filter_zstd)  \
    CALL(archive_read_support_format_empty) \
    CALL(archive_read_support_format_raw)   \
    CALL(archive_read_support_format_tar)   \
    CALL(archive_set_error)                 \
    CALL(archive_write_add_filter_zstd)     \
    CALL(archive_write_close)               \
    CALL(archive_write_data)                \
    CALL(archive_write_free)                \
    CALL(archive_write_header)              \
    CALL(archive_write_new)                 \
    CALL(archive_write_open_fd)             \
    CALL(archive_write_set_format_ustar)    \
    CALL(archive_zlib_version)

typedef struct pm_archive {
#define PM_ARCHIVE_MEMBER(name) __typeof__(name) *(name);
    PM_ARCHIVE_CALLS(PM_ARCHIVE_MEMBER)
#undef PM_ARCHIVE_MEMBER
} pm_archive;

/* Loads the library. It stays loaded, so further calls cost almost nothing. */
pmapdb_status pm_archive_load(pm_archive *out, pmapdb_error *err);

/* Returns a reader of compressed bytes and, with `members`, of tar. NULL without memory. */
struct archive *pm_archive_reader(const pm_archive *lib, bool members);

/* True if the magic bytes are those of one of the four compression formats. */
bool pm_archive_is_packed(pm_text head);

/* True if the magic bytes are those of a compressed file or a tar. A tar from before 1988 has no
 * magic and is recognised by its checksum. An empty tar contains only NULs and is recognised by its
 * name. */
bool pm_archive_wants(const char *head, size_t n, const char *path);

/* The path of a member, NULL if it has none; and its time, or PMAPDB_UNKNOWN. */
const char *pm_archive_path(const pm_archive *lib, struct archive_entry *e);
int64_t pm_archive_mtime_ms(const pm_archive *lib, struct archive_entry *e);

/* Like archive_read_open2, but fails if memory is short, where archive_read_open2 continues. errno
 * may have more detail than libarchive reports. */
int pm_archive_open(const pm_archive *lib, struct archive *a, void *ctx,
                    archive_read_callback *give);

#endif
