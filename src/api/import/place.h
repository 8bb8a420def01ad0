/* place: what the path of a file says about the capture in it. */
#ifndef PM_API_PLACE_H
#define PM_API_PLACE_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

/* The pid in a path, or PMAPDB_UNKNOWN: /1234/smaps, pid1234, pid-1234, 1234.smaps, smaps.1234,
 * 1234.nmt, and -1234 before the last dot or the end, where it is not the time of day after a date.
 */
int64_t pm_place_pid(pm_text dir, pm_text name);

/* The same for the folder of `path` and a name that may lack an ending like .gz. */
int64_t pm_place_path_pid(const char *path, const char *name);

/* The pid in the name of a folder, whatever files are in it. */
int64_t pm_place_folder_pid(pm_text dir);

/* The name of the process in a header line's command: the basename of its first word, without the
 * colon and the " (deleted)" that titles carry. May be empty. */
pm_text pm_place_name(pm_text command);

/* The name without the part from its last dot on. */
pm_text pm_place_stem(pm_text name);

/* The names of a file's siblings in its directory: BEFORE DOT KIND AFTER, where KIND is "stat",
 * "status" and so on. */
typedef struct pm_slot {
    pm_text before, dot, after;
} pm_slot;

/* The slot of a capture: around the word that says what it is (smaps, 1234.smaps, x-smaps.txt);
 * where its name has no such word, after a dot in place of its ending. */
pm_slot pm_place_slot(pm_text name);

/* The kind of a sibling, "stat", "status", "comm", "cmdline" or "smaps_rollup", or an empty
 * text. *only: the file cannot be a capture as well (DIR/status, STEM.status): x-status.txt may be
 * one, and smaps_rollup is one. */
pm_text pm_place_sibling(pm_text name, pm_slot *slot, bool *only);

/* The file is a sibling and cannot be a capture as well. */
bool pm_place_is_sibling(const char *name);

#endif
