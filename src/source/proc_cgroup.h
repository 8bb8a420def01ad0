/* proc_cgroup: the memory limit of the cgroup of a process, as visible in the mounts of this
 * program: on a host or in a container, with the unified hierarchy or with the older hierarchy of
 * the memory controller. */
#ifndef PM_SOURCE_PROC_CGROUP_H
#define PM_SOURCE_PROC_CGROUP_H

#include "base/buf.h"
#include "base/record/live.h"
#include <stdint.h>

/* Adds the lines of mountinfo that mount a hierarchy which limits memory. */
pmapdb_status pm_cgroup_mounts(pm_text mountinfo, pm_buf *out, pmapdb_error *err);

/* Returns the path from /proc/PID/cgroup in the hierarchy that limits memory; empty if there is no
 * such path. If the memory controller has its own hierarchy but the process is at its top, the
 * unified path is more informative and is used. */
pm_text pm_cgroup_path(pm_text cgroup, bool *unified);

typedef struct pm_cgroup {
    int64_t
        limit_kib; /* PM_NO_LIMIT without a limit; PMAPDB_UNKNOWN if no mount shows the cgroup */
    pm_cgroup_use use;
} pm_cgroup;

/* Finds the lowest limit of the cgroup `path` and of its ancestors within the mounts, and the use
 * of the cgroup that has this limit. */
pmapdb_status pm_cgroup_read(pm_text mounts, pm_text path, bool unified, pm_cgroup *out,
                             pmapdb_error *err);

/* pm_proc_pressure of the cgroup `path` of the unified hierarchy; 0 for the top, where the
 * machine's counts. */
pmapdb_status pm_cgroup_pressure(pm_text mounts, pm_text path, int64_t *out, pmapdb_error *err);

#endif
