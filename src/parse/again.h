/* again: the map of one process, read again and again. What the kernel prints of a mapping that did
 * not change is the same bytes as the last time: they are recognised and not parsed. The rows are
 * those that the reader would give, with the ids of one pool: a mapping that did not change keeps
 * its id.
 *
 * Only what the kernel itself prints (smaps, maps), read live and whole: what it does not
 * understand is an error, and not damage to be worked around. */
#ifndef PM_PARSE_AGAIN_H
#define PM_PARSE_AGAIN_H

#include "base/capture.h"

typedef struct pm_again pm_again;

pmapdb_status pm_again_new(pm_again **out, pmapdb_error *err);
void pm_again_free(pm_again *a);

/* The next reading of `dialect` (smaps or maps). What an earlier reading gave is no longer valid.
 */
pmapdb_status pm_again_begin(pm_again *a, pm_dialect dialect, pmapdb_error *err);
/* taken NULL: all of it. Else *taken is how much of it is done with: the rest comes again, with
 * more behind it or, at the end, with taken NULL. So a mapping that lies in two pieces is not
 * copied. */
pmapdb_status pm_again_feed(pm_again *a, const char *bytes, size_t n, size_t *taken,
                            pmapdb_error *err);

/* What was read: totals, fields, hash, rows as ids of *pool, all valid until the next begin.
 * PMAPDB_INPUT: it is not whole. block->empty is set where it has no mapping. */
pmapdb_status pm_again_finish(pm_again *a, pm_block *block, const pm_pool **pool,
                              const uint32_t **rows, size_t *n_rows, pmapdb_error *err);

/* The reading failed because the map changed meanwhile: another one may succeed. */
bool pm_again_torn(const pm_again *a);

/* Bytes held, for a caller with a budget; forgetting costs a full parse the next time. */
size_t pm_again_bytes(const pm_again *a);

#endif
