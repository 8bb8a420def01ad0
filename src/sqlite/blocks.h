/* blocks: one block of text with its rows, for as long as a query looks at it; and the collector
 * that makes such blocks of what the reader says.
 *
 * Blocks leave in the order in which they came: pm_collect_take gives the first,
 * pm_found_block_free ends it. Mappings of blocks that are held at the same time share one pool,
 * which is replaced when it has grown large, so that what is kept of a long log is its last blocks.
 */
#ifndef PM_SQLITE_BLOCKS_H
#define PM_SQLITE_BLOCKS_H

#include "base/buf.h"
#include "base/capture.h"
#include "classify/classify.h"
#include "parse/reader.h"

typedef struct pm_found_place {
    uint64_t start;
    uint32_t id; /* in the pool */
} pm_found_place;

typedef struct pm_found_block {
    struct pm_found_block *next;
    pm_capture capture; /* its block's texts are copies; rows */
    int64_t number;     /* of the block in what was asked for, from 1; PMAPDB_UNKNOWN: no block */
    char *path;         /* where it was found, or NULL */
    char *error;        /* why it is not a capture, or NULL */
    pm_classify_context context;
    bool prepared;          /* context is set */
    pm_found_place *places; /* the rows by address, or NULL: not asked for yet */
    uint64_t facts;         /* of its rows, see classify/rules.h; once has_facts */
    bool has_facts;
    pm_buf texts;     /* of the block, one after the other */
    pm_pool *retired; /* the pool that ends with this block, or NULL */
} pm_found_block;

void pm_found_block_free(pm_found_block *h);

/* How many rows it stands for: its mappings, or the one with the sums. */
size_t pm_found_block_rows(const pm_found_block *h);

/* Category of a mapping of this block by the table of classify.h. */
pm_category pm_found_block_base(pm_found_block *h, const pm_mapping *m);

/* Its index in h->places; of two at one address either. */
pmapdb_status pm_found_block_place_of(pm_found_block *h, const pm_mapping *m, size_t *out,
                                      pmapdb_error *err);

typedef struct pm_collect {
    bool rows_wanted;             /* else blocks come without rows, those that are no capture too */
    const char *path;             /* of the current file, for its blocks; or NULL */
    int64_t pid;                  /* of blocks that say none; PMAPDB_UNKNOWN */
    pm_found_block *first, **end; /* finished blocks; *end is where the next one goes */
    int64_t n_blocks;             /* so far, captures or not */
    uint64_t n_captures;          /* in the current file */
    pm_buf nothing; /* error of the first block in the current file that is not a capture */
    pm_pool *pool;
    uint32_t *rows; /* of the block that is being read */
    size_t n_rows, cap_rows;
} pm_collect;

pmapdb_status pm_collect_init(pm_collect *c, bool rows_wanted, pmapdb_error *err);
void pm_collect_free(pm_collect *c);

pm_reader_events pm_collect_events(pm_collect *c);

/* A new file begins. `path` must last until the next one. */
void pm_collect_begin(pm_collect *c, const char *path, int64_t pid);

/* An error of the current file that belongs to none of its blocks. */
pmapdb_status pm_collect_error(pm_collect *c, const char *text, pmapdb_error *err);

/* The first finished block, now the caller's; NULL: no block is finished. */
pm_found_block *pm_collect_take(pm_collect *c);

#endif
