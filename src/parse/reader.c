/* reader: the life of a reader, the bytes that it is fed, and decoration of lines. */
#include "parse/block.h"

#include <stdlib.h>

#define HOPELESS_BYTES ((uint64_t)1 << 20)

pmapdb_status pm_reader_new(pm_dialect dialect, pm_pool *pool, pm_block_fn on_block, void *ctx,
                            pm_reader **out, pmapdb_error *err)
{
    pm_reader *r = aligned_alloc(_Alignof(pm_reader), sizeof *r);

    if (!r)
        return pm_fail_nomem(err);
    *r = (pm_reader){
        .on_block = on_block,
        .ctx = ctx,
        .pool = pool,
        .only = dialect,
        .time_ms = PMAPDB_UNKNOWN,
        .hinted_pid = PMAPDB_UNKNOWN,
        .smaps = {.text = UINT32_MAX},
        .lines = {.fn = pm_stream_line, .bulk = pm_fast_lines, .ctx = r, .max = PM_LINE_BYTES_MAX}};
    *out = r;
    return PMAPDB_OK;
}

static void free_bufs(pm_reader *r)
{
    pm_buf *bufs[] = {&r->command,     &r->columns,     &r->missing,       &r->notes,
                      &r->plain,       &r->lines.rest,  &r->lines.waiting, &r->smaps.path,
                      &r->smaps.flags, &r->smaps.extra, &r->wide.text,     &r->wide.extra,
                      &r->wide.flags};

    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        pm_buf_free(bufs[i]);
}

void pm_reader_free(pm_reader *r)
{
    if (!r)
        return;
    free_bufs(r);
    pm_map_free(&r->starts);
    free(r->wide.rows);
    free(r->rows);
    free(r);
}

void pm_reader_skip_hash(pm_reader *r)
{
    r->unhashed = true;
}

pmapdb_status pm_reader_feed(pm_reader *r, const char *bytes, size_t n, pmapdb_error *err)
{
    pmapdb_status st;

    r->bytes += n;
    st = pm_lines_feed(&r->lines, bytes, n, err);
    if (!r->any_row && n && memchr(bytes, '\0', n))
        r->any_nul = true;
    return st;
}

pmapdb_status pm_reader_finish(pm_reader *r, pmapdb_error *err)
{
    pmapdb_status st = pm_lines_finish(&r->lines, err);

    if (st != PMAPDB_OK)
        return st;
    r->err = err;
    if (r->lines.unended && r->b.open && r->b.last_line + 1 >= r->line)
        pm_block_mark(r, PM_MARK_NO_END, r->line);
    pm_block_end(r);
    return r->st;
}

/* ---- what was added to a line after its tool printed it: a carriage return, an editor's byte
 * order mark, "> " of mail, colours of grep and terminals. Indentation stays, because the columns
 * of -X and -XX are recognised by their positions. ---- */

/* Returns the length of a sequence that sets a colour or clears a line: ESC [ digits ; m or K; or
 * 0. *ends becomes true if the sequence ends a coloured run. */
static size_t colour_length(pm_text t, bool *ends)
{
    pm_text rest = pm_text_skip(pm_text_from(t, 2), "0123456789;");
    size_t n = t.len - rest.len;

    if (!pm_text_starts(t, PM_TEXT("\033[")) || !rest.len || !pm_char_in(*rest.data, "mK"))
        return 0;
    *ends |= n == 2 || (n == 3 && t.data[2] == '0');
    return n + 1;
}

/* Colours come in pairs; a single escape is part of the name of a file. */
static void strip_colours(pm_reader *r, pm_text *t)
{
    bool ends = false;

    pm_buf_clear(&r->plain);
    for (pm_text rest = *t; rest.len;) {
        size_t n = colour_length(rest, &ends);

        if (!n)
            pm_keep(r, &r->plain, (pm_text){rest.data, 1});
        rest = pm_text_from(rest, n ? n : 1);
    }
    if (!ends)
        return;
    pm_wear(r, PM_MARK_COLOUR);
    *t = pm_buf_text(&r->plain);
}

void pm_strip_decoration(pm_reader *r, pm_text *t)
{
    if (t->len && t->data[t->len - 1] == '\r')
        t->len--;
    if (r->line == 1)
        pm_text_take(t, "\xef\xbb\xbf");
    if (t->len && memchr(t->data, '\033', t->len))
        strip_colours(r, t);
    while (pm_text_take(t, ">")) {
        pm_text_take(t, " ");
        pm_wear(r, PM_MARK_QUOTE);
    }
}

/* ---- facts for the caller ---- */

uint64_t pm_reader_foreign_lines(const pm_reader *r)
{
    return r->foreign;
}

size_t pm_reader_held(const pm_reader *r)
{
    const pm_wide *w = &r->wide;

    return r->lines.rest.cap + r->lines.waiting.cap + r->command.cap +
           r->starts.size * sizeof *r->starts.slot + w->text.cap + w->cap * sizeof *w->rows +
           r->cap_rows * sizeof *r->rows;
}

/* The current line, and a header above the rows, may be of any length. */
bool pm_reader_hopeless(const pm_reader *r)
{
    uint64_t begun = r->lines.rest.len + r->lines.waiting.len + (r->b.open ? r->command.len : 0);

    return !r->any_row && (r->any_nul || r->bytes - begun >= HOPELESS_BYTES);
}
