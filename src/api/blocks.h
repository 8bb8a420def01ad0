/* blocks: files -> the blocks of text in them that look like captures, pulled one after the other.
 *
 * A file is read on only until its next block is finished, so that of a long log little more than
 * one block is held. Blocks come in the order of the text. */
#ifndef PM_API_BLOCKS_H
#define PM_API_BLOCKS_H

#include "base/buf.h"
#include "base/capture.h"
#include "parse/reader.h"

/* One block. Its texts end in a NUL. */
typedef struct pm_found_block {
    struct pm_found_block *next;
    pm_capture
        capture;    /* the block, its pid (of the text, else of the path), and, if wanted, rows */
    int64_t number; /* among all blocks, from 1; PMAPDB_UNKNOWN: an error about a whole file */
    char *path;     /* where it was found; NULL where the error names the file */
    char *error;    /* why it is not a capture, or NULL */
    char *texts;    /* of capture.block */
    pm_pool *pool;  /* of the rows */
} pm_found_block;

void pm_found_block_free(pm_found_block *b);

typedef struct pm_blocks_options {
    const char *const
        *paths; /* as `pmapdb import` takes them; must outlive the call of new alone */
    size_t n_paths;
    const char *dialect; /* read rows as this dialect only; NULL: by their shape */
    bool rows;           /* captures come with their rows; what cannot be read, and a named file
                            without a capture, end the reading with a failure. Else both are
                            blocks with an error. */
    bool every_file;     /* a file without a block is an error, whoever named it; else only one that
                            stood in `paths` */
    uint64_t max_memory; /* bytes that an unfinished block may take; 0: no bound */
} pm_blocks_options;

typedef struct pm_blocks pm_blocks;

pmapdb_status pm_blocks_new(const pm_blocks_options *options, pm_blocks **out, pmapdb_error *err);
void pm_blocks_free(pm_blocks *b);

/* The next block, the caller's to free; NULL at the end. */
pmapdb_status pm_blocks_next(pm_blocks *b, pm_found_block **out, pmapdb_error *err);

/* Files so far that could not be read to their end, and named ones that hold no capture. */
uint64_t pm_blocks_trouble(const pm_blocks *b);

/* PMAPDB_INPUT: a file holds more bytes than it may; max 0: it may hold any number. */
pmapdb_status pm_blocks_within(size_t held, uint64_t max, pmapdb_error *err);

/* ---- blocks of a text that the caller feeds to a reader itself ---- */

pm_reader_events pm_blocks_events(pm_blocks *b);
/* The finished blocks, in their order; NULL: none is finished. */
const pm_found_block *pm_blocks_finished(const pm_blocks *b);

#endif
