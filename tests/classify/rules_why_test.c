/* rules_why_test: the conditions of a rule, and why each rule does not match a mapping. */
#include "classify/ruling.h"

TEST(test_conditions)
{
    cells all = one("a", "x", PM_RULE_BASE, "anonymous");
    pm_rules *set;

    all.cell[PM_RULE_PERMS] = "rw-p";
    all.cell[PM_RULE_BELOW] = "base=reserve";
    all.cell[PM_RULE_WITH] = "!path=libjvm.so";
    all.cell[PM_RULE_NOTE] = "not a condition";
    set = set_of_one(all);
    assert_string_equal(pm_rules_texts(set, 0)->conditions,
                        "base=anonymous; perms=rw-p; below=base=reserve; with=!path=libjvm.so");
    pm_rules_free(set);
    set = set_of_one(one("a", "x", PM_RULE_NOTE, "x"));
    assert_string_equal(pm_rules_texts(set, 0)->conditions, "");
    pm_rules_free(set);
}

static void because(cells c, uint64_t facts, const pm_rule_row *below, pm_rule_row row,
                    const pm_rule_row *above, const char *expected)
{
    pm_rules *set = set_of_one(c);
    pm_buf out = {0};
    bool matches = pm_rules_match(set, facts, below, &row, above) == 0;

    assert_int_equal(pm_rules_why(set, 0, facts, below, &row, above, &out, NULL), PMAPDB_OK);
    assert_string_equal(pm_buf_text(&out).data, expected);
    assert_int_equal(matches, out.len == 0);
    pm_buf_free(&out);
    pm_rules_free(set);
}

TEST(test_why)
{
    static const struct {
        pm_rule_column column;
        const char *value, *why;
    } cases[] = {
        {PM_RULE_BASE, "heap", "base anonymous"},
        {PM_RULE_PATH, "*.so", "path none"},
        {PM_RULE_BRACKET, "heap", "name none"},
        {PM_RULE_PERMS, "r-xp", "perms rw-p"},
        {PM_RULE_FLAGS, "nr", "flags rd wr mr mw me ac"},
        {PM_RULE_FLAGS, "?", "flags rd wr mr mw me ac"},
        {PM_RULE_SIZE, "64..", "size 4 KiB"},
        {PM_RULE_START, "%64M+4K", "start 0x7f0000000000"},
        {PM_RULE_END, "4K", "end 0x7f0000001000"},
        {PM_RULE_SIZE, "4", ""},
    };
    pm_rule_row below = some_row(), above = some_row(), blind = some_row();

    for (size_t i = 0; i < COUNT(cases); i++)
        because(one("a", "x", cases[i].column, cases[i].value), 0, NULL, some_row(), NULL,
                cases[i].why);
    blind.has_flags = false;
    because(one("a", "x", PM_RULE_FLAGS, "!nr"), 0, NULL, blind, NULL, "flags not shown");
    because(one("a", "x", PM_RULE_PATH, "*.so"), 0, NULL, file_row("/a"), NULL, "path /a");
    below.base = PM_CATEGORY_RESERVE;
    below.length = 2048 * KIB;
    below.start = AT - below.length;
    above.start = AT + 4 * KIB;
    because(one("a", "x", PM_RULE_BELOW, "base=reserve size=..1M"), 0, &below, some_row(), NULL,
            "below: size 2048 KiB");
    because(one("a", "x", PM_RULE_BELOW, "base=reserve size=..1M"), 0, NULL, some_row(), NULL,
            "below: nothing touches");
    because(one("a", "x", PM_RULE_BELOW, "-"), 0, &below, some_row(), NULL,
            "below: reserve of 2048 KiB touches");
    because(one("a", "x", PM_RULE_ABOVE, "covers=64M"), 0, &below, some_row(), &above,
            "above: end 0x7f0000002000");
    because(one("a", "x", PM_RULE_WITH, "path=libjvm.so"), 0, &below, some_row(), &above,
            "no mapping of the capture has path=libjvm.so");
    because(one("a", "x", PM_RULE_WITH, "!path=libjvm.so"), 1, &below, some_row(), &above,
            "a mapping of the capture has path=libjvm.so");
    because(one("a", "x", PM_RULE_WITH, "path=libjvm.so"), 1, &below, some_row(), &above, "");
}

RUN_TESTS(NULL, NULL)
