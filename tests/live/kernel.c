/* A kernel that the test plays, for LD_PRELOAD. What is opened by openat below /proc under a name
 * that ends with
 *
 *     FILE_NAME   is the file FILE_IS instead; where FILE_IS is a number, opening fails with this
 * errno THEN_NAME   is opened after the shell has run THEN_DO, once
 *     NONE_NAME   does not exist
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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
            return open(getenv("FILE_IS"), flags, mode);
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
