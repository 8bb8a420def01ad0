/* proc_host: facts about the machine for pm_proc_standing. Created once, renewed before each sweep.
 */
#ifndef PM_SOURCE_PROC_HOST_H
#define PM_SOURCE_PROC_HOST_H

#include "base/map.h"
#include "source/proc.h"
#include "source/proc_cgroup.h"

typedef struct pm_proc_user {
    int64_t uid;
    char *name;
} pm_proc_user;

struct pm_proc_host {
    int root; /* a handle on /proc, not owned */
    bool copied;
    int64_t max_map_count;
    pm_buf mounts;       /* pm_cgroup_mounts */
    pm_proc_user *users; /* cache of users */
    size_t n_users, cap_users;
    pm_map cgroup_of; /* hash of a cgroup's path -> index in cgroups: read once in a sweep */
    pm_cgroup *cgroups;
    size_t n_cgroups, cap_cgroups;
};

/* Returns the name of a user, "" if the uid has no name; NULL without memory. Valid until the host
 * is renewed. */
const char *pm_proc_host_user(pm_proc_host *h, int64_t uid);

/* Returns what pm_cgroup_read says, read once between two renewals. */
pmapdb_status pm_proc_host_cgroup(pm_proc_host *h, pm_text path, bool unified, pm_cgroup *out,
                                  pmapdb_error *err);

#endif
