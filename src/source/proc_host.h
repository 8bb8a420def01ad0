/* proc_host: facts about the machine for pm_proc_standing. Created once, renewed before each sweep.
 */
#ifndef PM_SOURCE_PROC_HOST_H
#define PM_SOURCE_PROC_HOST_H

#include "base/map.h"
#include "source/proc.h"

typedef struct pm_cgroup {
    int64_t
        limit_kib; /* PM_NO_LIMIT without a limit; PMAPDB_UNKNOWN if no mount shows the cgroup */
    pm_cgroup_use use;
} pm_cgroup;

typedef struct pm_proc_user {
    int64_t uid;
    char *name;
} pm_proc_user;

struct pm_proc_host {
    int root; /* a handle on /proc, not owned */
    bool copied;
    int64_t max_map_count;
    pm_buf mounts;       /* of the cgroups, as lines of mountinfo */
    pm_proc_user *users; /* cache of users */
    size_t n_users, cap_users;
    pm_map cgroup_of; /* hash of a cgroup's path -> index in cgroups: read once in a sweep */
    pm_cgroup *cgroups;
    size_t n_cgroups, cap_cgroups;
};

/* Returns the name of a user, "" if the uid has no name; NULL without memory. Valid until the host
 * is renewed. */
const char *pm_proc_host_user(pm_proc_host *h, int64_t uid);

/* Returns the result of pm_cgroup_read, which reads each cgroup once between two renewals. */
pmapdb_status pm_proc_host_cgroup(pm_proc_host *h, pm_text path, bool unified, pm_cgroup *out,
                                  pmapdb_error *err);

/* ---- proc_cgroup.c: the memory limit of the cgroup of a process, as visible in the mounts of this
 * program: on a host or in a container, with the unified hierarchy or with the older hierarchy of
 * the memory controller ---- */

/* Adds the lines of mountinfo that mount a hierarchy which limits memory. */
pmapdb_status pm_cgroup_mounts(pm_text mountinfo, pm_buf *out, pmapdb_error *err);

/* Returns the path from /proc/PID/cgroup in the hierarchy that limits memory; empty if there is no
 * such path. If the memory controller has its own hierarchy but the process is at its top, the
 * unified path is more informative and is used. */
pm_text pm_cgroup_path(pm_text cgroup, bool *unified);

/* Finds the lowest limit of the cgroup `path` and of its ancestors within the mounts, and the use
 * of the cgroup that has this limit. */
pmapdb_status pm_cgroup_read(pm_text mounts, pm_text path, bool unified, pm_cgroup *out,
                             pmapdb_error *err);

/* pm_proc_pressure of the cgroup `path` of the unified hierarchy; 0 for the top, for which the
 * pressure of the machine stands. */
pmapdb_status pm_cgroup_pressure(pm_text mounts, pm_text path, int64_t *out, pmapdb_error *err);

#endif
