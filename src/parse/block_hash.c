/* block_hash: the lines of the block at hand, and the hash of their text. A piece of it
 * (text_hash.h) that lies whole in one chunk is hashed in place and at once. */
#include "parse/block.h"

#include "parse/text_hash.h"

void pm_block_unhash(pm_reader *r)
{
    r->run = r->run_end = NULL; /* of a block that was none */
    r->run_hashed = 0;
    r->piece_begun = false;
    r->at_hand = (pm_piece_end){0};
    r->text_hash = 0;
}

static void begin_piece(pm_reader *r, const char *p, size_t n)
{
    if (!r->piece_begun)
        XXH3_64bits_reset(r->piece);
    r->piece_begun = true;
    XXH3_64bits_update(r->piece, p, n);
}

void pm_block_flush(pm_reader *r)
{
    if (r->run && !r->unhashed)
        begin_piece(r, r->run, (size_t)(r->run_end - r->run));
    r->run = r->run_end = NULL;
    r->run_hashed = 0;
}

static void end_piece(pm_reader *r)
{
    pm_piece_end *e = &r->ended;

    if (r->unhashed || (!r->run && !r->piece_begun))
        return;
    *e = r->at_hand;
    r->at_hand = (pm_piece_end){0};
    if (r->piece_begun) {
        pm_block_flush(r);
        e->hash = XXH3_64bits_digest(r->piece);
    } else {
        size_t n = (size_t)(r->run_end - r->run);

        e->hash = n == r->run_hashed ? r->run_hash : pm_hash(r->run, n);
    }
    r->run = r->run_end = NULL;
    r->run_hashed = 0;
    r->piece_begun = false;
    r->text_hash = pm_text_hash_on(r->text_hash, e->hash);
}

uint64_t pm_block_hash(pm_reader *r)
{
    end_piece(r);
    return r->text_hash;
}

static void add_bytes(pm_reader *r, const char *p, size_t n)
{
    if (p != r->run_end) {
        pm_block_flush(r);
        r->run = p;
    }
    r->run_end = p + n;
}

void pm_block_bytes(pm_reader *r, const char *p, size_t n, uint64_t lines)
{
    add_bytes(r, p, n);
    r->at_hand.n_lines += lines;
    r->at_hand.len += n;
    r->b.last_line = r->line;
}

/* What was strange before this line stands in the middle of the block. */
static void see_gap(pm_open *b)
{
    if (b->strange_line && !b->gap_line)
        b->gap_line = b->strange_line;
}

void pm_block_known(pm_reader *r, const char *p, const pm_familiar_text *text)
{
    see_gap(&r->b);
    end_piece(r);
    add_bytes(r, p, text->len);
    r->run_hash = text->hash;
    r->run_hashed = text->len;
    r->at_hand = (pm_piece_end){.first_line = r->line, .n_lines = text->lines, .len = text->len};
    r->b.last_line = r->line + text->lines - 1;
}

void pm_block_line(pm_reader *r, pm_text line)
{
    r->b.worn |= r->worn;
    see_gap(&r->b);
    r->b.last_line = r->line;
    if (line.len && pm_text_begins_piece(line.data[0]))
        end_piece(r);
    if (!r->at_hand.n_lines++)
        r->at_hand.first_line = r->line;
    r->at_hand.len += line.len + 1;
    r->at_hand.worn |= r->worn != 0;
    if ((uintptr_t)line.data >= (uintptr_t)r->chunk &&
        (uintptr_t)line.data < (uintptr_t)r->chunk_end) {
        add_bytes(r, line.data, line.len + 1);
        return;
    }
    pm_block_flush(r);
    if (r->unhashed)
        return;
    begin_piece(r, line.data, line.len);
    begin_piece(r, "\n", 1);
}
