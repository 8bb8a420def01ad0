/* rules_read_test: cells of rules: every mistake is reported with its reason and leaves the set
 * unchanged. */
#include "classify/ruling.h"

static const char *reason_in(pm_rules *set, cells c)
{
    static pmapdb_error err;

    err = (pmapdb_error){0};
    assert_int_equal(add(set, c, &err), PMAPDB_INPUT);
    return err.text;
}

static void refused(cells c, const char *expected)
{
    pm_rules *set;

    assert_int_equal(pm_rules_new(&set, NULL), PMAPDB_OK);
    assert_string_equal(reason_in(set, c), expected);
    assert_int_equal(pm_rules_count(set), 0);
    pm_rules_free(set);
}

TEST(test_names)
{
    static const char *const bad[][2] = {
        {"", "rule: a name has 1 to 40 characters"},
        {"12345678901234567890123456789012345678901", "rule: a name has 1 to 40 characters"},
        {"Heap", "rule: 'Heap' has characters other than a-z, 0-9 and -"},
        {"a_b", "rule: 'a_b' has characters other than a-z, 0-9 and -"},
        {"\xc3\xa9", "rule: '\xc3\xa9' has characters other than a-z, 0-9 and -"},
        {"label", "rule: 'label' is reserved for the names that programs give their memory"},
    };
    pm_rules *set =
        set_of_one(one("1234567890123456789012345678901234567890", "x", PM_RULE_PATH, "a"));

    for (size_t i = 0; i < COUNT(bad); i++)
        refused(one(bad[i][0], "x", PM_RULE_PATH, "a"), bad[i][1]);
    assert_string_equal(
        reason_in(set, one("1234567890123456789012345678901234567890", "y", PM_RULE_PATH, "b")),
        "rule: '1234567890123456789012345678901234567890' occurs twice");
    pm_rules_free(set);
}

TEST(test_categories)
{
    static const struct {
        const char *category, *base, *why;
    } bad[] = {
        {"", NULL, "category: it is empty"},
        {"/x", NULL, "category: a / at the start or the end"},
        {"x/", NULL, "category: a / at the start or the end"},
        {"a\tb", NULL, "category: a control character"},
        {"%", NULL, "category: there is no template % "},
        {"a%x", NULL, "category: there is no template %x"},
        {"a%0", NULL, "category: there is no template %0"},
        {"%1", NULL, "category: %1: the path needs a regex with at least that many groups"},
        {"total", NULL, "category: 'total' is the name of sums or of unknown categories"},
        {"TOTAL", NULL, "category: 'TOTAL' is the name of sums or of unknown categories"},
        {"?", NULL, "category: '?' is the name of sums or of unknown categories"},
        {"total/x", NULL, "category: 'total/x' is the name of sums or of unknown categories"},
        {"heap", NULL, "category: 'heap' begins with a slug: the base must be that slug alone"},
        {"heap/x", "anonymous",
         "category: 'heap/x' begins with a slug: the base must be that slug alone"},
        {"heap/x", "heap|anonymous",
         "category: 'heap/x' begins with a slug: the base must be that slug alone"},
        {"heap/%w", NULL,
         "category: 'heap/%w' begins with a slug: the base must be that slug alone"},
        {"heap/x/y", "heap", "category: 'heap/x/y': a refinement is slug/detail"},
    };
    static const struct {
        const char *category, *base;
    } good[] = {{"heap", "heap"},   {"heap/x", "heap"}, {"heaps", NULL},
                {"Heap/x/y", NULL}, {"100%%", NULL},    {"%p", NULL},
                {"a %b %w", NULL},  {"[%r]", NULL},     {"anon/%n", "memfd"}};
    char long_one[PM_RULES_CATEGORY_MAX + 2];

    for (size_t i = 0; i < COUNT(bad); i++)
        refused(one("a", bad[i].category, PM_RULE_BASE, bad[i].base), bad[i].why);
    for (size_t i = 0; i < COUNT(good); i++)
        pm_rules_free(set_of_one(one("a", good[i].category, PM_RULE_BASE, good[i].base)));
    memset(long_one, 'x', sizeof long_one);
    long_one[sizeof long_one - 1] = '\0';
    refused(one("a", long_one, PM_RULE_PATH, "a"), "category: longer than 120 bytes");
    long_one[PM_RULES_CATEGORY_MAX] = '\0';
    pm_rules_free(set_of_one(one("a", long_one, PM_RULE_PATH, "a")));
}

/* One bad cell and its error message. */
static const struct {
    pm_rule_column column;
    const char *value, *why;
} bad_cells[] = {
    {PM_RULE_BASE, "anon", "base: there is no base 'anon'"},
    {PM_RULE_BASE, "total", "base: there is no base 'total'"},
    {PM_RULE_BASE, "heap|", "base: there is no base ''"},
    {PM_RULE_BASE, "anonymous/thread-stack", "base: there is no base 'anonymous/thread-stack'"},
    {PM_RULE_PATH, "a||b", "path: a | needs a glob on both sides"},
    {PM_RULE_PATH, "a|", "path: a | needs a glob on both sides"},
    {PM_RULE_PATH, "~a(b", "path: regex, at character 4: missing closing parenthesis"},
    {PM_RULE_PATH, "~\\C", "path: regex, at character 3: using \\C is disabled by the application"},
    {PM_RULE_BRACKET, "|a", "name: a | needs a glob on both sides"},
    {PM_RULE_FLAGS, "nr!dc", "flags: 'nr!dc' is not a flag: two letters, perhaps after a !"},
    {PM_RULE_FLAGS, "n", "flags: 'n' is not a flag: two letters, perhaps after a !"},
    {PM_RULE_FLAGS, "NR", "flags: 'NR' is not a flag: two letters, perhaps after a !"},
    {PM_RULE_FLAGS, "!", "flags: '!' is not a flag: two letters, perhaps after a !"},
    {PM_RULE_FLAGS, "? nr", "flags: ? stands alone: it means that no flags are shown"},
    {PM_RULE_FLAGS, "nr ?", "flags: ? stands alone: it means that no flags are shown"},
    {PM_RULE_FLAGS, ",", "flags: nothing but separators"},
    {PM_RULE_SIZE, "abc", "size: 'abc' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_SIZE, "4k", "size: '4k' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_SIZE, "-4", "size: '-4' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_SIZE, "1.5M", "size: '1.5M' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_SIZE, "99999999999999999999",
     "size: '99999999999999999999' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_SIZE, "18014398509481984",
     "size: '18014398509481984' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_SIZE, "..", "size: '..' says nothing: FROM.., ..TO or FROM..TO"},
    {PM_RULE_SIZE, "8..4", "size: '8..4' begins after its end"},
    {PM_RULE_SIZE, "4 %0", "size: '%0': nothing is a multiple of 0"},
    {PM_RULE_SIZE, "%4K+1K",
     "size: '4K+1K' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_START, "64",
     "start: '64' is not an address: 0xHEX, or a number followed by K, M, G or T"},
    {PM_RULE_START, "0x",
     "start: '0x' is not an address: 0xHEX, or a number followed by K, M, G or T"},
    {PM_RULE_START, "0x12345678123456789",
     "start: '0x12345678123456789' is not an address: 0xHEX, or a number followed by K, M, G or T"},
    {PM_RULE_START, "2M..1M", "start: '2M..1M' begins after its end"},
    {PM_RULE_START, "1M..1M", "start: '1M..1M' is empty: a range does not include its end"},
    {PM_RULE_START, "%0M", "start: '%0M': nothing is a multiple of 0"},
    {PM_RULE_END, "%4K+4K", "end: '%4K+4K': the remainder is not less than the step"},
    {PM_RULE_END, "%", "end: '' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_BELOW, "heap", "below: 'heap' is not key=value"},
    {PM_RULE_BELOW, "device=00:00",
     "below: there is no key 'device': base, path, name, perms, flags, size, start, end; "
     "above also fills, covers"},
    {PM_RULE_BELOW, "base=heap size=4 base=stack", "below: base occurs twice"},
    {PM_RULE_BELOW, "size=", "below: size: there is no value"},
    {PM_RULE_BELOW, "fills=64M",
     "below: fills can only be used in above: it tests where the mapping above ends"},
    {PM_RULE_ABOVE, "fills=0", "above: fills: '0': nothing is a multiple of 0"},
    {PM_RULE_ABOVE, "covers=x",
     "above: covers: 'x' is not a size: KiB, or a number followed by K, M, G or T"},
    {PM_RULE_WITH, "covers=64M",
     "with: covers can only be used in above: it tests where the mapping above ends"},
    {PM_RULE_WITH, "base=heap;", "with: a term without a condition"},
    {PM_RULE_WITH, "!", "with: a term without a condition"},
    {PM_RULE_WITH, "-", "with: '-' is not key=value"},
    {PM_RULE_WITH, "path=a; !path=a", "with: the same term with and without !"},
    {PM_RULE_WITH, "path=~(", "with: path: regex, at character 2: missing closing parenthesis"},
};

TEST(test_cells)
{
    for (size_t i = 0; i < COUNT(bad_cells); i++)
        refused(one("a", "x", bad_cells[i].column, bad_cells[i].value), bad_cells[i].why);
}

TEST(test_perms)
{
    static const char *const bad[] = {"rw-", "rw-p-", "rwx-", "wr-p", "RW-P", "rwsp", "rw-x"};
    char why[200];

    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(why, sizeof why,
                 "perms: '%s' is not four letters, rwxp or rwxs, with - for a missing one "
                 "and ? for any",
                 bad[i]);
        refused(one("a", "x", PM_RULE_PERMS, bad[i]), why);
    }
}

TEST(test_groups)
{
    cells c = one("a", "%2", PM_RULE_PATH, "~(a)(b)");

    pm_rules_free(set_of_one(c));
    c.cell[PM_RULE_CATEGORY] = "%3";
    refused(c, "category: %3: the path needs a regex with at least that many groups");
}

/* The name and the terms of a refused rule are removed. */
TEST(test_after_a_mistake)
{
    cells bad = one("a", "x", PM_RULE_WITH, "size=4;path=two;size=x");
    pm_rules *set;
    pm_rule_row row = file_row("two");

    assert_int_equal(pm_rules_new(&set, NULL), PMAPDB_OK);
    assert_int_equal(add(set, bad, NULL), PMAPDB_INPUT);
    assert_int_equal(add(set, one("a", "x", PM_RULE_WITH, "path=two"), NULL), PMAPDB_OK);
    assert_int_equal(pm_rules_finish(set, NULL), PMAPDB_OK);
    assert_int_equal(pm_rules_facts(set, PM_RULES_ALL_TERMS, &row), 1);
    assert_int_equal(pm_rules_match(set, 1, NULL, &row, NULL), 0);
    pm_rules_free(set);
}

TEST(test_limits)
{
    pm_rules *set;
    char name[24], term[64];

    assert_int_equal(pm_rules_new(&set, NULL), PMAPDB_OK);
    assert_int_equal(pm_rules_finish(set, NULL), PMAPDB_INPUT);
    for (int i = 0; i < 63; i++) {
        snprintf(name, sizeof name, "r%d", i);
        snprintf(term, sizeof term, "path=f%d;path=f%d", i, i / 2);
        assert_int_equal(add(set, one(name, "x", PM_RULE_WITH, term), NULL), PMAPDB_OK);
    }
    assert_string_equal(reason_in(set, one("last", "x", PM_RULE_WITH, "path=f63")),
                        "with: more than 63 different terms in this set");
    for (int i = 63; i < PM_RULES_MAX; i++) {
        snprintf(name, sizeof name, "r%d", i);
        assert_int_equal(add(set, one(name, "x", PM_RULE_PATH, name), NULL), PMAPDB_OK);
    }
    assert_string_equal(reason_in(set, one("last", "x", PM_RULE_PATH, "last")),
                        "more than 5000 rules");
    pm_rules_free(set);
}

RUN_TESTS(NULL, NULL)
