/* usage: what argp and getopt say of a wrong command line, harmless on a terminal. They print the
 * words as they were given, which a script may have from a file's name. */
#ifndef PM_CLI_USAGE_H
#define PM_CLI_USAGE_H

#include <stdio.h>

/* Puts a stream that escapes in the place of stderr; returns what was there, for pm_usage_end.
 * A program that exits in between has what it said written all the same. */
FILE *pm_usage_begin(void);
void pm_usage_end(FILE *before);

#endif
