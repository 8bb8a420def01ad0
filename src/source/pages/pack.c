/* pack: writes a small copy of /proc. */
#include "source/pages/pack.h"

#include "source/archive.h"
#include "source/proc_text.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MAX ((size_t)64 << 20)

struct pm_copy_writer {
    struct archive *out;
    struct archive_entry *entry;
    pm_pagemap *map;
    pm_book_writer book;
    pm_buf text;
    char *path, *temporary;
    time_t now;
    int root, fd;
};

static pmapdb_status fail_write(const pm_copy_writer *k, pmapdb_error *err)
{
    const char *why = k->out ? PM_LIBRARY(archive_error_string)(k->out) : NULL;

    return pm_fail(err, PMAPDB_IO, "cannot write '%s': %s", k->path, why ? why : "no memory");
}

/* Adds a file; with `link`, a symbolic link. */
static pmapdb_status add(pm_copy_writer *k, const char *name, pm_text bytes, const char *link,
                         pmapdb_error *err)
{
    struct archive_entry *e = PM_LIBRARY(archive_entry_clear)(k->entry);

    PM_LIBRARY(archive_entry_set_pathname)(e, name);
    PM_LIBRARY(archive_entry_set_filetype)(e, link ? AE_IFLNK : AE_IFREG);
    PM_LIBRARY(archive_entry_set_perm)(e, 0644);
    PM_LIBRARY(archive_entry_set_mtime)(e, k->now, 0);
    if (link)
        PM_LIBRARY(archive_entry_set_symlink)(e, link);
    else
        PM_LIBRARY(archive_entry_set_size)(e, (la_int64_t)bytes.len);
    if (PM_LIBRARY(archive_write_header)(k->out, e) != ARCHIVE_OK ||
        (bytes.len &&
         PM_LIBRARY(archive_write_data)(k->out, bytes.data, bytes.len) != (la_ssize_t)bytes.len))
        return fail_write(k, err);
    return PMAPDB_OK;
}

/* Copies a file of /proc, if this user may read it. */
static pmapdb_status copy(pm_copy_writer *k, int dir, const char *folder, const char *file,
                          pmapdb_error *err)
{
    char name[96];
    int failed;

    pm_buf_clear(&k->text);
    failed = pm_proc_slurp(dir, file, TEXT_MAX, &k->text);
    if (failed)
        return failed == ENOMEM ? pm_fail_nomem(err) : PMAPDB_OK;
    snprintf(name, sizeof name, "proc/%s%s", folder, file);
    return add(k, name, pm_buf_text(&k->text), NULL, err);
}

/* ---- the file ---- */

static bool open_tar(pm_copy_writer *k)
{
    k->out = PM_LIBRARY(archive_write_new)();
    k->entry = k->out ? PM_LIBRARY(archive_entry_new2)(k->out) : NULL;
    return k->entry && PM_LIBRARY(archive_write_set_format_ustar)(k->out) == ARCHIVE_OK &&
           PM_LIBRARY(archive_write_add_filter_zstd)(k->out) == ARCHIVE_OK &&
           PM_LIBRARY(archive_write_open_fd)(k->out, k->fd) == ARCHIVE_OK;
}

pmapdb_status pm_copy_writer_open(const char *path, int root, pm_pagemap *map, pm_copy_writer **out,
                                  pmapdb_error *err)
{
    pm_copy_writer *k = calloc(1, sizeof *k);
    size_t n = strlen(path) + sizeof ".XXXXXX";
    pmapdb_status st;

    if (!k)
        return pm_fail_nomem(err);
    *k = (pm_copy_writer){.map = map,
                          .book = {.by_frame = map->by_frame},
                          .path = strdup(path),
                          .temporary = malloc(n),
                          .now = time(NULL),
                          .root = root,
                          .fd = -1};
    *out = k;
    if (!k->path || !k->temporary)
        return pm_fail_nomem(err);
    snprintf(k->temporary, n, "%s.XXXXXX", path);
    st = pm_archive_load(err);
    if (st == PMAPDB_OK && (k->fd = mkostemp(k->temporary, O_CLOEXEC)) < 0)
        st = pm_fail_io(err, errno, "cannot write '%s'", path);
    if (st == PMAPDB_OK && !open_tar(k))
        st = fail_write(k, err);
    return st;
}

pmapdb_status pm_copy_writer_end(pm_copy_writer *k, pmapdb_error *err)
{
    static const char *const files[] = {"uptime",
                                        "stat",
                                        "meminfo",
                                        "vmstat",
                                        "swaps",
                                        "sysvipc/shm",
                                        "sys/kernel/hostname",
                                        "sys/kernel/random/boot_id",
                                        "sys/vm/max_map_count",
                                        "self/mountinfo"};
    pmapdb_status st = PMAPDB_OK;
    pm_buf book = {0};

    for (size_t i = 0; i < sizeof files / sizeof *files && st == PMAPDB_OK; i++)
        st = copy(k, k->root, "", files[i], err);
    PM_STEP(st, pm_book_head(&k->book, k->map->page, k->map->zero, &book, err));
    PM_STEP(st, pm_buf_add(&book, k->book.book.data, k->book.book.len, err));
    PM_STEP(st, add(k, "proc/book", pm_buf_text(&book), NULL, err));
    pm_buf_free(&book);
    if (st == PMAPDB_OK && PM_LIBRARY(archive_write_close)(k->out) != ARCHIVE_OK)
        st = fail_write(k, err);
    if (st == PMAPDB_OK && (fsync(k->fd) != 0 || rename(k->temporary, k->path) != 0))
        st = pm_fail_io(err, errno, "cannot write '%s'", k->path);
    if (st == PMAPDB_OK)
        k->temporary[0] = '\0';
    return st;
}

void pm_copy_writer_close(pm_copy_writer *k)
{
    if (!k)
        return;
    if (k->out)
        PM_LIBRARY(archive_write_free)(k->out);
    if (k->entry)
        PM_LIBRARY(archive_entry_free)(k->entry);
    if (k->fd >= 0)
        close(k->fd);
    if (k->temporary && k->fd >= 0 && k->temporary[0])
        unlink(k->temporary);
    pm_book_free(&k->book);
    pm_buf_free(&k->text);
    free(k->path);
    free(k->temporary);
    free(k);
}

/* ---- a process ---- */

static void on_entries(void *ctx, const uint64_t *e, size_t n, uint64_t at)
{
    pm_copy_writer *k = ctx;

    pm_book_add(&k->book, e, n, at / k->map->page);
}

/* A text of the process that the caller may keep. */
static pmapdb_status add_text(pm_copy_writer *k, const pm_proc *p, const char *file, pm_text text,
                              pmapdb_error *err)
{
    char name[64];

    if (!text.len)
        return PMAPDB_OK;
    snprintf(name, sizeof name, "proc/%" PRId64 "/%s", p->pid, file);
    return add(k, name, text, NULL, err);
}

static pmapdb_status add_exe(pm_copy_writer *k, const pm_proc *p, pm_text exe, pmapdb_error *err)
{
    char name[64], *target = exe.len ? pm_text_copy(exe) : NULL;
    pmapdb_status st = PMAPDB_OK;

    snprintf(name, sizeof name, "proc/%" PRId64 "/exe", p->pid);
    if (target)
        st = add(k, name, PM_TEXT(""), target, err);
    else if (exe.len)
        st = pm_fail_nomem(err);
    free(target);
    return st;
}

pmapdb_status pm_copy_writer_add(pm_copy_writer *k, const pm_proc *p, const pm_standing *s,
                                 pm_page_ranges *work, pm_proc_fate *fate, pmapdb_error *err)
{
    static const char *const files[] = {"maps", "status", "stat", "comm", "cgroup", "limits"};
    char folder[32];
    pmapdb_status st;

    work->on_entries = on_entries;
    work->ctx = k;
    work->sets = NULL;
    pm_book_process(&k->book);
    st = pm_pagemap_read(k->map, p, work, fate, err);
    pm_book_end(&k->book);
    if (k->book.st != PMAPDB_OK && err)
        *err = k->book.error;
    PM_STEP(st, k->book.st);
    if (st != PMAPDB_OK || *fate != PM_PROC_GOOD)
        return st;
    snprintf(folder, sizeof folder, "%" PRId64 "/", p->pid);
    for (size_t i = 0; i < sizeof files / sizeof *files && st == PMAPDB_OK; i++)
        st = copy(k, p->dir, folder, files[i], err);
    PM_STEP(st, add_text(k, p, "cmdline", s->cmdline, err));
    PM_STEP(st, add_text(k, p, "environ", s->environment, err));
    PM_STEP(st, add_exe(k, p, s->exe, err));
    PM_STEP(st, add_text(k, p, "pages", pm_buf_text(&k->book.list), err));
    return st;
}
