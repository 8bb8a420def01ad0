/* near: "did you mean": finds the known word that is nearest to a misspelt word.
 *
 *     pm_near_start(&near, wanted);
 *     for (each word) pm_near_try(&near, word);
 *     pm_fail(err, ..., "no category '%.*s'%s there are:%s", wanted, pm_near_hint(&near), list);
 */
#ifndef PM_BASE_NEAR_H
#define PM_BASE_NEAR_H

#include "base/text.h"

#define PM_NEAR_WORD 64 /* longer words are not near any word */

typedef struct pm_near {
    pm_text wanted; /* must outlive the struct */
    size_t distance;
    char best[PM_NEAR_WORD]; /* "" if no word is near enough */
    char hint[PM_NEAR_WORD + 24];
} pm_near;

void pm_near_start(pm_near *near, pm_text wanted);

/* Of equally near words, keeps the first. A word that begins with the wanted word is near too, but
 * less near than a misspelling: "rss" for "rss_kib". */
void pm_near_try(pm_near *near, pm_text word);

/* Returns ", did you mean 'WORD'?", or ";" if no word is near. */
const char *pm_near_hint(pm_near *near);

#endif
