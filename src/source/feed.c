/* feed: reads a file block by block with read(2). */
#include "source/feed.h"

#include "source/proc.h"
#include "source/walk.h"
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool is_live(int fd)
{
    struct statfs info;

    return fstatfs(fd, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

/* Returns the size of a regular file, or UINT64_MAX. Files that the kernel generates have no size.
 */
static uint64_t size_of(int fd, bool seekable)
{
    struct stat st;

    return seekable && fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : UINT64_MAX;
}

/* Reads until the block has `least` bytes or the file ends. */
static bool fill(pm_feed *feed, size_t least)
{
    while (feed->len < least) {
        size_t room = PM_FEED_BLOCK - feed->len;
        uint64_t left =
            feed->most > feed->given + feed->len ? feed->most - feed->given - feed->len : 0;
        ssize_t n;

        room = room < feed->piece ? room : feed->piece;
        n = left ? read(feed->fd, feed->block + feed->len, room < left ? room : (size_t)left) : 0;

        if (n < 0) { /* EINTR too: a program that catches a signal may want to stop */
            feed->os_errno = errno;
            return false;
        }
        if (n == 0)
            break;
        feed->len += (size_t)n;
    }
    return true;
}

pmapdb_status pm_feed_start(pm_feed *feed, int fd, bool seekable, const char *path,
                            pmapdb_error *err)
{
    char *block = feed->block ? feed->block : malloc(PM_FEED_BLOCK);

    if (!block)
        return pm_fail_nomem(err);
    *feed = (pm_feed){
        .fd = fd, .live = is_live(fd), .block = block, .held = true, .most = size_of(fd, seekable)};
    /* small pieces disturb a running process less: see proc_map.c */
    feed->piece = feed->live ? PM_PROC_PIECE : PM_FEED_BLOCK;
    return fill(feed, PM_FEED_HEAD)
               ? PMAPDB_OK
               : pm_fail_io(err, feed->os_errno, "'" PM_SHOWN "'", PM_SHOW(path));
}

bool pm_feed_next(pm_feed *feed, bool full, const char **bytes, size_t *n)
{
    size_t least = full ? PM_FEED_BLOCK : 1;

    if (!feed->held)
        feed->len = 0;
    /* bytes before an error are valid: the error is reported by the next call */
    if (!fill(feed, least) && feed->len == 0)
        return false;
    feed->held = false;
    feed->given += feed->len;
    *bytes = feed->block;
    *n = feed->len;
    return true;
}

bool pm_feed_has_rest(const pm_feed *feed, uint64_t consumed)
{
    uint64_t rest = feed->given - consumed;

    for (size_t i = rest < feed->len ? feed->len - (size_t)rest : 0; i < feed->len; i++)
        if (feed->block[i])
            return true;
    return false;
}
