/* live: /proc/PID/smaps and maps, whole or an error. */
#include "sqlite/live.h"

#include "base/num.h"
#include "source/proc.h"
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static pmapdb_status feed_reader(void *ctx, const char *bytes, size_t n, size_t *taken,
                                 pmapdb_error *err)
{
    (void)taken;
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
    case PM_PROC_TORN:
        break;
    }
    return PMAPDB_OK;
}

static pmapdb_status check_whole(const pm_collect *out, const char *file, int64_t pid,
                                 pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!out->first)
        return pm_fail(err, PMAPDB_INPUT, "/proc/%" PRId64 "/%s has no rows of a memory map", pid,
                       file);
    for (const pm_held *h = out->first; h && st == PMAPDB_OK; h = h->next)
        if (h->capture.block.state != PM_STATE_COMPLETE)
            st = pm_fail(err, PMAPDB_INPUT, "/proc/%" PRId64 "/%s is not whole: %.*s", pid, file,
                         (int)h->capture.block.missing.len, h->capture.block.missing.data);
    return st;
}

static pmapdb_status read_in(pm_collect *out, const pm_proc *p, const char *file, pmapdb_error *err)
{
    pm_reader_events events = pm_collect_events(out);
    pm_reader *reader = NULL;
    pm_proc_reading reading;
    pm_proc_fate fate = PM_PROC_GOOD;
    pmapdb_status st = pm_reader_new(&events, PM_DIALECT_COUNT, &reader, err);

    if (st == PMAPDB_OK)
        st = pm_proc_read_map(p, file, 0, feed_reader, reader, &reading, &fate, err);
    if (st == PMAPDB_OK)
        st = say_fate(fate, file, p->pid, err);
    if (st == PMAPDB_OK)
        st = pm_reader_finish(reader, err);
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

static pmapdb_status read_below(pm_collect *out, int root, const char *file, const char *pid,
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

pmapdb_status pm_live_read(pm_collect *out, const char *file, const char *pid, pmapdb_error *err)
{
    int root;
    pmapdb_status st = pm_proc_open_root(&root, err);

    if (st != PMAPDB_OK)
        return st;
    st = read_below(out, root, file, pid, err);
    close(root);
    return st;
}
