/* book: the pages of many processes in few bytes: a book of distinct chunks (512 entries of
 * pagemap, aligned), and for each process a list of the chunks that it has. Pure.
 *
 * Numbers have 7 bits a byte, the lowest first; the last byte of a number has its highest bit set.
 * The book: "PMBOOK1\n", bytes of a page, 1 if frames are known, the frame of the page of zeroes,
 * then the chunks. A chunk is runs that add up to 512 pages:
 *
 *     pages * 2, or              pages without an entry
 *     pages * 2 + 1, flags, step bits 55 to 63 of all entries, and how far the first number (frame,
 *                                or swap type and slot) is from the expected one, zigzag; in the
 *                                run, numbers rise by one frame or slot; without frames, not at all
 *
 * A list: for each chunk that has entries, its distance in chunks from the chunk before, and the
 * distance of its number in the book, zigzag, from the number after that of the chunk before. */
#ifndef PM_PAGES_BOOK_H
#define PM_PAGES_BOOK_H

#include "base/buf.h"
#include "base/map.h"
#include "pages/chunks.h"

/* ---- writing ---- */

typedef struct pm_book_writer {
    pm_buf book; /* its heading is written at the end */
    pm_map of;   /* hash -> number of the chunk */
    int64_t n;
    bool by_frame;
    uint64_t entry[PM_CHUNK_PAGES]; /* of the current chunk of the current process */
    pm_buf list;                    /* of the current process */
    uint64_t index, before;         /* of the current chunk, and of the last one in the list */
    int64_t number;                 /* of the last one in the list, plus 1 */
    bool open;
    pmapdb_status st; /* the first failure is kept */
    pmapdb_error error;
} pm_book_writer;

void pm_book_free(pm_book_writer *w);
/* Begins a process. */
void pm_book_process(pm_book_writer *w);
/* Adds entries from virtual page `at` on; pages ascend. */
void pm_book_add(pm_book_writer *w, const uint64_t *e, size_t n, uint64_t at);
/* Ends the process; its list is w->list. */
void pm_book_end(pm_book_writer *w);
/* The heading, to be written before w->book. */
pmapdb_status pm_book_head(const pm_book_writer *w, uint64_t page, uint64_t zero, pm_buf *out,
                           pmapdb_error *err);

/* ---- reading: a damaged text is PMAPDB_INPUT ---- */

typedef struct pm_book {
    pm_text text; /* not owned */
    uint32_t *at; /* where each chunk begins in the text */
    size_t n, cap;
    uint64_t page, zero;
    bool by_frame;
} pm_book;

/* Reads all of the book once; the text must outlive *out. After a failure, too, *out must be
 * closed. */
pmapdb_status pm_book_open(pm_text text, pm_book *out, pmapdb_error *err);
void pm_book_close(pm_book *b);
/* Writes the entries of a chunk. */
void pm_book_chunk(const pm_book *b, size_t number, uint64_t out[PM_CHUNK_PAGES]);

typedef struct pm_book_list {
    pm_text rest;
    uint64_t index; /* of the current chunk: virtual page / 512 */
    int64_t number; /* in the book */
    bool begun, damaged;
} pm_book_list;

/* Steps to the next chunk; false at the end, and at damage. */
bool pm_book_next(const pm_book *b, pm_book_list *list);

#endif
