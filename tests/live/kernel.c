/* A kernel that the test imitates, for LD_PRELOAD. The name of a file is the end of the path that
 * openat() gets:
 *
 *     FILE_NAME   openat() opens the file FILE_IS instead, or fails if FILE_IS is an errno
 *     THEN_NAME   openat() first runs THEN_DO in a shell, once
 *     NONE_NAME   openat() fails with ENOENT
 *
 * A write to the file FILE_IS keeps the bits that are set, as the bitmap of page idle tracking
 * does. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int played = -1; /* the descriptor of FILE_IS */

static bool is_named(const char *variable, const char *path)
{
    const char *name = getenv(variable);
    size_t n = name ? strlen(name) : 0, all = strlen(path);

    return n && all >= n && strcmp(path + all - n, name) == 0;
}

static int open_it(int dir, const char *path, int flags, unsigned mode)
{
    if (is_named("THEN_NAME", path)) {
        const char *what = getenv("THEN_DO");
        char *copy = what ? strdup(what) : NULL;

        unsetenv("THEN_NAME");
        unsetenv("LD_PRELOAD");
        if (!copy || system(copy) != 0)
            abort();
        free(copy);
    }
    if (is_named("NONE_NAME", path)) {
        errno = ENOENT;
        return -1;
    }
    if (is_named("FILE_NAME", path)) {
        int failed = atoi(getenv("FILE_IS"));

        if (!failed)
            return played = open(getenv("FILE_IS"), flags, mode);
        errno = failed;
        return -1;
    }
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    return open_it(dir, path, flags, 0600);
}

int openat64(int dir, const char *path, int flags, ...)
{
    return open_it(dir, path, flags, 0600);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    unsigned char set[64 * 1024];
    ssize_t n = 0;

    if (fd == played && bytes <= sizeof set && (n = pread(fd, set, bytes, at)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            set[i] |= ((const unsigned char *)from)[i];
        from = set;
        bytes = (size_t)n;
    }
    return syscall(SYS_pwrite64, fd, from, bytes, at);
}
