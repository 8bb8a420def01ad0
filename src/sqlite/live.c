/* live: the map of a process, whole or an error. */
#include "sqlite/table.h"

#include "base/num.h"
#include "source/proc.h"
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

SQLITE_EXTENSION_INIT3

static pmapdb_status feed_reader(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_reader_feed(ctx, bytes, n, err);
}

/* Reports why the process could not be read; PMAPDB_OK: it was read, or has no map. */
static pmapdb_status say_fate(pm_proc_fate fate, const char *file, int64_t pid, pmapdb_error *err)
{
    switch (fate) {
    case PM_PROC_GONE:
        return pm_fail(err, PMAPDB_NOTFOUND, "process %" PRId64 " ended while it was read", pid);
    case PM_PROC_UNREADABLE:
        return pm_fail_io(err, EACCES, "cannot read /proc/%" PRId64 "/%s", pid, file);
    case PM_PROC_CHANGED:
        return pm_fail(err, PMAPDB_INPUT,
                       "process %" PRId64 " became another program while it was read", pid);
    case PM_PROC_GOOD:
    case PM_PROC_KERNEL:
    case PM_PROC_ZOMBIE: /* it exists, and has no map any more */
    case PM_PROC_THREAD:
    case PM_PROC_TORN:
        break;
    }
    return PMAPDB_OK;
}

static pmapdb_status check_whole(const pm_blocks *blocks, const char *file, int64_t pid,
                                 pmapdb_error *err)
{
    const pm_found_block *b = pm_blocks_finished(blocks);

    if (!b)
        return pm_fail(err, PMAPDB_INPUT, "/proc/%" PRId64 "/%s has no rows of a memory map", pid,
                       file);
    for (; b; b = b->next)
        if (b->capture->block.state != PM_STATE_COMPLETE)
            return pm_fail(err, PMAPDB_INPUT, "/proc/%" PRId64 "/%s is not complete: %s", pid, file,
                           b->capture->block.missing.data);
    return PMAPDB_OK;
}

static pmapdb_status read_in(pm_blocks *out, const pm_proc *p, const char *file, pmapdb_error *err)
{
    pm_reader *reader = NULL;
    pm_proc_fate fate = PM_PROC_GOOD;
    pmapdb_status st = pm_blocks_reader(out, &reader, err);

    PM_STEP(st,
            pm_proc_read_map(p, file, PM_PROC_PIECE_SINGLE, feed_reader, reader, NULL, &fate, err));
    PM_STEP(st, say_fate(fate, file, p->pid, err));
    PM_STEP(st, pm_reader_finish(reader, err));
    pm_reader_free(reader);
    return st == PMAPDB_OK ? check_whole(out, file, p->pid, err) : st;
}

/* 'self' is the number by which this /proc knows this process. */
static pmapdb_status read_pid(int root, sqlite3_value *v, int64_t *pid, pmapdb_error *err)
{
    pm_text text = pm_text_of((const char *)sqlite3_value_text(v));
    uint64_t number = 0;

    if (pm_text_equal(text, PM_TEXT("self")))
        *pid = pm_proc_self(root);
    else if (sqlite3_value_type(v) != SQLITE_BLOB && pm_num_all(text, &number) && number &&
             number <= INT64_MAX)
        *pid = (int64_t)number;
    else
        return pm_fail(err, PMAPDB_USAGE, "a process must be a whole number, 1 or more, or 'self'");
    return PMAPDB_OK;
}

static pmapdb_status read_below(pm_blocks *out, int root, const char *file, sqlite3_value *v,
                                pmapdb_error *err)
{
    pm_proc p;
    pm_proc_fate fate;
    int64_t pid = 0;
    pmapdb_status st = read_pid(root, v, &pid, err);

    PM_STEP(st, pm_proc_open(root, pid, &p, &fate, err));
    if (st != PMAPDB_OK)
        return st;
    if (fate == PM_PROC_GONE)
        return pm_fail(err, PMAPDB_NOTFOUND, "no process %s", sqlite3_value_text(v));
    if (fate != PM_PROC_GOOD)
        return say_fate(fate, file, pid, err);
    st = read_in(out, &p, file, err);
    pm_proc_close(&p);
    return st;
}

pmapdb_status pm_live_blocks(const char *file, sqlite3_value *pid, pm_blocks **out,
                             pmapdb_error *err)
{
    pm_blocks *blocks = NULL;
    int root = -1;
    pmapdb_status st = pm_blocks_new(&(pm_blocks_options){0}, &blocks, err);

    PM_STEP(st, pm_proc_open_root("/proc", &root, err));
    PM_STEP(st, read_below(blocks, root, file, pid, err));
    if (root >= 0)
        close(root);
    if (st == PMAPDB_OK)
        *out = blocks;
    else
        pm_blocks_free(blocks);
    return st;
}
