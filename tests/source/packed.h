/* packed: compressed files and archives for the tests to read. */
#ifndef TESTS_SOURCE_PACKED_H
#define TESTS_SOURCE_PACKED_H

#include "source/box.h"
#include <archive.h>
#include <archive_entry.h>

static const struct {
    int filter;
    const char *suffix, *truncated;
} box_filters[] = {
    {ARCHIVE_FILTER_GZIP, "gz", "truncated gzip input"},
    {ARCHIVE_FILTER_XZ, "xz", "truncated xz input"},
    {ARCHIVE_FILTER_ZSTD, "zst", "Truncated zstd input"},
    {ARCHIVE_FILTER_BZIP2, "bz2", "truncated bzip2 input"},
};

typedef struct box_member {
    const char *name;
    unsigned type; /* 0: AE_IFREG */
    const char *bytes;
    size_t len; /* 0: strlen(bytes) */
} box_member;

static inline void box_put(struct archive *a, const box_member *m)
{
    struct archive_entry *e = archive_entry_new();
    size_t len = m->len || !m->bytes ? m->len : strlen(m->bytes);

    archive_entry_set_pathname(e, m->name);
    archive_entry_set_filetype(e, m->type ? m->type : AE_IFREG);
    archive_entry_set_perm(e, 0600);
    archive_entry_set_mtime(e, 1795226732, 123456789);
    archive_entry_set_size(e, (la_int64_t)len);
    if (m->type == AE_IFLNK)
        archive_entry_set_symlink(e, "elsewhere");
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    if (len)
        assert_int_equal(archive_write_data(a, m->bytes, len), len);
    archive_entry_free(e);
}

static inline void box_archive(const char *path, int format, int filter, const box_member *members,
                               size_t n)
{
    struct archive *a = archive_write_new();

    assert_int_equal(archive_write_add_filter(a, filter), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format(a, format), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++)
        box_put(a, &members[i]);
    assert_int_equal(archive_write_free(a), ARCHIVE_OK);
}

static inline void box_compress(const char *path, int filter, const char *bytes, size_t n)
{
    box_member only = {"inner-name", 0, bytes, n};

    box_archive(path, ARCHIVE_FORMAT_RAW, filter, &only, 1);
}

static inline void box_poke(const char *path, off_t at, char byte)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* Bytes that do not compress well: a truncated file ends in the middle of them. */
static inline char *box_noise(size_t len)
{
    char *bytes = malloc(len);
    uint32_t x = 1;

    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = "0123456789abcdef"[x >> 28];
    }
    return bytes;
}

#endif
