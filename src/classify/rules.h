/* rules: categories as data: an ordered list of rules over the base slugs of classify.h. Pure: no
 * files, no SQL.
 *
 * A rule is a row of cells (columns below): a name, the category it gives, and conditions, all of
 * which must hold; an empty cell is none. The first rule that matches a mapping wins; where none
 * does, its base slug stays. A set is filled, finished, and never changes after that; what it says
 * of a mapping depends on nothing but the capture that the mapping is in:
 *
 *   facts   which `with` terms hold: of each row, or-ed over all rows of the capture
 *   row     the mapping itself
 *   below, above   the next mappings by address, NULL where there is none; that they touch is
 *                  asked here
 *
 * A condition on what a capture does not show (flags, device) does not hold, nor does its opposite.
 * A set has memory of its own to match in: it belongs to one thread at a time.
 */
#ifndef PM_CLASSIFY_RULES_H
#define PM_CLASSIFY_RULES_H

#include "base/buf.h"
#include "classify/classify.h"

#define PM_RULES_MAX 5000
#define PM_RULES_CATEGORY_MAX 120 /* bytes of a category, templates expanded */
#define PM_NO_RULE SIZE_MAX
#define PM_RULE_LABEL "label" /* no rule's: names that a program gives its own memory go by it */

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
    PM_RULE_DEVICE,
    PM_RULE_BELOW,
    PM_RULE_ABOVE,
    PM_RULE_WITH,
    PM_RULE_NOTE,
    PM_RULE_COLUMNS
} pm_rule_column;

extern const char *const pm_rule_columns[PM_RULE_COLUMNS];

/* One mapping. Texts are borrowed for the call. */
typedef struct pm_rule_row {
    uint64_t start, length; /* bytes */
    pm_text path, flags;    /* as a pm_mapping has them */
    const char *perms;      /* at least four characters */
    const char *device;     /* major:minor in hex; NULL: not shown */
    pm_category base;       /* by the table of classify.h */
    bool has_flags;         /* else the capture shows none */
} pm_rule_row;

typedef struct pm_rules pm_rules;

/* ---- filling ---- */

/* `application` is what {app} in a cell stands for, as it is; NULL: /app. */
pmapdb_status pm_rules_new(const char *application, pm_rules **out, pmapdb_error *err);
void pm_rules_free(pm_rules *set);

/* Behind those that are there; a cell that the file lacks is empty. A mistake is PMAPDB_INPUT with
 * the reason alone; the set stays as it was, so that the rules behind it can be read too. */
pmapdb_status pm_rules_add(pm_rules *set, const pm_text cells[PM_RULE_COLUMNS], pmapdb_error *err);

/* Once, after the last rule; PMAPDB_INPUT where there is none. */
pmapdb_status pm_rules_finish(pm_rules *set, pmapdb_error *err);

/* ---- what is in it ---- */

size_t pm_rules_count(const pm_rules *set);
const char *pm_rules_name(const pm_rules *set, size_t index);
const char *pm_rules_template(const pm_rules *set, size_t index); /* the category, not expanded */
const char *pm_rules_note(const pm_rules *set, size_t index);     /* "" where there is none */

/* It asks only for what never changes in the life of a lineage: base, path, name, perms, device. */
bool pm_rules_of_object(const pm_rules *set, size_t index);

/* What is allowed and perhaps not meant: of a rule; of the whole set (index PM_NO_RULE). Nothing is
 * added where there is nothing to say. */
pmapdb_status pm_rules_warning(const pm_rules *set, size_t index, pm_buf *out, pmapdb_error *err);

/* ---- asking ---- */

/* Bits of the `with` terms that this row makes hold. The facts of a capture are those of its rows,
 * or-ed. */
uint64_t pm_rules_facts(const pm_rules *set, const pm_rule_row *row);

/* The same in two: terms that ask for the row's object alone, and in *open those that ask for its
 * place (size, start, end), too, and hold but for that; then which of those hold. */
uint64_t pm_rules_object_facts(const pm_rules *set, const pm_rule_row *row, uint64_t *open);
uint64_t pm_rules_place_facts(const pm_rules *set, const pm_rule_row *row, uint64_t open);

/* The first rule that matches, or PM_NO_RULE. */
size_t pm_rules_match(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                      const pm_rule_row *row, const pm_rule_row *above);

/* The same of one of many rows that show the same object: what its conditions said is kept in
 * `memo`, pm_rules_memo(set) words that are 0 before the first. */
size_t pm_rules_memo(const pm_rules *set);
size_t pm_rules_match_object(const pm_rules *set, uint64_t *memo, uint64_t facts,
                             const pm_rule_row *below, const pm_rule_row *row,
                             const pm_rule_row *above);

/* Adds the category that rule `index` gives to a row that it matches; PM_NO_RULE: the base slug.
 * Text from templates that would read as another slug's stands in quotes; what is too long loses
 * its middle. */
pmapdb_status pm_rules_category(const pm_rules *set, size_t index, const pm_rule_row *row,
                                pm_buf *out, pmapdb_error *err);

/* A regex that takes too long on some path gives up there, and does not match. How often that was
 * since the set is there, and the first rule of which (PM_NO_RULE: none). */
uint64_t pm_rules_gave_up(const pm_rules *set, size_t *index);

/* ---- explaining ---- */

/* Adds all conditions of a rule, in words. */
pmapdb_status pm_rules_words(const pm_rules *set, size_t index, pm_buf *out, pmapdb_error *err);

/* Adds the first condition of the rule that does not hold and what was found instead, in words;
 * nothing where all hold. */
pmapdb_status pm_rules_why(const pm_rules *set, size_t index, uint64_t facts,
                           const pm_rule_row *below, const pm_rule_row *row,
                           const pm_rule_row *above, pm_buf *out, pmapdb_error *err);

/* One rule and the mapping: it matches, or `why` it does not, as pm_rules_why says it. */
typedef struct pm_rules_step {
    size_t rule;
    bool matches;
    const char *why;
} pm_rules_step;

/* A status other than PMAPDB_OK ends the steps, and is returned. */
typedef pmapdb_status pm_rules_step_fn(void *ctx, const pm_rules_step *step, pmapdb_error *err);

/* All rules that mappings of the row's base can match, in their order; those after the first match
 * too. */
pmapdb_status pm_rules_trace(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                             const pm_rule_row *row, const pm_rule_row *above,
                             pm_rules_step_fn *on_step, void *ctx, pmapdb_error *err);

#endif
