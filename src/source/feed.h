/* feed: the bytes of one open file, block by block.
 *
 * The block belongs to the feed and is reused from file to file; the owner of the feed frees it.
 * Returned bytes are valid until the next call. The feed does not own the descriptor.
 */
#ifndef PM_SOURCE_FEED_H
#define PM_SOURCE_FEED_H

#include "base/err.h"

#define PM_FEED_BLOCK ((size_t)64 * 1024)
#define PM_FEED_HEAD ((size_t)512) /* one tar header */

typedef struct pm_feed {
    int fd;
    bool live;    /* on a proc filesystem: the kernel generates the bytes while they are read */
    size_t piece; /* maximum bytes per read(2) */
    char *block;
    size_t len;     /* bytes in the block */
    bool held;      /* the block was read by pm_feed_start but not yet returned */
    uint64_t given; /* bytes returned so far */
    uint64_t most;  /* maximum bytes to read: the size of the file when it was opened */
    int os_errno;   /* errno of the last failed read, or 0 */
} pm_feed;

/* Begins a file, in a zeroed feed or one that was used before. A regular file with a size is read
 * only up to its size at the start, so that a growing file has an end too. The block then has the
 * first bytes: at least PM_FEED_HEAD unless the file is shorter. Fails if they cannot be read, or
 * if a signal that the program catches interrupts the wait (EINTR). */
pmapdb_status pm_feed_start(pm_feed *feed, int fd, bool seekable, const char *path,
                            pmapdb_error *err);

/* Returns the next bytes; *n = 0 at the end. With `full`, waits until the block is full or the file
 * ends. */
bool pm_feed_next(pm_feed *feed, bool full, const char **bytes, size_t *n);

/* True if bytes other than NUL follow the first `consumed` bytes, in the block returned last. */
bool pm_feed_has_rest(const pm_feed *feed, uint64_t consumed);

#endif
