/* ruling: sets of rules and rows, each written in one line, for the tests of rules. */
#ifndef TESTS_CLASSIFY_RULING_H
#define TESTS_CLASSIFY_RULING_H

#include "unit.h"

#include "classify/rules.h"
#include <stdio.h>
#include <stdlib.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define AT UINT64_C(0x7f0000000000)

typedef struct cells {
    const char *cell[PM_RULE_COLUMNS];
} cells;

/* A rule with a name, a category and one more cell. */
static inline cells one(const char *name, const char *category, pm_rule_column column,
                        const char *value)
{
    cells c = {{[PM_RULE_NAME] = name, [PM_RULE_CATEGORY] = category}};

    c.cell[column] = value;
    return c;
}

static inline pmapdb_status add(pm_rules *set, cells c, pmapdb_error *err)
{
    pm_text texts[PM_RULE_COLUMNS];

    for (int i = 0; i < PM_RULE_COLUMNS; i++)
        texts[i] = pm_text_of(c.cell[i]);
    return pm_rules_add(set, texts, err);
}

static inline pm_rules *set_of(const cells *rules, size_t n)
{
    pm_rules *set = NULL;
    pmapdb_error err = {0};

    assert_int_equal(pm_rules_new(&set, NULL), PMAPDB_OK);
    for (size_t i = 0; i < n; i++)
        if (add(set, rules[i], &err) != PMAPDB_OK)
            fail_msg("rule %zu: %s", i, err.text);
    assert_int_equal(pm_rules_finish(set, NULL), PMAPDB_OK);
    return set;
}

static inline pm_rules *set_of_one(cells rule)
{
    return set_of(&rule, 1);
}

/* Private rw anonymous memory of 4 KiB that shows its flags. */
static inline pm_rule_row some_row(void)
{
    return (pm_rule_row){.start = AT,
                         .length = 4 * KIB,
                         .base = PM_CATEGORY_ANONYMOUS,
                         .perms = "rw-p",
                         .has_flags = true,
                         .path = {"", 0},
                         .flags = PM_TEXT("rd wr mr mw me ac")};
}

static inline pm_rule_row file_row(const char *path)
{
    pm_rule_row row = some_row();

    row.base = PM_CATEGORY_MAPPED_FILE;
    row.path = pm_text_of(path);
    return row;
}

static inline pm_rule_row named_row(const char *path)
{
    pm_rule_row row = some_row();

    row.path = pm_text_of(path);
    return row;
}

static inline uint64_t facts_of(const pm_rules *set, const pm_rule_row *row)
{
    return pm_rules_facts(set, PM_RULES_ALL_TERMS, row);
}

/* True if a rule with this condition matches the row between its neighbours (NULL: none). */
static inline bool holds_beside(pm_rule_column column, const char *value, const pm_rule_row *below,
                                pm_rule_row row, const pm_rule_row *above)
{
    pm_rules *set = set_of_one(one("a", "found", column, value));
    size_t index = pm_rules_match(set, 0, below, &row, above);

    pm_rules_free(set);
    return index == 0;
}

/* The same for a row that is alone in its capture. */
static inline bool holds(pm_rule_column column, const char *value, pm_rule_row row)
{
    return holds_beside(column, value, NULL, row, NULL);
}

#endif
