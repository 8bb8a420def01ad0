/* unit: cmocka, and the macros that every file of unit tests needs. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

/* cmocka.h wants these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- tests add themselves: TEST(name) { ... }; a file ends with RUN_TESTS ---- */

typedef struct unit_tests {
    struct CMUnitTest test[64];
    size_t n;
} unit_tests;

static unit_tests unit_all;

static inline void unit_add(struct CMUnitTest test)
{
    if (unit_all.n == COUNT(unit_all.test))
        abort();
    unit_all.test[unit_all.n++] = test;
}

static inline int unit_run(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests("tests", unit_all.test, unit_all.n, set_up, tear_down);
}

/* set_up sets *state. */
#define TEST_WITH(function, set_up, tear_down)                                                     \
    static void function(void **state);                                                            \
    __attribute__((constructor)) static void add_##function(void)                                  \
    {                                                                                              \
        unit_add((struct CMUnitTest)cmocka_unit_test_setup_teardown(function, set_up, tear_down)); \
    }                                                                                              \
    static void function(void **state)
#define TEST(function) TEST_WITH(function, NULL, NULL)
/* A test whose argument is the *state that set_up sets. */
#define TEST_OF(argument, function, set_up, tear_down) \
    static void function(argument);                    \
    TEST_WITH(in_##function, set_up, tear_down)        \
    {                                                  \
        function(*state);                              \
    }                                                  \
    static void function(argument)

/* Around all tests of the file. */
#define RUN_TESTS(set_up, tear_down)        \
    int main(void)                          \
    {                                       \
        return unit_run(set_up, tear_down); \
    }

#endif
