/* match_function: the filter language of src/classify as an SQL function. Compiled twice, like
 * functions.c. */
#ifndef PM_STORE_MATCH_FUNCTION_H
#define PM_STORE_MATCH_FUNCTION_H

struct sqlite3;

/* process_matches(expression, pid, uid, user, comm, exe, cmdline, cgroup, environment, ancestors)
 *     1 where the expression holds for the process, 0 where it does not; NULL of no expression.
 *     Environment: NAME=VALUE, each ended by char(0). Ancestors: pids with blanks between. What is
 *     not known is NULL. A wrong expression is an error.
 * Returns SQLite's result code. */
int pm_match_function_add(struct sqlite3 *db);

#endif
