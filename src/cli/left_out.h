/* left_out: who is left out of a moment although it was captured near it. */
#ifndef PM_CLI_LEFT_OUT_H
#define PM_CLI_LEFT_OUT_H

#include "cli/run.h"

/* Says on standard error how many names the query left-out has for these arguments. */
pmapdb_status pm_left_out_say(const pm_run_args *args, pmapdb_store *store, pmapdb_error *err);

#endif
