/* rules_explain_test: conditions in words, what was found instead, why each rule does not match a
 * mapping, and warnings. */
#include "classify/ruling.h"

static void says(cells c, const char *expected)
{
    pm_rules *set = set_of_one(c);
    pm_buf out = {0};

    assert_int_equal(pm_rules_words(set, 0, &out, NULL), PMAPDB_OK);
    assert_string_equal(out.data, expected);
    pm_buf_free(&out);
    pm_rules_free(set);
}

static void test_words(void **state)
{
    static const struct {
        pm_rule_column column;
        const char *value, *words;
    } cases[] = {
        {PM_RULE_NOTE, "x", "any mapping"},
        {PM_RULE_BASE, "anonymous|heap", "base heap or anonymous"},
        {PM_RULE_PATH, "-", "path none"},
        {PM_RULE_PATH, "*.so|/a*", "path *.so or /a*"},
        {PM_RULE_PATH, "~^/a", "path like the regex ^/a"},
        {PM_RULE_BRACKET, "anon: x", "name anon: x"},
        {PM_RULE_PERMS, "r?-p", "perms r?-p"},
        {PM_RULE_FLAGS, "nr !dc", "flags nr, not dc"},
        {PM_RULE_FLAGS, "?", "flags not shown"},
        {PM_RULE_SIZE, "8192", "size 8 MiB"},
        {PM_RULE_SIZE, "..1M 4G.. 3..5", "size up to 1 MiB or 4 GiB or more or 3 KiB to 5 KiB"},
        {PM_RULE_SIZE, "64.. %64K", "size 64 KiB or more and a multiple of 64 KiB"},
        {PM_RULE_START, "%2M+16K 1M..",
         "start a multiple of 2 MiB and 16 KiB and 0x100000 or more"},
        {PM_RULE_END, "..0x2000", "end up to 0x1fff"},
        {PM_RULE_DEVICE, "08:*", "device 08:*"},
        {PM_RULE_BELOW, "-", "below: nothing that touches"},
        {PM_RULE_BELOW, "base=reserve size=..1M", "below: base reserve, size up to 1 MiB"},
        {PM_RULE_ABOVE, "covers=64M", "above: end at or after the next multiple of 64 MiB"},
        {PM_RULE_ABOVE, "fills=4M", "above: end at the next multiple of 4 MiB"},
        {PM_RULE_WITH, "!path=a;path=b perms=r-xp",
         "in the capture: path b, perms r-xp; not in the capture: path a"},
    };
    cells all = one("a", "x", PM_RULE_BASE, "anonymous");

    for (size_t i = 0; i < COUNT(cases); i++)
        says(one("a", "x", cases[i].column, cases[i].value), cases[i].words);
    all.cell[PM_RULE_PERMS] = "rw-p";
    all.cell[PM_RULE_BELOW] = "base=reserve";
    all.cell[PM_RULE_ABOVE] = "-";
    all.cell[PM_RULE_WITH] = "path=libjvm.so";
    says(all, "base anonymous; perms rw-p; below: base reserve; above: nothing that touches; "
              "in the capture: path libjvm.so");
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

static void test_why(void **state)
{
    static const struct {
        pm_rule_column column;
        const char *value, *why;
    } cases[] = {
        {PM_RULE_BASE, "heap", "base anonymous, needs base heap"},
        {PM_RULE_PATH, "*.so", "path none, needs path *.so"},
        {PM_RULE_BRACKET, "heap", "name none, needs name heap"},
        {PM_RULE_PERMS, "r-xp", "perms rw-p, needs perms r-xp"},
        {PM_RULE_FLAGS, "nr", "flags rd wr mr mw me ac, needs flags nr"},
        {PM_RULE_FLAGS, "?", "flags rd wr mr mw me ac, needs flags not shown"},
        {PM_RULE_SIZE, "64..", "size 4 KiB, needs size 64 KiB or more"},
        {PM_RULE_START, "%64M+4K",
         "start 0x7f0000000000, needs start a multiple of 64 MiB and 4 KiB"},
        {PM_RULE_END, "4K", "end 0x7f0000001000, needs end 0x1000"},
        {PM_RULE_DEVICE, "08:*", "device 00:00, needs device 08:*"},
        {PM_RULE_SIZE, "4", ""},
    };
    pm_rule_row below = some_row(), above = some_row(), blind = some_row();

    for (size_t i = 0; i < COUNT(cases); i++)
        because(one("a", "x", cases[i].column, cases[i].value), 0, NULL, some_row(), NULL,
                cases[i].why);
    blind.has_flags = false;
    blind.device = NULL;
    because(one("a", "x", PM_RULE_FLAGS, "!nr"), 0, NULL, blind, NULL,
            "flags not shown, needs flags not nr");
    because(one("a", "x", PM_RULE_DEVICE, "*"), 0, NULL, blind, NULL,
            "device not shown, needs device *");
    because(one("a", "x", PM_RULE_PATH, "*.so"), 0, NULL, file_row("/a"), NULL,
            "path /a, needs path *.so");
    below.base = PM_CATEGORY_RESERVE;
    below.length = 2048 * KIB;
    below.start = AT - below.length;
    above.start = AT + 4 * KIB;
    because(one("a", "x", PM_RULE_BELOW, "base=reserve size=..1M"), 0, &below, some_row(), NULL,
            "below: size 2048 KiB, needs size up to 1 MiB");
    because(one("a", "x", PM_RULE_BELOW, "base=reserve size=..1M"), 0, NULL, some_row(), NULL,
            "below: nothing touches, needs base reserve, size up to 1 MiB");
    because(one("a", "x", PM_RULE_BELOW, "-"), 0, &below, some_row(), NULL,
            "below: reserve of 2048 KiB touches, needs nothing that does");
    because(one("a", "x", PM_RULE_ABOVE, "covers=64M"), 0, &below, some_row(), &above,
            "above: end 0x7f0000002000, needs end at or after the next multiple of 64 MiB");
    because(one("a", "x", PM_RULE_WITH, "path=libjvm.so"), 0, &below, some_row(), &above,
            "no mapping of the capture has path libjvm.so");
    because(one("a", "x", PM_RULE_WITH, "!path=libjvm.so"), 1, &below, some_row(), &above,
            "a mapping of the capture has path libjvm.so");
    because(one("a", "x", PM_RULE_WITH, "path=libjvm.so"), 1, &below, some_row(), &above, "");
}

static void warns(const cells *rules, size_t n, size_t index, const char *expected)
{
    pm_rules *set = set_of(rules, n);
    pm_buf out = {0};

    assert_int_equal(pm_rules_warning(set, index, &out, NULL), PMAPDB_OK);
    assert_string_equal(pm_buf_text(&out).data, expected);
    pm_buf_free(&out);
    pm_rules_free(set);
}

static void test_warnings(void **state)
{
    const cells loose[] = {
        one("a", "x", PM_RULE_PATH, "~lib"), one("b", "x", PM_RULE_PATH, "~^lib"),
        one("c", "x", PM_RULE_PATH, "~/lib"), one("d", "x", PM_RULE_PATH, "lib")};
    const cells own[] = {one("a", "mine", PM_RULE_BASE,
                             "stack|kernel|memfd|shared-memory|program|deleted-file|mapped-file|"
                             "reserve|anonymous")};
    const cells refining[] = {one("a", "heap/x", PM_RULE_BASE, "heap")};

    warns(loose, 4, 0, "rule 'a': its regex is found anywhere in a path; ^ is its begin");
    for (size_t i = 1; i < 4; i++)
        warns(loose, 4, i, "");
    warns(loose, 4, PM_NO_RULE, "");
    warns(own, 1, PM_NO_RULE,
          "heap, shared-library: there is no rule for this base: its slug shows");
    warns(refining, 1, PM_NO_RULE, "");
}

/* ---- all rules of one mapping ---- */

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

RUN_TESTS(TEST(test_words), TEST(test_why), TEST(test_warnings), TEST(test_reasons),
          TEST(test_ends))
