/* again: the map of one process, read again and again.
 *
 * Of each mapping's text (its row and the key lines behind it: a block) a hash is kept. A cursor
 * goes along the blocks of the last reading; where the next bytes are as long and have the same
 * hash, that is the mapping. Otherwise the block is taken whole, the cursor goes on to the mapping
 * that began at the same address, if one did, and a block that differs is for the one parser. */
#include "parse/again_state.h"

#include "base/num.h"
#include "parse/text_hash.h"
#include <inttypes.h>
#include <stdlib.h>

#define BLOCK_BYTES_MAX ((size_t)1 << 20) /* a path has 4 KiB at most */
#define STALE_BYTES ((size_t)64 << 10)    /* so much more than is in use: the pool is made anew */

pmapdb_status pm_again_new(pm_again **out, pmapdb_error *err)
{
    pm_again *a = calloc(1, sizeof *a);
    pmapdb_status st;

    if (!a)
        return pm_fail_nomem(err);
    st = pm_pool_new(&a->pool, err);
    if (st != PMAPDB_OK) {
        pm_again_free(a);
        return st;
    }
    *out = a;
    return PMAPDB_OK;
}

void pm_again_free(pm_again *a)
{
    if (!a)
        return;
    pm_reader_free(a->reader);
    pm_pool_free(a->pool);
    pm_buf_free(&a->rest);
    free(a->last.piece);
    free(a->now.piece);
    free(a->changed);
    free(a->rows);
    free(a);
}

/* ---- the pool ---- */

void pm_again_forget(pm_again *a)
{
    a->last.n = 0;
    a->last.sums = (pm_running){0};
}

/* What is in use, in a pool of its own. */
static pmapdb_status renew_pool(pm_again *a, pmapdb_error *err)
{
    pm_pool *fresh = NULL;
    pmapdb_status st = pm_pool_new(&fresh, err);

    for (size_t i = 0; i < a->last.n && st == PMAPDB_OK; i++) {
        pm_piece *p = &a->last.piece[i];

        st = pm_pool_mapping(fresh, pm_pool_get(a->pool, p->id), &p->id, err);
    }
    if (st != PMAPDB_OK) {
        pm_again_forget(a); /* some of its ids are of the one, some of the other */
        pm_pool_free(fresh);
        return st;
    }
    pm_pool_free(a->pool);
    a->pool = fresh;
    a->fresh_bytes = pm_pool_bytes(fresh);
    return st;
}

/* ---- a reading ---- */

/* Room for one more, and for all of the last reading that may yet follow. */
static pmapdb_status make_place(pm_again *a, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && a->now.cap <= a->now.n + (a->last.n - a->cursor))
        st = pm_grow(&a->now.piece, &a->now.cap, a->now.cap, sizeof *a->now.piece, err);
    return st;
}

pmapdb_status pm_again_begin(pm_again *a, pm_dialect dialect, pmapdb_error *err)
{
    if (a->reader && a->n_changed) { /* a reading broke off, and it is in the middle of a row */
        pm_reader_free(a->reader);
        a->reader = NULL;
    }
    if (a->dialect != dialect)
        pm_again_forget(a);
    a->dialect = dialect;
    a->now.n = a->cursor = a->n_changed = a->n_parsed = 0;
    a->torn = false;
    a->now.sums = a->last.sums;
    pm_buf_clear(&a->rest);
    a->hash = 0;
    if (pm_pool_bytes(a->pool) > 2 * a->fresh_bytes + STALE_BYTES) {
        pmapdb_status st = renew_pool(a, err);

        if (st != PMAPDB_OK)
            return st;
    }
    return make_place(a, err);
}

/* ---- blocks ---- */

/* One past the block at p, where the row behind it is in sight; else NULL. */
static const char *block_end(const char *p, const char *end)
{
    while ((p = memchr(p, '\n', (size_t)(end - p))) && ++p < end)
        if (pm_text_begins_piece(*p))
            return p;
    return NULL;
}

static bool read_range(pm_text block, uint64_t *start, uint64_t *stop)
{
    const char *p = block.data, *end = p + block.len;

    p += pm_num_hex(p, end, start);
    if (p == block.data || p == end || *p != '-')
        return false;
    return pm_num_hex(p + 1, end, stop) > 0;
}

static pmapdb_status add_piece(pm_again *a, const pm_piece *p, pmapdb_error *err)
{
    pmapdb_status st = make_place(a, err);

    if (st != PMAPDB_OK)
        return st;
    if (a->now.n && p->start < a->now.piece[a->now.n - 1].end) {
        a->torn = true;
        return pm_fail(err, PMAPDB_INPUT,
                       "the map changed while it was read: the mapping at %" PRIx64
                       " overlaps the one before it",
                       p->start);
    }
    a->now.piece[a->now.n++] = *p;
    a->hash = pm_text_hash_on(a->hash, p->hash);
    return PMAPDB_OK;
}

/* The mapping at the cursor is not there any more. */
static void drop_piece(pm_again *a)
{
    pm_running_remove(&a->now.sums, pm_pool_get(a->pool, a->last.piece[a->cursor++].id));
}

/* The kernel goes on behind the last address that it printed. A mapping that grew meanwhile, or was
 * joined with its neighbours, comes once more: the later one is the newer truth. */
static pmapdb_status make_room(pm_again *a, const pm_piece *p, pmapdb_error *err)
{
    const pm_piece *last = a->now.n ? &a->now.piece[a->now.n - 1] : NULL;
    pmapdb_status st;

    if (!last || last->start < p->start || last->end >= p->end)
        return PMAPDB_OK;
    st = pm_again_end_parse(a, err); /* it may hold some of them */
    if (st != PMAPDB_OK)
        return st;
    while (a->now.n && a->now.piece[a->now.n - 1].start >= p->start)
        pm_running_remove(&a->now.sums, pm_pool_get(a->pool, a->now.piece[--a->now.n].id));
    return PMAPDB_OK;
}

/* As many as there are of the blocks at the cursor, whole and with another one's row behind; the
 * usual case, and most of what a reading costs. One past the last. */
static const char *take_same(pm_again *a, const char *p, const char *end)
{
    const pm_piece *old, *stop;
    pm_piece *to = &a->now.piece[a->now.n];
    uint64_t from = a->now.n ? to[-1].end : 0, hash = a->hash;

    if (a->cursor == a->last.n)
        return p;
    old = &a->last.piece[a->cursor];
    stop = a->last.piece + a->last.n;
    while (old < stop && old->len && (size_t)(end - p) > old->len && old->start >= from &&
           pm_text_begins_piece(p[old->len]) && old->hash == pm_hash(p, old->len)) {
        p += old->len;
        from = old->end;
        hash = pm_text_hash_on(hash, old->hash);
        *to++ = *old++;
    }
    a->cursor = (size_t)(old - a->last.piece);
    a->now.n = (size_t)(to - a->now.piece);
    a->hash = hash;
    return p;
}

/* A whole block that is not the one at the cursor. */
static pmapdb_status take_block(pm_again *a, pm_text text, pmapdb_error *err)
{
    pm_piece p = {.len = (uint32_t)text.len, .hash = pm_hash(text.data, text.len)};
    pmapdb_status st;

    if (text.len > BLOCK_BYTES_MAX || !read_range(text, &p.start, &p.end))
        return pm_fail(err, PMAPDB_INPUT, "not what the kernel prints: '%.*s'",
                       (int)(text.len < 60 ? text.len : 60), text.data);
    if ((st = make_room(a, &p, err)) != PMAPDB_OK)
        return st;
    while (a->cursor < a->last.n && a->last.piece[a->cursor].start < p.start)
        drop_piece(a);
    if (a->cursor < a->last.n && a->last.piece[a->cursor].start == p.start) {
        const pm_piece *old = &a->last.piece[a->cursor];

        if (old->len == p.len && old->hash == p.hash) {
            a->cursor++;
            return add_piece(a, old, err);
        }
        drop_piece(a);
    }
    st = pm_again_parse(a, text, err);
    return st == PMAPDB_OK ? add_piece(a, &p, err) : st;
}

/* All whole blocks from p on; *next is behind them. Where what is there may yet become the block at
 * the cursor and more comes, it is left. */
static pmapdb_status take_blocks(pm_again *a, const char *p, const char *end, bool more,
                                 const char **next, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    *next = p;
    while (p && st == PMAPDB_OK) {
        *next = p = take_same(a, p, end);
        if (more && a->cursor < a->last.n && (size_t)(end - p) <= a->last.piece[a->cursor].len)
            break;
        if ((p = block_end(p, end)))
            st = take_block(a, (pm_text){*next, (size_t)(p - *next)}, err);
    }
    return st;
}

/* How many more bytes may show whether the block in `rest` is that at the cursor. */
static size_t wanted(const pm_again *a)
{
    size_t len = a->cursor < a->last.n ? a->last.piece[a->cursor].len : 0;

    return len + 1 > a->rest.len ? len + 1 - a->rest.len : SIZE_MAX;
}

static pmapdb_status feed_all(pm_again *a, const char *p, size_t n, pmapdb_error *err)
{
    const char *end = p + n, *next = p;
    pmapdb_status st = PMAPDB_OK;

    while (p < end && a->rest.len && st == PMAPDB_OK) {
        size_t want = wanted(a), more = want < (size_t)(end - p) ? want : (size_t)(end - p);

        st = pm_buf_add(&a->rest, p, more, err);
        p += more;
        if (st == PMAPDB_OK)
            st = take_blocks(a, a->rest.data, a->rest.data + a->rest.len, true, &next, err);
        if (st == PMAPDB_OK && next > a->rest.data) {
            size_t left = (size_t)(a->rest.data + a->rest.len - next);

            more = left < more ? left : more; /* what came just now is taken from where it is */
            left -= more;
            p -= more;
            memmove(a->rest.data, next, left);
            a->rest.data[a->rest.len = left] = '\0';
        }
    }
    if (p < end && st == PMAPDB_OK) {
        st = take_blocks(a, p, end, true, &next, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(&a->rest, next, (size_t)(end - next), err);
    }
    if (st == PMAPDB_OK && a->rest.len > BLOCK_BYTES_MAX)
        st = pm_fail(err, PMAPDB_INPUT, "not what the kernel prints: a mapping without end");
    return st;
}

pmapdb_status pm_again_feed(pm_again *a, const char *bytes, size_t n, size_t *taken,
                            pmapdb_error *err)
{
    const char *next = bytes;
    pmapdb_status st;

    if (taken)
        *taken = n;
    if (!taken || a->rest.len)
        return feed_all(a, bytes, n, err);
    st = take_blocks(a, bytes, bytes + n, true, &next, err);
    *taken = (size_t)(next - bytes);
    return st;
}

/* ---- the end ---- */

static pmapdb_status sum_up(pm_again *a, pm_block *block, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    *block = (pm_block){.dialect = a->dialect,
                        .pid = PMAPDB_UNKNOWN,
                        .time_ms = PMAPDB_UNKNOWN,
                        .hash = a->hash,
                        .fields = pm_running_fields(&a->last.sums),
                        .totals = pm_running_totals(&a->last.sums),
                        .tool_size_kib = PMAPDB_UNKNOWN,
                        .tool_rss_kib = PMAPDB_UNKNOWN,
                        .command = PM_TEXT(""),
                        .missing = PM_TEXT(""),
                        .notes = PM_TEXT(""),
                        .why = PM_TEXT(""),
                        .tool = PM_TEXT(""),
                        .empty = a->last.n ? PM_TEXT("") : PM_TEXT("no mappings: kernel thread")};
    while (st == PMAPDB_OK && a->cap_rows < a->last.n)
        st = pm_grow(&a->rows, &a->cap_rows, a->cap_rows, sizeof *a->rows, err);
    for (size_t i = 0; i < a->last.n && st == PMAPDB_OK; i++)
        a->rows[i] = a->last.piece[i].id;
    return st;
}

static pmapdb_status take_rest(pm_again *a, pmapdb_error *err)
{
    pm_text rest = pm_buf_text(&a->rest);
    const char *p = rest.data, *end = p + rest.len;
    pmapdb_status st;

    if (!rest.len)
        return PMAPDB_OK;
    if (end[-1] != '\n')
        return pm_fail(err, PMAPDB_INPUT, "the map ends in the middle of a line");
    st = take_blocks(a, p, end, false, &p, err);
    return st == PMAPDB_OK ? take_block(a, (pm_text){p, (size_t)(end - p)}, err) : st;
}

pmapdb_status pm_again_finish(pm_again *a, pm_block *block, const pm_pool **pool,
                              const uint32_t **rows, size_t *n_rows, pmapdb_error *err)
{
    pmapdb_status st = take_rest(a, err);
    pm_reading was = a->last;

    while (st == PMAPDB_OK && a->cursor < a->last.n)
        drop_piece(a);
    st = st == PMAPDB_OK ? pm_again_end_parse(a, err) : st;
    if (st != PMAPDB_OK)
        return st;
    a->last = a->now;
    a->now = was;
    st = sum_up(a, block, err);
    *pool = a->pool;
    *rows = a->rows;
    *n_rows = a->last.n;
    return st;
}

bool pm_again_torn(const pm_again *a)
{
    return a->torn;
}

size_t pm_again_bytes(const pm_again *a)
{
    return pm_pool_bytes(a->pool) + (a->last.cap + a->now.cap) * sizeof(pm_piece) +
           a->cap_rows * sizeof *a->rows + a->cap_changed * sizeof *a->changed + a->rest.cap;
}
