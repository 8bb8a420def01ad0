/* block_hash: the lines of the current block and the hash of their text: the chained XXH3 hashes of
 * its pieces. A piece is a line whose first character can begin an address (0-9, a-f), with the
 * lines up to the next such line: in smaps, the row of a mapping and its keys. The store identifies
 * a capture by this hash, so the hash must never change. */
#include "parse/block.h"

#include "base/hash.h"

void pm_block_unhash(pm_reader *r)
{
    pm_piece_hash *h = &r->hash;

    h->run = h->run_end = NULL;
    h->begun = false;
    h->current = h->ended = (pm_piece){0};
    h->text = 0;
}

static void add_part(pm_piece_hash *h, const char *p, size_t n)
{
    if (!h->begun)
        pm_hash_parts_begin(h->parts);
    h->begun = true;
    pm_hash_parts_add(h->parts, p, n);
}

void pm_block_flush(pm_reader *r)
{
    pm_piece_hash *h = &r->hash;

    if (h->run)
        add_part(h, h->run, (size_t)(h->run_end - h->run));
    h->run = h->run_end = NULL;
}

void pm_block_end_piece(pm_reader *r)
{
    pm_piece_hash *h = &r->hash;

    if (!h->run && !h->begun)
        return;
    h->ended = h->current;
    h->current = (pm_piece){0};
    if (h->begun) {
        pm_block_flush(r);
        h->ended.hash = pm_hash_parts_end(h->parts);
    } else { /* the usual case: the piece is in one chunk */
        h->ended.hash = pm_hash(h->run, (size_t)(h->run_end - h->run));
    }
    h->run = h->run_end = NULL;
    h->begun = false;
    h->text = pm_hash_number(h->ended.hash, h->text);
}

uint64_t pm_block_hash(pm_reader *r)
{
    pm_block_end_piece(r);
    return r->hash.text;
}

static void add_bytes(pm_reader *r, const char *p, size_t n)
{
    if (p != r->hash.run_end) {
        pm_block_flush(r);
        r->hash.run = p;
    }
    r->hash.run_end = p + n;
}

void pm_block_bytes(pm_reader *r, const char *p, size_t n, uint64_t lines)
{
    add_bytes(r, p, n);
    r->hash.current.n_lines += lines;
    r->b.last_line = r->line;
}

/* Makes all lines up to the current line part of the block. A strange line among them becomes a
 * gap. */
static void go_on(pm_reader *r)
{
    r->b.last_line = r->line;
    if (r->b.mark[PM_MARK_STRANGE].n && !r->b.mark[PM_MARK_GAP].n)
        pm_block_mark(r, PM_MARK_GAP, r->b.mark[PM_MARK_STRANGE].line);
}

void pm_block_piece(pm_reader *r, const pm_piece *piece)
{
    go_on(r);
    r->hash.ended = *piece;
    r->hash.text = pm_hash_number(piece->hash, r->hash.text);
}

void pm_block_line(pm_reader *r)
{
    pm_piece *piece = &r->hash.current;
    pm_text line = r->raw;

    go_on(r);
    r->b.worn |= r->worn;
    if (line.len && pm_begins_piece(line.data[0]))
        pm_block_end_piece(r);
    if (!piece->n_lines++)
        piece->first_line = r->line;
    piece->worn |= r->worn != 0;
    if ((uintptr_t)line.data >= (uintptr_t)r->chunk &&
        (uintptr_t)line.data < (uintptr_t)r->chunk_end) {
        add_bytes(r, line.data, line.len + 1);
        return;
    }
    pm_block_flush(r);
    add_part(&r->hash, line.data, line.len);
    add_part(&r->hash, "\n", 1);
}

bool pm_block_row_hash(const pm_reader *r, uint64_t line, uint64_t *hash)
{
    const pm_piece *p = &r->hash.ended;

    *hash = p->hash;
    return p->n_lines && !p->worn && p->first_line == line && p->n_lines == r->line - line;
}
