/* line: cuts a stream of chunks into lines of any length, or of a given maximum length.
 *
 * A line is passed on without its newline; a '\r' before the newline stays, because the hash of a
 * block covers the original bytes. A line that is complete in one chunk is passed on without a
 * copy. The last line needs no newline.
 *
 * If most lines are alike, `bulk` can take many lines in one call. It is offered the bytes of a
 * chunk from the start of a line, and returns in *taken how many bytes of complete lines it took,
 * or 0. After PM_LINES_WAIT, `bulk` is offered these bytes again, together with the first bytes of
 * the next chunk. */
#ifndef PM_BASE_LINE_H
#define PM_BASE_LINE_H

#include "base/buf.h"
#include <stdint.h>

typedef pmapdb_status (*pm_line_fn)(void *ctx, pm_text line, pmapdb_error *err);
typedef pmapdb_status (*pm_bulk_fn)(void *ctx, const char *p, const char *end, size_t *taken,
                                    pmapdb_error *err);

#define PM_LINES_WAIT SIZE_MAX
#define PM_LINES_WAIT_MAX 2048 /* bytes that may wait, and bytes of the next chunk beside them */

typedef struct pm_lines {
    pm_line_fn fn;
    pm_bulk_fn bulk; /* or NULL */
    void *ctx;
    size_t max;     /* maximum bytes of a line, or 0; the rest of a longer line is dropped */
    bool cut;       /* the current line is longer */
    bool unended;   /* the current line is the last one and has no newline */
    pm_buf rest;    /* the unfinished line; the owner frees its bytes, and those of `waiting` */
    pm_buf waiting; /* lines that wait for the next chunk */
} pm_lines;

/* A status other than OK from fn or bulk ends the call and is returned. */
pmapdb_status pm_lines_feed(pm_lines *lines, const char *bytes, size_t n, pmapdb_error *err);
pmapdb_status pm_lines_finish(pm_lines *lines, pmapdb_error *err);

#endif
