/* blocks: finds the blocks of text in files that look like captures, and returns them one by one.
 *
 * Reads a file only until its next block is finished, so of a long log little more than one block
 * is in memory. Blocks come in the order of the text. */
#ifndef PM_API_BLOCKS_H
#define PM_API_BLOCKS_H

#include "base/buf.h"
#include "base/record/capture.h"
#include "parse/reader.h"

/* A block. Its texts end in a NUL. */
typedef struct pm_found_block {
    struct pm_found_block *next;
    pm_capture capture; /* the block, its pid (from the text, else from the path) and, if wanted,
                           its rows */
    int64_t number; /* among all blocks, from 1; PMAPDB_UNKNOWN: the error concerns a whole file */
    char *path;     /* the file of the block; NULL: the error names the file */
    char *error;    /* why the block is not a capture, or NULL */
    char *texts;    /* of capture.block */
    pm_pool *pool;  /* of the rows */
} pm_found_block;

void pm_found_block_free(pm_found_block *b);

typedef struct pm_blocks_options {
    const char *const *paths; /* as for `pmapdb import`; needed only during pm_blocks_new */
    size_t n_paths;
    const char *dialect; /* read rows as this dialect only; NULL: by their shape */
    bool rows; /* captures come with their rows; unreadable input, and a file of `paths` without a
                  capture, are failures. false: both are blocks with an error, and so is every file
                  without a block. */
    uint64_t max_memory; /* bytes that an unfinished block may take; 0: no limit */
} pm_blocks_options;

typedef struct pm_blocks pm_blocks;

pmapdb_status pm_blocks_new(const pm_blocks_options *options, pm_blocks **out, pmapdb_error *err);
void pm_blocks_free(pm_blocks *b);

/* Returns the next block, which the caller frees; NULL at the end. */
pmapdb_status pm_blocks_next(pm_blocks *b, pm_found_block **out, pmapdb_error *err);

/* The number of files so far that could not be read to the end, and of files of `paths` without a
 * capture. */
uint64_t pm_blocks_trouble(const pm_blocks *b);

/* PMAPDB_INPUT: a file takes more than `max` bytes; max 0: no limit. */
pmapdb_status pm_blocks_within(size_t held, uint64_t max, pmapdb_error *err);

/* ---- blocks of a text that the caller feeds to a reader itself ---- */

pm_reader_events pm_blocks_events(pm_blocks *b);
/* The finished blocks in order; NULL: no block is finished. */
const pm_found_block *pm_blocks_finished(const pm_blocks *b);

#endif
