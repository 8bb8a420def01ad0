/* next_steps: commands that can be typed, of pmapdb and others, by what it is that grows: the
 * `next` of the category's page, about one process. */
#ifndef PM_CLI_NEXT_STEPS_H
#define PM_CLI_NEXT_STEPS_H

#include "base/text.h"
#include "pmapdb.h"
#include <stdio.h>

/* Numbers may be PMAPDB_UNKNOWN, texts empty. */
typedef struct pm_next_steps {
    pm_text category, name;
    int64_t pid, process_id;
    bool lives;                /* several, whose newest has this pid: the name says it */
    bool count;                /* the number of mappings grows, and no KiB do */
    int64_t lineage;           /* it alone grows */
    pm_text from, to, dialect; /* for the options of these names */
    bool recorded;             /* perf recorded who allocates it */
    pm_text asked;             /* the command of pmapdb that has been asked already */
} pm_next_steps;

/* "pmapdb top-lineages --process redis/4711; who allocates it: heaptrack -p 4711", or, where perf
 * recorded it, "...: pmapdb who heap --process redis/4711". */
void pm_next_steps_print(FILE *out, const pm_next_steps *n);

#endif
