/* select: which processes a run captures: those named by pid, all, or the matches
 * of an expression. */
#ifndef PM_API_CAPTURE_SELECT_H
#define PM_API_CAPTURE_SELECT_H

#include "source/proc.h"
#include "store/func/expression.h"

/* A process named by its pid. A later process with the same pid does not count. */
typedef struct pm_named {
    int64_t pid;
    int64_t start_time; /* PMAPDB_UNKNOWN: not seen yet */
    bool done;          /* it ended or gives no snapshot: the run does not look for it again */
} pm_named;

typedef struct pm_selection {
    pm_named *named; /* ascending; NULL: all processes, or the matches */
    size_t n_named;
    int64_t self;         /* the pid of this program, which only its name selects */
    pm_expression *match; /* NULL: all processes, or the named ones */
    unsigned needs;       /* the facts that `match` needs */
    pm_buf text;          /* the words of the user: "4711 4712", "--match EXPR", "--all" */
    /* of the current beat: */
    int64_t *pids; /* ascending */
    size_t n_pids;
    pm_buf memory;
} pm_selection;

pmapdb_status pm_select_init(pm_selection *s, const pmapdb_capture_options *o, pmapdb_error *err);
void pm_select_free(pm_selection *s);

/* Fills s->pids with the processes that exist now. */
pmapdb_status pm_select_list(pm_selection *s, int root, pmapdb_error *err);

/* root: a handle on /proc. *holds: the process is selected. *hidden: this user may not read the
 * facts that decide. */
pmapdb_status pm_select_holds(pm_selection *s, int root, const pm_proc *p, pm_proc_host *machine,
                              bool *holds, bool *hidden, pmapdb_error *err);

/* Returns NULL if processes are not selected by pid. */
pm_named *pm_select_named(pm_selection *s, int64_t pid);
bool pm_select_any_left(const pm_selection *s);

#endif
