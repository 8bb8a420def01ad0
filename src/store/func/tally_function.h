/* tally_function: sums by key without a sort. Compiled twice, like functions.c. */
#ifndef PM_STORE_TALLY_FUNCTION_H
#define PM_STORE_TALLY_FUNCTION_H

struct sqlite3;

/* tally(key, a, b)
 *     An aggregate: for each key, a whole number from 0 on, the sums of a and of b, as JSON:
 *     '[[key,sum(a),sum(b)],...]'. NULL adds nothing, NULL keys are left out; NULL of no rows.
 * What GROUP BY key gives, which sorts all rows; for many rows of few keys. Returns SQLite's result
 * code. */
int pm_tally_function_add(struct sqlite3 *db);

#endif
