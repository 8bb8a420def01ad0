/* feed: the bytes of one open file, block by block, with a peek at the first bytes.
 *
 * The block belongs to the feed and is reused from file to file; returned bytes are valid until the
 * next call. The feed does not own the descriptor.
 */
#ifndef PM_SOURCE_FEED_H
#define PM_SOURCE_FEED_H

#include "base/err.h"

#define PM_FEED_BLOCK ((size_t)64 * 1024)
#define PM_FEED_PEEK ((size_t)512) /* one tar header */

typedef struct pm_feed {
    int fd;
    bool live;    /* on a proc filesystem: the kernel generates it while it is read */
    size_t piece; /* maximum bytes per read(2) */
    char *block;
    size_t len;     /* bytes in the block */
    bool held;      /* the block was peeked at but not yet returned */
    uint64_t given; /* bytes returned so far */
    uint64_t most;  /* maximum bytes to read: the size of the file when it was opened */
    int os_errno;   /* errno of the last failed read, or 0 */
} pm_feed;

/* A zeroed feed is valid for start and free. A regular file with a size is read only up to its size
 * at the start, so that a growing file has an end too. */
pmapdb_status pm_feed_start(pm_feed *feed, int fd, bool seekable, pmapdb_error *err);
void pm_feed_free(pm_feed *feed);

/* Returns the first bytes without consuming them. False if reading failed or was interrupted by a
 * signal that the program catches (EINTR). *n is at least PM_FEED_PEEK unless the file is shorter.
 */
bool pm_feed_peek(pm_feed *feed, const char **bytes, size_t *n);

/* Returns the next bytes; *n = 0 at the end. With `full`, waits until the block is full or the file
 * ends. */
bool pm_feed_next(pm_feed *feed, bool full, const char **bytes, size_t *n);

/* True if the size of the file has changed since it was opened. */
bool pm_feed_changed(const pm_feed *feed);

/* True if bytes other than NUL follow the first `consumed` bytes, among the bytes read so far. */
bool pm_feed_has_rest(const pm_feed *feed, uint64_t consumed);

#endif
