/* threads: those that a recording shows, and which of them share an address space: tracees. */
#ifndef PM_STORE_PERF_THREADS_H
#define PM_STORE_PERF_THREADS_H

#include "base/text.h"
#include "store/pairs.h"
#include "store/sql.h"

#define PM_THREADS_MAX ((size_t)4 << 20) /* the kernel's own limit of pids */

typedef struct pm_trace_thread {
    int64_t pid; /* PMAPDB_UNKNOWN: the text does not say */
    int64_t tid;
    char comm[32]; /* the last that it went by; the kernel's have 15 bytes */
    size_t tracee;
} pm_trace_thread;

typedef struct pm_trace_tracee {
    int64_t pid;        /* PMAPDB_UNKNOWN */
    const char *source; /* tracee.pid_source */
    int64_t tracee_id;
    size_t n_threads;
} pm_trace_tracee;

typedef struct pm_threads {
    pm_trace_thread *thread;
    size_t n, cap;
    uint32_t *slot; /* a hash table of indexes + 1 */
    size_t n_slots;
    size_t last; /* that was asked for */
    pm_trace_tracee *tracee;
    size_t n_tracees, cap_tracees;
    pm_pairs by_pid; /* pid + 1 -> index in tracee + 1 */
} pm_threads;

void pm_threads_free(pm_threads *t);

/* Its index, which stays. */
pmapdb_status pm_threads_of(pm_threads *t, int64_t pid, int64_t tid, pm_text comm, uint32_t *index,
                            pmapdb_error *err);

/* Sets the tracees. Threads whose pid the text says: by that. The others: all of process `given`,
 * unless that is PMAPDB_UNKNOWN; else each thread whose id is the pid of a process of the store, of
 * the host or an unknown one, is that process's first, and where there is just one such, the others
 * are assumed to be its threads. One thread alone is assumed to be the first of its process. What
 * is left is one tracee of an unknown pid. */
pmapdb_status pm_threads_settle(pm_threads *t, pm_sql *sql, int64_t host_id, int64_t given,
                                pmapdb_error *err);

#endif
