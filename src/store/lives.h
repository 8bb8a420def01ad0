/* lives: which process of the store a live capture belongs to, for those that were seen before:
 * host, boot, pid and start time say it all. Part of what the writer remembers. */
#ifndef PM_STORE_LIVES_H
#define PM_STORE_LIVES_H

#include "store/process.h"

typedef struct pm_known_life {
    int64_t process_id, name_id, name_rank;
    int64_t taken_ms, mono_ns; /* of a capture from which the process learned what it could: later
                                  ones that show the same have nothing to add */
} pm_known_life;

typedef struct pm_lives pm_lives;

pmapdb_status pm_lives_new(pm_lives **out, pmapdb_error *err);
void pm_lives_free(pm_lives *lives);

/* NULL: not known, or the capture is not live. */
const pm_known_life *pm_lives_find(const pm_lives *lives, const pm_capture *c);
/* What pm_process_of found for a capture; nothing is remembered of one that is not live. */
pmapdb_status pm_lives_keep(pm_lives *lives, const pm_capture *c, const pm_process_found *found,
                            pmapdb_error *err);
void pm_lives_forget(pm_lives *lives);

#endif
