/* address: sets of addresses in SQL. Compiled twice, like functions.c. */
#ifndef PM_STORE_FUNC_ADDRESS_H
#define PM_STORE_FUNC_ADDRESS_H

struct sqlite3;

/* address_set(start, length)
 *     An aggregate: the ranges of the rows as a blob; NULL of no rows. A row with NULL or no length
 *     adds nothing.
 * address_overlap(set, start, length)
 *     How many bytes of the range are in the set; NULL where one of the arguments is NULL.
 * Addresses are unsigned, as SQL integers have them in two's complement. Returns SQLite's result
 * code. */
int pm_address_functions_add(struct sqlite3 *db);

#endif
