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

/* The process of a capture. old_name_id: the name before this capture (0 for a new process). */
typedef struct pm_process_found {
    int64_t process_id, name_id, old_name_id;
    bool is_new;
    bool ambiguous; /* only the pid ties the capture to its process */
} pm_process_found;

pmapdb_status pm_process_of(pm_sql *sql, const pm_capture *c, const pm_classify_context *context,
                            pm_process_found *out, pmapdb_error *err);

/* Gives a process another name, that of a capture at name_ms. Data that was pruned from the process
 * is then missing under the new name, too. */
pmapdb_status pm_process_rename(pm_sql *sql, int64_t process_id, int64_t old_name_id,
                                int64_t name_id, int64_t rank, int64_t name_ms, pmapdb_error *err);

/* Condition: p is the process that a live capture names. ?1 is the pid, ?2 the host name, ?3 the
 * boot, ?4 the start time. Uses the unique index. */
#define PM_IS_LIVE_PROCESS                                   \
    "coalesce(p.pid, -1) = ?1 AND coalesce(p.host_id, 0) = " \
    "(SELECT host_id FROM host WHERE name = ?2) "            \
    "AND coalesce(p.boot_id, '') = ?3 AND coalesce(p.start_time, -1) = ?4"

/* Finds or inserts the row in table host. *host_id is PMAPDB_UNKNOWN if host is NULL. */
pmapdb_status pm_host_of(pm_sql *sql, const char *host, int64_t *host_id, pmapdb_error *err);

#endif
