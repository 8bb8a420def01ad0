/* pid_word: the process that a line of a log speaks of. */
#ifndef PM_PARSE_PID_WORD_H
#define PM_PARSE_PID_WORD_H

#include "base/text.h"
#include <stdint.h>

/* The line names exactly one process, once or several times: "PID 4711", "pid=4711,", "process
 * 4711", "(pid: 4711)", "/proc/4711/smaps" ("maps", "smaps_rollup"). A number is 1 to 4194304
 * without leading zero and stands alone: "pid 4711/4712" and "pid 12.5" name none. */
bool pm_pid_in_words(pm_text line, int64_t *pid);

#endif
