/* sink: standard output or an atomically replaced file. */
#include "cli/sink.h"
#include "base/buf.h"
#include "cli/litter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD_BACK 65536

struct pm_cli_out {
    int fd;
    char *path;   /* what -o names, links followed; NULL: standard output */
    char *beside; /* the file that is renamed to path; NULL: written directly */
    size_t used;
    pmapdb_error failure; /* the first one; PMAPDB_OK so far */
    char held[HELD_BACK];
};

static pmapdb_status fail_write(pm_cli_out *o, int os_errno)
{
    if (os_errno == EPIPE)
        return pm_fail(&o->failure, PMAPDB_STOPPED, "the reader of the output went away");
    if (o->path)
        return pm_fail_io(&o->failure, os_errno, "cannot write '%s'", o->path);
    return pm_fail_io(&o->failure, os_errno, "cannot write standard output");
}

static pmapdb_status report(const pm_cli_out *o, pmapdb_error *err)
{
    if (o->failure.status != PMAPDB_OK && err)
        *err = o->failure;
    return o->failure.status;
}

/* Standard output may be non-blocking without our doing: the flag belongs to the terminal or pipe,
 * and any program that shares it can have set it. */
static bool wait_writable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return poll(&p, 1, -1) > 0 || errno == EINTR;
}

static pmapdb_status write_all(pm_cli_out *o, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(o->fd, bytes, n);

        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
            continue;
        }
        if (done < 0 && errno == EAGAIN && wait_writable(o->fd))
            continue;
        if (done == 0 || errno != EINTR)
            return fail_write(o, done ? errno : EIO);
    }
    return PMAPDB_OK;
}

pmapdb_status pm_cli_out_flush(pm_cli_out *o, pmapdb_error *err)
{
    write_all(o, o->held, o->used);
    /* After a failure too: nothing more is held then, so nothing is tried again. */
    o->used = 0;
    return report(o, err);
}

pmapdb_status pm_cli_out_write(pm_cli_out *o, const char *bytes, size_t n, pmapdb_error *err)
{
    while (n && o->failure.status == PMAPDB_OK) {
        size_t piece = n < HELD_BACK - o->used ? n : HELD_BACK - o->used;

        memcpy(o->held + o->used, bytes, piece);
        o->used += piece;
        bytes += piece;
        n -= piece;
        if (o->used == HELD_BACK)
            pm_cli_out_flush(o, NULL);
    }
    return report(o, err);
}

static pmapdb_status hold(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_cli_out_write(ctx, bytes, n, err);
}

pm_sink pm_cli_out_sink(pm_cli_out *o)
{
    return (pm_sink){o, hold};
}

static unsigned file_mode_of_new(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666U & ~(unsigned)mask;
}

/* The file that will take the old one's place is as open to others as the old one was, or as any
 * new file; mkstemp made it 0600. */
static pmapdb_status take_over_mode(pm_cli_out *o, const struct stat *old, pmapdb_error *err)
{
    unsigned mode = old ? (unsigned)old->st_mode & 0777U : file_mode_of_new();

    /* Only root may give a file away. Who may not must not open it to a group that is another. */
    if (old && fchown(o->fd, old->st_uid, old->st_gid) != 0 &&
        fchown(o->fd, (uid_t)-1, old->st_gid) != 0)
        mode &= 0707U;
    if (fchmod(o->fd, (mode_t)mode) != 0)
        return pm_fail_io(err, errno, "cannot set the mode of '%s'", o->beside);
    return PMAPDB_OK;
}

static pmapdb_status open_beside(pm_cli_out *o, const struct stat *old, pmapdb_error *err)
{
    pm_buf name = {0};
    pmapdb_status st = pm_buf_addf(&name, err, "%s.XXXXXX", o->path);

    if (st != PMAPDB_OK)
        return st;
    o->fd = mkostemp(name.data, O_CLOEXEC);
    if (o->fd < 0) {
        st = pm_fail_io(err, errno, "cannot create '%s'", o->path);
        pm_buf_free(&name);
        return st;
    }
    o->beside = name.data;
    pm_litter_watch(o->beside);
    return take_over_mode(o, old, err);
}

static pmapdb_status open_directly(pm_cli_out *o, pmapdb_error *err)
{
    o->fd = open(o->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (o->fd < 0)
        return pm_fail_io(err, errno, "cannot open '%s'", o->path);
    return PMAPDB_OK;
}

/* A link stays a link: what it points to is replaced. */
static pmapdb_status open_path(pm_cli_out *o, const char *path, pmapdb_error *err)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;

    if (!exists && errno != ENOENT)
        return pm_fail_io(err, errno, "cannot open '%s'", path);
    if (exists && S_ISREG(old.st_mode))
        o->path = realpath(path, NULL);
    else
        o->path = strdup(path);
    if (!o->path)
        return pm_fail_io(err, errno, "cannot open '%s'", path);
    if (exists && !S_ISREG(old.st_mode))
        return open_directly(o, err);
    return open_beside(o, exists ? &old : NULL, err);
}

pmapdb_status pm_cli_out_open(const char *path, pm_cli_out **out, pmapdb_error *err)
{
    pm_cli_out *o = calloc(1, sizeof *o);
    pmapdb_status st = PMAPDB_OK;

    if (!o)
        return pm_fail_nomem(err);
    o->fd = path ? -1 : STDOUT_FILENO;
    if (path)
        st = open_path(o, path, err);
    if (st != PMAPDB_OK) {
        pm_cli_out_close(o);
        return st;
    }
    *out = o;
    return PMAPDB_OK;
}

pmapdb_status pm_cli_out_commit(pm_cli_out *o, pmapdb_error *err)
{
    if (pm_cli_out_flush(o, err) != PMAPDB_OK || !o->beside)
        return report(o, err);
    /* Without the fsync, a crash after the rename may leave an empty file instead of the old. */
    if (fsync(o->fd) != 0)
        fail_write(o, errno);
    else if (rename(o->beside, o->path) != 0)
        pm_fail_io(&o->failure, errno, "cannot replace '%s'", o->path);
    if (o->failure.status != PMAPDB_OK)
        return report(o, err);
    pm_litter_forget(o->beside);
    free(o->beside);
    o->beside = NULL;
    return PMAPDB_OK;
}

void pm_cli_out_close(pm_cli_out *o)
{
    if (!o)
        return;
    if (o->beside) {
        unlink(o->beside);
        pm_litter_forget(o->beside);
    }
    if (o->path && o->fd >= 0)
        close(o->fd);
    free(o->beside);
    free(o->path);
    free(o);
}
