/* rules: categories as data: an ordered list of rules over the base slugs of classify.h. Pure: no
 * files, no SQL.
 *
 * A rule is a row of cells (columns below): a name, the category it gives, and conditions, all of
 * which must hold; an empty cell is no condition. The first rule that matches a mapping wins; if no
 * rule matches, the base slug stays. A set is filled, finished, and never changes after that. Its
 * answer for a mapping depends on nothing but the capture that the mapping is in:
 *
 *   facts   which `with` terms hold: of each row, or-ed over all rows of the capture
 *   row     the mapping itself
 *   below, above   the next mappings by address, or NULL; whether they touch is checked here
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

/* Adds a rule at the end; a cell that the file lacks is empty. A mistake is PMAPDB_INPUT with the
 * reason alone; the set is then unchanged, so that later rules can be read too. */
pmapdb_status pm_rules_add(pm_rules *set, const pm_text cells[PM_RULE_COLUMNS], pmapdb_error *err);

/* To be called once, after the last rule; PMAPDB_INPUT if there is no rule. */
pmapdb_status pm_rules_finish(pm_rules *set, pmapdb_error *err);

/* ---- what is in it ---- */

size_t pm_rules_count(const pm_rules *set);
const char *pm_rules_name(const pm_rules *set, size_t index);
const char *pm_rules_template(const pm_rules *set, size_t index); /* the category, not expanded */
const char *pm_rules_note(const pm_rules *set, size_t index);     /* "" where there is none */

/* True if its conditions are only on base, path, name, perms and device, which never change in the
 * life of a lineage. */
bool pm_rules_of_object(const pm_rules *set, size_t index);

/* Adds a warning about something that is allowed but perhaps not meant, if there is one: in a rule,
 * or in the whole set (index PM_NO_RULE). */
pmapdb_status pm_rules_warning(const pm_rules *set, size_t index, pm_buf *out, pmapdb_error *err);

/* ---- asking ---- */

/* Bits of the `with` terms that this row makes hold. The facts of a capture are those of its rows,
 * or-ed. */
uint64_t pm_rules_facts(const pm_rules *set, const pm_rule_row *row);

/* The same in two steps. First the terms that concern the row's object alone; *open gets those that
 * hold for the object and ask for its place (size, start, end), too. Then those of *open that hold
 * for the place. */
uint64_t pm_rules_object_facts(const pm_rules *set, const pm_rule_row *row, uint64_t *open);
uint64_t pm_rules_place_facts(const pm_rules *set, const pm_rule_row *row, uint64_t open);

/* The first rule that matches, or PM_NO_RULE. */
size_t pm_rules_match(const pm_rules *set, uint64_t facts, const pm_rule_row *below,
                      const pm_rule_row *row, const pm_rule_row *above);

/* The same for one of many rows that show one object: the answers of conditions on the object are
 * kept in `memo`, pm_rules_memo(set) words that are 0 before the first row. */
size_t pm_rules_memo(const pm_rules *set);
size_t pm_rules_match_object(const pm_rules *set, uint64_t *memo, uint64_t facts,
                             const pm_rule_row *below, const pm_rule_row *row,
                             const pm_rule_row *above);

/* Adds the category that rule `index` gives to a row that it matches; PM_NO_RULE: the base slug. A
 * text from templates that could be taken for another slug is quoted; a text that is too long loses
 * its middle. */
pmapdb_status pm_rules_category(const pm_rules *set, size_t index, const pm_rule_row *row,
                                pm_buf *out, pmapdb_error *err);

/* A regex that takes too long on a path gives up and does not match. How often that happened since
 * the set was made, and the first rule where it did, or PM_NO_RULE. */
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
