/* blocks: the blocks of text in files or in a live process, each with its rows, one after another.
 *
 * A file is read whole before its first block is handed out. Mappings of the blocks share a pool,
 * so a log of one process takes little more memory than its distinct mappings. A large pool is
 * replaced, and ends with the last block that uses it.
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
    pm_capture capture; /* rows, and the block, whose texts are copies */
    int64_t number;     /* of the block in the query, from 1; PMAPDB_UNKNOWN: only an error */
    char *path;         /* the file, or NULL */
    char *error;        /* why the block is not a capture, or NULL */
    pm_classify_context context;
    bool prepared;          /* context is set */
    pm_found_place *places; /* the rows by address; NULL until they are needed */
    uint64_t facts;         /* of the rows, see classify/rules.h; valid if has_facts */
    bool has_facts;
    pm_buf texts;     /* the texts of the block, concatenated */
    pm_pool *retired; /* the pool that ends with this block, or NULL */
} pm_found_block;

void pm_found_block_free(pm_found_block *h);

/* The number of rows in a query: one per mapping; one for a block that has sums only. */
size_t pm_found_block_rows(const pm_found_block *h);

/* The category of a mapping of this block by the table of classify.h. */
pm_category pm_found_block_base(pm_found_block *h, const pm_mapping *m);

/* The index of a mapping in h->places; of two mappings at one address either index. */
pmapdb_status pm_found_block_place_of(pm_found_block *h, const pm_mapping *m, size_t *out,
                                      pmapdb_error *err);

typedef struct pm_blocks {
    bool rows_wanted;             /* false: blocks come without rows, and errors come as blocks */
    struct pm_source *source;     /* NULL: no more files */
    pm_dialect dialect;           /* PM_DIALECT_COUNT: decided by the rows */
    const char *path;             /* of the current file, or NULL */
    int64_t pid;                  /* for blocks that name no pid; PMAPDB_UNKNOWN */
    pm_found_block *first, *last; /* blocks that were read */
    pmapdb_error failure;         /* reported after the blocks that were read */
    int64_t n_blocks;             /* so far, captures or not */
    uint64_t n_captures;          /* in the current file */
    pm_buf nothing; /* error of the first block in the current file that is not a capture */
    pm_pool *pool;
    uint32_t *rows; /* of the current block */
    size_t n_rows, cap_rows;
} pm_blocks;

/* Reads the files that `pmapdb import PATH` would read: a file, plain, packed or an archive, or a
 * directory. Refuses a path whose reading could wait for a writer (a FIFO, a device). `dialect` may
 * be NULL.
 *
 * With rows, a file that cannot be read, and a named file without a capture, are failures after the
 * blocks before them. Without rows they are blocks with an error. */
pmapdb_status pm_blocks_open_file(pm_blocks *b, const char *path, const char *dialect,
                                  bool rows_wanted, pmapdb_error *err);

/* Reads the current mappings of a process. `file` is "smaps" or "maps", `pid` the name of its
 * folder in /proc. A process without mappings (a kernel thread, a zombie) gives no block. */
pmapdb_status pm_blocks_open_live(pm_blocks *b, const char *file, const char *pid,
                                  pmapdb_error *err);

/* The next block, owned by the caller; NULL at the end. */
pmapdb_status pm_blocks_next(pm_blocks *b, pm_found_block **out, pmapdb_error *err);

/* Also after a failed open; zeroed is fine. */
void pm_blocks_close(pm_blocks *b);

/* Shared by blocks.c and live.c. */
pmapdb_status pm_blocks_init(pm_blocks *b, bool rows_wanted, pmapdb_error *err);
pmapdb_status pm_blocks_reader(pm_blocks *b, pm_reader **out, pmapdb_error *err);

#endif
