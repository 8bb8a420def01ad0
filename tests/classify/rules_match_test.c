/* rules_match_test: every condition of a rule, with rows for which the condition holds and rows for
 * which it does not; the order of rules; the facts of a capture. */
#include "classify/ruling.h"

TEST(test_base)
{
    assert_true(holds(PM_RULE_BASE, "anonymous", some_row()));
    assert_true(holds(PM_RULE_BASE, "heap|anonymous", some_row()));
    assert_false(holds(PM_RULE_BASE, "heap|mapped-file", some_row()));
    assert_true(holds(PM_RULE_NOTE, "no condition at all", some_row()));
}

TEST(test_path)
{
    static const struct {
        const char *pattern, *path;
        bool expected;
    } cases[] = {
        {"libc.so.6", "/lib/libc.so.6", true}, /* without a slash: the last part */
        {"libc.so.6", "libc.so.6", true},
        {"lib/libc.so.6", "/lib/libc.so.6", false},
        {"*/libc.so.6", "/lib/libc.so.6", true},
        {"/lib/*", "/lib/a/b", true}, /* * crosses / */
        {"a|lib*", "/lib/libc.so.6", true},
        {"a\\|b", "/a|b", true},
        {"a\\|b", "/a", false},
        {"/x", "/x (deleted)", true},
        {"/x*(deleted)", "/x (deleted)", true},
        {"/x*(deleted)", "/x", false},
        {"/x ", "/x", false}, /* blanks count */
        {"a?b",
         "/a\xc3\xa9"
         "b",
         true},
        {"*", "/a", true},
        {"-", "/a", false},
        {"~^/lib/", "/lib/a", true},
        {"~^lib/", "/lib/a", false},
        {"~lib", "/usr/lib/a", true},
        {"~a$", "/a (deleted)", false}, /* the path as printed */
        {"~^/.x$", "/\xc3\xa9x", true}, /* characters, not bytes */
        {"~x$",
         "/\xff"
         "x",
         true},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (holds(PM_RULE_PATH, cases[i].pattern, file_row(cases[i].path)) != cases[i].expected)
            fail_msg("path %s, %s: not %d", cases[i].pattern, cases[i].path, cases[i].expected);
    }
    assert_true(holds(PM_RULE_PATH, "-", some_row()));
    assert_false(holds(PM_RULE_PATH, "*", some_row()));
    assert_false(holds(PM_RULE_PATH, "~^", some_row()));
}

/* A name in brackets is not a path; a row with the base of a file has no name. */
TEST(test_name)
{
    pm_rule_row shared = named_row("[anon_shmem:x]"), bare = named_row("boot.art]");

    assert_true(holds(PM_RULE_BRACKET, "heap", named_row("[heap]")));
    assert_true(holds(PM_RULE_BRACKET, "a|anon: glibc:*", named_row("[anon: glibc: malloc]")));
    assert_false(holds(PM_RULE_BRACKET, "anon:glibc:*", named_row("[anon: glibc: malloc]")));
    assert_false(holds(PM_RULE_BRACKET, "*", some_row()));
    assert_false(holds(PM_RULE_BRACKET, "*", file_row("[heap]")));
    assert_true(holds(PM_RULE_PATH, "[[]heap]", file_row("[heap]")));
    assert_false(holds(PM_RULE_PATH, "*", named_row("[heap]")));
    assert_false(holds(PM_RULE_PATH, "~.", named_row("[heap]")));
    assert_false(holds(PM_RULE_PATH, "-", named_row("[heap]")));
    shared.base = PM_CATEGORY_SHARED_MEMORY;
    assert_true(holds(PM_RULE_BRACKET, "anon_shmem:x", shared));
    assert_true(holds(PM_RULE_BRACKET, "boot.art", bare));
    assert_true(holds(PM_RULE_BRACKET, "", named_row("[x]"))); /* an empty cell is no condition */
}

TEST(test_perms)
{
    static const struct {
        const char *pattern, *perms;
        bool expected;
    } cases[] = {{"rw-p", "rw-p", true},  {"rw-p", "rw--", true}, {"rw-p", "rw---", true},
                 {"rw-p", "rw-s", false}, {"rw-s", "rw-s", true}, {"rw-s", "rw-p", false},
                 {"r?-p", "r--p", true},  {"??xp", "r-xp", true}, {"??xp", "rw-p", false},
                 {"---p", "---p", true},  {"???\?", "rwxs", true}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_rule_row row = some_row();

        row.perms = cases[i].perms;
        assert_int_equal(holds(PM_RULE_PERMS, cases[i].pattern, row), cases[i].expected);
    }
}

TEST(test_flags)
{
    pm_rule_row shown = some_row(), none = some_row(), unknown = some_row();

    none.flags = PM_TEXT("");
    unknown.flags = PM_TEXT("");
    unknown.has_flags = false;
    assert_true(holds(PM_RULE_FLAGS, "ac", shown));
    assert_true(holds(PM_RULE_FLAGS, "!nr ac", shown));
    assert_true(holds(PM_RULE_FLAGS, "!nr,ac", shown));
    assert_false(holds(PM_RULE_FLAGS, "nr", shown));
    assert_false(holds(PM_RULE_FLAGS, "ac nr", shown));
    assert_false(holds(PM_RULE_FLAGS, "!ac", shown));
    assert_false(holds(PM_RULE_FLAGS, "rm", shown)); /* "mr", and "r m" between two */
    assert_false(holds(PM_RULE_FLAGS, "?", shown));
    assert_false(holds(PM_RULE_FLAGS, "nr", none));
    assert_true(holds(PM_RULE_FLAGS, "!nr", none));
    assert_false(holds(PM_RULE_FLAGS, "?", none));
    /* an unknown flag is neither present nor absent */
    assert_false(holds(PM_RULE_FLAGS, "nr", unknown));
    assert_false(holds(PM_RULE_FLAGS, "!nr", unknown));
    assert_true(holds(PM_RULE_FLAGS, "?", unknown));
}

TEST(test_size)
{
    static const struct {
        const char *sizes;
        uint64_t kib;
        bool expected;
    } cases[] = {
        {"64", 64, true},         {"64K", 64, true},         {"1M", 1024, true},
        {"1M", 1, false},         {"1T", 1ULL << 30, true},  {"8..16", 7, false},
        {"8..16", 8, true},       {"8..16", 16, true},       {"8..16", 17, false},
        {"..1M", 1024, true},     {"..1M", 1025, false},     {"64..", 64, true},
        {"64..", 63, false},      {"4 8..16 100", 9, true},  {"4 8..16 100", 100, true},
        {"4,8..16", 9, true},     {"4 8..16 100", 5, false}, {"%64K", 128, true},
        {"%64K", 100, false},     {"%64K 100..", 128, true}, {"%64K 200..", 128, false},
        {"%64K %48K", 192, true}, {"%64K %48K", 64, false},  {"0..0", 0, true},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_rule_row row = some_row();

        row.length = cases[i].kib * KIB;
        if (holds(PM_RULE_SIZE, cases[i].sizes, row) != cases[i].expected)
            fail_msg("size %s, %lu KiB: not %d", cases[i].sizes, (unsigned long)cases[i].kib,
                     cases[i].expected);
    }
}

TEST(test_addresses)
{
    static const struct {
        const char *addresses;
        uint64_t at;
        bool expected;
    } cases[] = {
        {"0x1000", 0x1000, true},
        {"0x1000", 0x1001, false},
        {"0x1000..0x3000", 0xfff, false},
        {"0x1000..0x3000", 0x1000, true},
        {"0x1000..0x3000", 0x2fff, true},
        {"0x1000..0x3000", 0x3000, false},
        {"1M..32G", MIB, true},
        {"1M..32G", UINT64_C(32) * 1024 * MIB, false},
        {"..1M", 0, true},
        {"..1M", MIB, false},
        {"1M..", UINT64_MAX, true},
        {"%64M", 128 * MIB, true},
        {"%64M", 32 * MIB, false},
        {"%2M+16K", 4 * MIB + 16 * KIB, true},
        {"%2M+16K", 4 * MIB, false},
        {"%1M 4M..", 2 * MIB, false},
        {"%1M 4M..", 5 * MIB, true},
        {"0x8000000000000000..", UINT64_C(1) << 63, true},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_rule_row starts = some_row(), ends = some_row();

        starts.start = cases[i].at;
        ends.start = cases[i].at - ends.length;
        if (holds(PM_RULE_START, cases[i].addresses, starts) != cases[i].expected ||
            holds(PM_RULE_END, cases[i].addresses, ends) != cases[i].expected)
            fail_msg("%s, %lx: not %d", cases[i].addresses, (unsigned long)cases[i].at,
                     cases[i].expected);
    }
}

TEST(test_neighbours)
{
    pm_rule_row row = some_row(), below = some_row(), above = some_row(), apart = some_row();

    below.start = row.start - below.length;
    below.base = PM_CATEGORY_RESERVE;
    above.start = row.start + row.length;
    apart.start = row.start + 64 * KIB;
    assert_true(holds_beside(PM_RULE_BELOW, "base=reserve size=..1M", &below, row, &above));
    assert_true(holds_beside(PM_RULE_BELOW, "base=reserve  flags=ac,!nr", &below, row, NULL));
    assert_false(holds_beside(PM_RULE_BELOW, "base=reserve flags=ac,nr", &below, row, NULL));
    assert_false(holds_beside(PM_RULE_BELOW, "base=anonymous", &below, row, &above));
    assert_false(holds_beside(PM_RULE_BELOW, "base=reserve", NULL, row, &below));
    assert_true(holds_beside(PM_RULE_ABOVE, "base=anonymous perms=rw?p", &below, row, &above));
    assert_false(holds_beside(PM_RULE_ABOVE, "base=anonymous", &below, row, &apart));
    assert_true(holds_beside(PM_RULE_ABOVE, "-", &below, row, &apart));
    assert_true(holds_beside(PM_RULE_ABOVE, "-", &below, row, NULL));
    assert_false(holds_beside(PM_RULE_ABOVE, "-", &below, row, &above));
    assert_true(holds_beside(PM_RULE_BELOW, "-", &apart, row, &above));
    assert_false(holds_beside(PM_RULE_BELOW, "-", &below, row, &above));
    above.path = PM_TEXT("/x y");
    above.base = PM_CATEGORY_MAPPED_FILE;
    assert_true(holds_beside(PM_RULE_ABOVE, "path=/x?y", NULL, row, &above));
}

/* The reach ends at the next multiple of 64 MiB at or above the end of the row. */
TEST(test_reach)
{
    static const struct {
        uint64_t kib, other_kib;
        bool fills, covers;
    } cases[] = {
        {132, 65404, true, true},     {132, 65400, false, false},  {132, 65408, false, true},
        {65532, 4, true, true},       {65536, 65536, false, true}, {65540, 65532, true, true},
        {65540, 65528, false, false}, {4, 65532, true, true},
    };
    pm_rule_row top = some_row(), last = some_row();

    for (size_t i = 0; i < COUNT(cases); i++) {
        pm_rule_row row = some_row(), above = some_row();

        row.start = 1024 * MIB;
        row.length = cases[i].kib * KIB;
        above.start = row.start + row.length;
        above.length = cases[i].other_kib * KIB;
        assert_int_equal(holds_beside(PM_RULE_ABOVE, "fills=64M", NULL, row, &above),
                         cases[i].fills);
        assert_int_equal(holds_beside(PM_RULE_ABOVE, "covers=64M", NULL, row, &above),
                         cases[i].covers);
    }
    /* up to the end of the address space */
    top.start = UINT64_MAX - 64 * MIB + 1;
    last.start = top.start + top.length;
    last.length = 0 - last.start;
    assert_true(holds_beside(PM_RULE_ABOVE, "fills=64M", NULL, top, &last));
    assert_true(holds_beside(PM_RULE_ABOVE, "covers=64M", NULL, top, &last));
}

TEST(test_order)
{
    const cells rules[] = {one("a", "x", PM_RULE_BASE, "heap"), one("b", "x", PM_RULE_SIZE, "..64"),
                           one("c", "x", PM_RULE_PERMS, "rw-p")};
    pm_rules *set = set_of(rules, 3);
    pm_rule_row row = some_row(), large = some_row(), heap = some_row(), other = some_row();

    large.length = MIB;
    heap.base = PM_CATEGORY_HEAP;
    other.length = MIB;
    other.perms = "r--p";
    assert_int_equal(pm_rules_match(set, 0, NULL, &row, NULL), 1);
    assert_int_equal(pm_rules_match(set, 0, NULL, &large, NULL), 2);
    assert_int_equal(pm_rules_match(set, 0, NULL, &heap, NULL), 0);
    assert_true(pm_rules_match(set, 0, NULL, &other, NULL) == PM_NO_RULE);
    pm_rules_free(set);
}

/* Two rules share a term; one term has a condition on the address. */
TEST(test_facts)
{
    const cells rules[] = {
        one("both", "x", PM_RULE_WITH, "path=libjvm.so;start=0xc000000000 base=anonymous"),
        one("jvm", "x", PM_RULE_WITH, " path=libjvm.so ; !path=node"),
        one("none", "x", PM_RULE_WITH, "!path=libjvm.so"),
    };
    pm_rules *set = set_of(rules, 3);
    pm_rule_row row = some_row(), jvm = file_row("/x/libjvm.so"), node = file_row("/bin/node");
    pm_rule_row go = some_row();
    uint64_t is_jvm, is_node, is_go;

    is_jvm = pm_rules_facts(set, PM_RULES_ALL_TERMS, &jvm);
    is_node = pm_rules_facts(set, PM_RULES_ALL_TERMS, &node);
    assert_int_equal(pm_rules_facts(set, PM_RULES_ALL_TERMS, &row), 0);
    go.start = UINT64_C(0xc000000000);
    is_go = pm_rules_facts(set, PM_RULES_ALL_TERMS, &go);
    assert_int_equal(is_jvm & (is_jvm - 1), 0);
    assert_int_not_equal(is_jvm, 0);
    assert_int_not_equal(is_node, 0);
    assert_int_not_equal(is_go, 0);
    assert_int_equal(is_jvm & is_node, 0);
    assert_int_equal(pm_rules_match(set, is_jvm | is_go, NULL, &row, NULL), 0);
    assert_int_equal(pm_rules_match(set, is_jvm, NULL, &row, NULL), 1);
    assert_int_equal(pm_rules_match(set, is_go, NULL, &row, NULL), 2);
    assert_true(pm_rules_match(set, is_jvm | is_node, NULL, &row, NULL) == PM_NO_RULE);
    pm_rules_free(set);
}

RUN_TESTS(NULL, NULL)
