/* proc_cgroup: the memory limit of a process's cgroup, as this program's mounts show it: on a host,
 * in a container, with the unified hierarchy or with the older one of the memory controller. */
#ifndef PM_SOURCE_PROC_CGROUP_H
#define PM_SOURCE_PROC_CGROUP_H

#include "base/buf.h"
#include <stdint.h>

/* A line of mountinfo. */
typedef struct pm_mount_line {
    pm_text root, point, kind, options; /* escaped as the kernel writes them; empty: damaged */
} pm_mount_line;

/* Takes the next line off the text. */
pm_mount_line pm_mount_next(pm_text *mountinfo);

/* One mount of a hierarchy. */
typedef struct pm_cgroup_mount {
    bool unified;
    char *root;  /* the mounted folder of the hierarchy: / as a rule */
    char *point; /* the folder where it is mounted */
} pm_cgroup_mount;

typedef struct pm_cgroup_mounts {
    pm_cgroup_mount *at;
    size_t n, cap;
} pm_cgroup_mounts;

/* From /proc/self/mountinfo. */
pmapdb_status pm_cgroup_mounts_read(pm_text mountinfo, pm_cgroup_mounts *out, pmapdb_error *err);
void pm_cgroup_mounts_free(pm_cgroup_mounts *mounts);

/* Of /proc/PID/cgroup, the path in the hierarchy that limits memory; empty where there is none.
 * Where the memory controller has a hierarchy of its own but this process is at its top, the
 * unified path says more. */
pm_text pm_cgroup_path(pm_text cgroup, bool *unified);

/* The lowest limit of the cgroup `path` and of those above it that are mounted; PM_NO_LIMIT, or
 * PMAPDB_UNKNOWN where it is not to be seen. */
pmapdb_status pm_cgroup_limit(const pm_cgroup_mounts *mounts, pm_text path, bool unified,
                              int64_t *limit_kib, pmapdb_error *err);

#endif
