/* rules_file: sets of rules as CSV (classify/rules.h): built in, or files. */
#ifndef PM_API_RULES_FILE_H
#define PM_API_RULES_FILE_H

#include "api/rules_csv.h"
#include "classify/rules.h"

/* The text of a set that is built in; its data is NULL where there is none of that name. */
pm_text pm_rules_builtin(pm_text name);
/* Their names, NULL behind the last; the first is the one that is used unless another is wanted. */
extern const char *const pm_rules_builtins[];

/* The text of the set that is built in under this name, else of the file. */
pmapdb_status pm_rules_find(const char *name_or_path, pm_buf *out, pmapdb_error *err);

/* The set that a text describes. `label` is the FILE of messages, `application` as in pm_rules_new.
 * With a mistake there is no set and PMAPDB_INPUT: report has all of them, err the first. */
pmapdb_status pm_rules_read(pm_text text, const char *label, const char *application,
                            pm_rules_report *report, pm_rules **out, pmapdb_error *err);

#endif
