/* map_pack: the rows of a capture, and what their texts or mappings are recognised by, in one piece
 * of bytes: 20 to 25 a mapping. Reading it is many times faster than reading the rows from their
 * tables.
 *
 * varints: PM_PACK_FORMAT, versions and first_rows of the stream, number of rows, context; of each
 * row a byte that says what follows, then addresses (as distance to the row before), object,
 * lineage and region (as difference to those of the row before), first, the numbers of ver that are
 * not NULL behind a mask of them, and the mark. At the end XXH3 of all before, eight bytes, lowest
 * first, seeded with what the piece is of: nobody else's is read, for ids and marks say nothing
 * there. */
#ifndef PM_STORE_MAP_PACK_H
#define PM_STORE_MAP_PACK_H

#include "base/buf.h"
#include "base/varint.h"
#include "parse/again.h"
#include "store/row.h"

#define PM_PACK_FORMAT 1

/* ---- writing ---- */

typedef struct pm_packer {
    pm_buf bytes;
    uint64_t end; /* of the row before */
    int64_t object, lineage, region;
    uint64_t context; /* 0: marks are of texts; else of mappings (pm_pool_mark) in this context */
} pm_packer;

/* bytes is empty, context set. */
pmapdb_status pm_pack_begin(pm_packer *p, size_t versions, size_t first_rows, size_t n,
                            pmapdb_error *err);
/* By place, none overlapping. */
pmapdb_status pm_pack_row(pm_packer *p, const pm_row *row, pm_again_mark mark, pmapdb_error *err);
pmapdb_status pm_pack_end(pm_packer *p, uint64_t of, pmapdb_error *err);

/* ---- reading ---- */

typedef struct pm_unpacker {
    pm_varints in;
    size_t versions, first_rows, n;
    uint64_t context;
    uint64_t end;
    int64_t object, lineage, region;
} pm_unpacker;

/* False: these are not the bytes of such a piece, or they are damaged. */
bool pm_unpack_begin(pm_unpacker *u, pm_text bytes, uint64_t of);
/* The next of u->n rows. row->at.object is NULL. False: it cannot be. */
bool pm_unpack_row(pm_unpacker *u, pm_row *row, int64_t *object_id, pm_again_mark *mark);

#endif
