/* live_map: the map of one process, read repeatedly. */
#include "parse/live_map.h"

#include <stdio.h>

#define STALE_BYTES ((size_t)64 << 10) /* growth besides doubling before a pool is renewed */

void pm_live_map_free(pm_live_map *map)
{
    pm_reader_free(map->reader);
    pm_pool_free(map->pool);
    *map = (pm_live_map){0};
}

static pmapdb_status take_block(void *live_map, const pm_block *block, uint32_t *rows, size_t n,
                                pmapdb_error *err)
{
    pm_live_map *map = live_map;

    (void)err;
    if (map->n_blocks++)
        return PMAPDB_OK;
    map->block = *block;
    map->rows = rows;
    map->n = n;
    map->block.command = map->block.missing = map->block.notes = map->block.empty = PM_TEXT("");
    snprintf(map->missing, sizeof map->missing, "%.*s", (int)block->missing.len,
             block->missing.data);
    return PMAPDB_OK;
}

pmapdb_status pm_live_map_begin(pm_live_map *map, pm_dialect dialect, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    pm_reader_free(map->reader);
    map->reader = NULL;
    /* mappings that no longer exist take up more of the pool than the others */
    if (!map->pool || pm_pool_bytes(map->pool) > 2 * map->fresh_bytes + STALE_BYTES) {
        pm_pool_free(map->pool);
        map->pool = NULL;
        map->fresh_bytes = 0;
        st = pm_pool_new(&map->pool, err);
    }
    PM_STEP(st, pm_reader_new(dialect, map->pool, take_block, map, &map->reader, err));
    if (st == PMAPDB_OK)
        pm_reader_skip_hash(map->reader);
    map->dialect = dialect;
    map->n = map->n_blocks = 0;
    map->torn = map->in_line = false;
    *map->missing = '\0';
    return st;
}

pmapdb_status pm_live_map_feed(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    pm_live_map *map = ctx;

    map->in_line = bytes[n - 1] != '\n';
    return pm_reader_feed(map->reader, bytes, n, err);
}

static pmapdb_status check_whole(pm_live_map *map, pmapdb_error *err)
{
    const pm_block *b = &map->block;

    map->torn = map->n_blocks > 1 || b->overlaps;
    if (map->torn)
        return pm_fail(err, PMAPDB_INPUT, "the map changed while it was read");
    if (map->in_line)
        return pm_fail(err, PMAPDB_INPUT, "the map ends in the middle of a line");
    if ((map->n_blocks && !map->n) || b->state != PM_STATE_COMPLETE || b->dialect != map->dialect ||
        pm_reader_foreign_lines(map->reader))
        return pm_fail(err, PMAPDB_INPUT, "not what the kernel prints%s%s",
                       *map->missing ? ": " : "", map->missing);
    return PMAPDB_OK;
}

pmapdb_status pm_live_map_finish(pm_live_map *map, pm_block *block, const pm_pool **pool,
                                 const uint32_t **rows, size_t *n_rows, pmapdb_error *err)
{
    pmapdb_status st = pm_reader_finish(map->reader, err);

    if (st == PMAPDB_OK && map->n_blocks == 0) {
        map->block = (pm_block){.dialect = map->dialect,
                                .pid = PMAPDB_UNKNOWN,
                                .time_ms = PMAPDB_UNKNOWN,
                                .tool_size_kib = PMAPDB_UNKNOWN,
                                .tool_rss_kib = PMAPDB_UNKNOWN,
                                .empty = PM_TEXT("no mappings: kernel thread")};
    }
    if (st == PMAPDB_OK)
        st = check_whole(map, err);
    if (st != PMAPDB_OK)
        return st;
    if (!map->fresh_bytes)
        map->fresh_bytes = pm_pool_bytes(map->pool);
    *block = map->block;
    *pool = map->pool;
    *rows = map->rows;
    *n_rows = map->n;
    return PMAPDB_OK;
}

pmapdb_status pm_live_map_replace(pm_live_map *map, size_t row, const pm_mapping *m,
                                  pmapdb_error *err)
{
    return pm_pool_mapping(map->pool, m, &map->rows[row], err);
}

size_t pm_live_map_bytes(const pm_live_map *map)
{
    return (map->pool ? pm_pool_bytes(map->pool) : 0) +
           (map->reader ? pm_reader_held(map->reader) : 0);
}
