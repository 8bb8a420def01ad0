/* usage: what argp and getopt print: of a wrong command line, harmless on a terminal, for they
 * print the words as they were given, which a script may have from a file's name; and help. */
#ifndef PM_CLI_USAGE_H
#define PM_CLI_USAGE_H

#include <stdio.h>

/* Puts a stream that escapes in the place of stderr; returns what was there, for pm_usage_end.
 * A program that exits in between has what it said written all the same. */
FILE *pm_usage_begin(void);
void pm_usage_end(FILE *before);

/* From here on, what was printed to stdout and cannot be written is trouble at the program's end;
 * help ends the program from within argp. */
void pm_usage_watch_output(void);

#endif
