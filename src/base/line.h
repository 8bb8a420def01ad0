/* line: cuts a stream of chunks into lines of any length, or of a length that is given.
 *
 * A line is handed on without its newline; a '\r' before it stays (the block's hash is over what
 * was there). A line that lies whole in one chunk is handed on in place, without a copy. The last
 * line needs no newline.
 *
 * Where most lines are alike, `bulk` may take them without being called once per line: it is
 * offered the bytes of a chunk at the start of each line, and says how many bytes of whole lines it
 * took, 0 for none. */
#ifndef PM_BASE_LINE_H
#define PM_BASE_LINE_H

#include "base/buf.h"
#include <stdint.h>

typedef pmapdb_status (*pm_line_fn)(void *ctx, pm_text line, pmapdb_error *err);
typedef pmapdb_status (*pm_bulk_fn)(void *ctx, const char *p, const char *end, size_t *taken,
                                    pmapdb_error *err);

typedef struct pm_lines {
    pm_line_fn fn;
    pm_bulk_fn bulk; /* or NULL */
    void *ctx;
    size_t max;  /* 0, or bytes of a line at most: the rest of a longer line is dropped */
    bool cut;    /* the current line is longer */
    pm_buf rest; /* the begun line */
} pm_lines;

/* A status other than OK from either ends the feeding and is passed on. */
pmapdb_status pm_lines_feed(pm_lines *lines, const char *bytes, size_t n, pmapdb_error *err);
pmapdb_status pm_lines_finish(pm_lines *lines, pmapdb_error *err);
void pm_lines_free(pm_lines *lines);

#endif
