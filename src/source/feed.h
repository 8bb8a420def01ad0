/* feed: the bytes of one open file, block by block, with a look at the first ones.
 *
 * The block belongs to the feed and is reused from file to file; bytes handed out last until the
 * next call. The feed does not own the descriptor.
 */
#ifndef PM_SOURCE_FEED_H
#define PM_SOURCE_FEED_H

#include "base/err.h"

#define PM_FEED_BLOCK ((size_t)64 * 1024)
#define PM_FEED_PEEK ((size_t)512) /* one tar header */

typedef struct pm_feed {
    int fd;
    bool seekable;
    size_t piece; /* bytes per read(2) at most */
    char *block;
    size_t len;     /* bytes in the block */
    bool held;      /* the block was peeked at and not yet handed out */
    uint64_t given; /* handed out so far, or skipped */
    uint64_t most;  /* so much is read at most: the file's size when it was opened */
    int os_errno;   /* why the last read failed, or 0 */
} pm_feed;

/* A zeroed feed is valid for start and free. Of a regular file with a size, only what it had then
 * is read: one that somebody appends to has an end too. */
pmapdb_status pm_feed_start(pm_feed *feed, int fd, bool seekable, pmapdb_error *err);
void pm_feed_free(pm_feed *feed);

/* False where reading failed, or a signal that the program catches came while it waited: EINTR.
 * *n is PM_FEED_PEEK or more unless the file is shorter. */
bool pm_feed_peek(pm_feed *feed, const char **bytes, size_t *n);

/* The next bytes; *n = 0 at the end. `full` waits until the block is full or the file ends. */
bool pm_feed_next(pm_feed *feed, bool full, const char **bytes, size_t *n);

/* Skips bytes without reading them, if the file allows that; returns how many. */
int64_t pm_feed_skip(pm_feed *feed, int64_t wanted);

/* True if the size of the file has changed since it was opened. */
bool pm_feed_changed(const pm_feed *feed);

/* True if bytes other than NUL follow the first `consumed` bytes, as far as read. */
bool pm_feed_has_rest(const pm_feed *feed, uint64_t consumed);

#endif
