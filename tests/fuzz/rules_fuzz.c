/* rules_fuzz: a file of rules, and the results of its rules for some mappings. */
#include "kit.h"

#include "base/utf8.h"
#include "classify/rules.h"
#include "store/rules/rules_file.h"

#define AT UINT64_C(0x7f0000000000)

static const pm_rule_row rows[] = {
    {.start = AT,
     .length = 4096,
     .base = PM_CATEGORY_ANONYMOUS,
     .perms = "rw-p",
     .has_flags = true,
     .path = {"", 0},
     .flags = {"rd wr mr mw me ac", 17}},
    {.start = AT + 4096,
     .length = 8192,
     .base = PM_CATEGORY_RESERVE,
     .perms = "---p",
     .path = {"[anon:a,b:\"c\"]", 14}},
    {.start = AT + 12288,
     .length = 1 << 20,
     .base = PM_CATEGORY_MAPPED_FILE,
     .perms = "r--s",
     .path = {"/app/x y/\xff\xc3\xa9.so.1 (deleted)", 25}},
    {.start = UINT64_MAX - 4095,
     .length = 4096,
     .base = PM_CATEGORY_HEAP,
     .perms = "rw-p",
     .has_flags = true,
     .path = {"[heap]", 6},
     .flags = {"", 0}},
};

#define ROWS (sizeof rows / sizeof *rows)

static void ask(const pm_rules *set, uint64_t facts, size_t i)
{
    static pm_buf category, why;
    const pm_rule_row *below = i ? &rows[i - 1] : NULL, *above = i + 1 < ROWS ? &rows[i + 1] : NULL;
    size_t rule = pm_rules_match(set, facts, below, &rows[i], above), first = PM_NO_RULE;

    FUZZ_CHECK(rule == PM_NO_RULE || rule < pm_rules_count(set), "rule %zu", rule);
    for (size_t k = 0; k < pm_rules_count(set) && first == PM_NO_RULE; k++) {
        pm_buf_clear(&why);
        FUZZ_CHECK(pm_rules_why(set, k, facts, below, &rows[i], above, &why, NULL) == PMAPDB_OK,
                   "why");
        first = why.len ? first : k;
    }
    FUZZ_CHECK(first == rule || pm_rules_gave_up(set, &(size_t){0}), "first %zu, matched %zu",
               first, rule);
    pm_buf_clear(&category);
    FUZZ_CHECK(pm_rules_category(set, rule, &rows[i], &category, NULL) == PMAPDB_OK, "memory");
    FUZZ_CHECK(category.len && category.len <= PM_RULES_CATEGORY_MAX, "a category of %zu bytes",
               category.len);
    FUZZ_CHECK(pm_utf8_valid(pm_buf_text(&category)) || !pm_utf8_valid(rows[i].path),
               "a category that is no UTF-8");
    for (size_t k = 0; k < category.len; k++)
        FUZZ_CHECK((unsigned char)category.data[k] >= ' ', "a control character in a category");
}

static void check_set(const pm_rules *set)
{
    uint64_t facts = 0;

    for (size_t i = 0; i < ROWS; i++)
        facts |= pm_rules_facts(set, PM_RULES_ALL_TERMS, &rows[i]);
    for (size_t i = 0; i < ROWS; i++)
        ask(set, facts, i);
    for (size_t i = 0; i < pm_rules_count(set); i++)
        FUZZ_CHECK(*pm_rules_texts(set, i)->name && *pm_rules_texts(set, i)->category &&
                       pm_rules_texts(set, i)->note,
                   "rule %zu lacks a text", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_alone(data, size);
    pm_rules *set = NULL;
    pmapdb_error err = {0};
    pmapdb_status st = pm_rules_read((pm_text){bytes, size}, "x.csv", &set, &err);

    free(bytes); /* the set has copies of all that it keeps */
    FUZZ_CHECK(st == PMAPDB_OK || st == PMAPDB_INPUT, "status %d: %s", (int)st, err.text);
    if (st == PMAPDB_OK)
        check_set(set);
    else
        fuzz_message(&err);
    pm_rules_free(set);
    return 0;
}
