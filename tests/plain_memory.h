/* plain_memory: SQLite's memory without the sanitizer, which takes half of the time of most
 * commands to check a foreign library. Fast tests, cli, fault, fuzz, and tests that begin the
 * program keep the sanitizer's memory. Call this before SQLite is used. */
#ifndef PM_TESTS_PLAIN_MEMORY_H
#define PM_TESTS_PLAIN_MEMORY_H

void plain_memory(void);

#endif
