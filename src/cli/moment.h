/* moment: the two moments of a diff in words, and what answers lack. */
#ifndef PM_CLI_MOMENT_H
#define PM_CLI_MOMENT_H

#include "cli/run.h"

/* Returns the row of the query diff-summary about the moments that a query like diff-total gives;
 * `more` are further arguments. Ends the program if both moments are the same. */
pmapdb_rows *pm_moment_compare(const pm_run_args *args, const char *totals,
                               const pm_answer_arg *more);

/* Says on standard error what the answer of a query lacks. */
void pm_moment_say(const pm_run_args *args, pm_text query);
/* Says the rows of the query notes, and closes it. */
void pm_moment_say_notes(const pm_cli *cli, pmapdb_rows *notes);

#endif
