/* near: "did you mean": of the words that there are, the one that is nearest to a misspelt one.
 *
 *     pm_near_start(&near, wanted);
 *     for (each word) pm_near_try(&near, word);
 *     pm_fail(err, ..., "no category '%.*s'%s there are:%s", wanted, pm_near_hint(&near), list);
 */
#ifndef PM_BASE_NEAR_H
#define PM_BASE_NEAR_H

#include "base/text.h"

#define PM_NEAR_WORD 64 /* longer words are near to nothing */

typedef struct pm_near {
    pm_text wanted; /* must last as long as this */
    size_t distance;
    char best[PM_NEAR_WORD]; /* "" where nothing is near enough */
    char hint[PM_NEAR_WORD + 24];
} pm_near;

/* How many bytes must be put in, taken out, changed, or swapped with their neighbour to make one of
 * the other, upper and lower case alike; limit + 1 where more than limit. */
size_t pm_near_distance(pm_text a, pm_text b, size_t limit);

void pm_near_start(pm_near *near, pm_text wanted);

/* Of equally near words the first tried stays. A word that goes on where the wanted one ends is
 * near, though less than a misspelling: "rss" for "rss_kib". */
void pm_near_try(pm_near *near, pm_text word);

/* ", did you mean 'WORD'?", or ";" where nothing is near. */
const char *pm_near_hint(pm_near *near);

#endif
