/* rules_file: sets of rules as CSV (classify/rules.h). */
#ifndef PM_STORE_RULES_FILE_H
#define PM_STORE_RULES_FILE_H

#include "classify/rules.h"
#include "store/rules/rules_csv.h"

/* Returns the text of a built-in set; data is NULL if there is no set with this name. */
pm_text pm_rules_builtin(pm_text name);
/* The names of the built-in sets, ended by NULL; the first is the default. */
extern const char *const pm_rules_builtins[];

/* Reads a set of rules. `label` is the FILE in messages, `application` as in pm_rules_new. After a
 * mistake there is no set and the status is PMAPDB_INPUT: report has all mistakes, err the
 * first. */
pmapdb_status pm_rules_read(pm_text text, const char *label, const char *application,
                            pm_rules_report *report, pm_rules **out, pmapdb_error *err);

#endif
