/* proc: finds a process and checks that it is still the same process. */
#include "source/proc.h"

#include "source/proc_text.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STAT_MAX 2048                 /* 52 numbers of at most 20 digits, and a name */
#define FLAG_KERNEL_THREAD 0x00200000 /* PF_KTHREAD */

enum { FIELD_STATE = 3, FIELD_PPID = 4, FIELD_FLAGS = 9, FIELD_START_TIME = 22, FIELD_STACK = 28 };

/* ---- stat ---- */

typedef struct stat_line {
    pm_proc_life life;
    int64_t ppid, flags;
    char state;
    char comm[64];
} stat_line;

/* "4711 (a (name) with anything) S 1 ...": the name ends at the last parenthesis. */
static bool parse_stat(pm_text t, stat_line *out)
{
    const char *open = memchr(t.data, '(', t.len), *close = memrchr(t.data, ')', t.len);
    int64_t number[FIELD_STACK + 1];
    size_t n;

    if (!open || !close || close < open)
        return false;
    n = (size_t)(close - open) - 1;
    n = n < sizeof out->comm ? n : sizeof out->comm - 1;
    memcpy(out->comm, open + 1, n);
    out->comm[n] = '\0';
    t = pm_text_from(t, (size_t)(close - t.data) + 1);
    for (int field = FIELD_STATE; field <= FIELD_STACK; field++) {
        pm_text word = pm_proc_word(&t);

        number[field] = pm_proc_number(word);
        if (field == FIELD_STATE && word.len)
            out->state = word.data[0];
    }
    out->ppid = number[FIELD_PPID];
    out->flags = number[FIELD_FLAGS];
    out->life = (pm_proc_life){number[FIELD_START_TIME], number[FIELD_STACK]};
    return out->life.start_time >= 0 && out->life.start_stack >= 0 && out->flags >= 0;
}

static bool read_stat(int dir, stat_line *out)
{
    char block[STAT_MAX];
    pm_text text;

    *out = (stat_line){0};
    return pm_proc_peek(dir, "stat", block, sizeof block, &text) && parse_stat(text, out);
}

static bool has_ended(const stat_line *s)
{
    return s->state == 'Z' || s->state == 'X' || s->state == 'x';
}

/* ---- one process ---- */

/* Converts errno to a fate. EPERM means that /proc is mounted with hidepid. */
static pmapdb_status open_failed(int64_t pid, pm_proc_fate *fate, pmapdb_error *err)
{
    switch (errno) {
    case ENOENT:
    case ESRCH:
        *fate = PM_PROC_GONE;
        return PMAPDB_OK;
    case EACCES:
    case EPERM:
        *fate = PM_PROC_UNREADABLE;
        return PMAPDB_OK;
    default:
        return pm_fail_io(err, errno, "cannot open /proc/%" PRId64, pid);
    }
}

pmapdb_status pm_proc_open(int root, int64_t pid, pm_proc *out, pm_proc_fate *fate,
                           pmapdb_error *err)
{
    char name[24];
    stat_line s;
    int dir;

    snprintf(name, sizeof name, "%" PRId64, pid);
    dir = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return open_failed(pid, fate, err);
    if (!read_stat(dir, &s))
        *fate = PM_PROC_GONE;
    else if (has_ended(&s))
        *fate = PM_PROC_ZOMBIE;
    else
        *fate = s.flags & FLAG_KERNEL_THREAD ? PM_PROC_KERNEL : PM_PROC_GOOD;
    if (*fate != PM_PROC_GOOD) {
        close(dir);
        return PMAPDB_OK;
    }
    *out = (pm_proc){.dir = dir, .pid = pid, .ppid = s.ppid, .life = s.life};
    memcpy(out->comm, s.comm, sizeof out->comm);
    return PMAPDB_OK;
}

void pm_proc_close(pm_proc *p)
{
    close(p->dir);
    p->dir = -1;
}

pm_proc_fate pm_proc_same(const pm_proc *p)
{
    stat_line s;

    if (!read_stat(p->dir, &s) || has_ended(&s))
        return PM_PROC_GONE;
    return s.life.start_time == p->life.start_time && s.life.start_stack == p->life.start_stack
               ? PM_PROC_GOOD
               : PM_PROC_CHANGED;
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
        int64_t pid = pm_proc_number(pm_text_of(entry->d_name));

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

pmapdb_status pm_proc_open_root(int *root, pmapdb_error *err)
{
    int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return pm_fail_io(err, errno, "cannot open /proc");
    *root = fd;
    return PMAPDB_OK;
}

pmapdb_status pm_proc_boot_id(int root, char out[64], pmapdb_error *err)
{
    char block[64];
    pm_text text, id;

    errno = 0;
    if (!pm_proc_peek(root, "sys/kernel/random/boot_id", block, sizeof block - 1, &text))
        return pm_fail_io(err, errno, "cannot read /proc/sys/kernel/random/boot_id");
    id = pm_proc_word(&text);
    memcpy(out, id.data, id.len);
    out[id.len] = '\0';
    return PMAPDB_OK;
}
