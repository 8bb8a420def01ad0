/* box: a temporary folder, files in it, and the entries that a source reads from them. */
#ifndef TESTS_SOURCE_BOX_H
#define TESTS_SOURCE_BOX_H

#include "unit.h"

#include "base/buf.h"
#include "source/source.h"
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char box_folder[32];

/* Each test works in a fresh folder as its current directory. */
static inline int box_enter(void **state)
{
    strcpy(box_folder, "/tmp/pmapdb-test-XXXXXX");
    return mkdtemp(box_folder) && chdir(box_folder) == 0 ? 0 : -1;
}

static inline int box_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    return remove(path);
}

static inline int box_leave(void **state)
{
    return chdir("/") || nftw(box_folder, box_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void box_write(const char *path, const void *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    close(fd);
}

static inline void box_text(const char *path, const char *text)
{
    box_write(path, text, strlen(text));
}

static inline pm_buf box_bytes(const char *path)
{
    static char block[65536];
    pm_buf out = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    assert_true(fd >= 0);
    while ((n = read(fd, block, sizeof block)) > 0)
        assert_int_equal(pm_buf_add(&out, block, (size_t)n, NULL), PMAPDB_OK);
    close(fd);
    return out;
}

/* Reads the current entry to its end. Short text is shown as it is, other bytes as "[N]". */
static inline void box_show_bytes(pm_source *s, pm_buf *out, pm_buf *all)
{
    pmapdb_error err;
    const char *bytes;
    size_t n;
    pmapdb_status st;

    pm_buf_clear(all);
    while ((st = pm_source_read(s, &bytes, &n, &err)) == PMAPDB_OK && n)
        assert_int_equal(pm_buf_add(all, bytes, n, NULL), PMAPDB_OK);
    if (all->len < 40)
        pm_buf_addf(out, NULL, " %s", pm_buf_text(all).data);
    else
        pm_buf_addf(out, NULL, " [%zu]", all->len);
    if (st != PMAPDB_OK) {
        pm_buf_addf(out, NULL, " !%d %s", (int)st, err.text);
        assert_int_equal(pm_source_read(s, &bytes, &n, &err), PMAPDB_OK);
        assert_int_equal(n, 0);
    }
}

/* A line per entry, "PATH (DIR, NAME) FLAGS BYTES", or "!STATUS MESSAGE". The caller frees
 * the list. `all`, if not NULL, gets the bytes of the last entry. */
static inline char *box_list(const char *const *paths, size_t n_paths, pm_buf *all)
{
    pm_source *s;
    const pm_source_entry *e;
    pm_buf out = {0}, bytes = {0};
    pmapdb_error err;

    assert_int_equal(pm_buf_add(&out, "", 0, NULL), PMAPDB_OK);
    assert_int_equal(pm_source_new(paths, n_paths, 0, &s, NULL), PMAPDB_OK);
    for (;;) {
        pmapdb_status st = pm_source_next(s, &e, &err);

        if (st == PMAPDB_OK && !e)
            break;
        if (st != PMAPDB_OK) {
            pm_buf_addf(&out, NULL, "!%d %s\n", (int)st, err.text);
            continue;
        }
        assert_true((e->mtime_ms == PMAPDB_UNKNOWN) ==
                    (e->is_stdin || pm_text_starts(pm_text_of(e->path), PM_TEXT("/proc/"))));
        pm_buf_addf(&out, NULL, "%s (%s)%s%s%s%s", e->path, e->name, e->named ? " named" : "",
                    e->in_archive ? " archive" : "", e->is_stdin ? " stdin" : "",
                    e->skipped ? " skipped" : "");
        assert_true(pm_text_ends(pm_text_of(e->path), pm_text_of(e->own_path)));
        assert_int_equal(e->in_archive, strlen(e->own_path) < strlen(e->path));
        box_show_bytes(s, &out, &bytes);
        pm_buf_addf(&out, NULL, "\n");
    }
    assert_int_equal(pm_source_next(s, &e, &err), PMAPDB_OK);
    assert_null(e);
    pm_source_free(s);
    if (all)
        *all = bytes;
    else
        pm_buf_free(&bytes);
    return out.data;
}

static inline void box_expect(const char *path, const char *wanted)
{
    char *got = box_list(&path, 1, NULL);

    assert_string_equal(got, wanted);
    free(got);
}

/* Like box_expect, with the file as standard input. */
static inline void box_expect_stdin(const char *path, const char *wanted)
{
    int saved = dup(STDIN_FILENO), fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(saved >= 0 && fd >= 0 && dup2(fd, STDIN_FILENO) == 0);
    close(fd);
    box_expect(PM_SOURCE_STDIN, wanted);
    assert_true(dup2(saved, STDIN_FILENO) == 0);
    close(saved);
}

/* Expects the time and the own path of the first entry. */
static inline void box_expect_time(const char *path, const char *own_path, int64_t ms)
{
    const pm_source_entry *e;
    pm_source *s;

    assert_int_equal(pm_source_new(&path, 1, 0, &s, NULL), PMAPDB_OK);
    assert_int_equal(pm_source_next(s, &e, NULL), PMAPDB_OK);
    assert_int_equal(e->mtime_ms, ms);
    assert_string_equal(e->own_path, own_path);
    pm_source_free(s);
}

static inline void box_set_time(const char *path, int64_t ms)
{
    struct timespec times[2] = {{0, UTIME_NOW}, {ms / 1000, ms % 1000 * 1000000 + 654321}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

#define IN_BOX(function) TEST_WITH(function, box_enter, box_leave)

#endif
