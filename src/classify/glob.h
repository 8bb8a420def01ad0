/* glob: words with * and ?, as fnmatch(3) without flags reads them: * is any characters, / among
 * them, ? is one, [a-z] one of a set, [!a-z] one outside it, [[:alpha:]] one of a class of
 * ASCII, \ takes the next as it is. A character is one of UTF-8, a byte where it is none. */
#ifndef PM_CLASSIFY_GLOB_H
#define PM_CLASSIFY_GLOB_H

#include "base/text.h"

/* Neither needs to end in a NUL. The time does not grow with the number of stars. */
bool pm_glob(pm_text pattern, pm_text text);

/* The bytes with which every text that matches begins: what stands before the first wildcard. At
 * most `max` of them go to `out`; returns how many. */
size_t pm_glob_start(pm_text pattern, char *out, size_t max);

#endif
