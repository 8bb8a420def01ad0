/* archive: libarchive, loaded when the first archive is read: it and what it stands on (XML, ICU)
 * would more than double the time that this program takes to start, and most runs see none.
 *
 * Where the build could not tell the library's name (PM_ARCHIVE_SONAME), it is linked as usual. */
#ifndef PM_SOURCE_ARCHIVE_H
#define PM_SOURCE_ARCHIVE_H

#include "base/err.h"
#include "base/text.h"
#include <archive.h>
#include <archive_entry.h>

/* The functions that are called. */
#define PM_ARCHIVE_CALLS(CALL)              \
    CALL(archive_bzlib_version)             \
    CALL(archive_entry_filetype)            \
    CALL(archive_entry_free)                \
    CALL(archive_entry_hardlink)            \
    CALL(archive_entry_mtime)               \
    CALL(archive_entry_mtime_is_set)        \
    CALL(archive_entry_mtime_nsec)          \
    CALL(archive_entry_new2)                \
    CALL(archive_entry_pathname)            \
    CALL(archive_entry_pathname_utf8)       \
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
    CALL(archive_read_set_skip_callback)    \
    CALL(archive_read_support_filter_bzip2) \
    CALL(archive_read_support_filter_gzip)  \
    CALL(archive_read_support_filter_xz)    \
    CALL(archive_read_support_filter_zstd)  \
    CALL(archive_read_support_format_empty) \
    CALL(archive_read_support_format_raw)   \
    CALL(archive_read_support_format_tar)   \
    CALL(archive_set_error)                 \
    CALL(archive_zlib_version)

typedef struct pm_archive {
#define PM_ARCHIVE_MEMBER(name) __typeof__(name) *(name);
    PM_ARCHIVE_CALLS(PM_ARCHIVE_MEMBER)
#undef PM_ARCHIVE_MEMBER
} pm_archive;

/* The library stays loaded: the next call costs next to nothing. */
pmapdb_status pm_archive_load(pm_archive *out, pmapdb_error *err);

/* A reader of compressed bytes, and, with `members`, of tar. NULL: no memory. */
struct archive *pm_archive_reader(const pm_archive *lib, bool members);

/* By magic bytes: compressed by one of these four. */
bool pm_archive_is_packed(pm_text head);

/* By magic bytes: compressed, or a tar (that of before 1988 has none: its checksum). An empty tar
 * is nothing but NULs, which only its name tells from any other file of that kind. */
bool pm_archive_wants(const char *head, size_t n, const char *path);

/* As archive_read_open2, which goes on where memory is short. errno may know more than it does. */
int pm_archive_open(const pm_archive *lib, struct archive *a, void *ctx,
                    archive_read_callback *give, archive_skip_callback *skip);

#endif
