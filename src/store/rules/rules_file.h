/* rules_file: sets of rules as CSV (classify/rules.h): read in full, or refused with the first
 * mistake.
 *
 * Strict: only known columns, UTF-8, no NUL. A line that begins with # where a row could begin is a
 * comment. */
#ifndef PM_STORE_RULES_FILE_H
#define PM_STORE_RULES_FILE_H

#include "classify/rules.h"

#define PM_RULES_FILE_MAX (1 << 20)

/* Returns the text of a built-in set; data is NULL if there is no set with this name. */
pm_text pm_rules_builtin(pm_text name);
/* The names of the built-in sets, ended by NULL; the first is the default. */
extern const char *const pm_rules_builtins[];

/* Reads a set of rules. `label` is the FILE in messages. PMAPDB_INPUT and "FILE:LINE: reason": the
 * first mistake; there is no set then. */
pmapdb_status pm_rules_read(pm_text text, const char *label, pm_rules **out, pmapdb_error *err);

#endif
