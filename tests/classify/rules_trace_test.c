/* rules_trace_test: which rules could give a mapping its category, and what keeps each from it. */
#include "classify/rules.h"
#include "classify/ruling.h"

typedef struct heard {
    pm_buf text;
    size_t left; /* steps after which it is enough */
} heard;

static pmapdb_status on_step(void *ctx, const pm_rules_step *step, pmapdb_error *err)
{
    heard *h = ctx;

    if (h->left-- == 0)
        return pm_fail(err, PMAPDB_STOPPED, "enough");
    return pm_buf_addf(&h->text, err, "%zu%s %s\n", step->rule, step->matches ? " yes" : "",
                       step->why);
}

static pm_rules *some_set(void)
{
    cells rules[] = {
        one("other", "heap/x", PM_RULE_BASE, "heap"),
        one("flag", "anonymous/a", PM_RULE_FLAGS, "nr"),
        one("below", "b", PM_RULE_BELOW, "base=reserve"),
        one("with", "c", PM_RULE_WITH, "path=libx.so"),
        one("yes", "d", PM_RULE_PERMS, "rw-p"),
        one("late", "e", PM_RULE_SIZE, "4"),
        one("last", "f", PM_RULE_PATH, "-"),
    };

    rules[1].cell[PM_RULE_BASE] = "anonymous";
    return set_of(rules, COUNT(rules));
}

/* Rules of another base are left out, and each has its own reason. */
static void test_reasons(void **state)
{
    pm_rules *set = some_set();
    pm_rule_row row = some_row(), touching = some_row();
    heard h = {.left = 100};

    touching.start -= touching.length;
    assert_int_equal(pm_rules_trace(set, 0, &touching, &row, NULL, on_step, &h, NULL), PMAPDB_OK);
    assert_string_equal(h.text.data, "1 flags rd wr mr mw me ac, needs flags nr\n"
                                     "2 below: base anonymous, needs base reserve\n"
                                     "3 no mapping of the capture has path libx.so\n"
                                     "4 yes \n"
                                     "5 yes \n"
                                     "6 yes \n");
    pm_buf_free(&h.text);
    pm_rules_free(set);
}

/* The first that matches is the one that pm_rules_match gives, whatever the row. */
static void test_agrees(void **state)
{
    pm_rules *set = some_set();
    pm_rule_row row = some_row(), reserve = some_row();

    reserve.start -= reserve.length;
    reserve.base = PM_CATEGORY_RESERVE;
    for (unsigned facts = 0; facts < 2; facts++)
        for (int size = 4; size < 9; size += 4)
            for (int touches = 0; touches < 2; touches++) {
                const pm_rule_row *below = touches ? &reserve : NULL;
                heard h = {.left = 100};
                size_t rule;
                const char *yes;

                row.length = (uint64_t)size * KIB;
                assert_int_equal(pm_rules_trace(set, facts, below, &row, NULL, on_step, &h, NULL),
                                 PMAPDB_OK);
                rule = pm_rules_match(set, facts, below, &row, NULL);
                yes = strstr(h.text.data, " yes");
                assert_non_null(yes);
                assert_int_equal(yes[-1] - '0', rule);
                pm_buf_free(&h.text);
            }
    pm_rules_free(set);
}

static void test_ends(void **state)
{
    pm_rules *set = some_set();
    pm_rule_row row = some_row();
    pmapdb_error err;
    heard h = {.left = 2};

    assert_int_equal(pm_rules_trace(set, 0, NULL, &row, NULL, on_step, &h, &err), PMAPDB_STOPPED);
    assert_string_equal(err.text, "enough");
    assert_string_equal(h.text.data, "1 flags rd wr mr mw me ac, needs flags nr\n"
                                     "2 below: nothing touches, needs base reserve\n");
    pm_buf_free(&h.text);
    pm_rules_free(set);
}

RUN_TESTS(TEST(test_reasons), TEST(test_agrees), TEST(test_ends))
