/* proc_beside: what stands beside the map of a process: its sizes, program, arguments, user,
 * cgroup, environment and limits. */
#include "source/proc_host.h"
#include "source/proc_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATUS_MAX ((size_t)4 * 1024 * 1024) /* 65,536 groups stand in it before the sizes */
#define LIMITS_MAX ((size_t)8192)
#define CGROUP_MAX ((size_t)256 * 1024)

/* ---- status ---- */

typedef struct status_key {
    pm_text key;
    size_t at;
} status_key;

static const status_key status_keys[] = {
    {{"Threads", 7}, offsetof(pm_live, threads)},
    {{"VmSize", 6}, offsetof(pm_live, size_kib)},
    {{"VmRSS", 5}, offsetof(pm_live, rss_kib)},
    {{"VmHWM", 5}, offsetof(pm_live, hwm_kib)},
    {{"VmSwap", 6}, offsetof(pm_live, swap_kib)},
    {{"VmPTE", 5}, offsetof(pm_live, page_tables_kib)},
    {{"RssAnon", 7}, offsetof(pm_live, anon_kib)},
    {{"RssFile", 7}, offsetof(pm_live, file_kib)},
    {{"RssShmem", 8}, offsetof(pm_live, shmem_kib)},
};

#define N_STATUS_KEYS (sizeof status_keys / sizeof *status_keys)

static int64_t *status_field(pm_live *out, const status_key *k)
{
    return (int64_t *)((char *)out + k->at);
}

int pm_proc_status(const pm_proc *p, pm_live *out)
{
    pm_buf bytes = {0};
    int failed = pm_proc_slurp(p->dir, "status", STATUS_MAX, &bytes);
    pm_text text = pm_buf_text(&bytes);

    for (size_t i = 0; i < N_STATUS_KEYS; i++)
        *status_field(out, &status_keys[i]) = PMAPDB_UNKNOWN;
    while (!failed && text.len) {
        pm_text line = pm_proc_cut(&text, '\n'), key = pm_proc_cut(&line, ':');

        for (size_t i = 0; i < N_STATUS_KEYS; i++)
            if (pm_text_equal(key, status_keys[i].key))
                *status_field(out, &status_keys[i]) = pm_proc_number(pm_proc_word(&line));
    }
    pm_buf_free(&bytes);
    return failed;
}

/* A file that may be gone, or not for everybody: then it is empty. Memory that is short is told,
 * for what it holds would count as unknown from then on. */
static pmapdb_status slurp(const pm_proc *p, const char *name, size_t max, pm_buf *out,
                           pmapdb_error *err)
{
    return pm_proc_slurp(p->dir, name, max, out) == ENOMEM ? pm_fail_nomem(err) : PMAPDB_OK;
}

/* The at-th number behind a key of status, from 0. */
static pmapdb_status status_number(const pm_proc *p, pm_text wanted, int at, int64_t *number,
                                   pmapdb_error *err)
{
    pm_buf bytes = {0};
    pmapdb_status st = slurp(p, "status", STATUS_MAX, &bytes, err);
    pm_text text = pm_buf_text(&bytes);

    *number = PMAPDB_UNKNOWN;
    while (text.len) {
        pm_text line = pm_proc_cut(&text, '\n');

        if (!pm_text_equal(pm_proc_cut(&line, ':'), wanted))
            continue;
        while (at-- > 0)
            pm_proc_word(&line);
        *number = pm_proc_number(pm_proc_word(&line));
        break;
    }
    pm_buf_free(&bytes);
    return st;
}

int64_t pm_proc_leader(const pm_proc *p)
{
    int64_t leader;

    status_number(p, PM_TEXT("Tgid"), 0, &leader, NULL);
    return leader;
}

/* ---- limits ---- */

static int64_t soft_limit_kib(pm_text line)
{
    pm_text word = pm_proc_word(&line);
    int64_t bytes = pm_proc_number(word);

    if (pm_text_equal(word, PM_TEXT("unlimited")))
        return PM_NO_LIMIT;
    return bytes < 0 ? PMAPDB_UNKNOWN : bytes / 1024;
}

static void read_limits(const pm_proc *p, pm_standing *out)
{
    static const pm_text space = {"Max address space", 17}, stack = {"Max stack size", 14};
    char block[LIMITS_MAX];
    pm_text text = {0};

    if (!pm_proc_peek(p->dir, "limits", block, sizeof block, &text))
        return;
    while (text.len) {
        pm_text line = pm_proc_cut(&text, '\n');

        if (pm_text_starts(line, space))
            out->address_limit_kib = soft_limit_kib(pm_text_from(line, space.len));
        else if (pm_text_starts(line, stack))
            out->stack_limit_kib = soft_limit_kib(pm_text_from(line, stack.len));
    }
}

/* ---- texts ---- */

/* The buffer moves while it grows: a text is known by its place until all are there. */
typedef struct gather {
    pm_buf *memory;
    struct {
        pm_text *text;
        size_t at, len;
    } part[8];
    size_t n;
} gather;

static pmapdb_status keep(gather *g, pm_text *text, pm_text what, pmapdb_error *err)
{
    size_t at = g->memory->len;
    pmapdb_status st = pm_buf_add(g->memory, what.data, what.len, err);

    if (st != PMAPDB_OK)
        return st;
    g->part[g->n].text = text;
    g->part[g->n].at = at;
    g->part[g->n].len = what.len;
    g->n++;
    return PMAPDB_OK;
}

static void settle(const gather *g)
{
    for (size_t i = 0; i < g->n; i++)
        *g->part[i].text = (pm_text){g->memory->data + g->part[i].at, g->part[i].len};
}

/* The words that the kernel adds to the path of a removed file may also be the file's own name. */
static bool is_name_of(const pm_proc *p, const char *path)
{
    char inside[PATH_MAX + 8];
    struct stat file, named;

    snprintf(inside, sizeof inside, "root%s", path);
    return fstatat(p->dir, "exe", &file, 0) == 0 && fstatat(p->dir, inside, &named, 0) == 0 &&
           file.st_dev == named.st_dev && file.st_ino == named.st_ino;
}

static pmapdb_status keep_exe(const pm_proc *p, gather *g, pm_text *out, pmapdb_error *err)
{
    char path[PATH_MAX + 1];
    ssize_t n = readlinkat(p->dir, "exe", path, sizeof path - 1);
    pm_text text = {path, n > 0 ? (size_t)n : 0}, removed = PM_TEXT(" (deleted)");

    path[text.len] = '\0';
    if (pm_text_ends(text, removed) && !is_name_of(p, path))
        text.len -= removed.len;
    return keep(g, out, text, err);
}

/* Titles that a program writes over its arguments end in many NULs. */
static pmapdb_status keep_cmdline(const pm_proc *p, bool blanks, gather *g, pm_text *out,
                                  pmapdb_error *err)
{
    pm_buf bytes = {0};
    size_t n;
    pmapdb_status st = slurp(p, "cmdline", PM_PROC_TEXT_MAX, &bytes, err);

    for (n = bytes.len; n > 0 && bytes.data[n - 1] == '\0'; n--)
        ;
    for (size_t i = 0; i < n && blanks; i++)
        if (bytes.data[i] == '\0')
            bytes.data[i] = ' ';
    PM_STEP(st, keep(g, out, (pm_text){bytes.data, n}, err));
    pm_buf_free(&bytes);
    return st;
}

pmapdb_status pm_proc_keep_arguments(pm_text arguments, pm_keep_cmdline *keep_cmdline,
                                     pm_buf *memory, pm_text *out, pmapdb_error *err)
{
    pm_text line;
    size_t kept;
    pmapdb_status st = pm_keep_cmdline_of(keep_cmdline, arguments, &line, err);

    if (st != PMAPDB_OK)
        return st;
    kept = pm_proc_kept(line);
    pm_buf_clear(memory);
    st = pm_buf_add(memory, line.data, kept, err);
    if (st == PMAPDB_OK && kept < line.len)
        st = pm_buf_add(memory, "...", 3, err);
    if (st == PMAPDB_OK)
        *out = pm_buf_text(memory);
    return st;
}

/* What was cut in the middle is left out. */
static pmapdb_status keep_environ(const pm_proc *p, gather *g, pm_text *out, pmapdb_error *err)
{
    pm_buf bytes = {0};
    size_t n;
    pmapdb_status st = slurp(p, "environ", PM_PROC_TEXT_MAX, &bytes, err);

    for (n = bytes.len; n > 0 && bytes.data[n - 1] != '\0'; n--)
        ;
    PM_STEP(st, keep(g, out, (pm_text){bytes.data, n}, err));
    pm_buf_free(&bytes);
    return st;
}

static pmapdb_status keep_cgroup(const pm_proc *p, pm_proc_host *host, gather *g, pm_standing *out,
                                 pmapdb_error *err)
{
    pm_buf bytes = {0};
    bool unified = true;
    pm_text path;
    pmapdb_status st = slurp(p, "cgroup", CGROUP_MAX, &bytes, err);

    path = pm_cgroup_path(pm_buf_text(&bytes), &unified);
    PM_STEP(st, pm_cgroup_limit(&host->mounts, path, unified, &out->memory_max_kib, err));
    PM_STEP(st, keep(g, &out->cgroup, path, err));
    pm_buf_free(&bytes);
    return st;
}

static pmapdb_status keep_user(const pm_proc *p, pm_proc_host *host, gather *g, pm_standing *out,
                               pmapdb_error *err)
{
    /* "Uid:\t1000\t1000\t1000\t1000": real, effective, ... */
    pmapdb_status st = status_number(p, PM_TEXT("Uid"), 1, &out->uid, err);
    const char *user;

    if (st != PMAPDB_OK || out->uid == PMAPDB_UNKNOWN)
        return st;
    user = pm_proc_host_user(host, out->uid);
    return user ? keep(g, &out->user, pm_text_of(user), err) : pm_fail_nomem(err);
}

pmapdb_status pm_proc_standing(const pm_proc *p, pm_proc_host *host, unsigned want, pm_buf *memory,
                               pm_standing *out, pmapdb_error *err)
{
    gather g = {.memory = memory};
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(memory);
    *out = (pm_standing){.ppid = p->ppid,
                         .uid = PMAPDB_UNKNOWN,
                         .memory_max_kib = PMAPDB_UNKNOWN,
                         .address_limit_kib = PMAPDB_UNKNOWN,
                         .stack_limit_kib = PMAPDB_UNKNOWN,
                         .max_map_count = host->max_map_count};
    if (want & PM_WANT_COMM)
        st = keep(&g, &out->comm, pm_text_of(p->comm), err);
    if (st == PMAPDB_OK && (want & PM_WANT_EXE))
        st = keep_exe(p, &g, &out->exe, err);
    if (st == PMAPDB_OK && (want & PM_WANT_CMDLINE))
        st = keep_cmdline(p, !(want & PM_WANT_ARGUMENTS), &g, &out->cmdline, err);
    if (st == PMAPDB_OK && (want & PM_WANT_UID))
        st = keep_user(p, host, &g, out, err);
    if (st == PMAPDB_OK && (want & PM_WANT_CGROUP))
        st = keep_cgroup(p, host, &g, out, err);
    if (st == PMAPDB_OK && (want & PM_WANT_ENVIRONMENT))
        st = keep_environ(p, &g, &out->environment, err);
    if (want & PM_WANT_LIMITS)
        read_limits(p, out);
    settle(&g);
    return st;
}
