/* live_map: the map of one process, read repeatedly from /proc into ids of one pool. A mapping that
 * did not change keeps its id.
 *
 * Reads only live and complete output of the kernel (smaps, maps). Anything unknown in it is an
 * error, not damage to be worked around. */
#ifndef PM_PARSE_LIVE_MAP_H
#define PM_PARSE_LIVE_MAP_H

#include "parse/reader.h"

/* Zeroed, it is empty. It must not move while a reading is under way. */
typedef struct pm_live_map {
    pm_pool *pool;
    size_t fresh_bytes; /* of the pool after its first reading; 0 before that */
    pm_dialect dialect;
    pm_reader *reader; /* of the current reading */
    uint32_t *rows;    /* of the reader */
    size_t n, n_blocks;
    pm_block block; /* the first block, without its texts */
    char missing[160];
    bool torn;    /* the reading failed because the map changed: another one may succeed */
    bool in_line; /* the text so far ends in the middle of a line */
} pm_live_map;

/* Makes it empty again. */
void pm_live_map_free(pm_live_map *map);

/* Begins the next reading, of `dialect` (smaps or maps). The results of an earlier reading become
 * invalid. */
pmapdb_status pm_live_map_begin(pm_live_map *map, pm_dialect dialect, pmapdb_error *err);
/* n > 0. ctx: the pm_live_map. */
pmapdb_status pm_live_map_feed(void *ctx, const char *bytes, size_t n, pmapdb_error *err);

/* Returns the result: totals, fields, no hash, rows as ids of *pool, all valid until the next
 * begin. Fails with PMAPDB_INPUT if the map is incomplete. Sets block->empty if the map has no
 * mapping. */
pmapdb_status pm_live_map_finish(pm_live_map *map, pm_block *block, const pm_pool **pool,
                                 const uint32_t **rows, size_t *n_rows, pmapdb_error *err);

/* Bytes held, for a caller with a budget. */
size_t pm_live_map_bytes(const pm_live_map *map);

/* Replaces a row of the last reading; *rows then has its new id. */
pmapdb_status pm_live_map_replace(pm_live_map *map, size_t row, const pm_mapping *m,
                                  pmapdb_error *err);

#endif
