/* live_map: the map of one process, read from /proc time after time into ids of one pool. A mapping
 * that did not change keeps its id.
 *
 * Only what the kernel itself prints (smaps, maps), read live and whole: what is not understood is
 * an error, and not damage to be worked around. */
#ifndef PM_PARSE_LIVE_MAP_H
#define PM_PARSE_LIVE_MAP_H

#include "base/capture.h"

typedef struct pm_live_map pm_live_map;

pmapdb_status pm_live_map_new(pm_live_map **out, pmapdb_error *err);
void pm_live_map_free(pm_live_map *map);

/* The next reading, of `dialect` (smaps or maps). What an earlier reading gave is no longer valid.
 */
pmapdb_status pm_live_map_begin(pm_live_map *map, pm_dialect dialect, pmapdb_error *err);
/* taken NULL: all bytes are used. Else *taken is how many were: the rest comes again with more
 * after it, or at the end with taken NULL. So a mapping that lies in two pieces is not copied. */
pmapdb_status pm_live_map_feed(pm_live_map *map, const char *bytes, size_t n, size_t *taken,
                               pmapdb_error *err);

/* What was read: totals, fields, hash, rows as ids of *pool, all valid until the next begin.
 * PMAPDB_INPUT: it is not whole. block->empty is set if it has no mapping. */
pmapdb_status pm_live_map_finish(pm_live_map *map, pm_block *block, const pm_pool **pool,
                                 const uint32_t **rows, size_t *n_rows, pmapdb_error *err);

/* The reading failed because the map changed meanwhile: another one may succeed. */
bool pm_live_map_torn(const pm_live_map *map);

/* Bytes held, for a caller with a budget. */
size_t pm_live_map_bytes(const pm_live_map *map);

#endif
