/* recall_process: a row of table process, with its texts. */
#ifndef PM_STORE_RECALL_PROCESS_H
#define PM_STORE_RECALL_PROCESS_H

#include "store/evidence.h"
#include "store/sql.h"

/* Texts are NULL where unknown. */
typedef struct pm_recall_process {
    int64_t process_id, pid, life;
    char *host, *name, *command, *boot_id;
    int64_t name_rank, name_ms, command_ms;
    int64_t clock_mono_ns, clock_utc_ms;
    pm_link identity;
    pm_evidence evidence; /* its texts are those above */
} pm_recall_process;

void pm_recall_process_free(pm_recall_process *who);

/* Into a zeroed *out, which is the caller's to free whatever becomes of it. */
pmapdb_status pm_recall_process_load(pm_sql *sql, int64_t process_id, pm_recall_process *out,
                                     pmapdb_error *err);

#endif
