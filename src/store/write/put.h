/* put: the one way into the store: a capture, in a transaction. */
#ifndef PM_STORE_PUT_H
#define PM_STORE_PUT_H

#include "base/capture.h"
#include "store/file/store.h"

typedef struct pm_stored {
    int64_t snapshot_id;
    bool duplicate; /* was there already; nothing changed */
    bool pruned;    /* a duplicate that was removed since: snapshot_id and process_id are 0 */
    bool ambiguous; /* nothing but the pid ties it to its process */
    int64_t process_id, name_id;
    char doubt[256]; /* what rules could not say of its mappings; or empty */
} pm_stored;

/* Stores one capture, in a transaction of its own. *capture_id: 0, or what an earlier call gave for
 * what was read together with it. sweep_ms: how far apart captures of one moment may be. */
pmapdb_status pm_store_put(pmapdb_store *s, const pm_capture *c, int64_t sweep_ms,
                           int64_t *capture_id, pm_stored *out, pmapdb_error *err);

/* The same as one of several in the caller's transaction, which must not be kept where this fails:
 * pm_store_abandon ends it then. But after PMAPDB_INPUT, the capture's own fault, nothing was
 * written and it may go on. What a late capture took off (see rewind.h) is put back by
 * pm_store_put_end, before the commit. */
pmapdb_status pm_store_put_within(pmapdb_store *s, const pm_capture *c, int64_t sweep_ms,
                                  int64_t *capture_id, pm_stored *out, pmapdb_error *err);
pmapdb_status pm_store_put_end(pmapdb_store *s, pmapdb_error *err);
void pm_store_abandon(pmapdb_store *s);

/* Something was taken off: it costs less to put more captures first, and then to end. */
bool pm_store_put_waits(const pmapdb_store *s);

/* The name under which a process is stored now. Copies at most size - 1 bytes. */
pmapdb_status pm_store_name(pmapdb_store *s, int64_t process_id, char *name, size_t size,
                            pmapdb_error *err);

/* Remembers input that was turned away; *known: it was remembered before. */
pmapdb_status pm_store_refuse(pmapdb_store *s, uint64_t hash, const char *reason, bool *known,
                              pmapdb_error *err);

#endif
