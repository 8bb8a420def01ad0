/* select: which processes a run captures: those named by pid, all, or those that an expression
 * matches. */
#ifndef PM_API_CAPTURE_SELECT_H
#define PM_API_CAPTURE_SELECT_H

#include "source/proc.h"
#include "store/func/expression.h"

/* A process named by its pid. Another process that gets the pid later is not meant. */
typedef struct pm_named {
    int64_t pid;
    int64_t start_time; /* PMAPDB_UNKNOWN: not seen yet */
    bool done;          /* it ended, or gives no snapshot: it is not looked for again */
} pm_named;

typedef struct pm_selection {
    pm_named *named; /* ascending; NULL: all, or what matches */
    size_t n_named;
    pm_expression *match; /* NULL: all, or those named */
    unsigned needs;       /* of match */
    pm_buf text;          /* as it was asked for: "4711 4712", "--match EXPR", "--all" */
    /* of the current beat: */
    int64_t *pids; /* ascending */
    size_t n_pids;
    pm_buf memory;
} pm_selection;

pmapdb_status pm_select_init(pm_selection *s, const pmapdb_capture_options *o, pmapdb_error *err);
void pm_select_free(pm_selection *s);

/* Fills s->pids with the processes that there are now. */
pmapdb_status pm_select_list(pm_selection *s, int root, pmapdb_error *err);

/* root: a handle on /proc. *holds: the process is selected. *hidden: this user may not see the
 * facts that decide it. */
pmapdb_status pm_select_holds(pm_selection *s, int root, const pm_proc *p, pm_proc_host *machine,
                              bool *holds, bool *hidden, pmapdb_error *err);

/* NULL if processes are not named by pid. */
pm_named *pm_select_named(pm_selection *s, int64_t pid);
bool pm_select_any_left(const pm_selection *s);

#endif
