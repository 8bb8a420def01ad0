/* live: /proc/PID/smaps and maps. */
#include "sqlite/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The kernel fills a page per read(2), and what does not fit is made once more by the next: the
 * page tables of the mapping at its end are then walked twice, which is the one big heap by chance
 * of the layout. With pieces of this size that never happens. */
#define PIECE 2048

#define STAT_START_TIME 22 /* fields of /proc/PID/stat, from 1 */
#define STAT_START_STACK 28
#define STAT_MAX 4096

/* What tells one program in one process from another. */
typedef struct life {
    bool there;
    char state;
    char start_time[24], start_stack[24];
} life;

static void copy_word(char out[24], const char *p, size_t n)
{
    n = n < 23 ? n : 23;
    memcpy(out, p, n);
    out[n] = '\0';
}

/* The name in parentheses may hold blanks and parentheses: fields are counted behind the last. */
static void read_words(const char *text, size_t len, life *out)
{
    const char *end = text + len, *p = memrchr(text, ')', len);

    p = p && end - p > 2 ? p + 2 : end;
    for (int field = 3; p < end; field++) {
        const char *blank = memchr(p, ' ', (size_t)(end - p)), *stop = blank ? blank : end;

        if (field == 3)
            out->state = *p;
        if (field == STAT_START_TIME)
            copy_word(out->start_time, p, (size_t)(stop - p));
        if (field == STAT_START_STACK)
            copy_word(out->start_stack, p, (size_t)(stop - p));
        p = blank ? blank + 1 : end;
    }
}

static life look(int dir)
{
    char text[STAT_MAX];
    int fd = openat(dir, "stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    life out = {.there = n > 0};

    if (n > 0)
        read_words(text, (size_t)n, &out);
    if (fd >= 0)
        close(fd);
    return out;
}

static bool has_ended(const life *l)
{
    return !l->there || l->state == 'Z' || l->state == 'X';
}

/* The text has no end mark: that all of it was read, only the process itself can say. */
static pmapdb_status check_life(const life *before, const life *after, bool any, const char *pid,
                                pmapdb_error *err)
{
    if (any && has_ended(after))
        return pm_fail(err, PMAPDB_NOTFOUND, "process %s ended while it was read", pid);
    if (!after->there)
        return pm_fail(err, PMAPDB_NOTFOUND, "process %s ended", pid);
    if (any && (strcmp(before->start_time, after->start_time) != 0 ||
                strcmp(before->start_stack, after->start_stack) != 0))
        return pm_fail(err, PMAPDB_INPUT, "process %s became another program while it was read",
                       pid);
    return PMAPDB_OK;
}

/* ESRCH: no memory map, as of a kernel thread or a zombie, or of one that ends now. */
static pmapdb_status feed_all(int fd, pm_reader *reader, bool *any, const char *name,
                              pmapdb_error *err)
{
    char piece[PIECE];
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK) {
        ssize_t n = read(fd, piece, sizeof piece);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != ESRCH)
            return pm_fail_io(err, errno, "cannot read %s", name);
        if (n <= 0)
            break;
        *any = true;
        st = pm_reader_feed(reader, piece, (size_t)n, err);
    }
    return st == PMAPDB_OK ? pm_reader_finish(reader, err) : st;
}

static pmapdb_status parse_all(pm_collect *out, int fd, bool *any, const char *name,
                               pmapdb_error *err)
{
    pm_reader_events events = pm_collect_events(out);
    pm_reader *reader = NULL;
    pmapdb_status st = pm_reader_new(&events, PM_DIALECT_COUNT, &reader, err);

    if (st == PMAPDB_OK)
        st = feed_all(fd, reader, any, name, err);
    pm_reader_free(reader);
    if (st == PMAPDB_OK && *any && !out->first)
        return pm_fail(err, PMAPDB_INPUT, "%s has no rows of a memory map", name);
    for (const pm_held *h = out->first; h && st == PMAPDB_OK; h = h->next)
        if (h->capture.block.state != PM_STATE_COMPLETE)
            st = pm_fail(err, PMAPDB_INPUT, "%s is not whole: %.*s", name,
                         (int)h->capture.block.missing.len, h->capture.block.missing.data);
    return st;
}

static pmapdb_status read_in(pm_collect *out, int dir, const char *file, const char *pid,
                             pmapdb_error *err)
{
    char name[64];
    life before = look(dir), after;
    int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
    bool any = false;
    pmapdb_status st = PMAPDB_OK;

    snprintf(name, sizeof name, "/proc/%s/%s", pid, file);
    if (fd < 0 && errno != ESRCH)
        return pm_fail_io(err, errno, "cannot read %s", name);
    if (fd >= 0) {
        st = parse_all(out, fd, &any, name, err);
        close(fd);
    }
    after = look(dir);
    return st == PMAPDB_OK ? check_life(&before, &after, any, pid, err) : st;
}

pmapdb_status pm_live_read(pm_collect *out, const char *file, const char *pid, pmapdb_error *err)
{
    char path[64];
    int dir;
    pmapdb_status st;

    snprintf(path, sizeof path, "/proc/%s", pid);
    dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 && errno == ENOENT)
        return pm_fail(err, PMAPDB_NOTFOUND, "no process %s", pid);
    if (dir < 0)
        return pm_fail_io(err, errno, "cannot open %s", path);
    st = read_in(out, dir, file, pid, err);
    close(dir);
    return st;
}
