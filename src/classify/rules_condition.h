/* rules_condition: one condition of a rule: from a cell's text to "does it hold for this row".
 * Between the files of rules.h. */
#ifndef PM_CLASSIFY_RULES_CONDITION_H
#define PM_CLASSIFY_RULES_CONDITION_H

#include "classify/rules_set.h"

/* Where a text is read: for messages, and for what it may hold. */
typedef struct pm_rule_place {
    const char *application;
    size_t rule;     /* index of the current rule */
    size_t *n_globs; /* of the set */
    const char *column;
    const char *key; /* in below, above, with; else NULL */
    pmapdb_error *err;
} pm_rule_place;

/* PMAPDB_INPUT: "column: key: ..." */
pmapdb_status pm_rule_wrong(const pm_rule_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How many bytes of `t` a message shows: at most 40, no character cut. For "%.*s". */
int pm_rule_shown(pm_text t);

/* Takes the next of what blanks and commas stand between off *rest; false where there is none. */
bool pm_rule_word(pm_text *rest, pm_text *word);

/* The next of what `separator` stands between, not behind a \; blanks stay. *more: another one
 * follows, which may be empty. */
pm_text pm_rule_piece(pm_text *rest, char separator, bool *more);

/* One more part, zeroed; NULL: no memory. */
pm_rule_part *pm_rule_part_new(pm_rule_condition *c);

/* ---- one kind of condition each: what the cell says, and whether it holds ---- */

pmapdb_status pm_rule_read_globs(const pm_rule_place *place, pm_text text, pm_rule_condition *c);
pmapdb_status pm_rule_read_path(const pm_rule_place *place, pm_text text, pm_rule_condition *c);
bool pm_rule_path_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space);
bool pm_rule_name_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space);
bool pm_rule_device_holds(const pm_rule_condition *c, const pm_rule_row *row,
                          pm_regex_space *space);

pmapdb_status pm_rule_read_sizes(const pm_rule_place *place, pm_text text, pm_rule_condition *c);
pmapdb_status pm_rule_read_addresses(const pm_rule_place *place, pm_text text,
                                     pm_rule_condition *c);
pmapdb_status pm_rule_read_reach(const pm_rule_place *place, pm_text text, pm_rule_condition *c);
bool pm_rule_size_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space);
bool pm_rule_start_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space);
bool pm_rule_end_holds(const pm_rule_condition *c, const pm_rule_row *row, pm_regex_space *space);
/* `row` is the mapping itself, `other` its neighbour above. */
bool pm_rule_reach_holds(const pm_rule_condition *c, const pm_rule_row *other,
                         const pm_rule_row *row);

/* ---- all kinds ---- */

/* A cell of its own column. */
pmapdb_status pm_rule_condition_read(pm_rule_place *place, pm_rule_key key, pm_text text,
                                     pm_rule_conditions *out);
/* "key=value key=value" of below, above and with. */
pmapdb_status pm_rule_conditions_read(pm_rule_place *place, pm_text text, pm_rule_conditions *out);
void pm_rule_conditions_free(pm_rule_conditions *c);

bool pm_rule_condition_holds(const pm_rule_condition *c, const pm_rule_row *of,
                             const pm_rule_row *row, pm_regex_space *space);
/* The first that does not hold, or NULL. */
const pm_rule_condition *pm_rule_first_failing(const pm_rule_conditions *c, const pm_rule_row *of,
                                               const pm_rule_row *row, pm_regex_space *space);

/* `other`, the next row by address, where it touches `row` from below or from above; else NULL. */
const pm_rule_row *pm_rule_touching(const pm_rule_row *row, const pm_rule_row *other, bool below);

/* The text inside brackets: of rows that no file stands behind. */
bool pm_rule_bracket(const pm_rule_row *row, pm_text *out);

/* Adds a copy of `text` with {app} replaced by the application folder, in which `mark` stands
 * before every byte that is one of `special`; a NULL `special` is all ASCII but letters and digits.
 */
pmapdb_status pm_rule_application(const pm_rule_place *place, pm_text text, const char *special,
                                  char mark, pm_buf *out);

#endif
