/* chunks: processes that have chunks of pages alike, against the same pages seen one by one. */
#include "unit.h"

#include "pages/chunks.h"
#include "pages/groups.h"
#include <stdlib.h>

#define MAX ((uint64_t)64 << 20)
#define PROCESSES 24
#define CHUNKS 40

static uint64_t entry[CHUNKS][PM_CHUNK_PAGES];

/* Neighbours overlap by half, so that a page is in two chunks. */
static void make_entries(void)
{
    for (uint64_t c = 0; c < CHUNKS; c++)
        for (uint64_t i = 0; i < PM_CHUNK_PAGES; i++)
            entry[c][i] = (c * PM_CHUNK_PAGES / 2 + i) * 7 % 9973 + 1;
}

static void see(pm_sets *sets, uint64_t c, pm_page_counts *counts)
{
    counts->class[PM_PAGE_SHMEM] +=
        (int64_t)pm_sets_see(sets, entry[c], PM_CHUNK_PAGES, UINT64_MAX, PM_NO_PAGE, PM_PAGE_SHMEM);
}

/* Which chunks a process has: often the same ones as others, some twice. */
static pm_buf sets_of(bool with_chunks, int64_t *seen, size_t *known)
{
    pm_sets sets = {0};
    pm_chunks chunks = {0};
    pm_page_counts counts = {0};
    pm_chunk_sight sight;
    pm_buf out = {0};
    unsigned seed = 4711;

    pm_sets_begin(&sets, MAX);
    for (uint32_t p = 1; p <= PROCESSES; p++) {
        pm_sets_process(&sets, p);
        for (int i = 0; i < CHUNKS; i++) {
            uint64_t c = (uint64_t)rand_r(&seed) % CHUNKS;

            if (with_chunks && pm_chunks_saw(&chunks, &sets, entry[c], 0, &counts, &sight)) {
                (*known)++;
                continue;
            }
            see(&sets, c, &counts);
            if (with_chunks)
                pm_chunks_keep(&chunks, &sets, &counts, &sight);
        }
    }
    pm_chunks_end(&chunks, &sets);
    assert_int_equal(pm_sets_write(&sets, &out, NULL), PMAPDB_OK);
    pm_chunks_free(&chunks);
    pm_sets_free(&sets);
    *seen = counts.class[PM_PAGE_SHMEM];
    return out;
}

TEST(equal_to_pages_one_by_one)
{
    pm_group_pages plain[5], chunked[5];
    uint32_t group_of[PROCESSES + 1] = {0};
    int64_t seen[2];
    size_t known = 0;
    pm_buf a, b;

    make_entries();
    a = sets_of(false, &seen[0], &known);
    b = sets_of(true, &seen[1], &known);
    assert_int_equal(seen[0], seen[1]);
    assert_true(known > PROCESSES * CHUNKS / 2);
    for (uint32_t k = 1; k <= 3; k++) {
        for (uint32_t p = 1; p <= PROCESSES; p++)
            group_of[p] = p % 5 < k ? p % k + 1 : 0;
        assert_int_equal(
            pm_group_pages_of(pm_buf_text(&a), group_of, PROCESSES + 1, plain, k, NULL), PMAPDB_OK);
        assert_int_equal(
            pm_group_pages_of(pm_buf_text(&b), group_of, PROCESSES + 1, chunked, k, NULL),
            PMAPDB_OK);
        assert_memory_equal(plain, chunked, (k + 2) * sizeof *plain);
    }
    pm_buf_free(&a);
    pm_buf_free(&b);
}

/* What the entries mean is a part of their name. */
TEST(ranges_of_other_kinds)
{
    pm_sets sets = {0};
    pm_chunks chunks = {0};
    pm_page_counts counts = {0};
    pm_chunk_sight sight;

    make_entries();
    pm_sets_begin(&sets, MAX);
    for (uint32_t p = 1; p <= 6; p++) {
        pm_sets_process(&sets, p);
        assert_int_equal(pm_chunks_saw(&chunks, &sets, entry[0], p % 2, &counts, &sight), p > 4);
        see(&sets, 0, &counts);
        pm_chunks_keep(&chunks, &sets, &counts, &sight);
    }
    pm_chunks_free(&chunks);
    pm_sets_free(&sets);
}

/* The memory of kept chunks counts, too. */
TEST(memory_is_bounded)
{
    pm_sets sets = {0};
    pm_chunks chunks = {0};
    pm_page_counts counts = {0};
    pm_chunk_sight sight;
    pm_buf out = {0};

    make_entries();
    pm_sets_begin(&sets, 68 * 1024); /* a block, which is enough, and 4 KiB that are kept */
    for (uint32_t p = 1; p <= 2; p++) {
        pm_sets_process(&sets, p);
        for (uint64_t c = 0; c < CHUNKS; c++)
            if (!pm_chunks_saw(&chunks, &sets, entry[c], 0, &counts, &sight)) {
                see(&sets, c, &counts);
                pm_chunks_keep(&chunks, &sets, &counts, &sight);
            }
        assert_int_equal(sets.st, p == 1 ? PMAPDB_OK : PMAPDB_NOMEM);
    }
    pm_chunks_end(&chunks, &sets);
    assert_int_equal(pm_sets_write(&sets, &out, NULL), PMAPDB_NOMEM);
    pm_chunks_free(&chunks);
    pm_sets_free(&sets);
}

RUN_TESTS(NULL, NULL)
