/* archive: libarchive, loaded when the first archive is read. */
#include "source/archive.h"

#include <errno.h>
#include <string.h>

#define LIBRARY "libarchive.so.13"
#define TAR_HEADER 512

/* Only the message of the loader distinguishes a missing library from a library that cannot be read
 * at the moment because file descriptors ran out. The second failure is temporary, so it must not
 * count against the file. */
static pmapdb_status fail_load(pmapdb_error *err)
{
    const char *why = dlerror();

    if (!why || strstr(why, "No such file"))
        return pm_fail(err, PMAPDB_IO,
                       "archives and compressed files cannot be read: the library " LIBRARY
                       " is not installed");
    pm_fail(err, PMAPDB_IO, "archives and compressed files cannot be read: %s", why);
    if (err)
        err->os_errno = EIO;
    return PMAPDB_IO;
}

pmapdb_status pm_archive_load(pmapdb_error *err)
{
    errno = 0;
    if (pm_library_load(LIBRARY, "archive_read_support_filter_zstd"))
        return PMAPDB_OK;
    if (errno == ENOMEM) /* the library probably exists */
        return pm_fail_nomem(err);
    return fail_load(err);
}

/* ---- allowed formats ---- */

/* Allows only filters whose libraries are built into libarchive. For the others, libarchive would
 * run a program. */
static bool allow_filters(struct archive *a)
{
    return (!PM_LIBRARY(archive_zlib_version)() ||
            PM_LIBRARY(archive_read_support_filter_gzip)(a) == ARCHIVE_OK) &&
           (!PM_LIBRARY(archive_liblzma_version)() ||
            PM_LIBRARY(archive_read_support_filter_xz)(a) == ARCHIVE_OK) &&
           (!PM_LIBRARY(archive_libzstd_version)() ||
            PM_LIBRARY(archive_read_support_filter_zstd)(a) == ARCHIVE_OK) &&
           (!PM_LIBRARY(archive_bzlib_version)() ||
            PM_LIBRARY(archive_read_support_filter_bzip2)(a) == ARCHIVE_OK);
}

struct archive *pm_archive_reader(bool members)
{
    struct archive *a = PM_LIBRARY(archive_read_new)();

    /* without one of the formats, libarchive would read an archive as one capture full of noise */
    if (a && allow_filters(a) &&
        (!members || PM_LIBRARY(archive_read_support_format_tar)(a) == ARCHIVE_OK) &&
        PM_LIBRARY(archive_read_support_format_raw)(a) == ARCHIVE_OK &&
        PM_LIBRARY(archive_read_support_format_empty)(a) == ARCHIVE_OK)
        return a;
    PM_LIBRARY(archive_read_free)(a);
    return NULL;
}

int pm_archive_open(struct archive *a, void *ctx, archive_read_callback *give)
{
    int r;

    errno = 0;
    r = PM_LIBRARY(archive_read_set_callback_data)(a, ctx);
    if (r == ARCHIVE_OK)
        r = PM_LIBRARY(archive_read_set_read_callback)(a, give);
    if (r == ARCHIVE_OK)
        r = PM_LIBRARY(archive_read_open1)(a);
    return r;
}

/* ---- magic bytes ---- */

/* True for "BZh", a digit, and the magic of the first block or of the end. */
static bool is_bzip2(pm_text t)
{
    pm_text block = t.len >= 10 ? pm_text_from(t, 4) : PM_TEXT("");

    return pm_text_starts(t, PM_TEXT("BZh")) &&
           (pm_text_starts(block, PM_TEXT("1AY&SY")) ||
            pm_text_starts(block, PM_TEXT("\x17\x72\x45\x38\x50\x90")));
}

bool pm_archive_is_packed(pm_text t)
{
    return pm_text_starts(t, PM_TEXT("\x1f\x8b")) || pm_text_starts(t, PM_TEXT("\xfd\x37zXZ\0")) ||
           pm_text_starts(t, PM_TEXT("\x28\xb5\x2f\xfd")) || is_bzip2(t);
}

bool pm_archive_wants(const char *head, size_t n, const char *path)
{
    if (pm_archive_is_packed((pm_text){head, n}))
        return true;
    return n >= TAR_HEADER && (head[0] ? memchr(head, '\0', TAR_HEADER) != NULL
                                       : pm_text_ends(pm_text_of(path), PM_TEXT(".tar")));
}

/* ---- members ---- */

/* pax headers are UTF-8; a name that the locale cannot represent is taken unchanged. */
const char *pm_archive_path(struct archive_entry *e)
{
    const char *path = PM_LIBRARY(archive_entry_pathname)(e);

    return path ? path : PM_LIBRARY(archive_entry_pathname_utf8)(e);
}

/* Archives may contain any number: an implausible time counts as unknown, and so does 0, which
 * tools write that create tar headers without a time. */
int64_t pm_archive_mtime_ms(struct archive_entry *e)
{
    static const int64_t year_9999 = 253402300799;
    int64_t seconds = PM_LIBRARY(archive_entry_mtime)(e);

    if (!PM_LIBRARY(archive_entry_mtime_is_set)(e) || seconds <= 0 || seconds > year_9999)
        return PMAPDB_UNKNOWN;
    return seconds * 1000 + PM_LIBRARY(archive_entry_mtime_nsec)(e) / 1000000;
}

uint64_t pm_archive_given(struct archive *a)
{
    int64_t n = a ? PM_LIBRARY(archive_filter_bytes)(a, 0) : 0;

    return n > 0 ? (uint64_t)n : 0;
}

const char *pm_archive_reason(struct archive *a)
{
    const char *why = PM_LIBRARY(archive_error_string)(a);

    if (!why)
        return "truncated or damaged";
    /* the message of liblzma for truncated input */
    return strstr(why, "No progress is possible") ? "truncated xz input" : why;
}
