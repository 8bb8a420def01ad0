/* book: the pages of many processes in few bytes. */
#include "pages/book.h"

#include "base/hash.h"
#include "pages/entry.h"
#include "pages/varint.h"
#include <stdlib.h>

#define FLAGS_SHIFT 55
#define INDEX_MAX ((uint64_t)1 << 43) /* 2^52 pages */

static const char head[] = "PMBOOK1\n";

/* Returns the number that the next entry of a run is expected to have. */
static uint64_t next_number(bool by_frame, uint64_t flags, uint64_t number)
{
    uint64_t rise = flags & PM_ENTRY_PRESENT >> FLAGS_SHIFT ? 1 : 32; /* a slot is above its type */

    return number + (by_frame ? rise : 0);
}

/* ---- numbers ---- */

static void put_signed(pm_buf *out, uint64_t difference)
{
    pm_varint_put(out, difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0));
}

static uint64_t get_signed(pm_text *t, bool *damaged)
{
    uint64_t v = pm_varint_get(t, damaged);

    return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

/* ---- writing ---- */

void pm_book_free(pm_book_writer *w)
{
    pm_buf_free(&w->book);
    pm_buf_free(&w->list);
    pm_map_free(&w->of);
    *w = (pm_book_writer){0};
}

static void put_chunk(pm_book_writer *w)
{
    uint64_t expected = 0;

    for (size_t i = 0, n; i < PM_CHUNK_PAGES; i += n) {
        uint64_t e = w->entry[i], flags = e >> FLAGS_SHIFT, number = e & PM_ENTRY_FRAME;

        for (n = 1; i + n < PM_CHUNK_PAGES; n++) {
            uint64_t next = e ? next_number(w->by_frame, flags, number) : 0;

            if (w->entry[i + n] != (e ? flags << FLAGS_SHIFT | next : 0))
                break;
            number = next;
        }
        pm_varint_put(&w->book, n << 1 | (e != 0));
        if (!e)
            continue;
        pm_varint_put(&w->book, flags);
        put_signed(&w->book, (e & PM_ENTRY_FRAME) - expected);
        expected = next_number(w->by_frame, flags, number);
    }
}

static void end_chunk(pm_book_writer *w)
{
    uint64_t hash, any = 0;
    int64_t number;

    for (size_t i = 0; i < PM_CHUNK_PAGES; i++)
        any |= w->entry[i];
    w->open = false;
    if (!any)
        return;
    hash = pm_hash(w->entry, sizeof w->entry, 0);
    if (!pm_map_get(&w->of, hash, &number)) {
        number = w->n++;
        PM_STEP(w->st, pm_map_put(&w->of, hash, number, &w->error));
        put_chunk(w);
    }
    pm_varint_put(&w->list, w->index - w->before);
    put_signed(&w->list, (uint64_t)(number - w->number));
    w->before = w->index;
    w->number = number + 1;
}

void pm_book_process(pm_book_writer *w)
{
    pm_buf_clear(&w->list);
    w->before = 0;
    w->number = 0;
    w->open = false;
}

void pm_book_add(pm_book_writer *w, const uint64_t *e, size_t n, uint64_t at)
{
    while (n) {
        size_t first = at % PM_CHUNK_PAGES, here = PM_CHUNK_PAGES - first;

        here = here < n ? here : n;
        if (w->open && w->index != at / PM_CHUNK_PAGES)
            end_chunk(w);
        if (!w->open)
            memset(w->entry, 0, sizeof w->entry);
        w->open = true;
        w->index = at / PM_CHUNK_PAGES;
        memcpy(w->entry + first, e, here * sizeof *e);
        e += here;
        n -= here;
        at += here;
    }
}

void pm_book_end(pm_book_writer *w)
{
    if (w->open)
        end_chunk(w);
    PM_STEP(w->st, pm_buf_status(&w->list, &w->error));
    PM_STEP(w->st, pm_buf_status(&w->book, &w->error));
}

pmapdb_status pm_book_head(const pm_book_writer *w, uint64_t page, uint64_t zero, pm_buf *out,
                           pmapdb_error *err)
{
    pm_buf_add(out, head, sizeof head - 1, NULL);
    pm_varint_put(out, page);
    pm_varint_put(out, w->by_frame);
    pm_varint_put(out, zero);
    return pm_buf_status(out, err);
}

/* ---- reading ---- */

/* Reads one chunk; out may be NULL. */
static void read_chunk(const pm_book *b, pm_text *t, uint64_t *out, bool *damaged)
{
    uint64_t number = 0;

    for (size_t i = 0; i < PM_CHUNK_PAGES && !*damaged;) {
        uint64_t n = pm_varint_get(t, damaged), flags = 0;
        bool filled = n & 1;

        n >>= 1;
        if (filled) {
            flags = pm_varint_get(t, damaged);
            number += get_signed(t, damaged);
        }
        *damaged |= n == 0 || n > PM_CHUNK_PAGES - i || flags >> (64 - FLAGS_SHIFT) ||
                    number > PM_ENTRY_FRAME;
        for (; n && !*damaged; n--, i++) {
            if (out)
                out[i] = filled ? flags << FLAGS_SHIFT | number : 0;
            number = filled ? next_number(b->by_frame, flags, number) & PM_ENTRY_FRAME : number;
        }
    }
}

pmapdb_status pm_book_open(pm_text text, pm_book *out, pmapdb_error *err)
{
    pm_text rest = pm_text_from(text, sizeof head - 1);
    bool damaged = !pm_text_starts(text, pm_text_of(head)) || text.len > UINT32_MAX;

    *out = (pm_book){.text = text};
    out->page = pm_varint_get(&rest, &damaged);
    out->by_frame = pm_varint_get(&rest, &damaged) == 1;
    out->zero = pm_varint_get(&rest, &damaged);
    damaged |= out->page < 1024 || out->page > 1 << 20 || out->page & (out->page - 1);
    while (!damaged && rest.len) {
        pmapdb_status st = pm_grow(&out->at, &out->cap, out->n, sizeof *out->at, err);

        if (st != PMAPDB_OK)
            return st;
        out->at[out->n++] = (uint32_t)(rest.data - text.data);
        read_chunk(out, &rest, NULL, &damaged);
    }
    return damaged ? pm_fail(err, PMAPDB_INPUT, "the book of pages is damaged at byte %zu",
                             (size_t)(rest.data - text.data))
                   : PMAPDB_OK;
}

void pm_book_close(pm_book *b)
{
    free(b->at);
    *b = (pm_book){0};
}

void pm_book_chunk(const pm_book *b, size_t number, uint64_t out[PM_CHUNK_PAGES])
{
    pm_text rest = pm_text_from(b->text, b->at[number]);
    bool damaged = false; /* all chunks were read before */

    read_chunk(b, &rest, out, &damaged);
}

bool pm_book_next(const pm_book *b, pm_book_list *list)
{
    uint64_t step;

    if (!list->rest.len || list->damaged)
        return false;
    step = pm_varint_get(&list->rest, &list->damaged);
    list->number += (int64_t)get_signed(&list->rest, &list->damaged) + list->begun;
    list->damaged |= (list->begun && step == 0) || step > INDEX_MAX ||
                     list->index + step > INDEX_MAX || list->number < 0 ||
                     (uint64_t)list->number >= b->n;
    list->index += list->damaged ? 0 : step;
    list->begun = true;
    return !list->damaged;
}
