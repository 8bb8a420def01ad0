/* rules: categories as data: an ordered list of rules over the base slugs of classify.h. Uses no
 * files and no SQL.
 *
 * A rule is a row of cells (columns below): a name, the category it gives, and conditions, all of
 * which must hold; an empty cell is not a condition. docs/rules.md has the language of the cells.
 * The first rule that matches a mapping wins; if no rule matches, the base slug stays. A set is
 * filled, then finished, and never changes afterwards. The result for a mapping depends only on the
 * capture of the mapping:
 *
 *   facts   the `with` terms that hold, or-ed over all rows of the capture
 *   row     the mapping itself
 *   below, above   the next mappings by address, or NULL; the functions check whether they touch
 *
 * If a capture does not show flags, neither a condition on them nor its opposite holds.
 * A set contains working memory for matching, so only one thread at a time may use it.
 */
#ifndef PM_CLASSIFY_RULES_H
#define PM_CLASSIFY_RULES_H

#include "base/buf.h"
#include "classify/classify.h"

#define PM_RULES_MAX 5000
#define PM_RULES_CATEGORY_MAX 120 /* bytes of a category after expansion of its templates */
#define PM_NO_RULE SIZE_MAX
#define PM_RULE_LABEL "label" /* not a rule: stands for names that programs give to memory */

typedef enum pm_rule_column {
    PM_RULE_NAME,
    PM_RULE_CATEGORY,
    PM_RULE_BASE,
    PM_RULE_PATH,
    PM_RULE_BRACKET, /* column "name": the text inside brackets */
    PM_RULE_PERMS,
    PM_RULE_FLAGS,
    PM_RULE_SIZE,
    PM_RULE_START,
    PM_RULE_END,
    PM_RULE_BELOW,
    PM_RULE_ABOVE,
    PM_RULE_WITH,
    PM_RULE_NOTE,
    PM_RULE_COLUMNS
} pm_rule_column;

extern const char *const pm_rule_columns[PM_RULE_COLUMNS];

/* One mapping. Texts are only used during the call. */
typedef struct pm_rule_row {
    uint64_t start, length; /* bytes */
    pm_text path, flags;    /* as in pm_mapping */
    const char *perms;      /* at least four characters */
    pm_category base;       /* by the table of classify.h */
    bool has_flags;         /* false if the capture shows no flags */
} pm_rule_row;

/* The texts of a rule; "" for an empty cell. */
typedef struct pm_rule_texts {
    const char *name;
    const char *category; /* not expanded */
    const char *note;
    const char *conditions; /* "base=anonymous; perms=rw-p" */
} pm_rule_texts;

typedef struct pm_rules pm_rules;

/* ---- filling ---- */

pmapdb_status pm_rules_new(pm_rules **out, pmapdb_error *err);
void pm_rules_free(pm_rules *set);

/* Adds a rule at the end; a cell that is missing in the file is empty. On a mistake, fails with
 * PMAPDB_INPUT and only the reason as message, and leaves the set unchanged, so that later rules
 * can be read too. */
pmapdb_status pm_rules_add(pm_rules *set, const pm_text cells[PM_RULE_COLUMNS], pmapdb_error *err);

/* Must be called once, after the last rule. Fails with PMAPDB_INPUT if there is no rule. */
pmapdb_status pm_rules_finish(pm_rules *set, pmapdb_error *err);

/* ---- contents ---- */

size_t pm_rules_count(const pm_rules *set);
const pm_rule_texts *pm_rules_texts(const pm_rules *set, size_t index);

/* ---- matching ---- */

/* Returns which of the `asked` terms, a bit each, hold because of this row. The facts of a capture
 * are the facts of its rows, or-ed. */
uint64_t pm_rules_facts(const pm_rules *set, uint64_t asked, const pm_rule_row *row);
#define PM_RULES_ALL_TERMS UINT64_MAX

/* Returns the terms whose conditions hold, apart from conditions about addresses and sizes. No
 * other term holds because of a row of the same object. */
uint64_t pm_rules_possible(const pm_rules *set, const pm_rule_row *row);

/* Returns the first rule that matches, or PM_NO_RULE. */
size_t pm_rules_match(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                      const pm_rule_row *row, const pm_rule_row *above);

/* Adds the category that rule `index` gives to a matching row, or the base slug for PM_NO_RULE. A
 * text from templates that could be mistaken for another slug is quoted; a text that is too long
 * loses its beginning. */
pmapdb_status pm_rules_category(const pm_rules *set, size_t index, const pm_rule_row *row,
                                pm_buf *out, pmapdb_error *err);

/* A regex that takes too long on a path gives up and does not match. Returns how often this has
 * happened since the set was created; *index is the first rule affected, or PM_NO_RULE. */
uint64_t pm_rules_gave_up(const pm_rules *set, size_t *index);

/* Fails if memory was short in a match since the last call: its answer means nothing. */
pmapdb_status pm_rules_check(const pm_rules *set, pmapdb_error *err);

/* Adds, in words, the value because of which the rule does not match; nothing if the rule
 * matches. */
pmapdb_status pm_rules_why(const pm_rules *set, size_t index, uint64_t facts,
                           const pm_rule_row *below, const pm_rule_row *row,
                           const pm_rule_row *above, pm_buf *out, pmapdb_error *err);

#endif
