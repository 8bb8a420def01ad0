/* proc: finds a process and checks that it is still the same process. */
#include "source/proc.h"

#include "base/num.h"

#include "parse/files/siblings.h"
#include "source/proc_text.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define STAT_MAX 2048 /* 52 numbers of at most 20 digits, and a name */
#define HOST_STAT_MAX ((size_t)4 << 20)
#define SECONDS_MAX 8000000000 /* the year 2223: a later one is damage, and its ns overflow */
#define TICKS_MAX ((int64_t)100000000000000)
#define FLAG_KERNEL_THREAD 0x00200000 /* PF_KTHREAD */

/* ---- stat ---- */

static bool read_stat(int dir, pm_proc *out)
{
    char block[STAT_MAX];
    pm_stat stat;
    const int64_t *f = stat.field;
    pm_text text;

    *out = (pm_proc){.dir = dir};
    if (!pm_proc_peek(dir, "stat", block, sizeof block, &text) || !pm_stat_read(text, &stat))
        return false;
    snprintf(out->comm, sizeof out->comm, "%.*s", (int)stat.comm.len, stat.comm.data);
    out->state = stat.state;
    out->ppid = f[PM_STAT_PPID];
    out->is_kernel = f[PM_STAT_FLAGS] & FLAG_KERNEL_THREAD;
    out->life = (pm_proc_life){f[PM_STAT_START], f[PM_STAT_STACK]};
    if (f[PM_STAT_MINOR] >= 0 && f[PM_STAT_MAJOR] >= 0 && f[PM_STAT_USER] >= 0 &&
        f[PM_STAT_USER] < TICKS_MAX && f[PM_STAT_SYSTEM] >= 0 && f[PM_STAT_SYSTEM] < TICKS_MAX)
        out->activity = (pm_activity){.known = true,
                                      .cpu_us = (f[PM_STAT_USER] + f[PM_STAT_SYSTEM]) *
                                                (1000000 / sysconf(_SC_CLK_TCK)),
                                      .minor_faults = f[PM_STAT_MINOR],
                                      .major_faults = f[PM_STAT_MAJOR]};
    return out->life.start_time >= 0 && out->life.start_stack >= 0 && f[PM_STAT_FLAGS] >= 0;
}

static bool has_ended(const pm_proc *p)
{
    return p->state == 'Z' || p->state == 'X' || p->state == 'x';
}

/* ---- one process ---- */

/* An open fails with EPERM if /proc is mounted with hidepid. */
bool pm_proc_caused(int os_errno, pm_proc_fate *fate)
{
    if (os_errno == EACCES || os_errno == EPERM)
        *fate = PM_PROC_UNREADABLE;
    else if (os_errno == ENOENT || os_errno == ESRCH)
        *fate = PM_PROC_GONE;
    else
        return false;
    return true;
}

pmapdb_status pm_proc_open(int root, int64_t pid, pm_proc *out, pm_proc_fate *fate,
                           pmapdb_error *err)
{
    char name[24];
    int dir;

    snprintf(name, sizeof name, "%" PRId64, pid);
    dir = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return pm_proc_caused(errno, fate)
                   ? PMAPDB_OK
                   : pm_fail_io(err, errno, "cannot open /proc/%" PRId64, pid);
    if (!read_stat(dir, out))
        *fate = PM_PROC_GONE;
    else if (has_ended(out))
        *fate = PM_PROC_ZOMBIE;
    else
        *fate = out->is_kernel ? PM_PROC_KERNEL : PM_PROC_GOOD;
    out->pid = pid;
    if (*fate != PM_PROC_GOOD)
        pm_proc_close(out);
    return PMAPDB_OK;
}

void pm_proc_close(pm_proc *p)
{
    close(p->dir);
    p->dir = -1;
}

pm_proc_fate pm_proc_same(const pm_proc *p)
{
    pm_proc now;

    if (!read_stat(p->dir, &now) || has_ended(&now))
        return PM_PROC_GONE;
    return now.life.start_time == p->life.start_time && now.life.start_stack == p->life.start_stack
               ? PM_PROC_GOOD
               : PM_PROC_CHANGED;
}

bool pm_proc_activity(const pm_proc *p, pm_activity *out)
{
    pm_proc now;
    bool known = read_stat(p->dir, &now);

    *out = known ? now.activity : (pm_activity){0};
    return out->known;
}

/* ---- all processes ---- */

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static pmapdb_status collect_pids(DIR *dir, int64_t **pids, size_t *n, pmapdb_error *err)
{
    const struct dirent *entry;
    size_t cap = 0;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && (errno = 0, entry = readdir(dir))) {
        int64_t pid = pm_num_signed(pm_text_of(entry->d_name));

        if (pid < 1)
            continue;
        st = pm_grow(pids, &cap, *n, sizeof **pids, err);
        if (st == PMAPDB_OK)
            (*pids)[(*n)++] = pid;
    }
    return st == PMAPDB_OK && errno ? pm_fail_io(err, errno, "cannot list /proc") : st;
}

pmapdb_status pm_proc_list(int root, int64_t **pids, size_t *n, pmapdb_error *err)
{
    int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    pmapdb_status st;

    *pids = NULL;
    *n = 0;
    if (!dir) {
        st = pm_fail_io(err, errno, "cannot list /proc");
        if (fd >= 0)
            close(fd);
        return st;
    }
    st = collect_pids(dir, pids, n, err);
    closedir(dir);
    if (st != PMAPDB_OK) {
        free(*pids);
        *pids = NULL;
        *n = 0;
    } else if (*n) {
        qsort(*pids, *n, sizeof **pids, ascending);
    }
    return st;
}

/* ---- the folder ---- */

pmapdb_status pm_proc_open_root(const char *path, int *root, pmapdb_error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return pm_fail_io(err, errno, "cannot open '%s'", path);
    *root = fd;
    return PMAPDB_OK;
}

bool pm_proc_is_copy(int root)
{
    struct statfs info;

    return fstatfs(root, &info) == 0 && info.f_type != PROC_SUPER_MAGIC;
}

int64_t pm_proc_self(int root)
{
    char name[24];
    ssize_t n = pm_proc_is_copy(root) ? -1 : readlinkat(root, "self", name, sizeof name);

    return n > 0 ? pm_num_signed((pm_text){name, (size_t)n}) : PMAPDB_UNKNOWN;
}

bool pm_proc_copy_host(int root, char *out, size_t size)
{
    char block[64 * 1024]; /* metadata.json has the names of settings before the name of the host */
    pm_text text;

    if (pm_proc_peek(root, "sys/kernel/hostname", block, 256, &text)) {
        text = pm_proc_word(&text);
    } else {
        const char *found, key[] = "\"hostname\": \"";

        if (!pm_proc_peek(root, "metadata.json", block, sizeof block, &text) ||
            !(found = memmem(text.data, text.len, key, strlen(key))))
            return false;
        text = pm_text_from(text, (size_t)(found - text.data) + strlen(key));
        text = pm_text_cut(&text, '"');
    }
    snprintf(out, size, "%.*s", (int)text.len, text.data);
    return text.len > 0;
}

/* Returns the time of the boot in seconds since 1970. */
static int64_t came_up(int root)
{
    pm_buf stat = {0};
    int64_t seconds;

    pm_proc_slurp(root, "stat", HOST_STAT_MAX, &stat);
    seconds = pm_proc_number(pm_buf_text(&stat), "btime ");
    pm_buf_free(&stat);
    return seconds;
}

/* Finds the time of a copy by snap.py, which has neither uptime nor stat: the mtime of a page map
 * or of maps. */
static bool written_ms(int root, int64_t *utc_ms)
{
    struct stat info;
    int64_t *pids = NULL;
    size_t n = 0;
    bool found = false;

    if (pm_proc_list(root, &pids, &n, NULL) != PMAPDB_OK)
        return false;
    for (size_t i = 0; i < n && !found; i++) {
        char name[40];

        snprintf(name, sizeof name, "%" PRId64 "/pagemap", pids[i]);
        found = fstatat(root, name, &info, 0) == 0;
        snprintf(name, sizeof name, "%" PRId64 "/maps", pids[i]);
        found = found || fstatat(root, name, &info, 0) == 0;
    }
    free(pids);
    if (found)
        *utc_ms = (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
    return found;
}

/* uptime has hundredths of a second: "4711.25 18000.50". */
pmapdb_status pm_proc_copy_time(int root, int64_t *utc_ms, int64_t *mono_ns, pmapdb_error *err)
{
    char block[64];
    pm_text text = {0}, word;
    int64_t seconds, hundredths, btime = came_up(root);

    pm_proc_peek(root, "uptime", block, sizeof block, &text);
    if (!text.len && btime < 0 && written_ms(root, utc_ms)) {
        *mono_ns = 0;
        return PMAPDB_OK;
    }
    word = pm_proc_word(&text);
    seconds = pm_num_signed(pm_text_cut(&word, '.'));
    hundredths = pm_num_signed(word);
    if (btime < 0 || btime > SECONDS_MAX || seconds < 0 || seconds > SECONDS_MAX ||
        hundredths < 0 || hundredths > 99)
        return pm_fail(err, PMAPDB_INPUT,
                       "the copy of /proc lacks valid files uptime and stat, which tell when the "
                       "copy was made: copy these files, too");
    *utc_ms = (btime + seconds) * 1000 + hundredths * 10;
    *mono_ns = seconds * 1000000000 + hundredths * 10000000;
    return PMAPDB_OK;
}

pmapdb_status pm_proc_boot_id(int root, char out[64], pmapdb_error *err)
{
    char block[64];
    pm_text text, id;
    int64_t ms;
    int failed;

    errno = 0;
    if (pm_proc_peek(root, "sys/kernel/random/boot_id", block, sizeof block - 1, &text)) {
        id = pm_proc_word(&text);
        memcpy(out, id.data, id.len);
        out[id.len] = '\0';
        return PMAPDB_OK;
    }
    failed = errno;
    if (pm_proc_is_copy(root) && came_up(root) >= 0)
        snprintf(out, 64, "btime %" PRId64, came_up(root));
    else if (pm_proc_is_copy(root) && written_ms(root, &ms))
        snprintf(out, 64, "copied %" PRId64, ms); /* processes of no other copy */
    else
        return pm_fail_io(err, failed, "cannot read sys/kernel/random/boot_id in /proc");
    return PMAPDB_OK;
}
