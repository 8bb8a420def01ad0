/* write: a capture into the store, in one transaction. */
#ifndef PM_STORE_WRITE_H
#define PM_STORE_WRITE_H

#include "base/capture.h"
#include "store/store.h"

/* What the writer remembers between captures (dictionaries, newest rows of each process). It is
 * dropped when another connection writes, and when a transaction fails. */
typedef struct pm_writer pm_writer;

void pm_writer_free(pm_writer *w);

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

/* The same inside the caller's transaction, of which nothing must be kept where this fails:
 * pm_store_abandon() ends it then. */
pmapdb_status pm_store_put_within(pmapdb_store *s, const pm_capture *c, int64_t sweep_ms,
                                  int64_t *capture_id, pm_stored *out, pmapdb_error *err);
void pm_store_abandon(pmapdb_store *s);

/* The name under which a process is stored now. Copies at most size - 1 bytes. */
pmapdb_status pm_store_name(pmapdb_store *s, int64_t process_id, char *name, size_t size,
                            pmapdb_error *err);

/* Remembers input that was turned away; *known: it was remembered before. */
pmapdb_status pm_store_refuse(pmapdb_store *s, uint64_t hash, const char *reason, bool *known,
                              pmapdb_error *err);

#endif
