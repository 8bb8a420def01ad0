/* put: the one way into the store: stores a capture in a transaction. */
#ifndef PM_STORE_PUT_H
#define PM_STORE_PUT_H

#include "base/record/capture.h"
#include "store/file/store.h"

typedef struct pm_stored {
    int64_t snapshot_id;
    bool duplicate; /* the capture was already stored; nothing changed */
    bool pruned;    /* a duplicate whose snapshot was removed: snapshot_id and process_id are 0,
                       the name is that of the capture */
    bool ambiguous; /* only the pid ties the capture to its process */
    int64_t process_id;
    char name[256];  /* of the process; may be cut */
    char doubt[256]; /* warning about mappings that the rules could not judge; or empty */
} pm_stored;

/* Stores a capture in the caller's transaction. *capture_id: 0, or the value that an earlier call
 * set for a capture that was read together with this one. sweep_ms: the longest time between
 * captures of one moment. After an error the transaction must not be committed, but rolled back.
 * Exception: PMAPDB_INPUT, an error of the capture itself, where nothing was written and the
 * transaction may continue. pm_store_commit first completes what waits: moments, and the captures
 * that a late one made wait (see rewind.h). */
pmapdb_status pm_store_put_within(pmapdb_store *s, const pm_capture *c, int64_t sweep_ms,
                                  int64_t *capture_id, pm_stored *out, pmapdb_error *err);

/* True if late captures wait for the commit, and memory allows more. Storing more late captures in
 * the same transaction is cheaper, so the transaction may last for PM_LATE_TURNS turns
 * (pm_store_turn_is_over). */
#define PM_LATE_TURNS 10
bool pm_store_put_waits(const pmapdb_store *s);

/* Records input that was refused. *known: the input had been recorded before. */
pmapdb_status pm_store_refuse(pmapdb_store *s, uint64_t hash, const char *reason, bool *known,
                              pmapdb_error *err);

#endif
