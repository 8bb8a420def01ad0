/* process: which life of which pid a capture belongs to.
 *
 * A live capture names its life: host, boot, pid, start time; lives of other boots are others, and
 * an exec within one is the same. Of text, a start time decides where both sides have one: the boot
 * is then that of the life nearest in time, and what one side does not know it learns. Else the
 * anchors do: addresses that address space layout randomisation sets once per exec and that every
 * dialect shows (end of [stack], start of [vdso], lowest row of libc and of ld.so). A capture
 * belongs to the life whose anchors, of those that both show, are all equal; one that differs
 * begins a new life. The command line is no evidence against equal anchors: titles change. Where no
 * anchor is shared, the executable's address and the command's first word decide, and else it is
 * assumed.
 */
#ifndef PM_STORE_PROCESS_H
#define PM_STORE_PROCESS_H

#include "base/capture.h"
#include "classify/classify.h"
#include "store/file/sql.h"

/* Finds or makes the process, adds to it what this capture knows. *renamed: its name changed, and
 * old_name_id is what it was (0 for a new process). */
typedef struct pm_process_found {
    int64_t process_id, name_id, old_name_id;
    bool is_new;
    bool ambiguous; /* nothing but the pid ties it to its process */
} pm_process_found;

pmapdb_status pm_process_of(pm_sql *sql, const pm_capture *c, const pm_classify_context *context,
                            pm_process_found *out, pmapdb_error *err);

/* Gives a process another name, that of a capture at name_ms. What was pruned of it is then missing
 * under that name, too. */
pmapdb_status pm_process_rename(pm_sql *sql, int64_t process_id, int64_t old_name_id,
                                int64_t name_id, int64_t rank, int64_t name_ms, pmapdb_error *err);

/* The snapshot that this block already is, or 0. */
pmapdb_status pm_process_known(pm_sql *sql, const pm_capture *c, int64_t *snapshot_id,
                               pmapdb_error *err);

/* Of process p: the one that a live capture names; ?1 is the pid, ?2 the host's name, ?3 the boot,
 * ?4 the start time. Found by the unique index. */
#define PM_IS_LIVE_PROCESS                                   \
    "coalesce(p.pid, -1) = ?1 AND coalesce(p.host_id, 0) = " \
    "(SELECT host_id FROM host WHERE name = ?2) "            \
    "AND coalesce(p.boot_id, '') = ?3 AND coalesce(p.start_time, -1) = ?4"

/* Row of table host, made when missing; NULL host: PMAPDB_UNKNOWN. */
pmapdb_status pm_host_of(pm_sql *sql, const char *host, int64_t *host_id, pmapdb_error *err);

#endif
