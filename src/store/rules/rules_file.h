/* rules_file: sets of rules as CSV (classify/rules.h): read whole, and all mistakes reported.
 *
 * Strict: only known columns, UTF-8, no NUL. A line that begins with # where a row could begin is a
 * comment. */
#ifndef PM_STORE_RULES_FILE_H
#define PM_STORE_RULES_FILE_H

#include "base/buf.h"
#include "classify/rules.h"

#define PM_RULES_FILE_MAX (1 << 20)

/* Messages about a file: lines, each ended by '\n'. Zero it before use, free it with
 * pm_rules_report_free. */
typedef struct pm_rules_report {
    pm_buf mistakes; /* "FILE:LINE: reason", the first 20 */
    size_t n_mistakes;
} pm_rules_report;

void pm_rules_report_free(pm_rules_report *report);

/* Returns the text of a built-in set; data is NULL if there is no set with this name. */
pm_text pm_rules_builtin(pm_text name);
/* The names of the built-in sets, ended by NULL; the first is the default. */
extern const char *const pm_rules_builtins[];

/* Reads a set of rules. `label` is the FILE in messages. After a mistake there is no set and the
 * status is PMAPDB_INPUT: report has all mistakes, err the first. */
pmapdb_status pm_rules_read(pm_text text, const char *label, pm_rules_report *report,
                            pm_rules **out, pmapdb_error *err);

#endif
