/* select: the user's words for a process or a snapshot -> ids.
 *
 * Process:  NAME, PID, NAME/PID, @process_id; HOST:NAME if several hosts have the name. A process
 *           is also found by its newest exe and comm, the program of its command, or the
 *           beginning of its name.
 *
 * Snapshot: first, last, prev, @ID, a time in words (base/clock/clock.h), -2h or 2h (back from the
 *           newest of the series, or from the snapshot of --to). A time selects the last snapshot
 *           at or before that time; if all snapshots are later, the first one.
 *
 * A wrong selector is PMAPDB_NOTFOUND, and the message lists the possible ones. */
#ifndef PM_STORE_SELECT_H
#define PM_STORE_SELECT_H

#include "store/file/sql.h"

/* One process, or all processes of a name; the other id is PMAPDB_UNKNOWN. */
typedef struct pm_scope {
    int64_t process_id, name_id;
    int64_t host_id; /* only processes of this host; 0: any host */
} pm_scope;

extern const pm_scope pm_scope_all;

typedef struct pm_pick {
    int64_t snapshot_id, moment_ms;
    bool clipped; /* the time is before the first snapshot */
} pm_pick;

/* The name of a snapshot's process, as a scope; the process itself if no capture names it. A
 * snapshot that does not exist leaves *out unknown. */
pmapdb_status pm_select_of_snapshot(pm_sql *sql, int64_t snapshot_id, pm_scope *out,
                                    pmapdb_error *err);

/* "only": the only name in the store. Empty: everything, both ids unknown. Any host. */
pmapdb_status pm_select_process(pm_sql *sql, pm_text selector, pm_scope *out, pmapdb_error *err);

/* dialect: only captures of this dialect; data NULL: any. back_from: the moment from which -2h
 * counts back; PMAPDB_UNKNOWN: the newest. */
pmapdb_status pm_select_snapshot(pm_sql *sql, const pm_scope *scope, pm_text dialect,
                                 pm_text selector, int64_t back_from, pm_pick *out,
                                 pmapdb_error *err);

/* Reads a time in words, or a span such as -2h, which counts back from the newest snapshot of the
 * scope, or from now if the scope has no snapshot. PMAPDB_USAGE without a message: the text is
 * neither. */
pmapdb_status pm_select_time(pm_sql *sql, const pm_scope *scope, pm_text text, int64_t *ms,
                             pmapdb_error *err);

#endif
