/* segments: shared memory that has no file on a disk: SysV segments, files of /dev/shm, memfds; and
 * who maps it. Nothing is attached and no page is touched. */
#ifndef PM_SOURCE_SEGMENTS_H
#define PM_SOURCE_SEGMENTS_H

#include "base/buf.h"
#include "base/map.h"

typedef struct pm_segment {
    const char *kind; /* sysv, posix, memfd */
    int64_t key;      /* of a SysV segment */
    uint64_t id;      /* of a SysV segment, or the inode */
    char path[128];
    int64_t size_kib, rss_kib,
        swap_kib;         /* of all its pages; unknown where this user may not look */
    int64_t uid, creator; /* creator: a pid */
    int64_t attached;     /* as the kernel counts for a SysV segment */
    int64_t processes;    /* that map it, of those that this user may read */
    bool removed;         /* the segment is freed when its last process detaches it */
    char names[96];       /* of the processes */
    int64_t last_pid;     /* the last one that was counted */
} pm_segment;

typedef struct pm_segments {
    pm_segment *item;
    size_t n, cap;
    int64_t unread; /* processes that this user may not read */
    pm_map of;      /* hash of device and inode -> index */
} pm_segments;

/* root: a handle on /proc. SysV segments are those of this program's IPC namespace. */
pmapdb_status pm_segments_read(int root, pm_segments *out, pmapdb_error *err);
void pm_segments_free(pm_segments *s);

#endif
