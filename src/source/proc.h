/* proc: one live process, read through one handle on its directory, so that two processes cannot be
 * mixed up when a pid is reused. Linux, /proc.
 *
 * Once the process has ended, every read through the handle fails. An exec keeps the pid and the
 * start time and changes everything else, so identity is checked before and after the map is read
 * (pm_proc_same).
 */
#ifndef PM_SOURCE_PROC_H
#define PM_SOURCE_PROC_H

#include "base/buf.h"
#include "base/record/host.h"
#include "base/record/live.h"
#include "classify/keep_cmdline.h"

/* The reason why there is or is not a snapshot of a process. */
typedef enum pm_proc_fate {
    PM_PROC_GOOD,
    PM_PROC_GONE,       /* the process ended */
    PM_PROC_ZOMBIE,     /* the process or its first thread ended; it is listed, but has no map */
    PM_PROC_KERNEL,     /* a kernel thread, which has no map */
    PM_PROC_UNREADABLE, /* this user may not read the process */
    PM_PROC_CHANGED,    /* the process became another program (exec) during the reading */
    PM_PROC_THREAD,     /* a thread of a process: /proc has directories of threads, too */
    PM_PROC_TORN        /* the parts of its map come from different moments */
} pm_proc_fate;

/* Identifies one program in one process: fields of stat. */
typedef struct pm_proc_life {
    int64_t start_time;  /* clock ticks since boot */
    int64_t start_stack; /* changes with exec; 0 if this user may not see it */
} pm_proc_life;

typedef struct pm_proc {
    int dir;
    int64_t pid, ppid;
    pm_proc_life life;
    pm_activity activity;
    bool is_kernel;
    char state, comm[64];
} pm_proc;

/* True if the process caused the failure of an open or a read: *fate is then PM_PROC_UNREADABLE or
 * _GONE. */
bool pm_proc_caused(int os_errno, pm_proc_fate *fate);

/* Opens /proc/PID below `root` (a handle on /proc) and reads its stat. On any fate except
 * PM_PROC_GOOD there is nothing to close. Fails with PMAPDB_IO if the system failed (such as no
 * free file handles). */
pmapdb_status pm_proc_open(int root, int64_t pid, pm_proc *out, pm_proc_fate *fate,
                           pmapdb_error *err);
void pm_proc_close(pm_proc *p);

/* Checks that the process is still the same program: PM_PROC_GOOD, _GONE or _CHANGED. */
pm_proc_fate pm_proc_same(const pm_proc *p);

/* ---- the map ---- */

/* Receives up to 64 KiB of the map at a time. A failure ends the reading and is returned. */
typedef pmapdb_status (*pm_proc_feed)(void *ctx, const char *bytes, size_t n, pmapdb_error *err);

/* Bytes per read(2). With the usual piece, which costs least, the kernel locks the map for up to
 * five mappings of smaps at a time; with the small piece for one mapping at a time, which costs 1.5
 * us more per mapping. */
#define PM_PROC_PIECE ((size_t)3072)
#define PM_PROC_PIECE_SINGLE ((size_t)512)
/* From this much resident and swapped memory on, the smaps of a process is read mapping by mapping.
 */
#define PM_PROC_SINGLE_KIB ((int64_t)192 * 1024)

/* Reads smaps or maps in pieces that do not make the kernel walk page tables twice (see
 * proc_map.c). Sets the two clocks and the times of the reading in *out, which may be NULL. piece:
 * 1 to 65,536. *fate is PM_PROC_GOOD only if the whole map was read and the process is still the
 * same program afterwards. */
pmapdb_status pm_proc_read_map(const pm_proc *p, const char *file, size_t piece, pm_proc_feed feed,
                               void *ctx, pm_live *out, pm_proc_fate *fate, pmapdb_error *err);

/* The most memory that one page-table walk can meet, estimated before smaps is read and without
 * cost for the process. Other unknown values are PMAPDB_UNKNOWN. */
typedef struct pm_proc_extent {
    int64_t resident_kib; /* statm */
    int64_t swap_kib;     /* VmSwap: swap entries are walked, too; 0 if unknown */
    int64_t largest_kib;  /* size of the largest mapping, limited to resident + swap */
    int64_t small_kib; /* upper bound of the memory in small pages, derived from that of the host */
} pm_proc_extent;

/* Sets all members; largest_kib and small_kib become unknown. */
bool pm_proc_statm(const pm_proc *p, pm_proc_extent *out);
/* Sets largest_kib and small_kib, after pm_proc_statm; reads maps. Ignores mappings without any
 * permission. */
bool pm_proc_largest(const pm_proc *p, pm_proc_extent *out);

/* ---- facts beside the map ---- */

/* The most bytes of cmdline and of environ that are read. A variable that would be cut is left out.
 */
#define PM_PROC_TEXT_MAX ((size_t)128 * 1024)
/* The most bytes of cmdline and of a variable that are stored; a longer text ends with "...".
 * Without this limit, anyone who may start a program could fill the store. */
#define PM_PROC_KEPT_MAX ((size_t)4096)

/* Facts of the machine: names of users, mounts of the cgroups. */
typedef struct pm_proc_host pm_proc_host;

/* Reads the mounts of the cgroups, which stay as long as the machine runs. `root`, a handle on
 * /proc, must outlive *out. */
pmapdb_status pm_proc_host_new(int root, pm_proc_host **out, pmapdb_error *err);
void pm_proc_host_free(pm_proc_host *h);
/* Forgets all facts but the mounts, so that they are read again; must be called at the start of a
 * sweep. */
void pm_proc_host_renew(pm_proc_host *h);

/* Sets the leader, the sizes, the number of threads, uid and ns_pid, from status. Returns 0 or an
 * errno: then they are unknown. */
int pm_proc_status(const pm_proc *p, pm_live *out);

/* Sets the other facts in live->standing, and live->oom_score if the limits are wanted. `want`: the
 * facts to read, of enum pm_need. The name of the user needs the uid: pm_proc_status must have set
 * the uid before. The texts point into `memory`, which is cleared first. A fact that cannot be read
 * is unknown. Reading cmdline and environ waits for the lock on the memory map of the process, as
 * reading the map does. */
pmapdb_status pm_proc_standing(const pm_proc *p, pm_proc_host *host, unsigned want, pm_buf *memory,
                               pm_live *live, pmapdb_error *err);

/* Writes the part of the arguments that is stored (keep_cmdline.h), cut to the limit, into
 * `memory`, which is cleared first and must not be the buffer of the arguments. */
pmapdb_status pm_proc_keep_arguments(pm_text arguments, pm_keep_cmdline *keep, pm_buf *memory,
                                     pm_text *out, pmapdb_error *err);

/* Writes the variables of an environment that have these names into `memory`, sorted and cut to the
 * limit. `memory` is cleared first and must not be the buffer of the environment. */
pmapdb_status pm_proc_keep_environment(pm_text environment, const char *const *names, size_t n,
                                       pm_buf *memory, pm_text *out, pmapdb_error *err);

/* ---- accessed bits ---- */

/* Reads what the process has done, from stat. */
bool pm_proc_activity(const pm_proc *p, pm_activity *out);

/* Clears the accessed bits of all pages of the process. It takes *took_us of CPU time; the process
 * waits in mmap and munmap meanwhile, and longer if this thread must wait for a processor. Returns
 * 0 or an errno: EACCES and EPERM: this user may not; ESRCH: the process ended; ENOENT: this kernel
 * has no clear_refs, or the process ended. */
int pm_proc_clear_refs(const pm_proc *p, int64_t *took_us);

/* The larger of the averages of 10 and 60 seconds in a file like /proc/pressure/memory: the share
 * of time in which some task waited, in hundredths of a percent; PMAPDB_UNKNOWN if the file cannot
 * be read. */
int64_t pm_proc_pressure(int dir, const char *file);

/* The same for the cgroup of the process. 0 for the top cgroup, and for a cgroup of the older
 * hierarchy without a limit: the pressure of the machine stands for these. PMAPDB_UNKNOWN for a
 * cgroup of the older hierarchy with a limit, because that hierarchy does not tell.
 */
pmapdb_status pm_proc_cgroup_pressure(const pm_proc *p, pm_proc_host *host, int64_t *out,
                                      pmapdb_error *err);

/* ---- the host ---- */

/* Reads the facts about the memory of the machine; a file that cannot be read leaves its facts
 * unknown. */
pmapdb_status pm_proc_memory(int root, pm_host_memory *out, pmapdb_error *err);

/* Lists the pids of all processes in ascending order; the caller frees *pids. `root` is a handle on
 * /proc. */
pmapdb_status pm_proc_list(int root, int64_t **pids, size_t *n, pmapdb_error *err);

/* True if the list lacks processes of other users: /proc is mounted with hidepid=2 or 4, and this
 * user has no right to see them. */
bool pm_proc_hides(int root);

/* Opens /proc, or another folder like it: the /proc of a container, one of another machine that is
 * mounted here, or a copy of one. */
pmapdb_status pm_proc_open_root(const char *path, int *root, pmapdb_error *err);
/* True for a folder that is not a mount of procfs: its files are as old as the copy. */
bool pm_proc_is_copy(int root);
/* Sets the moment of a copy: UTC, and the time since boot, from its uptime and stat. If it has
 * neither, UTC is the mtime of a page map or of maps, and the time since boot is 0. */
pmapdb_status pm_proc_copy_time(int root, int64_t *utc_ms, int64_t *mono_ns, pmapdb_error *err);
/* The pid of this program in that /proc; PMAPDB_UNKNOWN in another pid namespace, and in a copy. */
int64_t pm_proc_self(int root);
/* The name of the machine in a copy. False if the copy lacks it. */
bool pm_proc_copy_host(int root, char *out, size_t size);
/* The id of this boot, 36 characters; of a copy without the id, a text with the time of the boot or
 * of the copy. */
pmapdb_status pm_proc_boot_id(int root, char out[64], pmapdb_error *err);

#endif
