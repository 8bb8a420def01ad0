/* place: what the path of a file says about the capture in it. */
#ifndef PM_API_PLACE_H
#define PM_API_PLACE_H

#include "base/text.h"
#include <stdint.h>

/* The pid in a path, or PMAPDB_UNKNOWN: /1234/smaps, pid1234, pid-1234, and -1234 before the last
 * dot or the end, where it is not the clock time behind a date. */
int64_t pm_place_pid(pm_text dir, pm_text name);

/* The handle in a header line's command: the basename of its first word, without the colon and the
 * " (deleted)" that titles carry. Empty where there is none. */
pm_text pm_place_name(pm_text command);

/* The name without what stands behind its last dot. */
pm_text pm_place_stem(pm_text name);

/* What kind of helper file it is: "stat", "status", "comm", "cmdline", or an empty text. *stem is
 * what it belongs to in its directory: "" for DIR/status, STEM for STEM.status. */
pm_text pm_place_sibling(pm_text name, pm_text *stem);

#endif
