/* keep_cmdline: which part of a command line is stored. A command line may hold secrets, so only
 * this is kept:
 *
 *  - the program, which is the first word up to a blank: names come from it, and it tells one life
 * of a pid from another;
 *  - of an interpreter (java, node, python, ruby, perl, php, dotnet, a shell) also the script,
 *    module, jar or main class, with the option that names it: "java -jar app.jar", "python3 -m
 *    http.server". Code in an argument (-c, -e) is not kept;
 *  - what the user's regexes match, or, where a regex has groups, what its groups hold.
 *
 * Pure. */
#ifndef PM_CLASSIFY_KEEP_CMDLINE_H
#define PM_CLASSIFY_KEEP_CMDLINE_H

#include "base/buf.h"

typedef struct pm_keep_cmdline pm_keep_cmdline;

/* A wrong regex is PMAPDB_USAGE. */
pmapdb_status pm_keep_cmdline_new(const char *const *regexes, size_t n, pm_keep_cmdline **out,
                                  pmapdb_error *err);
void pm_keep_cmdline_free(pm_keep_cmdline *keep);

/* The kept parts of `arguments`, with a blank between; valid until the next call. Arguments are
 * separated by NULs, as in /proc/PID/cmdline, or by blanks, as tools print them. */
pmapdb_status pm_keep_cmdline_of(pm_keep_cmdline *keep, pm_text arguments, pm_text *out,
                                 pmapdb_error *err);

#endif
