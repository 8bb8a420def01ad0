/* rules_regex_test: regexes on hostile paths end soon, and giving up is counted. */
#include "classify/ruling.h"

#include <time.h>

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Without limits, each regex takes very long or all memory. */
TEST(test_hostile)
{
    static const char *const patterns[] = {"~^(a+)+$", "~^(a|aa)+$", "~(.*)*(.*)*(.*)*x$",
                                           "~^(?:a?){40}a{40}$", "~^((a)|(a))*b$"};
    char path[4096];

    memset(path, 'a', sizeof path - 1);
    /* the path has the bytes that each regex requires: no quick refusal */
    snprintf(path + sizeof path - 4, 4, "bx!");
    for (size_t i = 0; i < COUNT(patterns); i++) {
        const cells rules[] = {one("first", "x", PM_RULE_PATH, "other"),
                               one("second", "x", PM_RULE_PATH, patterns[i]),
                               one("third", "x", PM_RULE_PATH, "*")};
        pm_rules *set = set_of(rules, 3);
        pm_rule_row row = file_row(path);
        double begun = seconds();
        size_t which, times = 0;

        assert_true(pm_rules_gave_up(set, &which) == 0 && which == PM_NO_RULE);
        while (times < 10 && pm_rules_match(set, 0, NULL, &row, NULL) == 2)
            times++;
        assert_int_equal(times, 10);
        if (strstr(patterns[i], "{40}") == NULL) { /* the length decides about {40} quickly */
            assert_int_equal(pm_rules_gave_up(set, &which), 10);
            assert_int_equal(which, 1);
        }
        assert_true(seconds() - begun < 5);
        pm_rules_free(set);
    }
}

/* Usual regexes do not give up on the longest paths. */
TEST(test_long)
{
    pm_rules *set = set_of_one(one("a", "x", PM_RULE_PATH, "~^/usr/.*/lib[^/]*\\.so(\\.[0-9]+)*$"));
    pm_rule_row row;
    char path[4096];
    size_t which;

    for (size_t i = 0; i < sizeof path; i++)
        path[i] = "/usr"[i % 4];
    snprintf(path + 4000, sizeof path - 4000, "/lib-x.so.1.2.3");
    row = file_row(path);
    assert_int_equal(pm_rules_match(set, 0, NULL, &row, NULL), 0);
    path[4010] = '/';
    assert_true(pm_rules_match(set, 0, NULL, &row, NULL) == PM_NO_RULE);
    assert_int_equal(pm_rules_gave_up(set, &which), 0);
    pm_rules_free(set);
}

/* Two neighbours, a term and the groups of a category use the memory of one set in turns. */
TEST(test_groups)
{
    cells c = one("a", "%2 %1", PM_RULE_PATH, "~^/(.)(.)");
    pm_rules *set;
    pm_rule_row row = file_row("/xy"), above = file_row("/zz");
    pm_buf out = {0};

    c.cell[PM_RULE_ABOVE] = "path=~^/(z)+";
    c.cell[PM_RULE_WITH] = "path=~(z)(z)";
    set = set_of_one(c);
    above.start = row.start + row.length;
    assert_int_equal(
        pm_rules_match(set, pm_rules_facts(set, PM_RULES_ALL_TERMS, &above), NULL, &row, &above),
        0);
    assert_int_equal(pm_rules_category(set, 0, &row, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, "y x");
    pm_buf_free(&out);
    pm_rules_free(set);
}

RUN_TESTS(NULL, NULL)
