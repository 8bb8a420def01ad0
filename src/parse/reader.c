/* reader: the life of a reader and the bytes that it is fed. */
#include "parse/block.h"

#include <stdlib.h>

#define HOPELESS_BYTES ((uint64_t)1 << 20)

pmapdb_status pm_reader_new(const pm_reader_events *events, pm_dialect dialect, pm_reader **out,
                            pmapdb_error *err)
{
    pm_reader *r = calloc(1, sizeof *r);

    if (r)
        r->hash = pm_hash_parts_new();
    if (!r || !r->hash) {
        free(r);
        return pm_fail_nomem(err);
    }
    r->events = *events;
    r->only = dialect;
    r->time_ms = r->hinted_pid = PMAPDB_UNKNOWN;
    r->lines =
        (pm_lines){.fn = pm_stream_line, .bulk = pm_fast_lines, .ctx = r, .max = PM_LINE_BYTES_MAX};
    *out = r;
    return PMAPDB_OK;
}

static void free_bufs(pm_reader *r)
{
    pm_buf *bufs[] = {&r->command,    &r->columns,    &r->missing,     &r->notes,
                      &r->plain,      &r->smaps.path, &r->smaps.flags, &r->wide.text,
                      &r->wide.extra, &r->wide.flags, &r->smaps.extra, &r->held_texts};

    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        pm_buf_free(bufs[i]);
}

void pm_reader_free(pm_reader *r)
{
    if (!r)
        return;
    free_bufs(r);
    pm_lines_free(&r->lines);
    pm_hash_parts_free(r->hash);
    pm_map_free(&r->starts);
    free(r->wide.rows);
    free(r);
}

void pm_reader_intern(pm_reader *r, pm_pool *pool, pm_row_fn on_row)
{
    r->pool = pool;
    r->on_row = on_row;
}

pmapdb_status pm_reader_feed(pm_reader *r, const char *bytes, size_t n, pmapdb_error *err)
{
    pmapdb_status st;

    r->bytes += n;
    st = pm_lines_feed(&r->lines, bytes, n, err);
    r->ahead = NULL;
    if (!r->any_row && n && memchr(bytes, '\0', n))
        r->any_nul = true;
    return st;
}

pmapdb_status pm_reader_finish(pm_reader *r, pmapdb_error *err)
{
    pmapdb_status st;

    r->unterminated = r->lines.rest.len > 0;
    st = pm_lines_finish(&r->lines, err);
    if (st != PMAPDB_OK)
        return st;
    r->err = err;
    if (r->unterminated && r->b.open && r->b.last_line + 1 >= r->line)
        pm_block_mark(r, PM_MARK_NO_END, r->line);
    pm_block_end(r);
    return r->st;
}

uint64_t pm_reader_foreign_lines(const pm_reader *r)
{
    return r->foreign;
}

size_t pm_reader_held(const pm_reader *r)
{
    const pm_wide *w = &r->wide;

    return r->lines.rest.cap + r->command.cap + r->starts.size * sizeof *r->starts.slot +
           w->text.cap + w->cap * sizeof *w->rows;
}

/* The current line, and a header above the rows, may be of any length. */
bool pm_reader_hopeless(const pm_reader *r)
{
    uint64_t begun = r->lines.rest.len + (r->b.open ? r->command.len : 0);

    return !r->any_row && (r->any_nul || r->bytes - begun >= HOPELESS_BYTES);
}
