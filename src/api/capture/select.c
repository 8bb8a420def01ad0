/* select: which processes a run captures. */
#include "api/capture/run.h"

#include "classify/keep_cmdline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define ANCESTORS_MAX 256 /* a pid that was reused meanwhile could make a loop */

/* ---- the options ---- */

/* Also compares pm_named, which begins with a pid. */
static int by_pid(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static pmapdb_status take_pids(pm_selection *s, const pmapdb_capture_options *o, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    s->named = calloc(o->n_pids, sizeof *s->named);
    if (!s->named)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < o->n_pids; i++)
        s->named[i] = (pm_named){o->pids[i], PMAPDB_UNKNOWN, false};
    qsort(s->named, o->n_pids, sizeof *s->named, by_pid);
    for (size_t i = 0; i < o->n_pids && st == PMAPDB_OK; i++) {
        if (s->n_named && s->named[s->n_named - 1].pid == s->named[i].pid)
            continue;
        st = pm_buf_addf(&s->text, err, "%s%" PRId64, s->n_named ? " " : "", s->named[i].pid);
        s->named[s->n_named++] = s->named[i];
    }
    return st;
}

static pmapdb_status take_selection(pm_selection *s, const pmapdb_capture_options *o,
                                    pmapdb_error *err)
{
    pmapdb_status st;

    if (o->n_pids)
        return take_pids(s, o, err);
    if (o->all)
        return pm_buf_addf(&s->text, err, "--all");
    st = pm_expression_new(pm_text_of(o->match), &s->match, err);
    if (st != PMAPDB_OK)
        return st;
    s->needs = s->match->needs;
    return pm_buf_addf(&s->text, err, "--match %s", o->match);
}

pmapdb_status pm_select_init(pm_selection *s, const pmapdb_capture_options *o, pmapdb_error *err)
{
    pmapdb_status st;

    *s = (pm_selection){.self = PMAPDB_UNKNOWN};
    st = take_selection(s, o, err);
    if (o->proc)
        PM_STEP(st, pm_buf_addf(&s->text, err, " --proc %s", o->proc));
    return st;
}

void pm_select_free(pm_selection *s)
{
    free(s->named);
    pm_expression_free(s->match);
    pm_buf_free(&s->text);
    free(s->pids);
    pm_buf_free(&s->memory);
}

/* ---- one beat ---- */

pmapdb_status pm_select_list(pm_selection *s, int root, pmapdb_error *err)
{
    free(s->pids);
    s->pids = NULL;
    s->n_pids = 0;
    if (!s->named)
        return pm_proc_list(root, &s->pids, &s->n_pids, err);
    s->pids = calloc(s->n_named, sizeof *s->pids);
    if (!s->pids)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < s->n_named; i++)
        if (!s->named[i].done)
            s->pids[s->n_pids++] = s->named[i].pid;
    return PMAPDB_OK;
}

/* Lists the ancestors. A process whose parent ends meanwhile gets another parent. */
static pmapdb_status find_ancestors(int root, int64_t parent, pm_buf *out, pmapdb_error *err)
{
    pm_proc_fate fate = PM_PROC_GOOD;
    pm_proc p;

    for (int i = 0; parent > 0 && i < ANCESTORS_MAX; i++) {
        pm_buf_addf(out, NULL, "%" PRId64 " ", parent);
        if (pm_proc_open(root, parent, &p, &fate, NULL) != PMAPDB_OK || fate != PM_PROC_GOOD)
            break;
        parent = p.ppid;
        pm_proc_close(&p);
    }
    return pm_buf_status(out, err);
}

pm_facts pm_select_facts(const pm_proc *p, const pm_standing *s)
{
    return (pm_facts){.pid = p->pid,
                      .ppid = p->ppid,
                      .uid = s->uid,
                      .user = s->user,
                      .comm = s->comm,
                      .exe = s->exe,
                      .cmdline = s->cmdline,
                      .cgroup = s->cgroup,
                      .name = pm_interpreted_name(s->cmdline),
                      .environment = s->environment};
}

pmapdb_status pm_select_holds(pm_selection *s, int root, const pm_proc *p, pm_proc_host *machine,
                              bool *holds, bool *hidden, pmapdb_error *err)
{
    pm_buf ancestors = {0};
    pm_live known = {.standing = {.uid = PMAPDB_UNKNOWN, .ns_pid = PMAPDB_UNKNOWN}};
    pm_facts facts;
    pmapdb_status st;

    *hidden = false;
    *holds = p->pid != s->self || s->named;
    if (!s->match || !*holds)
        return PMAPDB_OK;
    if (s->needs & PM_NEED_UID && pm_proc_status(p, &known) == ENOMEM)
        return pm_fail_nomem(err);
    st = pm_proc_standing(p, machine, s->needs, &s->memory, &known, err);
    if (st != PMAPDB_OK)
        return st;
    facts = pm_select_facts(p, &known.standing);
    if (s->needs & PM_NEED_ANCESTORS)
        st = find_ancestors(root, p->ppid, &ancestors, err);
    facts.ancestors = pm_buf_text(&ancestors);
    PM_STEP(st, pm_expression_holds(s->match, &facts, holds, err));
    pm_buf_free(&ancestors);
    /* Every program has an exe. If this user may not see the exe, the process belongs to another
     * user, and its environment cannot be read either. */
    *hidden = !*holds && s->needs & (PM_NEED_EXE | PM_NEED_ENVIRONMENT) && !known.standing.exe.len;
    return st;
}

/* ---- processes named by pid ---- */

pm_named *pm_select_named(pm_selection *s, int64_t pid)
{
    return s->named ? bsearch(&pid, s->named, s->n_named, sizeof *s->named, by_pid) : NULL;
}

bool pm_select_any_left(const pm_selection *s)
{
    bool any = !s->named;

    for (size_t i = 0; i < s->n_named; i++)
        any |= !s->named[i].done;
    return any;
}
