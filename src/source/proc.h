/* proc: one live process, read through one handle on its directory, so that two processes cannot be
 * mixed when a pid is reused. Linux, /proc.
 *
 * Once the process has ended, every read through the handle fails. An exec keeps the pid and the
 * start time and changes everything else, so identity is checked before and after the map is read
 * (pm_proc_same).
 */
#ifndef PM_SOURCE_PROC_H
#define PM_SOURCE_PROC_H

#include "base/buf.h"
#include "base/live.h"
#include "classify/keep_cmdline.h"
#include <sys/types.h>

/* Why there is a snapshot of a process, or none. */
typedef enum pm_proc_fate {
    PM_PROC_GOOD,
    PM_PROC_GONE,       /* it ended */
    PM_PROC_ZOMBIE,     /* it ended, or its first thread did; it is listed, and has no map */
    PM_PROC_KERNEL,     /* a kernel thread: it has no map */
    PM_PROC_UNREADABLE, /* this user may not read it */
    PM_PROC_CHANGED,    /* it became another program (exec) while it was read */
    PM_PROC_TORN        /* the parts of its map are of several moments */
} pm_proc_fate;

/* Identifies one program in one process: fields of stat. */
typedef struct pm_proc_life {
    int64_t start_time;  /* clock ticks since boot */
    int64_t start_stack; /* changes with exec; 0 where this user may not see it */
} pm_proc_life;

typedef struct pm_proc {
    int dir;
    int64_t pid, ppid;
    pm_proc_life life;
    char comm[64];
} pm_proc;

/* Opens /proc/PID below `root` (a handle on /proc) and reads its stat. On any fate but PM_PROC_GOOD
 * there is nothing to close. PMAPDB_IO: the system failed (out of file handles). */
pmapdb_status pm_proc_open(int root, int64_t pid, pm_proc *out, pm_proc_fate *fate,
                           pmapdb_error *err);
void pm_proc_close(pm_proc *p);

/* The process that it is a thread of; its own pid unless that is the number of a thread, because
 * /proc has directories of threads, too. PMAPDB_UNKNOWN if status cannot be read. */
int64_t pm_proc_leader(const pm_proc *p);

/* The same program still? PM_PROC_GOOD, _GONE or _CHANGED. */
pm_proc_fate pm_proc_same(const pm_proc *p);

/* ---- the map ---- */

/* Reads smaps or maps in pieces that do not make the kernel walk page tables twice (see
 * proc_map.c). Each piece goes to `feed`; a failure of feed ends the reading and is returned.
 * *taken is n; a feed that used fewer bytes sets it, and gets the other bytes again before the next
 * piece. taken NULL: they do not come again. */
typedef struct pm_proc_reading {
    int64_t mono_ns, utc_ms; /* when it began, on two clocks */
    int64_t read_us, cpu_us;
    int64_t longest_us;     /* the longest read(2), by the wall clock */
    int64_t longest_cpu_us; /* the same in CPU; PM_PROC_PIECE_SINGLE only, else unknown */
    uint64_t bytes;
} pm_proc_reading;

typedef pmapdb_status (*pm_proc_feed)(void *ctx, const char *bytes, size_t n, size_t *taken,
                                      pmapdb_error *err);

/* Bytes per read(2). With the usual piece, which costs least, the kernel holds the map for up to
 * three mappings of smaps at a time; with the small piece for one, at 1 us more for each. */
#define PM_PROC_PIECE ((size_t)2048)
#define PM_PROC_PIECE_SINGLE ((size_t)512)
/* A process that has so much resident or swapped is read mapping by mapping. */
#define PM_PROC_SINGLE_KIB ((int64_t)1024 * 1024)

/* piece: 0 chooses one of these two. *fate is PM_PROC_GOOD only if the whole map was read and the
 * process still exists afterwards, as the same program. */
pmapdb_status pm_proc_read_map(const pm_proc *p, const char *file, size_t piece, pm_proc_feed feed,
                               void *ctx, pm_proc_reading *out, pm_proc_fate *fate,
                               pmapdb_error *err);

/* How much memory one walk can meet at most, found before smaps is read and at no cost for the
 * process. Unknown: PMAPDB_UNKNOWN. */
typedef struct pm_proc_extent {
    int64_t size_kib, resident_kib; /* statm */
    int64_t swap_kib;               /* VmSwap: its entries are walked, too */
    int64_t largest_kib;            /* size of the largest mapping, at most resident and swap */
    int64_t small_kib; /* upper bound of the memory in small pages, from the whole host's */
} pm_proc_extent;

/* Sets all but largest_kib and small_kib, which are unknown. */
bool pm_proc_statm(const pm_proc *p, pm_proc_extent *out);
/* Sets largest_kib and small_kib, after pm_proc_statm; reads maps. Mappings without any permission
 * do not count. */
bool pm_proc_largest(const pm_proc *p, pm_proc_extent *out);

/* ---- facts beside the map ---- */

/* Which facts are read. */
enum pm_proc_want {
    PM_WANT_COMM = 1,
    PM_WANT_EXE = 2,
    PM_WANT_CMDLINE = 4,
    PM_WANT_UID = 8, /* and user */
    PM_WANT_CGROUP = 16,
    PM_WANT_ENVIRONMENT = 32, /* all of it */
    PM_WANT_LIMITS = 64,
    PM_WANT_ALL = 127,
    PM_WANT_ARGUMENTS = 128 /* cmdline keeps the NULs between its arguments */
};

/* At most so many bytes of cmdline and of environ are read. A variable that would be cut is left
 * out. */
#define PM_PROC_TEXT_MAX ((size_t)128 * 1024)
/* At most so many bytes of cmdline and of a variable are stored, with "..." at the end if more was
 * there: else anybody who may start a program could fill the store. */
#define PM_PROC_KEPT_MAX ((size_t)4096)

/* Facts of the machine: names of users, mounts of the cgroups. */
typedef struct pm_proc_host pm_proc_host;

/* `root`, a handle on /proc, must outlive it. */
pmapdb_status pm_proc_host_new(int root, pm_proc_host **out, pmapdb_error *err);
void pm_proc_host_free(pm_proc_host *h);
/* Reads them again: to be called at the start of a sweep. */
pmapdb_status pm_proc_host_renew(pm_proc_host *h, pmapdb_error *err);

/* Texts of `out` point into `memory`, which is cleared first. A fact that cannot be read is
 * unknown. Reading cmdline and environ waits for the process's memory, as reading its map does. */
pmapdb_status pm_proc_standing(const pm_proc *p, pm_proc_host *host, unsigned want, pm_buf *memory,
                               pm_standing *out, pmapdb_error *err);

/* The part of the arguments that is stored (keep_cmdline.h), cut, into `memory`, which is cleared
 * first and is not the buffer of the arguments. */
pmapdb_status pm_proc_keep_arguments(pm_text arguments, pm_keep_cmdline *keep, pm_buf *memory,
                                     pm_text *out, pmapdb_error *err);

/* The variables of an environment that have these names, sorted and cut as they are stored, into
 * `memory`, which is cleared first and is not the buffer of the environment. */
pmapdb_status pm_proc_keep_environment(pm_text environment, const char *const *names, size_t n,
                                       pm_buf *memory, pm_text *out, pmapdb_error *err);

/* Sets the sizes and the number of threads from status, nothing else. 0 or an errno. */
int pm_proc_status(const pm_proc *p, pm_live *out);

/* ---- the host ---- */

/* Pids of all processes, ascending; the caller frees *pids. root: a handle on /proc. */
pmapdb_status pm_proc_list(int root, int64_t **pids, size_t *n, pmapdb_error *err);

/* True if processes of others are missing in that list: /proc is mounted with hidepid=2 or 4, and
 * this user has no right to see them. */
bool pm_proc_hides(int root);
/* The same by the mounts alone. */
bool pm_proc_mount_hides(pm_text mountinfo);

pmapdb_status pm_proc_open_root(int *root, pmapdb_error *err);
/* The id of this boot, 36 characters. */
pmapdb_status pm_proc_boot_id(int root, char out[64], pmapdb_error *err);

#endif
