/* match: which processes are meant: an expression over what is known of a process. Pure.
 *
 *     comm(redis-server)      exe(GLOB)      cmdline(GLOB)      cgroup(GLOB)
 *     uid(1001)   user(NAME)  pid(4711)      env(NAME)   env(NAME,GLOB)   descendants(PID)
 *     and(A,B,...)   or(A,B,...)   not(A)
 *
 *     true()   false()
 *
 * Words are globs as fnmatch(3) reads them, in which * matches / too; comm is compared as the
 * kernel cuts it, at 15 bytes. exe without a slash is compared with the last part of the path. A
 * blank around a word counts for nothing; what holds , ( ) or a blank at its ends is put in "...",
 * where \" and \\ are the characters themselves. descendants(PID) holds for PID's children, theirs,
 * and so on, not for PID. An unknown fact matches nothing; not() of that matches.
 *
 * The filters of memstats (tatref/linux-mem) are such expressions, in which env_k(NAME) and
 * env_kv(NAME,WORD) are env. */
#ifndef PM_CLASSIFY_MATCH_H
#define PM_CLASSIFY_MATCH_H

#include "base/err.h"
#include "base/text.h"
#include <stdint.h>

/* What is known of one process. Unknown: PMAPDB_UNKNOWN, an empty text. */
typedef struct pm_facts {
    int64_t pid, uid;
    pm_text user, comm, exe, cmdline, cgroup;
    pm_text environment;      /* NAME=VALUE, each ended by a NUL */
    const int64_t *ancestors; /* parent, its parent, ... */
    size_t n_ancestors;
} pm_facts;

/* What an expression looks at. */
enum pm_match_need {
    PM_NEED_COMM = 1,
    PM_NEED_EXE = 2,
    PM_NEED_CMDLINE = 4,
    PM_NEED_UID = 8,
    PM_NEED_USER = 16,
    PM_NEED_CGROUP = 32,
    PM_NEED_ENVIRONMENT = 64,
    PM_NEED_ANCESTORS = 128
};

typedef struct pm_match pm_match;

/* A wrong expression is PMAPDB_USAGE, with the place in it and what could stand there. */
pmapdb_status pm_match_new(pm_text expression, pm_match **out, pmapdb_error *err);
void pm_match_free(pm_match *m);

unsigned pm_match_needs(const pm_match *m);
bool pm_match_holds(const pm_match *m, const pm_facts *facts);

#endif
