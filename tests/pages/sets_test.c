/* sets: pages of groups against a plain count over a table of processes and pages. */
#include "unit.h"

#include "pages/groups.h"
#include "pages/sets.h"
#include <stdlib.h>

#define MAX ((uint64_t)64 << 20)

/* The sets of processes 1, 2, ... of which each maps the pages of one list, ended by 0. */
static pm_buf sets_of(const uint64_t *const *lists, size_t n)
{
    pm_sets sets = {0};
    pm_buf out = {0};

    pm_sets_begin(&sets, MAX);
    for (size_t i = 0; i < n; i++) {
        pm_sets_process(&sets, (uint32_t)i + 1);
        for (const uint64_t *page = lists[i]; *page; page++)
            assert_int_equal(pm_sets_see(&sets, page, 1, UINT64_MAX, PM_NO_PAGE, PM_PAGE_ANON), 1);
    }
    assert_int_equal(pm_sets_write(&sets, &out, NULL), PMAPDB_OK);
    pm_sets_free(&sets);
    return out;
}

static void ask(const pm_buf *sets, const uint32_t *group_of, size_t n, pm_group_pages *out,
                uint32_t groups)
{
    assert_int_equal(pm_group_pages_of(pm_buf_text(sets), group_of, n, out, groups, NULL),
                     PMAPDB_OK);
}

/* Between two pages that are skipped, with bits that do not count. */
static void see(pm_sets *sets, uint64_t page, pm_page_class class)
{
    const uint64_t pages[] = {5, page | (uint64_t)1 << 63, 5 | (uint64_t)1 << 63};

    assert_int_equal(pm_sets_see(sets, pages, 3, UINT64_MAX >> 1, 5, class), 1);
}

TEST(pages_of_two_groups)
{
    static const uint64_t a[] = {1, 2, 3, 0}, b[] = {3, 4, 4, 0};
    pm_buf sets = sets_of((const uint64_t *const[]){a, b}, 2);
    pm_group_pages out[4];

    ask(&sets, (const uint32_t[]){0, 1, 2}, 3, out, 2);
    assert_int_equal(out[1].rss, 3);
    assert_int_equal(out[1].alone, 2);
    assert_int_equal(out[2].rss, 2);
    assert_int_equal(out[2].alone, 1);
    assert_int_equal(out[0].rss, 4);
    assert_int_equal(out[3].rss, 1);
    ask(&sets, (const uint32_t[]){0, 1, 1}, 3, out, 1); /* the same moment in other groups */
    assert_int_equal(out[1].rss, 4);
    assert_int_equal(out[1].alone, 4);
    ask(&sets, (const uint32_t[]){0, 1}, 2, out, 1); /* process 2 is now unknown */
    assert_int_equal(out[1].rss, 3);
    assert_int_equal(out[1].alone, 2);
    assert_int_equal(out[2].rss, 1);
    pm_buf_free(&sets);
}

/* Groups need not be read one after another: the page of A, B, A, C. */
TEST(groups_in_any_order)
{
    static const uint64_t page[] = {1 << 20, 0};
    pm_buf sets = sets_of((const uint64_t *const[]){page, page, page, page}, 4);
    pm_group_pages out[5];

    ask(&sets, (const uint32_t[]){0, 1, 2, 1, 3}, 5, out, 3);
    for (int g = 1; g <= 3; g++) {
        assert_int_equal(out[g].rss, 1);
        assert_int_equal(out[g].alone, 0);
    }
    assert_int_equal(out[0].rss, 1);
    assert_int_equal(out[4].rss, 1);
    pm_buf_free(&sets);
}

#define PROCESSES 9
#define PAGES 3000

/* Random pages in leaves far apart, of all classes; some are counted without a number. */
TEST(equal_to_a_plain_count)
{
    static bool has[PROCESSES + 1][PAGES];
    pm_sets sets = {0};
    pm_buf written = {0};
    pm_group_pages out[5], plain[5] = {0};
    uint32_t group_of[PROCESSES + 1] = {0, 1, 2, 3, 1, 2, 3, 1, 1, 0};
    unsigned seed = 4711;

    pm_sets_begin(&sets, MAX);
    for (uint32_t p = 1; p <= PROCESSES; p++) {
        pm_sets_process(&sets, p);
        for (int i = 0; i < 2 * PAGES; i++) {
            uint64_t page = (uint64_t)rand_r(&seed) % PAGES;

            has[p][page] = true;
            see(&sets, page * page * 77, page % PM_PAGE_CLASSES);
        }
        pm_sets_add_alone(&sets, PM_PAGE_ANON, 10);
        plain[group_of[p]].alone += 10;
    }
    assert_int_equal(pm_sets_write(&sets, &written, NULL), PMAPDB_OK);
    pm_sets_free(&sets);
    for (uint64_t page = 0; page < PAGES; page++) {
        unsigned met = 0;

        for (int p = 1; p <= PROCESSES; p++)
            met |= has[p][page] << group_of[p];
        for (int g = 1; g <= 3; g++) {
            bool swap = page % PM_PAGE_CLASSES == PM_PAGE_SWAP;

            if (met >> g & 1) {
                plain[g].rss += !swap;
                plain[g].swap += swap;
                plain[g].alone += !swap && met == 1U << g;
                plain[g].swap_alone += swap && met == 1U << g;
            }
        }
    }
    ask(&written, group_of, PROCESSES + 1, out, 3);
    for (int g = 1; g <= 3; g++) {
        int64_t own = g == 1 ? 40 : 20;

        assert_int_equal(out[g].rss, plain[g].rss + own);
        assert_int_equal(out[g].alone, plain[g].alone);
        assert_int_equal(out[g].swap, plain[g].swap);
        assert_int_equal(out[g].swap_alone, plain[g].swap_alone);
    }
    pm_buf_free(&written);
}

TEST(memory_is_bounded)
{
    pm_sets sets = {0};
    pm_buf out = {0};
    pmapdb_error err;

    pm_sets_begin(&sets, 1 << 20);
    pm_sets_process(&sets, 1);
    for (uint64_t page = 1; page < 100000; page++)
        see(&sets, page << 30, PM_PAGE_FILE);
    assert_true(sets.bytes <= 1 << 20);
    assert_int_equal(pm_sets_write(&sets, &out, &err), PMAPDB_NOMEM);
    assert_non_null(strstr(err.text, "1 MiB"));
    pm_sets_free(&sets);
    pm_buf_free(&out);
}

/* A set that is cut anywhere or has a changed byte is refused or read, without a crash. */
TEST(damaged_sets)
{
    static const uint64_t a[] = {1, 2, 3, 600, 0}, b[] = {3, 4, 0}, c[] = {2, 3, 5, 0};
    pm_buf sets = sets_of((const uint64_t *const[]){a, b, c}, 3);
    pm_group_pages out[5];
    const uint32_t group_of[] = {0, 1, 2, 3};

    for (size_t n = 0; n < sets.len; n++)
        assert_int_equal(pm_group_pages_of((pm_text){sets.data, n}, group_of, 4, out, 3, NULL),
                         PMAPDB_INPUT);
    for (size_t i = 0; i < sets.len; i++)
        for (int bit = 0; bit < 8; bit++) {
            pmapdb_status st;

            sets.data[i] ^= (char)(1 << bit);
            st = pm_group_pages_of(pm_buf_text(&sets), group_of, 4, out, 3, NULL);
            assert_true(st == PMAPDB_OK || st == PMAPDB_INPUT);
            sets.data[i] ^= (char)(1 << bit);
        }
    pm_buf_free(&sets);
}

RUN_TESTS(NULL, NULL)
