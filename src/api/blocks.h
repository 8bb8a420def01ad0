/* blocks: reads files and returns the blocks of text that look like captures one by one, each file
 * with its end.
 *
 * Reads a file only until its next block is finished, so of a long log little more than one block
 * is in memory. Blocks come in the order of the text. */
#ifndef PM_API_BLOCKS_H
#define PM_API_BLOCKS_H

#include "base/record/capture.h"
#include "parse/reader.h"
#include "source/source.h"

/* A wrapping that import does not remove. */
typedef struct pm_wrap {
    const char *what; /* the wrapping and what to do; NULL: no wrapping */
    bool likely;      /* the file probably holds captures; files with other wrappings may as well be
                         programs or documents */
} pm_wrap;

/* A block, or the end of a file. Its path and entry are valid until the next call. */
typedef struct pm_found_block {
    struct pm_found_block *next;
    pm_capture *capture; /* the block, its pid (from the text, else from the path) and
                            its rows; NULL: the end of a file. The caller may take it. */
    int64_t number;      /* among all blocks, from 1; PMAPDB_UNKNOWN at the end of a file */
    const char *path;    /* of the file; NULL: the error names the file */
    const char *error;   /* why the block or the file holds no capture; NULL: no error */
    /* of the end of a file: */
    const pm_source_entry *entry; /* NULL: the file cannot be opened */
    pmapdb_error damage;          /* why the file could not be read to its end */
    uint64_t n_blocks;
    bool trouble; /* the file is damaged, or the user named the file and it holds no capture */
    bool is_empty;
    pm_wrap wrap; /* the wrapping because of which the file was not read */
} pm_found_block;

void pm_found_block_free(pm_found_block *b);

/* For a caller that also wants the bytes of the files. Each member may be NULL. */
typedef struct pm_blocks_hooks {
    void *ctx;
    /* Called before a file is read. False: the file is not read for captures. *more: the caller
     * wants the bytes even if the file cannot be a capture. */
    bool (*on_file)(void *ctx, const pm_source_entry *entry, bool *more);
    pmapdb_status (*on_bytes)(void *ctx, const char *bytes, size_t n, bool *more,
                              pmapdb_error *err);
    const size_t *held; /* bytes that the caller keeps of the file */
} pm_blocks_hooks;

typedef struct pm_blocks_options {
    const char *const *paths; /* as for `pmapdb import` */
    size_t n_paths;
    const char *dialect;   /* read rows as this dialect only; NULL: by their shape */
    pm_pool **pool;        /* for the rows; NULL: rows are valid until the next file is opened */
    uint64_t max_memory;   /* bytes that a file may take, with what the caller holds; 0: any */
    uint64_t max_unpacked; /* as of an import */
    pm_blocks_hooks hooks;
} pm_blocks_options;

typedef struct pm_blocks pm_blocks;

/* The paths must outlive *out. */
pmapdb_status pm_blocks_new(const pm_blocks_options *options, pm_blocks **out, pmapdb_error *err);
void pm_blocks_free(pm_blocks *b);

/* Returns the next block or end of a file, which the caller frees; NULL at the end of all. */
pmapdb_status pm_blocks_next(pm_blocks *b, pm_found_block **out, pmapdb_error *err);

/* Makes a reader for a text that the caller feeds itself. pm_blocks_finished() and
 * pm_blocks_next() return its blocks. */
pmapdb_status pm_blocks_reader(pm_blocks *b, pm_reader **out, pmapdb_error *err);
/* The finished blocks in order; NULL: no block is finished. */
const pm_found_block *pm_blocks_finished(const pm_blocks *b);

/* `begin`: at least the first 512 bytes, or all of a shorter file. */
pm_wrap pm_wrap_of(pm_text begin, bool in_archive);

#endif
