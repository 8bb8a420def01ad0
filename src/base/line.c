/* line: cuts a stream of chunks into lines of any length. */
#include "base/line.h"

pmapdb_status pm_lines_feed(pm_lines *lines, const char *bytes, size_t n, pmapdb_error *err)
{
    const char *p = bytes, *end = bytes + n;

    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t len = (size_t)((newline ? newline : end) - p);
        pm_text line = {p, len};
        pmapdb_status st;

        if (!newline || lines->rest.len) {
            st = pm_buf_add(&lines->rest, p, len, err);
            if (st != PMAPDB_OK)
                return st;
            line = pm_buf_text(&lines->rest);
        }
        if (!newline)
            return PMAPDB_OK;
        st = lines->fn(lines->ctx, line, err);
        if (st != PMAPDB_OK)
            return st;
        pm_buf_clear(&lines->rest);
        p = newline + 1;
    }
    return PMAPDB_OK;
}

pmapdb_status pm_lines_finish(pm_lines *lines, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (lines->rest.len)
        st = lines->fn(lines->ctx, pm_buf_text(&lines->rest), err);
    pm_buf_clear(&lines->rest);
    return st;
}

void pm_lines_free(pm_lines *lines)
{
    pm_buf_free(&lines->rest);
}
