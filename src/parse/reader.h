/* reader: turns a stream of bytes into blocks of mappings. Opens no files and prints nothing.
 *
 * The caller pushes the bytes; the sizes of the chunks do not affect the result. The shape of the
 * rows decides the dialect, never the command that a prompt shows.
 *
 * A block with nothing to store (kernel thread, denied, another tool's columns) has no rows, and
 * `empty` says why. Damaged rows are left out and counted; `missing` names the first. Lines that
 * belong to no block (prompts) are skipped. A line with a time ends the current block. Its time
 * applies to all blocks up to the next such line.
 */
#ifndef PM_PARSE_READER_H
#define PM_PARSE_READER_H

#include "base/record/capture.h"

typedef struct pm_reader pm_reader;

/* Called once per block, with the ids of its rows in the order of the text. They and the texts of
 * the block are valid until the reader gets more bytes. */
typedef pmapdb_status (*pm_block_fn)(void *ctx, const pm_block *block, uint32_t *rows,
                                     size_t n_rows, pmapdb_error *err);

/* With PM_DIALECT_COUNT the shape of the rows decides the dialect. With any other dialect, rows of
 * other shapes are skipped (maps and smaps share a shape, and so do -X and -XX). The pool gets the
 * rows; it must outlive the reader. */
pmapdb_status pm_reader_new(pm_dialect dialect, pm_pool *pool, pm_block_fn on_block, void *ctx,
                            pm_reader **out, pmapdb_error *err);
void pm_reader_free(pm_reader *r);
/* Leaves out the hashes of the blocks, which then have no meaning: reading costs less. Before the
 * first bytes. */
void pm_reader_skip_hash(pm_reader *r);

pmapdb_status pm_reader_feed(pm_reader *r, const char *bytes, size_t n, pmapdb_error *err);
pmapdb_status pm_reader_finish(pm_reader *r, pmapdb_error *err);

/* Returns the bytes held for the current block, for a caller with a budget. */
size_t pm_reader_held(const pm_reader *r);

/* Returns the number of lines so far that were not blank and not part of a block. */
uint64_t pm_reader_foreign_lines(const pm_reader *r);

/* True if the bytes so far cannot be a capture (NUL bytes, no row in the first MiB). The caller may
 * stop feeding. */
bool pm_reader_hopeless(const pm_reader *r);

#endif
