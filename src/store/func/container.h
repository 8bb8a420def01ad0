/* container: what the path of a cgroup says about a process: its container, its unit of systemd.
 * Pure. */
#ifndef PM_STORE_CONTAINER_H
#define PM_STORE_CONTAINER_H

#include "base/buf.h"

/* Adds the name of the innermost container: RUNTIME/ID with the 12 digits that the runtime's own
 * lists show (docker, containerd, crio, podman, kubepods where the path does not name the runtime),
 * or lxc/NAME, machine/NAME. Adds nothing if there is no container, or the path is only visible
 * from outside. */
void pm_container_of(pm_text cgroup, pm_buf *out);

/* The innermost service or scope; empty if there is none. */
pm_text pm_unit_of(pm_text cgroup);

#endif
