/* plain_memory: SQLite's memory without the sanitizer, which would look after each piece of a
 * library that is not ours: half of the time of most commands. Fast tests, cli, fault, fuzz, and
 * whatever begins the program keep the sanitizer's. Before SQLite is used. */
#ifndef PM_TESTS_PLAIN_MEMORY_H
#define PM_TESTS_PLAIN_MEMORY_H

void plain_memory(void);

#endif
