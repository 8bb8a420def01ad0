/* proc_facts: the facts about a process beside its map: its sizes, program, arguments, user,
 * cgroup, environment and limits. */
#include "source/proc_host.h"
#include "source/proc_text.h"

#include "base/num.h"
#include "base/utf8.h"
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define STATUS_MAX ((size_t)4 * 1024 * 1024) /* up to 65,536 groups precede the sizes */
#define LIMITS_MAX ((size_t)8192)
#define CGROUP_MAX ((size_t)256 * 1024)
#define CUT "..."
#define N_TEXTS 6 /* texts in a pm_standing */

/* The key of a line, and the offset of the member for its number. */
typedef struct fact {
    const char *key;
    size_t at;
} fact;

static const fact status_facts[] = {
    {"Tgid:", offsetof(pm_live, leader)},           {"Threads:", offsetof(pm_live, threads)},
    {"VmSize:", offsetof(pm_live, size_kib)},       {"VmRSS:", offsetof(pm_live, rss_kib)},
    {"VmHWM:", offsetof(pm_live, hwm_kib)},         {"VmSwap:", offsetof(pm_live, swap_kib)},
    {"VmPTE:", offsetof(pm_live, page_tables_kib)}, {"RssAnon:", offsetof(pm_live, anon_kib)},
    {"RssFile:", offsetof(pm_live, file_kib)},      {"RssShmem:", offsetof(pm_live, shmem_kib)}};

static const fact limit_facts[] = {{"Max address space", offsetof(pm_standing, address_limit_kib)},
                                   {"Max stack size", offsetof(pm_standing, stack_limit_kib)}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Returns the first word after a key. */
static pm_text word_of(pm_text text, const char *key)
{
    pm_text rest = pm_text_after(text, key);

    return pm_proc_word(&rest);
}

/* ---- numbers ---- */

int pm_proc_status(const pm_proc *p, pm_live *out)
{
    pm_buf bytes = {0};
    int failed = pm_proc_slurp(p->dir, "status", STATUS_MAX, &bytes);
    pm_text text = failed ? PM_TEXT("") : pm_buf_text(&bytes);
    pm_text pids = pm_text_after(text, "NSpid:"), ids = pm_text_after(text, "Uid:");

    for (size_t i = 0; i < COUNT(status_facts); i++)
        *(int64_t *)((char *)out + status_facts[i].at) = pm_proc_number(text, status_facts[i].key);
    pm_proc_word(&ids); /* skips the real uid; the effective uid follows */
    out->standing.uid = pm_num_signed(pm_proc_word(&ids));
    out->standing.ns_pid = PMAPDB_UNKNOWN;
    while (pids.len) /* the last pid is that of the innermost namespace */
        out->standing.ns_pid = pm_num_signed(pm_proc_word(&pids));
    pm_buf_free(&bytes);
    return failed;
}

static void read_limits(const pm_proc *p, pm_standing *out)
{
    char block[LIMITS_MAX];
    pm_text text;

    if (pm_proc_peek(p->dir, "limits", block, sizeof block, &text))
        for (size_t i = 0; i < COUNT(limit_facts); i++)
            *(int64_t *)((char *)out + limit_facts[i].at) =
                pm_proc_limit_kib(word_of(text, limit_facts[i].key));
}

/* ---- texts ---- */

/* Sets the data of all texts, which are in `memory` one after the other in this order. Called after
 * the last text, because the buffer moves while it grows. */
static void settle(const pm_buf *memory, pm_standing *out)
{
    pm_text *const texts[N_TEXTS] = {&out->comm, &out->exe,    &out->cmdline,
                                     &out->user, &out->cgroup, &out->environment};
    const char *at = pm_buf_text(memory).data;

    for (size_t i = 0; i < N_TEXTS; at += texts[i]->len, i++)
        texts[i]->data = at;
}

static size_t keep(pm_buf *memory, pm_text text)
{
    return pm_buf_add(memory, text.data, text.len, NULL) == PMAPDB_OK ? text.len : 0;
}

/* The kernel adds " (deleted)" to the path of a removed file. */
static size_t keep_exe(const pm_proc *p, pm_buf *memory)
{
    char path[PATH_MAX];
    ssize_t n = readlinkat(p->dir, "exe", path, sizeof path);
    pm_text text = {path, n > 0 ? (size_t)n : 0}, removed = PM_TEXT(" (deleted)");

    if (pm_text_ends(text, removed))
        text.len -= removed.len;
    return keep(memory, text);
}

/* Adds cmdline without the NULs at its end. A title that a program writes over its arguments ends
 * with many NULs. */
static size_t keep_arguments(const pm_proc *p, bool blanks, pm_buf *memory)
{
    size_t before = memory->len, n;

    pm_proc_slurp(p->dir, "cmdline", PM_PROC_TEXT_MAX, memory);
    for (n = memory->len; n > before && memory->data[n - 1] == '\0'; n--)
        ;
    for (size_t i = before; i < n && blanks; i++)
        if (memory->data[i] == '\0')
            memory->data[i] = ' ';
    memory->len = n;
    return n - before;
}

/* Adds environ. A variable that was cut at the end is left out; every other keeps its NUL. */
static size_t keep_environ(const pm_proc *p, pm_buf *memory)
{
    size_t before = memory->len;

    pm_proc_slurp(p->dir, "environ", PM_PROC_TEXT_MAX, memory);
    while (memory->len > before && memory->data[memory->len - 1] != '\0')
        memory->len--;
    return memory->len - before;
}

static pmapdb_status keep_cgroup(const pm_proc *p, pm_proc_host *host, pm_buf *memory,
                                 pm_standing *out, pmapdb_error *err)
{
    pm_buf bytes = {0};
    bool unified = true;
    pm_cgroup cgroup = {0};
    pm_text path;
    pmapdb_status st;

    pm_proc_slurp(p->dir, "cgroup", CGROUP_MAX, &bytes);
    st = pm_buf_status(&bytes, err);
    path = pm_cgroup_path(pm_buf_text(&bytes), &unified);
    PM_STEP(st, pm_proc_host_cgroup(host, path, unified, &cgroup, err));
    out->memory_max_kib = cgroup.limit_kib;
    out->use = cgroup.use;
    out->cgroup.len = keep(memory, path);
    pm_buf_free(&bytes);
    return st;
}

static pmapdb_status keep_user(pm_proc_host *host, pm_buf *memory, pm_standing *out,
                               pmapdb_error *err)
{
    const char *user = "";

    if (out->uid != PMAPDB_UNKNOWN && !host->copied) /* users have other names elsewhere */
        user = pm_proc_host_user(host, out->uid);
    if (!user)
        return pm_fail_nomem(err);
    out->user.len = keep(memory, pm_text_of(user));
    return PMAPDB_OK;
}

/* Lack of memory is an error, because a fact left out would count as unknown from then on. */
pmapdb_status pm_proc_standing(const pm_proc *p, pm_proc_host *host, unsigned want, pm_buf *memory,
                               pm_live *live, pmapdb_error *err)
{
    pm_standing *out = &live->standing;
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(memory);
    *out = (pm_standing){.ppid = p->ppid,
                         .uid = out->uid,
                         .memory_max_kib = PMAPDB_UNKNOWN,
                         .address_limit_kib = PMAPDB_UNKNOWN,
                         .stack_limit_kib = PMAPDB_UNKNOWN,
                         .max_map_count = host->max_map_count,
                         .ns_pid = out->ns_pid,
                         .use = PM_CGROUP_USE_UNKNOWN};
    if (want & (PM_NEED_COMM | PM_NEED_NAME))
        out->comm.len = keep(memory, pm_text_of(p->comm));
    if (want & (PM_NEED_EXE | PM_NEED_ENVIRONMENT))
        out->exe.len = keep_exe(p, memory);
    if (want & (PM_NEED_CMDLINE | PM_NEED_NAME))
        out->cmdline.len = keep_arguments(p, !(want & PM_NEED_ARGUMENTS), memory);
    if (want & PM_NEED_UID)
        st = keep_user(host, memory, out, err);
    if (want & PM_NEED_CGROUP)
        PM_STEP(st, keep_cgroup(p, host, memory, out, err));
    if (want & PM_NEED_ENVIRONMENT)
        out->environment.len = keep_environ(p, memory);
    if (want & PM_NEED_LIMITS)
        read_limits(p, out);
    live->oom_score =
        want & PM_NEED_LIMITS ? pm_proc_number_in(p->dir, "oom_score") : PMAPDB_UNKNOWN;
    settle(memory, out);
    PM_STEP(st, pm_buf_status(memory, err));
    return st;
}

/* ---- the parts that are stored ---- */

static void add_cut(pm_buf *memory, pm_text t)
{
    pm_text head =
        pm_utf8_head(t, t.len > PM_PROC_KEPT_MAX ? PM_PROC_KEPT_MAX - strlen(CUT) : t.len);

    pm_buf_addf(memory, NULL, "%.*s%s", (int)head.len, head.data, head.len < t.len ? CUT : "");
}

pmapdb_status pm_proc_keep_arguments(pm_text arguments, pm_keep_cmdline *keep_cmdline,
                                     pm_buf *memory, pm_text *out, pmapdb_error *err)
{
    pm_text line;
    pmapdb_status st = pm_keep_cmdline_of(keep_cmdline, arguments, &line, err);

    if (st != PMAPDB_OK)
        return st;
    pm_buf_clear(memory);
    add_cut(memory, line);
    *out = pm_buf_text(memory);
    return pm_buf_status(memory, err);
}

static int by_bytes(const void *a, const void *b)
{
    const pm_text *x = a, *y = b;
    int order = memcmp(x->data, y->data, x->len < y->len ? x->len : y->len);

    return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Returns the first variable of that name, as getenv does; empty without such a variable. */
static pm_text find_variable(pm_text environment, pm_text name)
{
    while (environment.len) {
        pm_text variable = pm_text_cut(&environment, '\0');

        if (variable.len > name.len && variable.data[name.len] == '=' &&
            pm_text_starts(variable, name))
            return variable;
    }
    return (pm_text){0};
}

/* Adds "NAME=VALUE" and a NUL. */
static void add_variable(pm_buf *memory, pm_text variable)
{
    size_t name = (size_t)((const char *)memchr(variable.data, '=', variable.len) - variable.data);

    pm_buf_add(memory, variable.data, name + 1, NULL);
    add_cut(memory, pm_text_from(variable, name + 1));
    pm_buf_add(memory, "", 1, NULL);
}

pmapdb_status pm_proc_keep_environment(pm_text environment, const char *const *names, size_t n,
                                       pm_buf *memory, pm_text *out, pmapdb_error *err)
{
    pm_text *found = calloc(n + 1, sizeof *found);
    size_t count = 0;

    if (!found)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < n; i++) {
        found[count] = find_variable(environment, pm_text_of(names[i]));
        count += found[count].len > 0;
    }
    qsort(found, count, sizeof *found, by_bytes);
    pm_buf_clear(memory);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !pm_text_equal(found[i], found[i - 1])) /* a name may be requested twice */
            add_variable(memory, found[i]);
    free(found);
    *out = pm_buf_text(memory);
    return pm_buf_status(memory, err);
}
