/* work: a counter of the work that a server has done, as a CSV file. */
#ifndef PM_CLI_COMPARE_WORK_H
#define PM_CLI_COMPARE_WORK_H

#include "base/buf.h"

/* Reads rows of time,count (requests so far), in order of time, into `json`: the parameter work of
 * the query runs, [[ms,count,part],...]. Where a count is smaller than the one before, the
 * counter began anew at 0: another part begins, and the counts of all parts are added up. Ends the
 * program if the file is not such a table. */
void pm_work_read(const char *path, pm_buf *json);

#endif
