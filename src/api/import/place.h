/* place: the facts about a capture in the path of its file. */
#ifndef PM_API_PLACE_H
#define PM_API_PLACE_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* The pid in a path, or PMAPDB_UNKNOWN: /1234/smaps, pid1234, pid-1234, 1234.smaps, smaps.1234,
 * 1234.nmt, and -1234 before the last dot or at the end, unless it is the time of day after a date.
 */
int64_t pm_place_pid(pm_text dir, pm_text name);

/* The pid in the name of a folder, whatever its files are. */
int64_t pm_place_folder_pid(pm_text dir);

/* The name of the process in the command of a header line: the basename of its first word, without
 * the colon and the " (deleted)" of titles. May be empty. */
pm_text pm_place_name(pm_text command);

/* The name without its last dot and the text after it. */
pm_text pm_place_stem(pm_text name);

/* The names of a file's siblings in its directory: BEFORE DOT KIND AFTER, where KIND is "stat",
 * "status" and so on. */
typedef struct pm_slot {
    pm_text before, dot, after;
} pm_slot;

/* The slot of a capture: around the word for its kind (smaps, 1234.smaps, x-smaps.txt); if its name
 * has no such word, after a dot in place of its extension. */
pm_slot pm_place_slot(pm_text name);

/* The kind of a sibling, "stat", "status", "comm", "cmdline" or "smaps_rollup", or an empty text.
 * *only: the file cannot also be a capture (DIR/status, STEM.status): x-status.txt may be a
 * capture, and smaps_rollup is one. */
pm_text pm_place_sibling(pm_text name, pm_slot *slot, bool *only);

/* True if the file is a sibling and cannot also be a capture. */
bool pm_place_is_sibling(const char *name);

#endif
