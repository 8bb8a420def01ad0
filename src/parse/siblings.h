/* siblings: the small files that lie beside a capture in a /proc tree: stat, status, comm,
 * cmdline, smaps_rollup. Each parser takes the whole file's bytes and says what it found. */
#ifndef PM_PARSE_SIBLINGS_H
#define PM_PARSE_SIBLINGS_H

#include "base/text.h"
#include <stdint.h>

/* Everything PMAPDB_UNKNOWN or empty until a file says otherwise. */
typedef struct pm_siblings {
    int64_t pid;
    int64_t start_time;        /* field 22 of stat: clock ticks since boot */
    int64_t rss_kib, size_kib; /* VmRSS, VmSize of status */
    struct {
        int64_t rss_kib, private_dirty_kib, swap_kib;
    } rollup;
    char comm[64];   /* comm, or Name of status */
    char argv0[256]; /* basename of cmdline's first word */
} pm_siblings;

void pm_siblings_init(pm_siblings *s);

/* kind is the file's name in /proc/PID. False where the bytes are not that kind of file. */
bool pm_siblings_read(pm_siblings *s, pm_text kind, pm_text bytes);

#endif
