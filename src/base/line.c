/* line: cuts a stream of chunks into lines. */
#include "base/line.h"

/* Returns how many of the next `n` bytes of the current line are kept. */
static size_t room_for(pm_lines *lines, size_t n)
{
    size_t room = lines->max - lines->rest.len;

    if (!lines->max || n <= room)
        return n;
    lines->cut = true;
    return room;
}

/* Takes the line, complete or not, that begins at p; *next is the byte after the line. */
static pmapdb_status take_line(pm_lines *lines, const char *p, const char *end, const char **next,
                               pmapdb_error *err)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    pm_text line = {p, (size_t)((newline ? newline : end) - p)};
    pmapdb_status st = PMAPDB_OK;

    *next = newline ? newline + 1 : end;
    line.len = room_for(lines, line.len);
    if (!newline || lines->rest.len) {
        st = pm_buf_add(&lines->rest, line.data, line.len, err);
        line = pm_buf_text(&lines->rest);
    }
    if (st != PMAPDB_OK || !newline)
        return st;
    st = lines->fn(lines->ctx, line, err);
    pm_buf_clear(&lines->rest);
    lines->cut = false;
    return st;
}

pmapdb_status pm_lines_feed(pm_lines *lines, const char *bytes, size_t n, pmapdb_error *err)
{
    const char *p = bytes, *end = bytes + n;
    pmapdb_status st = PMAPDB_OK;

    while (p < end && st == PMAPDB_OK) {
        size_t taken = 0;

        if (lines->bulk && !lines->rest.len)
            st = lines->bulk(lines->ctx, p, end, &taken, err);
        p += taken;
        if (st == PMAPDB_OK && !taken)
            st = take_line(lines, p, end, &p, err);
    }
    return st;
}

pmapdb_status pm_lines_finish(pm_lines *lines, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (lines->rest.len)
        st = lines->fn(lines->ctx, pm_buf_text(&lines->rest), err);
    pm_buf_clear(&lines->rest);
    lines->cut = false;
    return st;
}
