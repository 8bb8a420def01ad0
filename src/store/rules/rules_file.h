/* rules_file: sets of rules as CSV (classify/rules.h). */
#ifndef PM_STORE_RULES_FILE_H
#define PM_STORE_RULES_FILE_H

#include "classify/rules.h"
#include "store/rules/rules_csv.h"

/* The text of a set that is built in; its data is NULL where there is none of that name. */
pm_text pm_rules_builtin(pm_text name);
/* Their names, NULL behind the last; the first is the one that is used unless another is wanted. */
extern const char *const pm_rules_builtins[];

/* The set that a text describes. `label` is the FILE of messages, `application` as in pm_rules_new.
 * With a mistake there is no set and PMAPDB_INPUT: report has all of them, err the first. */
pmapdb_status pm_rules_read(pm_text text, const char *label, const char *application,
                            pm_rules_report *report, pm_rules **out, pmapdb_error *err);

#endif
