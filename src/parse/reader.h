/* reader: a stream of bytes -> blocks of mappings. Pure: opens nothing, prints nothing.
 *
 * Push-fed: the records are the same whatever the sizes of the chunks. The dialect is decided from
 * the shape of the rows, never from the command that a prompt shows.
 *
 * Per block: on_mapping once per row in the order of the text, then on_block once. A block that
 * shows nothing to store (kernel thread, denied, another tool's columns) gets on_block with `empty`
 * set and no mappings. Damaged rows are left out, counted, and named in `missing`.
 * Lines that belong to no block (prompts) are passed over; a line that is a moment ends the block
 * before it and is the time of the blocks that follow until the next one.
 */
#ifndef PM_PARSE_READER_H
#define PM_PARSE_READER_H

#include "base/capture.h"

typedef struct pm_reader_events {
    void *ctx;
    pmapdb_status (*on_mapping)(void *ctx, const pm_mapping *m, pmapdb_error *err);
    pmapdb_status (*on_block)(void *ctx, const pm_block *block, pmapdb_error *err);
} pm_reader_events;

typedef struct pm_reader pm_reader;

/* dialect PM_DIALECT_COUNT: by the shape of the rows. Another one: rows of other shapes are passed
 * over (maps and smaps, -X and -XX are of one shape each). Either event may be NULL. */
pmapdb_status pm_reader_new(const pm_reader_events *events, pm_dialect dialect, pm_reader **out,
                            pmapdb_error *err);
void pm_reader_free(pm_reader *r);

typedef pmapdb_status (*pm_row_fn)(void *ctx, uint32_t id, pmapdb_error *err);

/* Rows are then told by on_row, as ids of `pool`, with the ctx of the events, and on_mapping is not
 * called. The pool outlives the reader. To be called before any byte is fed. */
void pm_reader_intern(pm_reader *r, pm_pool *pool, pm_row_fn on_row);

pmapdb_status pm_reader_feed(pm_reader *r, const char *bytes, size_t n, pmapdb_error *err);
pmapdb_status pm_reader_finish(pm_reader *r, pmapdb_error *err);

/* Bytes that it holds of the block at hand, for a caller with a budget. */
size_t pm_reader_held(const pm_reader *r);

/* Lines read so far that looked like part of no block (and were not blank). */
uint64_t pm_reader_foreign_lines(const pm_reader *r);

/* The bytes so far cannot be a capture (NUL bytes, no row within the first MiB): the caller may
 * stop feeding. */
bool pm_reader_hopeless(const pm_reader *r);

#endif
