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

/* Adds the lines of mountinfo that mount a hierarchy which limits memory. */
pmapdb_status pm_cgroup_mounts(pm_text mountinfo, pm_buf *out, pmapdb_error *err);

/* The path in /proc/PID/cgroup in the hierarchy that limits memory; empty if there is no such path.
 * Where the memory controller has a hierarchy of its own but this process is at its top, the
 * unified path says more. */
pm_text pm_cgroup_path(pm_text cgroup, bool *unified);

/* The lowest limit of the cgroup `path` and of those above it that such lines mount; PM_NO_LIMIT,
 * or PMAPDB_UNKNOWN if no mount shows the cgroup. */
pmapdb_status pm_cgroup_limit(pm_text mounts, pm_text path, bool unified, int64_t *limit_kib,
                              pmapdb_error *err);

#endif
