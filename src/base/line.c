/* line: cuts a stream of chunks into lines. */
#include "base/line.h"

/* Takes the line, complete or not, that begins at p; *next is the byte after the line. */
static pmapdb_status take_line(pm_lines *lines, const char *p, const char *end, const char **next,
                               pmapdb_error *err)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    size_t room = lines->max ? lines->max - lines->rest.len : SIZE_MAX;
    pm_text line = {p, (size_t)((newline ? newline : end) - p)};
    pmapdb_status st = PMAPDB_OK;

    *next = newline ? newline + 1 : end;
    lines->cut |= line.len > room;
    line.len = line.len > room ? room : line.len;
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

/* Takes lines that begin before `stop`; bytes up to `end` are visible. Returns in *p where the next
 * line begins. With `may_wait`, the last lines may be left to the next chunk. */
static pmapdb_status take(pm_lines *lines, const char **p, const char *stop, const char *end,
                          bool may_wait, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (*p < stop && st == PMAPDB_OK) {
        size_t taken = 0;

        if (lines->bulk && !lines->rest.len)
            st = lines->bulk(lines->ctx, *p, end, &taken, err);
        if (st != PMAPDB_OK)
            break;
        if (taken == PM_LINES_WAIT && may_wait && end - *p <= PM_LINES_WAIT_MAX) {
            st = pm_buf_add(&lines->waiting, *p, (size_t)(end - *p), err);
            *p = end;
        } else if (taken == 0 || taken == PM_LINES_WAIT) {
            st = take_line(lines, *p, end, p, err);
        } else {
            *p += taken;
        }
    }
    return st;
}

pmapdb_status pm_lines_feed(pm_lines *lines, const char *bytes, size_t n, pmapdb_error *err)
{
    size_t old = lines->waiting.len;
    const char *p = bytes;
    pmapdb_status st = PMAPDB_OK;

    if (old) { /* lines that waited, with the first bytes of this chunk */
        size_t more = n < PM_LINES_WAIT_MAX ? n : PM_LINES_WAIT_MAX;
        const char *waiting;

        st = pm_buf_add(&lines->waiting, bytes, more, err);
        waiting = lines->waiting.data;
        PM_STEP(st, take(lines, &waiting, waiting + old, waiting + old + more, false, err));
        p += st == PMAPDB_OK ? (size_t)(waiting - lines->waiting.data) - old : n;
        pm_buf_clear(&lines->waiting);
    }
    return st == PMAPDB_OK ? take(lines, &p, bytes + n, bytes + n, true, err) : st;
}

pmapdb_status pm_lines_finish(pm_lines *lines, pmapdb_error *err)
{
    pmapdb_status st = pm_lines_feed(lines, "", 0, err); /* lines that wait: no chunk follows */

    lines->unended = lines->rest.len > 0;
    if (st == PMAPDB_OK && lines->unended)
        st = lines->fn(lines->ctx, pm_buf_text(&lines->rest), err);
    pm_buf_clear(&lines->rest);
    lines->cut = false;
    return st;
}
