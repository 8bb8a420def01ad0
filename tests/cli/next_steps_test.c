/* next_steps_test: pages of categories found and taken apart; what is to be done, in words. The
 * pages here are made up: tests/tools/pages.py has to do with the real ones. */
#include "unit.h"

#include <stdlib.h>

/* The library that the tests link has no file of the command line. */
#include "../../src/cli/advice/next_steps.c" // NOLINT(bugprone-suspicious-include)
#include "../../src/cli/advice/page.c"       // NOLINT(bugprone-suspicious-include)

static const char first[] = "# A remark.\n"
                            "\n"
                            "category: pile\n"
                            "what:   A pile\n"
                            "        of   things\n"
                            "ask:    top-lineages\n"
                            "next:   kill PID or ls /proc/PID/fd\n"
                            "count:  count them: PID\n"
                            "\n"
                            "category: pile/deep\n"
                            "next:   dig\n"
                            "ask:    diff --by lineage\n"
                            "category: pile/%w\n"
                            "next:   ask NAME\n";
static const char second[] =
    "category: [%r]\nnext: kernel\ncategory: all\nask: diff --by category\n";
static const char third[] = "category: %p\nask: diff --by object\nnext: a file";

const pm_embedded pm_embedded_pages[] = {{"first", first, sizeof first - 1},
                                         {"second", second, sizeof second - 1},
                                         {"third", third, sizeof third - 1},
                                         {NULL, NULL, 0}};

#define assert_text(got, want)                                          \
    do {                                                                \
        pm_text got_ = (got);                                           \
                                                                        \
        assert_int_equal(got_.len, strlen(want));                       \
        assert_memory_equal(got_.len ? got_.data : "", want, got_.len); \
    } while (0)

static FILE *out;
static char *printed;
static size_t n_printed;

static void begin(void)
{
    out = open_memstream(&printed, &n_printed);
    assert_non_null(out);
}

static void assert_printed(const char *want)
{
    assert_int_equal(fclose(out), 0);
    assert_string_equal(printed, want);
    free(printed);
}

static void pages_are_taken_apart(void **state)
{
    static const char *const names[] = {"pile", "pile/deep", "pile/NAME", "[NAME]", "all", "PATH"};
    pm_page_walk walk = {0};
    pm_page page;
    size_t n = 0;

    for (; pm_page_next(&walk, &page); n++) {
        assert_true(n < COUNT(names));
        begin();
        pm_page_print_name(out, &page);
        assert_printed(names[n]);
    }
    assert_int_equal(n, COUNT(names));
    assert_false(pm_page_next(&walk, &page));

    assert_true(pm_page_find(PM_TEXT("pile"), &page));
    begin();
    pm_page_print(out, page.what, PMAPDB_UNKNOWN);
    assert_printed("A pile of things");
    assert_int_equal(page.known.len, 0);
}

static void the_most_specific_page_is_found(void **state)
{
    static const struct {
        const char *category, *page; /* page NULL: none */
    } table[] = {{"pile", "pile"},
                 {"pile/deep", "pile/deep"},
                 {"pile/deeper", "pile/%w"},
                 {"pile/", "pile"},
                 {"[vvar]", "[%r]"},
                 {"[]", NULL},
                 {"all/of/it", "all"},
                 {"/usr/lib/x.so", "%p"},
                 {"x.so", NULL},
                 {"PATH", "%p"},
                 {"NAME", NULL},
                 {"", NULL},
                 {"pil", NULL},
                 {"pile/NAME", "pile/%w"},
                 {"[NAME]", "[%r]"},
                 {"Pile", NULL}};
    pm_page page;

    for (size_t i = 0; i < COUNT(table); i++) {
        pm_text category = pm_text_of(table[i].category);

        assert_int_equal(pm_page_find(category, &page), table[i].page != NULL);
        if (table[i].page)
            assert_text(page.category, table[i].page);
        pm_page_hint(category, &page);
        assert_text(page.category, table[i].page ? table[i].page : "%p");
    }
}

static pm_next_steps of(const char *category)
{
    return (pm_next_steps){.category = pm_text_of(category),
                           .name = PM_TEXT("redis"),
                           .pid = 71,
                           .process_id = 3,
                           .lineage = PMAPDB_UNKNOWN};
}

static void assert_next(const pm_next_steps *next, const char *want)
{
    begin();
    pm_next_steps_print(out, next);
    assert_printed(want);
}

static void the_words_are_about_one_process(void **state)
{
    pm_next_steps next = of("pile");

    assert_next(&next, "pmapdb top-lineages --process redis/71; kill 71 or ls /proc/71/fd");
    next.from = PM_TEXT("@1");
    next.to = PM_TEXT("@2");
    next.dialect = PM_TEXT("maps");
    assert_next(&next, "pmapdb top-lineages --process redis/71 --from @1 --to @2 --dialect maps; "
                       "kill 71 or ls /proc/71/fd");
    next = of("pile");
    next.lives = true;
    assert_next(&next, "pmapdb top-lineages --process redis; kill 71 or ls /proc/71/fd");
    next.pid = PMAPDB_UNKNOWN;
    next.lives = false;
    assert_next(&next, "pmapdb top-lineages --process redis; kill PID or ls /proc/PID/fd");
    next.name = PM_TEXT("a b;rm");
    assert_next(&next, "pmapdb top-lineages --process @3; kill PID or ls /proc/PID/fd");
    next.process_id = PMAPDB_UNKNOWN;
    assert_next(&next, "pmapdb top-lineages; kill PID or ls /proc/PID/fd");
    next = of("all");
    assert_next(&next, "pmapdb diff --by category --process redis/71");
    next = of("libx.so");
    assert_next(&next, "pmapdb diff --by object --process redis/71; a file");
}

static void what_was_asked_is_not_said_again(void **state)
{
    pm_next_steps next = of("pile/deep");

    assert_next(&next, "pmapdb diff --by lineage --process redis/71; dig");
    next.asked = PM_TEXT("diff --by lineage");
    assert_next(&next, "dig");
    next.lineage = 9;
    assert_next(&next, "pmapdb lineage-history --lineage 9; dig");
}

static void a_number_that_grows_has_its_own_words(void **state)
{
    pm_next_steps next = of("pile/deep");

    next.count = true;
    assert_next(&next, "pmapdb diff --by lineage --process redis/71; count them: 71");
    next.category = PM_TEXT("all");
    assert_next(&next, "pmapdb diff --by category --process redis/71");
}

RUN_TESTS(TEST(pages_are_taken_apart), TEST(the_most_specific_page_is_found),
          TEST(the_words_are_about_one_process), TEST(what_was_asked_is_not_said_again),
          TEST(a_number_that_grows_has_its_own_words))
