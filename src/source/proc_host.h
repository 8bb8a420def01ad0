/* proc_host: what pm_proc_standing needs of the machine. Made once, renewed before a sweep. */
#ifndef PM_SOURCE_PROC_HOST_H
#define PM_SOURCE_PROC_HOST_H

#include "source/proc.h"
#include "source/proc_cgroup.h"

typedef struct pm_proc_user {
    int64_t uid;
    char *name;
} pm_proc_user;

struct pm_proc_host {
    int root; /* a handle on /proc, not its own */
    int64_t max_map_count;
    pm_buf mounts;       /* pm_cgroup_mounts */
    pm_proc_user *users; /* already looked up */
    size_t n_users, cap_users;
};

/* "" where the uid has none; NULL: no memory. Lasts until the host is renewed. */
const char *pm_proc_host_user(pm_proc_host *h, int64_t uid);

#endif
