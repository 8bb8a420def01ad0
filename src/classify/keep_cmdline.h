/* keep_cmdline: selects the part of a command line that is stored. A command line may contain
 * secrets, so only these parts are kept:
 *
 *  - the program, which is the first word up to a blank. Names come from it, and it distinguishes
 *    successive processes with the same pid;
 *  - of an interpreter (java, node, python, ruby, perl, php, dotnet, a shell) also the script,
 *    module, jar or main class, with the option that names it: "java -jar app.jar", "python3 -m
 *    http.server". Code in an argument (-c, -e) is not kept;
 *  - the matches of the user's regexes.
 *
 * Opens no files and prints nothing. */
#ifndef PM_CLASSIFY_KEEP_CMDLINE_H
#define PM_CLASSIFY_KEEP_CMDLINE_H

#include "base/buf.h"
#include "classify/rules_regex.h"

typedef struct pm_keep_cmdline {
    pm_regex **regex;
    size_t n;
    pm_regex_space space;
    pm_buf line;  /* the arguments, then the result */
    pm_buf marks; /* one byte per byte of the line: 1 if it is kept */
} pm_keep_cmdline;

/* Fails with PMAPDB_USAGE on a wrong regex; *out is to be freed in any case. */
pmapdb_status pm_keep_cmdline_init(const char *const *regexes, size_t n, pm_keep_cmdline *out,
                                   pmapdb_error *err);
void pm_keep_cmdline_free(pm_keep_cmdline *keep);

/* Returns the kept parts of `arguments`, separated by blanks; valid until the next call. Arguments
 * are separated by NULs, as in /proc/PID/cmdline, or by blanks, as tools print them. */
pmapdb_status pm_keep_cmdline_of(pm_keep_cmdline *keep, pm_text arguments, pm_text *out,
                                 pmapdb_error *err);

/* Returns what people call the program that an interpreter runs: the basename of its script,
 * module, jar or main class, else of the interpreter; empty for other programs. */
pm_text pm_interpreted_name(pm_text arguments);

#endif
