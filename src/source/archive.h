/* archive: libarchive, loaded when the first archive is read. With its dependencies (XML, ICU), it
 * would more than double the start time of the program, and most runs read no archive. */
#ifndef PM_SOURCE_ARCHIVE_H
#define PM_SOURCE_ARCHIVE_H

#include "base/err.h"
#include "base/library.h"
#include "base/text.h"
#include <archive.h>
#include <archive_entry.h>

/* Loads the library, before any of its functions is called: PM_LIBRARY(archive_read_new)(). Further
 * calls cost almost nothing. */
pmapdb_status pm_archive_load(pmapdb_error *err);

/* Returns a reader of compressed bytes and, with `members`, of tar. NULL without memory. */
struct archive *pm_archive_reader(bool members);

/* True if the magic bytes are those of one of the four compression formats. */
bool pm_archive_is_packed(pm_text head);

/* True for a compressed file and for a file that may be a tar. libarchive then decides, and returns
 * other files unchanged. The header of a tar is text and NULs. An empty tar has only NULs, as has
 * the beginning of a damaged log, so for NULs the name of the file decides. */
bool pm_archive_wants(const char *head, size_t n, const char *path);

/* The path of a member, NULL if it has none; and its time, or PMAPDB_UNKNOWN. */
const char *pm_archive_path(struct archive_entry *e);
int64_t pm_archive_mtime_ms(struct archive_entry *e);

/* Like archive_read_open2, but fails if memory is short, where archive_read_open2 continues. errno
 * may have more detail than libarchive reports. */
int pm_archive_open(struct archive *a, void *ctx, archive_read_callback *give);

/* Returns how many unpacked bytes a reader, or NULL, has given. */
uint64_t pm_archive_given(struct archive *a);

/* Returns why the last call for an archive failed. */
const char *pm_archive_reason(struct archive *a);

#endif
