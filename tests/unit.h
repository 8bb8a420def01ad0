/* unit: cmocka, and what every file of unit tests needs of it. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

/* cmocka.h wants these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The main of a file of tests: RUN_TESTS(TEST(one), TEST_WITH(other, set_up, tear_down)) */
#define TEST(function) cmocka_unit_test(function)
#define TEST_WITH(function, set_up, tear_down) \
    cmocka_unit_test_setup_teardown(function, set_up, tear_down)
#define RUN_TESTS(...)                                    \
    int main(void)                                        \
    {                                                     \
        const struct CMUnitTest tests[] = {__VA_ARGS__};  \
                                                          \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

#endif
