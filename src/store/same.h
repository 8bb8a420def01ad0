/* same: a capture most of whose mappings are those of the one before in its stream.
 *
 * Mappings are ids of a pool: equal ids of one pool are equal in every field. Where a capture's
 * pool is that of the capture before, only the stretches in which their ids differ are looked at;
 * the rest stays as it is: place, object, lineage, version. What comes of it is what comparing all
 * rows gives, because mappings of one capture share no addresses: one that is the same continues
 * itself and nothing else. */
#ifndef PM_STORE_SAME_H
#define PM_STORE_SAME_H

#include "store/put.h"

/* Rows from..to of the capture before became rows new_from..new_to. */
typedef struct pm_edit {
    size_t from, to, new_from, new_to;
} pm_edit;

typedef struct pm_same {
    pm_stream *stream; /* NULL: not found */
    pm_edit *edit;
    size_t n, cap;
    size_t n_old, n_new; /* rows in all edits */
} pm_same;

void pm_same_free(pm_same *same);

/* What equal contexts, and no others, have in common; never 0. */
uint64_t pm_same_context(const pm_classify_context *context);

/* Between programs ids say nothing: rows of `s` that table map_cache marked, in this context, get
 * the id of the mapping of the capture that they were made of. */
pmapdb_status pm_same_recognise(pm_stream *s, const pm_capture *c,
                                const pm_classify_context *context, pmapdb_error *err);

/* Sets out->stream where the newest rows of `s` were made of the same pool in an equal context. */
pmapdb_status pm_same_find(pm_stream *s, const pm_capture *c, const pm_classify_context *context,
                           pm_same *out, pmapdb_error *err);

/* The same without preparing a context first: found also needs that nothing of what ties a capture
 * to its life (see evidence.h) or makes up a context came, went or moved. */
pmapdb_status pm_same_find_alone(pm_stream *s, const pm_capture *c, pm_same *out,
                                 pmapdb_error *err);

/* Appends the capture at `off` of the stream's epoch, not as its first; snapshot_id is set. */
pmapdb_status pm_same_append(pm_put *p, pm_same *same, int64_t off, pmapdb_error *err);

#endif
