/* live: the map of a process, whole or an error. */
#include "sqlite/table.h"

#include "base/num.h"
#include "source/proc.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

SQLITE_EXTENSION_INIT3

static pmapdb_status feed_reader(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_reader_feed(ctx, bytes, n, err);
}

/* What keeps this process from being looked at. */
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
    case PM_PROC_ZOMBIE: /* it is there, and has no map any more */
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

/* `self` is a link to the number that this /proc knows this process by. */
static int64_t number_of(int root, const char *pid)
{
    char link[24];
    ssize_t n = readlinkat(root, pid, link, sizeof link);
    uint64_t number = 0;

    pm_num_all(n > 0 ? (pm_text){link, (size_t)n} : pm_text_of(pid), &number);
    return (int64_t)number;
}

static pmapdb_status read_below(pm_blocks *out, int root, const char *file, const char *pid,
                                pmapdb_error *err)
{
    pm_proc p;
    pm_proc_fate fate;
    int64_t number = number_of(root, pid);
    pmapdb_status st = pm_proc_open(root, number, &p, &fate, err);

    if (st != PMAPDB_OK)
        return st;
    if (fate == PM_PROC_GONE)
        return pm_fail(err, PMAPDB_NOTFOUND, "no process %s", pid);
    if (fate != PM_PROC_GOOD)
        return say_fate(fate, file, number, err);
    st = read_in(out, &p, file, err);
    pm_proc_close(&p);
    return st;
}

static pmapdb_status read_live(pm_blocks *out, const char *file, const char *pid, pmapdb_error *err)
{
    int root;
    pmapdb_status st = pm_proc_open_root("/proc", &root, err);

    if (st != PMAPDB_OK)
        return st;
    st = read_below(out, root, file, pid, err);
    close(root);
    return st;
}

/* The name of the process's folder in /proc. */
static pmapdb_status read_pid(sqlite3_value *v, char out[32], pmapdb_error *err)
{
    sqlite3_int64 pid = -1;
    uint64_t number;
    pm_text text;

    if (sqlite3_value_type(v) == SQLITE_INTEGER) {
        pid = sqlite3_value_int64(v);
    } else if (sqlite3_value_type(v) == SQLITE_TEXT) {
        text = pm_text_of((const char *)sqlite3_value_text(v));
        if (pm_text_equal(text, PM_TEXT("self"))) {
            snprintf(out, 32, "self");
            return PMAPDB_OK;
        }
        if (pm_num_all(text, &number) && number <= INT64_MAX)
            pid = (sqlite3_int64)number;
    }
    if (pid < 1)
        return pm_fail(err, PMAPDB_USAGE, "a process must be a whole number, 1 or more, or 'self'");
    snprintf(out, 32, "%" PRId64, (int64_t)pid);
    return PMAPDB_OK;
}

pmapdb_status pm_live_blocks(const char *file, sqlite3_value *pid, pm_blocks **out,
                             pmapdb_error *err)
{
    const pm_blocks_options options = {0};
    pm_blocks *blocks = NULL;
    char name[32];
    pmapdb_status st = read_pid(pid, name, err);

    PM_STEP(st, pm_blocks_new(&options, &blocks, err));
    PM_STEP(st, read_live(blocks, file, name, err));
    if (st == PMAPDB_OK)
        *out = blocks;
    else
        pm_blocks_free(blocks);
    return st;
}
