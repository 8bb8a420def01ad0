/* fault_call: the program's own calls of the kernel, which the linker leads here (--wrap), and a
 * clock and random bytes that are the same in every run, so that runs store the same bytes.
 */
#include "fault/fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const FILE *failed; /* the last stream of which a call failed */

static bool fails(unsigned call)
{
    if (!fault_due(call))
        return false;
    errno = fault_now->kind->os_errno;
    return fault_now->kind->how == FAULT_FAILS;
}

/* NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses): the linker's */
#define WRAP(type, name, params, args, call, none)      \
    type __real_##name params;                          \
    type __wrap_##name params;                          \
    type __wrap_##name params                           \
    {                                                   \
        return fails(call) ? none : __real_##name args; \
    }
#define WRAP_STREAM(type, name, params, args, call, none) \
    type __real_##name params;                            \
    type __wrap_##name params;                            \
    type __wrap_##name params                             \
    {                                                     \
        if (!fails(call))                                 \
            return __real_##name args;                    \
        failed = f;                                       \
        return none;                                      \
    }
WRAP(int, fsync, (int fd), (fd), FAULT_SYNC, -1)
WRAP(int, rename, (const char *a, const char *b), (a, b), FAULT_RENAME, -1)
WRAP(int, renameat2, (int from, const char *a, int to, const char *b, unsigned flags),
     (from, a, to, b, flags), FAULT_RENAME, -1)
WRAP(int, stat, (const char *path, struct stat *s), (path, s), FAULT_STAT, -1)
WRAP(int, lstat, (const char *path, struct stat *s), (path, s), FAULT_STAT, -1)
WRAP(int, fstat, (int fd, struct stat *s), (fd, s), FAULT_STAT, -1)
WRAP(int, access, (const char *path, int how), (path, how), FAULT_STAT, -1)
WRAP(int, fallocate, (int fd, int how, off_t at, off_t n), (fd, how, at, n), FAULT_ROOM, -1)
WRAP(int, ftruncate, (int fd, off_t n), (fd, n), FAULT_ROOM, -1)
WRAP(int, mkostemp, (char *path, int flags), (path, flags), FAULT_TEMP, -1)
WRAP(struct dirent *, readdir, (DIR * d), (d), FAULT_FOLDER, NULL)
WRAP_STREAM(size_t, fwrite_unlocked, (const void *p, size_t size, size_t n, FILE *f),
            (p, size, n, f), FAULT_STREAM, 0)
WRAP_STREAM(size_t, fread_unlocked, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f),
            FAULT_READ, 0)
WRAP_STREAM(size_t, fread, (void *p, size_t size, size_t n, FILE *f), (p, size, n, f), FAULT_READ,
            0)
WRAP_STREAM(int, fflush, (FILE * f), (f), FAULT_STREAM, EOF)
WRAP(FILE *, fopen, (const char *path, const char *how), (path, how), FAULT_OPEN, NULL)
WRAP_STREAM(int, fseek, (FILE * f, long at, int from), (f, at, from), FAULT_STREAM, -1)
WRAP(FILE *, fdopen, (int fd, const char *how), (fd, how), FAULT_TEMP, NULL)

/* ferror returns true for a stream of which a call failed. */
int __real_ferror(FILE *f);
int __wrap_ferror(FILE *f);
int __wrap_ferror(FILE *f)
{
    return f == failed || __real_ferror(f);
}

/* Returns half of n if the call is to be short. */
static size_t some(unsigned call, size_t n, bool *refused)
{
    uint64_t before = fault_now ? fault_now->hit : 0;

    *refused = fails(call);
    return fault_now && fault_now->hit > before && n > 1 ? n / 2 : n;
}

#define WRAP_BYTES(name, params, call, ...)                      \
    ssize_t __real_##name params;                                \
    ssize_t __wrap_##name params;                                \
    ssize_t __wrap_##name params                                 \
    {                                                            \
        bool refused;                                            \
                                                                 \
        n = some(call, n, &refused);                             \
        return refused ? -1 : __real_##name(fd, p, __VA_ARGS__); \
    }
WRAP_BYTES(read, (int fd, void *p, size_t n), FAULT_READ, n)
WRAP_BYTES(pread, (int fd, void *p, size_t n, off_t at), FAULT_READ, n, at)

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    bool refused;

    if (fd == STDERR_FILENO) /* the program reports the fault here */
        return __real_write(fd, p, n);
    n = some(FAULT_WRITE, n, &refused);
    return refused ? -1 : __real_write(fd, p, n);
}

static bool is_temp(int flags)
{
    return (flags & O_TMPFILE) == O_TMPFILE;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is */
    mode = flags & O_CREAT || is_temp(flags) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails(is_temp(flags) ? FAULT_TEMP : FAULT_OPEN) ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...)
{
    return fails(FAULT_OPEN) ? -1 : __real_openat(folder, path, flags); /* never creates a file */
}

int __real_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...)
{
    va_list args;
    void *more;

    va_start(args, what);
    more = va_arg(args, void *);
    va_end(args);
    return what == F_OFD_SETLK && fails(FAULT_LOCK) ? -1 : __real_fcntl(fd, what, more);
}

int __real_clock_gettime(clockid_t which, struct timespec *out);
int __wrap_clock_gettime(clockid_t which, struct timespec *out);
int __wrap_clock_gettime(clockid_t which, struct timespec *out)
{
    static int64_t us;

    if (!fault_now || !fault_now->armed)
        return __real_clock_gettime(which, out);
    us += 10;
    *out = (struct timespec){(which == CLOCK_REALTIME ? 1795240000 : 1000) + us / 1000000,
                             us % 1000000 * 1000};
    return 0;
}

/* The user is one whom /etc/passwd lacks, so that the name services are asked, too. */
int __real_fgetpwent_r(FILE *file, struct passwd *entry, char *block, size_t size,
                       struct passwd **found);
int __wrap_fgetpwent_r(FILE *file, struct passwd *entry, char *block, size_t size,
                       struct passwd **found);
int __wrap_fgetpwent_r(FILE *file, struct passwd *entry, char *block, size_t size,
                       struct passwd **found)
{
    if (!fault_now || !fault_now->armed)
        return __real_fgetpwent_r(file, entry, block, size, found);
    *found = NULL;
    return ENOENT;
}

/* libc loads the name services once in a process; if memory is short then, it asserts or does not
 * close a file. So this call fails as a whole, or not at all. */
int __real_getpwuid_r(uid_t uid, struct passwd *entry, char *block, size_t size,
                      struct passwd **found);
int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *block, size_t size,
                      struct passwd **found);
int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *block, size_t size,
                      struct passwd **found)
{
    bool armed = fault_now && fault_now->armed;
    int why;

    *found = NULL;
    if (fault_due(FAULT_ALLOC))
        return ENOMEM;
    if (armed)
        fault_now->armed = false;
    why = __real_getpwuid_r(uid, entry, block, size, found);
    if (armed)
        fault_now->armed = true;
    return why;
}

/* Real random numbers would make every redacted store different. */
ssize_t __real_getrandom(void *p, size_t n, unsigned flags);
ssize_t __wrap_getrandom(void *p, size_t n, unsigned flags);
ssize_t __wrap_getrandom(void *p, size_t n, unsigned flags)
{
    static uint64_t chance;
    unsigned char *bytes = p;

    if (!fault_now || !fault_now->armed)
        return __real_getrandom(p, n, flags);
    for (size_t i = 0; i < n; i++) {
        chance = chance * 6364136223846793005U + 1442695040888963407U;
        bytes[i] = (unsigned char)(chance >> 56);
    }
    return (ssize_t)n;
}
/* NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses) */
