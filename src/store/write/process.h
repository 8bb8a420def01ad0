/* process: which life of which pid a capture belongs to.
 *
 * A live capture names its life: host, boot, pid, start time. Lives of different boots differ; an
 * exec does not begin a new life. For captures from text, a start time decides if both sides have
 * one; the boot is then the boot of the life nearest in time, and each side learns what it lacks.
 * Otherwise the anchors decide: addresses that address space layout randomisation sets once per
 * exec and that every dialect shows (end of [stack], start of [vdso], lowest row of libc and of
 * ld.so). A capture belongs to the life whose anchors are equal, among the anchors that both show;
 * a capture with a different anchor begins a new life. The command line is no evidence against
 * equal anchors: titles change. If no anchor is shared, the address of the executable and the first
 * word of the command decide; without these the life is assumed. */
#ifndef PM_STORE_PROCESS_H
#define PM_STORE_PROCESS_H

#include "base/record/capture.h"
#include "classify/classify.h"
#include "store/file/sql.h"

/* The process of a capture. */
typedef struct pm_process_found {
    int64_t process_id, name_id;
    int64_t old_name_id; /* the name before this capture; of a new process, its name */
    bool ambiguous;      /* only the pid ties the capture to its process */
    char name[256];      /* may be cut */
} pm_process_found;

void pm_process_of(pm_sql *sql, const pm_capture *c, const pm_classify_context *context,
                   pm_process_found *out);

/* What a capture, or another store, says about a process. Unknown numbers are PMAPDB_UNKNOWN. */
typedef struct pm_process_facts {
    int64_t start_time;
    int64_t stack_end, vdso_start, libc_start, ld_start; /* the anchors */
    int64_t exe_start; /* lowest known address of the executable */
    pm_text boot_id;   /* live captures only; otherwise start_time may be of any boot */
    pm_text command;   /* the full command line */
    int64_t command_ms;
    int64_t mono_ns, utc_ms; /* the two clocks at one moment */
    const char *identity;    /* the link to the process, as in its table */
    pm_text name;
    pm_name_rank rank;
    int64_t name_ms; /* the moment of the name */
} pm_process_facts;

#define PM_PROCESS_FACTS_NONE                                                                    \
    {                                                                                            \
        .start_time = PMAPDB_UNKNOWN, .stack_end = PMAPDB_UNKNOWN, .vdso_start = PMAPDB_UNKNOWN, \
        .libc_start = PMAPDB_UNKNOWN, .ld_start = PMAPDB_UNKNOWN, .exe_start = PMAPDB_UNKNOWN    \
    }

/* Adds what the process does not know yet; a better name replaces its name. */
void pm_process_teach(pm_sql *sql, int64_t process_id, const pm_process_facts *facts,
                      pm_process_found *out);

/* Finds or inserts the row in table host. Returns PMAPDB_UNKNOWN if host is NULL. */
int64_t pm_host_of(pm_sql *sql, const char *host);

#endif
