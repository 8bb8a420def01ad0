/* die: messages on standard error, and the end of a program that cannot go on.
 *
 * Control characters in what is said are escaped. A program that ends here removes its temporary
 * files and exits with 2; with 3 for `check`. A store that is open for writing stays whole: what is
 * not committed is rolled back. */
#ifndef PM_CLI_DIE_H
#define PM_CLI_DIE_H

#include "pmapdb.h"

typedef struct pm_cli pm_cli;

/* "pmapdb: TEXT" */
void pm_cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, but not with --quiet. */
void pm_cli_note(const pm_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says it and ends the program. */
void pm_cli_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void pm_cli_no_memory(void) __attribute__((noreturn));

/* "pmapdb prune: TEXT", where help is to be found, and ends the program: for a wrong command
 * line. */
void pm_cli_usage(const pm_cli *cli, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Returns if the status is PMAPDB_OK. PMAPDB_STOPPED (the reader of the output went away) ends the
 * program without a word and with exit status 0; other statuses end it with the error's text. */
void pm_cli_must(pmapdb_status status, const pmapdb_error *err);

/* From here on the program ends with this exit code. `say_why` gets what pm_cli_die() would say on
 * standard error, and a short word for a wrong command line: for `check`, whose reader is a
 * monitor. */
void pm_cli_die_as(int exit_code, void (*say_why)(const char *why));

#endif
