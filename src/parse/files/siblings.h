/* siblings: the small files beside a capture in a /proc tree: stat, status, comm, cmdline,
 * smaps_rollup. Each parser takes all bytes of a file and stores what it finds. */
#ifndef PM_PARSE_SIBLINGS_H
#define PM_PARSE_SIBLINGS_H

#include "base/text.h"
#include <stdint.h>

/* Every member is PMAPDB_UNKNOWN or empty until a file gives its value. */
typedef struct pm_siblings {
    int64_t pid;
    int64_t start_time;        /* field 22 of stat: clock ticks since boot */
    int64_t rss_kib, size_kib; /* VmRSS, VmSize of status */
    struct {
        int64_t rss_kib, private_dirty_kib, swap_kib;
    } rollup;
    char comm[64];     /* comm, or Name of status */
    char argv0[256];   /* basename of cmdline's first word */
    char command[512]; /* the stored part of cmdline; set by the reader of cmdline */
} pm_siblings;

#define PM_SIBLINGS_NONE                         \
    ((pm_siblings){.pid = PMAPDB_UNKNOWN,        \
                   .start_time = PMAPDB_UNKNOWN, \
                   .rss_kib = PMAPDB_UNKNOWN,    \
                   .size_kib = PMAPDB_UNKNOWN,   \
                   .rollup = {PMAPDB_UNKNOWN, PMAPDB_UNKNOWN, PMAPDB_UNKNOWN}})

/* The fields of stat, by their numbers in proc(5). */
enum {
    PM_STAT_STATE = 3,
    PM_STAT_PPID = 4,
    PM_STAT_FLAGS = 9,
    PM_STAT_MINOR = 10,
    PM_STAT_MAJOR = 12,
    PM_STAT_USER = 14,
    PM_STAT_SYSTEM = 15,
    PM_STAT_START = 22,
    PM_STAT_STACK = 28,
    PM_STAT_FIELDS
};

typedef struct pm_stat {
    int64_t pid;
    pm_text comm;
    char state;
    int64_t field[PM_STAT_FIELDS]; /* PMAPDB_UNKNOWN: missing, or no number */
} pm_stat;

/* Reads "4711 (a (name) with anything) S 1 ...". */
bool pm_stat_read(pm_text t, pm_stat *out);

/* `kind` is the name of the file in /proc/PID. False if the bytes are not a file of this kind. */
bool pm_siblings_read(pm_siblings *s, pm_text kind, pm_text bytes);

#endif
