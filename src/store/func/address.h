/* address: sets of addresses in SQL. Compiled twice, like functions.c. */
#ifndef PM_STORE_FUNC_ADDRESS_H
#define PM_STORE_FUNC_ADDRESS_H

struct sqlite3;

/* address_set(start, length)
 *     An aggregate: the ranges of the rows as a blob; NULL without rows. A row with NULL or
 *     without length adds nothing.
 * address_overlap(set, start, length)
 *     The number of bytes of the range that are in the set; NULL if an argument is NULL.
 *
 * Addresses are unsigned, in two's complement in SQL integers. Returns SQLite's result code. */
int pm_address_functions_add(struct sqlite3 *db);

#endif
