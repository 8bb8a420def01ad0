/* die: messages on standard error, and the end of a program that cannot continue.
 *
 * Control characters in messages are escaped. A program that ends here removes its temporary files
 * and exits with 2, or with 3 for `check`. A store that is open for writing stays intact:
 * uncommitted changes are rolled back. */
#ifndef PM_CLI_DIE_H
#define PM_CLI_DIE_H

#include "pmapdb.h"

typedef struct pm_cli pm_cli;

/* Prints "pmapdb: TEXT". */
void pm_cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "pmapdb: TEXT", unless --quiet is given. */
void pm_cli_note(const pm_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "pmapdb: TEXT" and ends the program. */
void pm_cli_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void pm_cli_no_memory(void) __attribute__((noreturn));
/* Returns p; ends the program if it is NULL, because memory ran out. */
void *pm_cli_memory(void *p);

/* Prints "pmapdb prune: TEXT" and where to find help, and ends the program. For errors in the
 * command line. */
void pm_cli_usage(const pm_cli *cli, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Ends the program after a failure. PMAPDB_STOPPED means that a signal asked to stop, which is an
 * error, or that the reader of the output has gone: then the program ends without a message and
 * with exit status 0. For other statuses, prints the error's text. */
void pm_cli_fail(pmapdb_status status, const pmapdb_error *err) __attribute__((noreturn));

/* Returns if the status is PMAPDB_OK, else ends the program as pm_cli_fail() does. */
static inline void pm_cli_must(pmapdb_status status, const pmapdb_error *err)
{
    if (status != PMAPDB_OK)
        pm_cli_fail(status, err);
}

/* From now on, errors end the program with this exit code. `say_why` gets the text that
 * pm_cli_die() would print on standard error, and a short text for an error in the command line.
 * For `check`, whose output a monitor reads. */
void pm_cli_die_as(int exit_code, void (*say_why)(const char *why));

#endif
