/* output_file: standard output, or a file that appears completely or not at all. */
#include "cli/output_file.h"

#include "base/err.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HELD_BACK 65536

/* ---- the program ends before the output does ---- */

/* The file that is currently open. A signal handler uses only `used` and `path`. */
static struct {
    pm_output_file *file;
    volatile sig_atomic_t used;
    char path[PATH_MAX];
} current;

static void remove_temporary(void)
{
    if (current.used)
        unlink(current.path);
}

/* Sets a failure, because exit() would otherwise write what is buffered. */
void pm_output_file_abandon(void)
{
    if (current.file)
        current.file->failure.status = PMAPDB_STOPPED;
    remove_temporary();
}

static void clean_up(int signal_number)
{
    remove_temporary();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Watches only signals that would end the program: nohup ignores some of them, and a progress line
 * catches them. */
static void watch(const char *path)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction now, clean = {.sa_handler = clean_up};

    if (current.used || strlen(path) >= PATH_MAX)
        return;
    memcpy(current.path, path, strlen(path) + 1);
    current.used = 1;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(signals[i], &clean, NULL);
}

static void forget(const pm_output_file *f)
{
    if (current.file == f)
        current.file = NULL;
    if (f->temporary && strcmp(current.path, f->temporary) == 0)
        current.used = 0;
}

/* ---- a terminal, page by page, as git does ---- */

bool pm_output_file_can_page(void)
{
    const char *pager = getenv("PAGER"), *terminal = getenv("TERM");

    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0 &&
           !(pager && (!*pager || strcmp(pager, "cat") == 0));
}

/* Starts the pager, which gets the rest of the output. If it cannot be started, the terminal gets
 * the text as it is. */
static void start_pager(pm_output_file *f)
{
    const char *pager = getenv("PAGER");

    setenv("LESS", "FRX", 0); /* less ends itself if the text fits the screen */
    f->pager = popen(pager ? pager : "command -v less >/dev/null && exec less; exec cat", "we");
    if (!f->pager)
        return;
    signal(SIGINT, SIG_IGN); /* Ctrl-C is for the pager */
    f->fd = fileno(f->pager);
}

/* ---- bytes ---- */

static void fail_write(pm_output_file *f, int os_errno)
{
    if (os_errno == EPIPE)
        pm_fail(&f->failure, PMAPDB_STOPPED, "the reader of the output went away");
    else if (f->path)
        pm_fail_io(&f->failure, os_errno, "cannot write '%s'", f->path);
    else
        pm_fail_io(&f->failure, os_errno, "cannot write standard output");
}

/* Standard output may be non-blocking although we did not ask for it: the flag belongs to the
 * terminal or pipe, and any program that shares it can set it. */
static bool wait_writable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return poll(&p, 1, -1) > 0 || errno == EINTR;
}

static void write_all(pm_output_file *f, const char *bytes, size_t n)
{
    if (f->page && n)
        start_pager(f);
    f->page = f->page && !n;
    while (n && f->failure.status == PMAPDB_OK) {
        ssize_t done = write(f->fd, bytes, n);

        if (done > 0) {
            bytes += done;
            n -= (size_t)done;
        } else if (!(done < 0 && (errno == EINTR || (errno == EAGAIN && wait_writable(f->fd))))) {
            fail_write(f, done ? errno : EIO);
        }
    }
}

/* Escapes the bytes that terminals obey: those below a blank, DEL, and U+0080 to U+009F (c2 80 to
 * c2 9f in UTF-8). */
static void write_escaped(pm_output_file *f, const char *bytes, size_t n)
{
    char shown[4 * 1024 + 8];
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        bool high = f->after_c2 && c >= 0x80 && c < 0xa0;

        if (f->after_c2)
            used += (size_t)sprintf(shown + used, high ? "\\xc2" : "\xc2");
        f->after_c2 = c == 0xc2;
        if (high || (c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
            used += (size_t)sprintf(shown + used, "\\x%02x", c);
        else if (!f->after_c2)
            shown[used++] = (char)c;
        if (used > sizeof shown - 10) {
            write_all(f, shown, used);
            used = 0;
        }
    }
    write_all(f, shown, used);
}

/* Returns n even if bytes could not be written: the failure is kept in the file. */
static ssize_t write_held(void *cookie, const char *bytes, size_t n)
{
    pm_output_file *f = cookie;

    if (f->escape)
        write_escaped(f, bytes, n);
    else
        write_all(f, bytes, n);
    return (ssize_t)n;
}

void pm_output_file_flush(pm_output_file *f)
{
    bool failed = fflush(f->text) != 0;

    if ((failed || ferror(f->text)) && f->failure.status == PMAPDB_OK)
        fail_write(f, failed ? errno : EIO);
}

/* ---- opening ---- */

static unsigned mode_of_new_file(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666U & ~(unsigned)mask;
}

/* Gives the new file the permissions of the old one, or those of any new file; mkstemp made it
 * 0600. */
static pmapdb_status take_over_mode(const pm_output_file *f, const struct stat *old,
                                    pmapdb_error *err)
{
    unsigned mode = old ? (unsigned)old->st_mode & 0777U : mode_of_new_file();

    /* Only root may change the owner. If the group cannot be kept either, the new group gets no
     * access. */
    if (old && fchown(f->fd, old->st_uid, old->st_gid) != 0 &&
        fchown(f->fd, (uid_t)-1, old->st_gid) != 0)
        mode &= 0707U;
    if (fchmod(f->fd, (mode_t)mode) != 0)
        return pm_fail_io(err, errno, "cannot set the mode of '%s'", f->temporary);
    return PMAPDB_OK;
}

static pmapdb_status open_temporary(pm_output_file *f, const struct stat *old, pmapdb_error *err)
{
    sigset_t all, before;
    char *name;

    if (asprintf(&name, "%s.XXXXXX", f->path) < 0)
        return pm_fail_nomem(err);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* nobody would remove a file that is not watched yet */
    f->fd = mkostemp(name, O_CLOEXEC);
    if (f->fd >= 0)
        watch(name);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (f->fd < 0) {
        free(name);
        return pm_fail_io(err, errno, "cannot create '%s'", f->path);
    }
    f->temporary = name;
    return take_over_mode(f, old, err);
}

/* Follows links: replaces the file that a link points to, not the link. */
static pmapdb_status open_path(pm_output_file *f, const char *path, pmapdb_error *err)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;

    if (!exists && errno != ENOENT)
        return pm_fail_io(err, errno, "cannot open '%s'", path);
    f->path = exists && S_ISREG(old.st_mode) ? realpath(path, NULL) : strdup(path);
    if (!f->path)
        return pm_fail_io(err, errno, "cannot open '%s'", path);
    if (!exists || S_ISREG(old.st_mode))
        return open_temporary(f, exists ? &old : NULL, err);
    f->fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    return f->fd >= 0 ? PMAPDB_OK : pm_fail_io(err, errno, "cannot open '%s'", path);
}

pmapdb_status pm_output_file_open(pm_output_file *f, const char *path, pmapdb_error *err)
{
    static const cookie_io_functions_t functions = {.write = write_held};
    pmapdb_status st = PMAPDB_OK;

    f->fd = path ? -1 : STDOUT_FILENO;
    f->text = fopencookie(f, "w", functions);
    if (!f->text || setvbuf(f->text, NULL, _IOFBF, HELD_BACK) != 0)
        st = pm_fail_nomem(err);
    else if (path)
        st = open_path(f, path, err);
    if (st != PMAPDB_OK)
        pm_output_file_close(f);
    else if (!current.file)
        current.file = f;
    return st;
}

/* ---- the end ---- */

void pm_output_file_commit(pm_output_file *f)
{
    pm_output_file_flush(f);
    if (f->after_c2)
        write_all(f, "\xc2", 1);
    f->after_c2 = false;
    if (!f->temporary || f->failure.status != PMAPDB_OK)
        return;
    /* Without fsync, a crash after the rename may leave an empty file instead of the old one. */
    if (fsync(f->fd) != 0) {
        fail_write(f, errno);
    } else if (rename(f->temporary, f->path) != 0) {
        pm_fail_io(&f->failure, errno, "cannot replace '%s'", f->path);
    } else {
        forget(f);
        free(f->temporary);
        f->temporary = NULL;
    }
}

void pm_output_file_close(pm_output_file *f)
{
    if (f->failure.status == PMAPDB_OK) /* drops what is still buffered */
        f->failure.status = PMAPDB_STOPPED;
    if (f->text)
        fclose(f->text);
    if (f->temporary)
        unlink(f->temporary);
    forget(f);
    if (f->pager) { /* waits until the user has left the pager */
        pclose(f->pager);
        signal(SIGINT, SIG_DFL);
    }
    if (f->path && f->fd >= 0)
        close(f->fd);
    free(f->temporary);
    free(f->path);
    *f = (pm_output_file){.fd = -1};
}

/* ---- whether two paths are one file ---- */

bool pm_output_file_same(const char *a, const char *b)
{
    struct stat x, y;

    return strcmp(a, b) == 0 ||
           (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

bool pm_output_file_can_be_lost(const char *path)
{
    struct stat info;

    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}
