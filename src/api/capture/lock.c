/* lock: only one run at a time captures the same processes into a store. */
#include "api/capture/lock.h"

#include "base/buf.h"
#include "base/hash.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_MS 100

/* Lets the users who may write the store lock the file, and nobody else: a reader must not hold a
 * lock. If the mode cannot be set, because another user owns the file, this lock is valid anyway.
 */
static void share_like(const char *store, int fd)
{
    struct stat info;

    if (stat(store, &info) == 0 && fchown(fd, info.st_uid, info.st_gid) == 0)
        fchmod(fd, 0600 | (info.st_mode & 0020 ? 0060 : 0) | (info.st_mode & 0002 ? 0006 : 0));
}

/* Opens the lock file beside the real file of the store, like SQLite's -wal. */
static pmapdb_status open_file(const char *store, int *fd, pmapdb_error *err)
{
    char *real = realpath(store, NULL);
    pm_buf path = {0};
    pmapdb_status st = PMAPDB_OK;

    if (!real && errno == ENOMEM) /* a lock file of another name would exclude nobody */
        return pm_fail_nomem(err);
    PM_STEP(st, pm_buf_addf(&path, err, "%s-capture", real ? real : store));
    free(real);
    if (st != PMAPDB_OK)
        return st;
    *fd = open(path.data, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (*fd < 0 && errno == ENOENT) {
        *fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (*fd >= 0)
            share_like(store, *fd);
    }
    if (*fd < 0)
        st = pm_fail_io(err, errno, "cannot open '%s'", path.data);
    pm_buf_free(&path);
    return st;
}

/* The lock belongs to the open file, not to the process: it also excludes a second run in the same
 * program. */
static bool try_lock(int fd, uint64_t byte)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};

    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

pmapdb_status pm_capture_lock(const char *store, const char *host, const char *selection,
                              int64_t wait_ms, pmapdb_progress_fn on_progress, void *ctx, int *fd,
                              pmapdb_error *err)
{
    static const pmapdb_progress progress = {.what = "waiting"};
    static const struct timespec pause = {0, PAUSE_MS * 1000000L};
    uint64_t byte = pm_hash(selection, strlen(selection), pm_hash(host, strlen(host), 0)) >> 2;
    int64_t waited = 0;
    pmapdb_status st;

    *fd = -1;
    st = open_file(store, fd, err);
    while (st == PMAPDB_OK && !try_lock(*fd, byte)) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            st = pm_fail_io(err, errno, "cannot lock '%s-capture'", store);
        else if (on_progress && !on_progress(ctx, &progress))
            st = pm_fail(err, PMAPDB_STOPPED, "stopped");
        else if (waited >= wait_ms)
            st = pm_fail(err, PMAPDB_BUSY,
                         "another run captures %.200s into '%s'; --lock-wait 1m would wait "
                         "for its end",
                         selection, store);
        else
            nanosleep(&pause, NULL);
        waited += PAUSE_MS;
    }
    if (st != PMAPDB_OK && *fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return st;
}
