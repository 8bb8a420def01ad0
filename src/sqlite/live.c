/* live: the current mappings of a process, whole or an error. */
#include "base/num.h"
#include "source/proc.h"
#include "sqlite/blocks.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static pmapdb_status feed_reader(void *ctx, const char *bytes, size_t n, size_t *taken,
                                 pmapdb_error *err)
{
    (void)taken;
    return pm_reader_feed(ctx, bytes, n, err);
}

/* OK if the process is there without mappings. */
static pmapdb_status fail_by_fate(pm_proc_fate fate, const char *file, int64_t pid,
                                  pmapdb_error *err)
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
    case PM_PROC_ZOMBIE: /* no mappings any more */
    case PM_PROC_TORN:
        break;
    }
    return PMAPDB_OK;
}

static pmapdb_status check_whole(const pm_blocks *b, const char *file, int64_t pid,
                                 pmapdb_error *err)
{
    if (!b->first)
        return pm_fail(err, PMAPDB_INPUT, "/proc/%" PRId64 "/%s has no rows of a memory map", pid,
                       file);
    for (const pm_found_block *h = b->first; h; h = h->next)
        if (h->capture.block.state != PM_STATE_COMPLETE)
            return pm_fail(err, PMAPDB_INPUT, "/proc/%" PRId64 "/%s is not whole: %.*s", pid, file,
                           (int)h->capture.block.missing.len, h->capture.block.missing.data);
    return PMAPDB_OK;
}

static pmapdb_status read_in(pm_blocks *b, const pm_proc *p, const char *file, pmapdb_error *err)
{
    pm_reader *reader = NULL;
    pm_proc_reading reading;
    pm_proc_fate fate = PM_PROC_GOOD;
    pmapdb_status st = pm_blocks_reader(b, &reader, err);

    if (st == PMAPDB_OK)
        st = pm_proc_read_map(p, file, 0, feed_reader, reader, &reading, &fate, err);
    if (st == PMAPDB_OK)
        st = fail_by_fate(fate, file, p->pid, err);
    if (st == PMAPDB_OK)
        st = pm_reader_finish(reader, err);
    pm_reader_free(reader);
    return st == PMAPDB_OK ? check_whole(b, file, p->pid, err) : st;
}

/* The pid of a folder in /proc; "self" is a link to the pid of this process. */
static int64_t number_of(int root, const char *pid)
{
    char link[24];
    ssize_t n = readlinkat(root, pid, link, sizeof link);
    uint64_t number = 0;

    pm_num_all(n > 0 ? (pm_text){link, (size_t)n} : pm_text_of(pid), &number);
    return (int64_t)number;
}

static pmapdb_status read_below(pm_blocks *b, int root, const char *file, const char *pid,
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
        return fail_by_fate(fate, file, number, err);
    st = read_in(b, &p, file, err);
    pm_proc_close(&p);
    return st;
}

pmapdb_status pm_blocks_open_live(pm_blocks *b, const char *file, const char *pid,
                                  pmapdb_error *err)
{
    int root;
    pmapdb_status st = pm_blocks_init(b, true, err);

    if (st == PMAPDB_OK)
        st = pm_proc_open_root(&root, err);
    if (st != PMAPDB_OK)
        return st;
    st = read_below(b, root, file, pid, err);
    close(root);
    return st;
}
