/* select: what a user writes for a process or a snapshot -> ids.
 *
 * Process:  NAME, PID, NAME/PID, @process_id; HOST:NAME where a name is on several hosts.
 * Snapshot: first, last, prev, @ID, a time, -2h (back from the newest of the series, or from what
 *           --to resolves to), now-2h. A time gives the last snapshot at or before it.
 * A wrong one is PMAPDB_NOTFOUND and lists what there is.
 */
#ifndef PM_STORE_SELECT_H
#define PM_STORE_SELECT_H

#include "store/file/sql.h"

/* Either one process, or all processes of a name. PMAPDB_UNKNOWN where it is the other. */
typedef struct pm_scope {
    int64_t process_id, name_id;
    int64_t host_id; /* only what is of this host; 0: of any */
} pm_scope;

extern const pm_scope pm_scope_all;

typedef struct pm_pick {
    int64_t snapshot_id, moment_ms;
} pm_pick;

/* The name that a snapshot belongs to, as a scope; its process where no capture names that. A
 * snapshot that is not there leaves *out unknown. */
pmapdb_status pm_select_of_snapshot(pm_sql *sql, int64_t snapshot_id, pm_scope *out,
                                    pmapdb_error *err);

/* "only": the one name that the store has. Empty: everything, both ids unknown. The host is any. */
pmapdb_status pm_select_process(pm_sql *sql, pm_text selector, pm_scope *out, pmapdb_error *err);

/* *host_id is 0 where no host is so called, or none is asked for. */
pmapdb_status pm_select_host(pm_sql *sql, pm_text name, int64_t *host_id, pmapdb_error *err);

/* dialect: only its captures, or data NULL. back_from: what -2h counts back from, a moment, or
 * PMAPDB_UNKNOWN for the newest. */
pmapdb_status pm_select_snapshot(pm_sql *sql, const pm_scope *scope, pm_text dialect,
                                 pm_text selector, int64_t back_from, pm_pick *out,
                                 pmapdb_error *err);

/* A time by itself: one written out, -2h (back from the newest snapshot of the scope), now-2h.
 * *ms is PMAPDB_UNKNOWN where there is no snapshot to count back from. */
pmapdb_status pm_select_time(pm_sql *sql, const pm_scope *scope, pm_text text, int64_t *ms,
                             pmapdb_error *err);

#endif
