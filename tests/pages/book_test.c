/* book: entries of processes, written and read again; damage. */
#include "unit.h"

#include "pages/book.h"
#include "pages/entry.h"
#include <stdlib.h>

#define PAGES ((size_t)4000)
#define FIRST ((uint64_t)0x7f1234567) /* in the middle of a chunk */

static const uint64_t kinds[] = {
    0,
    PM_ENTRY_PRESENT | PM_ENTRY_EXCLUSIVE,
    PM_ENTRY_PRESENT | PM_ENTRY_FILE,
    PM_ENTRY_PRESENT | PM_ENTRY_FILE | PM_ENTRY_EXCLUSIVE | PM_ENTRY_DIRTIED,
    PM_ENTRY_SWAPPED,
    PM_ENTRY_SWAPPED | PM_ENTRY_GUARD | 31,
};

/* Runs of random lengths, kinds and frames. */
static void make_entries(uint64_t *e, unsigned seed, bool by_frame)
{
    for (size_t i = 0, n; i < PAGES; i += n) {
        uint64_t kind = kinds[(size_t)rand_r(&seed) % (sizeof kinds / sizeof *kinds)];
        uint64_t number = (uint64_t)rand_r(&seed) << (rand_r(&seed) % 20);

        n = 1 + (size_t)rand_r(&seed) % 300;
        for (size_t k = 0; k < n && i + k < PAGES; k++) {
            uint64_t rise = kind & PM_ENTRY_PRESENT ? number + k : (number + k) << 5;

            e[i + k] = kind && by_frame && !(kind & PM_ENTRY_GUARD)
                           ? kind | (rise & (PM_ENTRY_FRAME >> 1))
                           : kind;
        }
    }
}

/* The book and the lists of three processes, of which the last two are alike. */
static void write_book(bool by_frame, uint64_t e[2][PAGES], pm_buf *book, pm_buf list[3])
{
    pm_book_writer w = {.by_frame = by_frame};

    for (int p = 0; p < 3; p++) {
        const uint64_t *mine = e[p > 0];

        pm_book_process(&w);
        pm_book_add(&w, mine, 700, FIRST); /* mappings need not end with chunks */
        pm_book_add(&w, mine + 700, 1, FIRST + 700);
        pm_book_add(&w, mine + 701, PAGES - 701, FIRST + 701);
        pm_book_end(&w);
        pm_buf_add(&list[p], w.list.data, w.list.len, NULL);
    }
    assert_int_equal(w.st, PMAPDB_OK);
    assert_true(w.n <= 2 * (int64_t)(PAGES / PM_CHUNK_PAGES + 2));
    assert_int_equal(pm_book_head(&w, 4096, 4711, book, NULL), PMAPDB_OK);
    pm_buf_add(book, w.book.data, w.book.len, NULL);
    pm_book_free(&w);
}

static void check_list(const pm_book *b, const pm_buf *list, const uint64_t *want)
{
    pm_book_list l = {.rest = pm_buf_text(list)};
    uint64_t chunk[PM_CHUNK_PAGES];
    size_t seen = 0, present = 0;

    while (pm_book_next(b, &l)) {
        pm_book_chunk(b, (size_t)l.number, chunk);
        for (size_t i = 0; i < PM_CHUNK_PAGES; i++) {
            uint64_t at = l.index * PM_CHUNK_PAGES + i;

            if (at >= FIRST && at < FIRST + PAGES)
                assert_int_equal(chunk[i], want[at - FIRST]);
            else
                assert_int_equal(chunk[i], 0);
            seen += chunk[i] != 0;
        }
    }
    for (size_t i = 0; i < PAGES; i++)
        present += want[i] != 0;
    assert_false(l.damaged);
    assert_int_equal(seen, present);
}

TEST(what_is_written_is_read)
{
    static uint64_t e[2][PAGES];

    for (int by_frame = 0; by_frame < 2; by_frame++) {
        pm_buf book = {0}, list[3] = {{0}};
        pm_book b;

        make_entries(e[0], 1, by_frame);
        make_entries(e[1], 2, by_frame);
        write_book(by_frame, e, &book, list);
        assert_int_equal(pm_book_open(pm_buf_text(&book), &b, NULL), PMAPDB_OK);
        assert_int_equal(b.page, 4096);
        assert_int_equal(b.zero, 4711);
        assert_int_equal(b.by_frame, by_frame);
        for (int p = 0; p < 3; p++) {
            check_list(&b, &list[p], e[p > 0]);
            pm_buf_free(&list[p]);
        }
        pm_book_close(&b);
        pm_buf_free(&book);
    }
}

/* A book that is cut anywhere or has a changed byte is refused or read, without a crash. */
TEST(damage)
{
    static uint64_t e[2][PAGES], chunk[PM_CHUNK_PAGES];
    pm_buf book = {0}, list[3] = {{0}};
    pmapdb_error err;
    pm_book b;

    make_entries(e[0], 3, true);
    make_entries(e[1], 4, true);
    write_book(true, e, &book, list);
    for (size_t n = 0; n < book.len; n++) { /* a cut between two chunks is found by the lists */
        pmapdb_status st = pm_book_open((pm_text){book.data, n}, &b, &err);

        assert_true(st == PMAPDB_OK || (st == PMAPDB_INPUT && strstr(err.text, "at byte")));
        pm_book_close(&b);
    }
    for (size_t i = 0; i < book.len; i++) {
        pm_book_list l = {.rest = pm_buf_text(&list[0])};

        book.data[i] ^= (char)(1 << i % 8);
        if (pm_book_open(pm_buf_text(&book), &b, &err) == PMAPDB_OK)
            while (pm_book_next(&b, &l))
                pm_book_chunk(&b, (size_t)l.number, chunk);
        pm_book_close(&b);
        book.data[i] ^= (char)(1 << i % 8);
    }
    assert_int_equal(pm_book_open(pm_buf_text(&book), &b, &err), PMAPDB_OK);
    for (size_t i = 0; i < list[0].len; i++)
        for (int bit = 0; bit < 8; bit++) {
            pm_book_list l = {.rest = pm_buf_text(&list[0])};

            list[0].data[i] ^= (char)(1 << bit);
            while (pm_book_next(&b, &l))
                pm_book_chunk(&b, (size_t)l.number, chunk);
            list[0].data[i] ^= (char)(1 << bit);
        }
    pm_book_close(&b);
    pm_buf_free(&book);
    for (int p = 0; p < 3; p++)
        pm_buf_free(&list[p]);
}

/* Two numbers that no writer writes: a falling place, and a chunk that the book lacks. */
TEST(impossible_lists)
{
    static uint64_t e[2][PAGES];
    pm_buf book = {0}, list[3] = {{0}};
    const char same_place[] = {(char)(5 | 128), (char)128, (char)128, (char)128};
    const char no_such_chunk[] = {(char)(5 | 128), 127, (char)(127 | 128)};
    pm_book_list l = {.rest = {same_place, sizeof same_place}};
    pm_book b;

    make_entries(e[0], 5, true);
    make_entries(e[1], 6, true);
    write_book(true, e, &book, list);
    assert_int_equal(pm_book_open(pm_buf_text(&book), &b, NULL), PMAPDB_OK);
    assert_true(pm_book_next(&b, &l));
    assert_false(pm_book_next(&b, &l));
    assert_true(l.damaged);
    l = (pm_book_list){.rest = {no_such_chunk, sizeof no_such_chunk}};
    assert_false(pm_book_next(&b, &l));
    assert_true(l.damaged);
    pm_book_close(&b);
    pm_buf_free(&book);
    for (int p = 0; p < 3; p++)
        pm_buf_free(&list[p]);
}

RUN_TESTS(NULL, NULL)
