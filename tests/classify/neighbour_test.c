/* neighbour_test: what the mappings right below and above one add to its category. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "classify/neighbour.h"
#include <string.h>

#define AT 0x7f0000000000U

static pm_neighbour row(uint64_t start_kib, uint64_t kib, pm_category category, const char *perms)
{
    return (pm_neighbour){AT + start_kib * 1024, kib * 1024, category, perms};
}

/* A reserve of `guard` KiB and right above it memory of `stack` KiB: what is either? */
static void expect(uint64_t guard, uint64_t stack, pm_category lower, pm_category upper)
{
    pm_neighbour below = row(0, guard, PM_CATEGORY_RESERVE, "---p");
    pm_neighbour above = row(guard, stack, PM_CATEGORY_ANONYMOUS, "rw-p");

    assert_int_equal(pm_neighbour_category(NULL, &below, &above), lower);
    assert_int_equal(pm_neighbour_category(&below, &above, NULL), upper);
}

#define NONE PM_CATEGORY_COUNT

static void test_sizes(void **state)
{
    static const uint64_t good[] = {1000, 1032, 2040, 2056, 4088, 4104, 8180, 8192, 8196};
    static const uint64_t bad[] = {4, 996, 1036, 2036, 2060, 4084, 4108, 8176, 8200, 65536};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect(4, good[i], PM_CATEGORY_GUARD, PM_CATEGORY_THREAD_STACK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(4, bad[i], PM_CATEGORY_GUARD, NONE);
    expect(1024, 8192, PM_CATEGORY_GUARD, PM_CATEGORY_THREAD_STACK);
    expect(1028, 8192, NONE, NONE);
    expect(65404, 8192, NONE, NONE);
}

/* Below or above, what else is there says nothing. */
static void test_kinds(void **state)
{
    static const struct {
        pm_category lower, upper;
        const char *below, *above;
        pm_category guard, stack;
    } cases[] = {
        {PM_CATEGORY_RESERVE, PM_CATEGORY_ANONYMOUS, "---p", "rw-p", PM_CATEGORY_GUARD,
         PM_CATEGORY_THREAD_STACK},
        {PM_CATEGORY_RESERVE, PM_CATEGORY_ANONYMOUS, "---p", "rwxp", PM_CATEGORY_GUARD,
         PM_CATEGORY_THREAD_STACK},
        {PM_CATEGORY_RESERVE, PM_CATEGORY_ANONYMOUS, "-----", "rw---", PM_CATEGORY_GUARD,
         PM_CATEGORY_THREAD_STACK},
        {PM_CATEGORY_RESERVE, PM_CATEGORY_ANONYMOUS, "---p", "r--p", NONE, NONE},
        {PM_CATEGORY_RESERVE, PM_CATEGORY_HEAP, "---p", "rw-p", NONE, NONE},
        {PM_CATEGORY_RESERVE, PM_CATEGORY_SHARED_MEMORY, "---p", "rw-s", NONE, NONE},
        {PM_CATEGORY_RESERVE, PM_CATEGORY_MAPPED_FILE, "---p", "rw-p", NONE, NONE},
        {PM_CATEGORY_ANONYMOUS, PM_CATEGORY_ANONYMOUS, "---p", "rw-p", NONE, NONE},
        {PM_CATEGORY_SHARED_LIBRARY, PM_CATEGORY_ANONYMOUS, "---p", "rw-p", NONE, NONE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pm_neighbour below = row(0, 4, cases[i].lower, cases[i].below);
        pm_neighbour above = row(4, 8192, cases[i].upper, cases[i].above);

        assert_int_equal(pm_neighbour_category(NULL, &below, &above), cases[i].guard);
        assert_int_equal(pm_neighbour_category(&below, &above, NULL), cases[i].stack);
    }
}

static void test_places(void **state)
{
    pm_neighbour guard = row(0, 4, PM_CATEGORY_RESERVE, "---p");
    pm_neighbour apart = row(8, 8192, PM_CATEGORY_ANONYMOUS, "rw-p");
    pm_neighbour stack = row(4, 8192, PM_CATEGORY_ANONYMOUS, "rw-p");
    pm_neighbour over = row(8196, 4, PM_CATEGORY_RESERVE, "---p");

    (void)state;
    assert_int_equal(pm_neighbour_category(NULL, &guard, NULL), NONE);
    assert_int_equal(pm_neighbour_category(NULL, &stack, NULL), NONE);
    assert_int_equal(pm_neighbour_category(NULL, &guard, &apart), NONE);
    assert_int_equal(pm_neighbour_category(&guard, &apart, NULL), NONE);
    /* above the memory: the end of an arena, no guard of it */
    assert_int_equal(pm_neighbour_category(NULL, &stack, &over), NONE);
    assert_int_equal(pm_neighbour_category(&stack, &over, NULL), NONE);
    /* one guard between two stacks */
    assert_int_equal(pm_neighbour_category(&guard, &stack, &over), PM_CATEGORY_THREAD_STACK);
}

/* The last byte of the address space. */
static void test_end(void **state)
{
    pm_neighbour last = {UINT64_MAX - 4095, 4096, PM_CATEGORY_RESERVE, "---p"};
    pm_neighbour zero = {0, 8192 * 1024, PM_CATEGORY_ANONYMOUS, "rw-p"};

    (void)state;
    assert_int_equal(pm_neighbour_category(&zero, &last, NULL), NONE);
}

/* A refined slug is the category that the table gives, a stroke, a word. */
static void test_slugs(void **state)
{
    static const pm_category refined[][2] = {
        {PM_CATEGORY_THREAD_STACK, PM_CATEGORY_ANONYMOUS},
        {PM_CATEGORY_GUARD, PM_CATEGORY_RESERVE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof refined / sizeof *refined; i++) {
        const char *slug = pm_categories[refined[i][0]].slug;
        const char *plain = pm_categories[refined[i][1]].slug;

        assert_int_equal(strncmp(slug, plain, strlen(plain)), 0);
        assert_int_equal(slug[strlen(plain)], '/');
        assert_non_null(pm_neighbour_rule(refined[i][0]));
        assert_null(pm_neighbour_rule(refined[i][1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_kinds), cmocka_unit_test(test_places),
        cmocka_unit_test(test_end),   cmocka_unit_test(test_slugs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
