/* next_steps: prints commands that the user can type, of pmapdb and others, depending on what
 * grows: the `next` of the category's page, applied to one process. */
#ifndef PM_CLI_NEXT_STEPS_H
#define PM_CLI_NEXT_STEPS_H

#include "base/text.h"
#include "pmapdb.h"
#include <stdio.h>

/* Numbers may be PMAPDB_UNKNOWN, texts empty. Without a category, the next step is a diff of the
 * process. */
typedef struct pm_next_steps {
    pm_text category, name;
    int64_t pid, process_id;
    bool lives;                /* of several lives, the newest has this pid: print only the name */
    bool count;                /* the number of mappings grows, not their size */
    int64_t lineage;           /* only this lineage grows */
    pm_text from, to, dialect; /* values of the options with these names */
    bool recorded;             /* perf recorded who allocated it */
    pm_text asked;             /* the command of pmapdb that the user has just run */
} pm_next_steps;

/* A command of pmapdb that says more; advice in words; who allocated it. */
typedef enum pm_next_part { PM_NEXT_ASK, PM_NEXT_ADVICE, PM_NEXT_WHO, PM_NEXT_PARTS } pm_next_part;

/* Prints `lead` and one part; prints nothing and returns false if there is no such part. */
bool pm_next_steps_part(FILE *out, const char *lead, const pm_next_steps *n, pm_next_part part);

/* Prints "pmapdb top-lineages --process redis/4711; who allocates it: heaptrack -p 4711", or if
 * perf recorded it, "...: pmapdb who --category heap --process redis/4711". */
void pm_next_steps_print(FILE *out, const pm_next_steps *n);

#endif
