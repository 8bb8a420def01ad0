/* export: copies a part of a store, or all of it, into a new file, which appears in full or not at
 * all. */
#include "store/export/export.h"

#include "base/buf.h"
#include "store/file/space.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void pmapdb_export_defaults(pmapdb_export_options *o)
{
    *o = (pmapdb_export_options){0};
}

typedef struct export_run {
    pmapdb_store *store;
    const char *path;
    const pmapdb_export_options *options;
    pmapdb_export_result result;
    pm_export_notes notes;
    pm_buf temporary; /* the file, which is renamed at the end */
} export_run;

/* ---- the file ---- */

/* The longest suffix of the files that SQLite writes beside a database. */
#define JOURNAL "-journal"

/* Needs no memory: make_temporary reserved room for the tail. */
static void remove_file(const export_run *run, const char *tail)
{
    char *end = run->temporary.data + run->temporary.len;

    memcpy(end, tail, strlen(tail) + 1);
    unlink(run->temporary.data);
    *end = '\0';
}

static pmapdb_status refuse_existing(const export_run *run, pmapdb_error *err)
{
    struct stat info;

    return lstat(run->path, &info) == 0
               ? pm_fail(err, PMAPDB_USAGE,
                         "'%s' already exists: an export makes a new file, so give another name",
                         run->path)
               : PMAPDB_OK;
}

/* Makes a file with an unused name beside the path; mode 0600. */
static pmapdb_status make_temporary(export_run *run, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_addf(&run->temporary, err, "%s.XXXXXX" JOURNAL, run->path);
    int fd;

    if (st != PMAPDB_OK)
        return st;
    run->temporary.len -= strlen(JOURNAL);
    run->temporary.data[run->temporary.len] = '\0';
    fd = mkostemp(run->temporary.data, O_CLOEXEC);
    if (fd < 0)
        return pm_fail_io(err, errno, "cannot create '%s'", run->path);
    close(fd);
    return PMAPDB_OK;
}

static pmapdb_status sync_file(const export_run *run, int64_t *size_kib, pmapdb_error *err)
{
    int fd = open(run->temporary.data, O_RDONLY | O_CLOEXEC);
    struct stat info;
    pmapdb_status st = PMAPDB_OK;

    if (fd < 0 || fsync(fd) != 0 || fstat(fd, &info) != 0)
        st = pm_fail_io(err, errno, "cannot write '%s'", run->path);
    else
        *size_kib = (int64_t)((info.st_size + 1023) / 1024);
    if (fd >= 0)
        close(fd);
    return st;
}

/* Does not replace a file that appeared meanwhile. On a file system that cannot promise this, a
 * check comes just before the rename. */
static pmapdb_status give_name(export_run *run, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    int failure;

    if (renameat2(AT_FDCWD, run->temporary.data, AT_FDCWD, run->path, RENAME_NOREPLACE) == 0)
        return PMAPDB_OK;
    if (errno == EINVAL || errno == ENOSYS) {
        st = refuse_existing(run, err);
        if (st != PMAPDB_OK || rename(run->temporary.data, run->path) == 0)
            return st;
    }
    failure = errno;
    if (failure == EEXIST)
        st = refuse_existing(run, err); /* succeeds if the file is gone again */
    return st != PMAPDB_OK ? st : pm_fail_io(err, failure, "cannot write '%s'", run->path);
}

/* ---- the store in the file ---- */

/* Replaces the temporary name in SQLite's message by the path, and the advice for a full store,
 * which does not help here. */
static void say_of_path(const export_run *run, pmapdb_status st, pmapdb_error *err)
{
    char *at = strstr(err->text, run->temporary.data), *end;

    if (!at)
        return;
    if (pm_space_is_full(st, err)) {
        pm_fail(err, PMAPDB_DATABASE,
                "cannot write '%s': no space left on the device; the unfinished file was removed",
                run->path);
        return;
    }
    end = at + run->temporary.len;
    at += strlen(run->path);
    memmove(at, end, strlen(end) + 1);
}

static pmapdb_status fill(export_run *run, pmapdb_error *err)
{
    pmapdb_open_options options = {.mode = PMAPDB_WRITE};
    pmapdb_store *into = NULL;
    pmapdb_error why = {0};
    pmapdb_status st = pmapdb_open(run->temporary.data, &options, &into, &why);

    PM_STEP(st, pm_export_store(run->store, into, run->options, &run->result, &run->notes, &why));
    pmapdb_close(into);
    if (st == PMAPDB_OK)
        return st;
    say_of_path(run, st, &why);
    if (err)
        *err = why;
    return st;
}

/* ---- news ---- */

static void warn(const export_run *run, const char *warning)
{
    if (run->options->on_warning)
        run->options->on_warning(run->options->ctx, warning);
}

static void warn_all(const export_run *run)
{
    const pmapdb_export_options *o = run->options;

    if (run->notes.other_rules)
        warn(run, "the rules of this store are your own and contain names: the new store has the "
                  "built-in rules, but keeps the categories of this store");
    if (pmapdb_is_immutable(run->store))
        warn(run, "read as a file that does not change (no permission for its -shm)");
    if (run->notes.beats && !o->redact && (o->n_processes || o->from || o->to))
        warn(run, "a part of a store: in a store that it is merged into, the missing part of its "
                  "live captures counts as pruned");
}

/* ---- the export ---- */

static pmapdb_status make(export_run *run, pmapdb_error *err)
{
    pmapdb_status st = refuse_existing(run, err);

    PM_STEP(st, make_temporary(run, err));
    if (st != PMAPDB_OK)
        return st;
    st = fill(run, err);
    remove_file(run, "-wal");
    remove_file(run, "-shm");
    remove_file(run, JOURNAL);
    PM_STEP(st, sync_file(run, &run->result.size_kib, err));
    PM_STEP(st, give_name(run, err));
    if (st != PMAPDB_OK)
        remove_file(run, "");
    return st;
}

pmapdb_status pmapdb_export(pmapdb_store *store, const char *path,
                            const pmapdb_export_options *options, pmapdb_export_result *result,
                            pmapdb_error *err)
{
    export_run run = {.store = store, .path = path, .options = options};
    pmapdb_status st;

    if (options->n_keep && !options->redact)
        return pm_fail(err, PMAPDB_USAGE, "--keep is for --redact: without it everything is kept");
    st = make(&run, err);
    if (st == PMAPDB_OK) {
        warn_all(&run);
        *result = run.result;
    }
    pm_buf_free(&run.temporary);
    return st;
}
