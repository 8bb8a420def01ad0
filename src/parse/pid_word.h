/* pid_word: finds the process that a line of a log names. */
#ifndef PM_PARSE_PID_WORD_H
#define PM_PARSE_PID_WORD_H

#include "base/text.h"
#include <stdint.h>

/* True if the line names exactly one process, once or several times: "PID 4711", "pid=4711,",
 * "process 4711", "(pid: 4711)", "/proc/4711/smaps" ("maps", "smaps_rollup"). A number is 1 to
 * 4194304, has no leading zero and stands alone: "pid 4711/4712" and "pid 12.5" do not name a
 * process. */
bool pm_pid_in_words(pm_text line, int64_t *pid);

#endif
