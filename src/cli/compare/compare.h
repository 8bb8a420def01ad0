/* compare: shared by the parts of pmapdb compare and pmapdb baseline. */
#ifndef PM_CLI_COMPARE_H
#define PM_CLI_COMPARE_H

#include "base/buf.h"
#include "cli/answer.h"

/* ---- sources: the runs of stores, of names in the store, and of files of baseline ---- */

/* How stores are read: parameters of the query runs; NULL: its default. */
typedef struct pm_runs_options {
    const char *process, *warm_up, *dialect;
    const char *work; /* path of a counter of work: a CSV file */
} pm_runs_options;

/* Adds the runs of a source to *sources: a store, a file of baseline, or NAME, NAME@FROM..TO or
 * NAME@KEY=VALUE (a label of the host) in the store of --db; NULL: the process of the options
 * there. Ends the program if the source has no runs. */
void pm_sources_add(pm_buf *sources, const pm_cli *cli, const char *source, bool of_b,
                    const pm_runs_options *options);

/* Completes the sources. Returns a store in memory, for queries about them. */
pmapdb_store *pm_sources_end(pm_buf *sources, const pm_cli *cli);

/* ---- gates: what --fail-on asks ---- */

/* Appends the gates as JSON, as the queries compare-rows and compare-gates take them; nothing
 * if no gate is given. Ends the program if a gate cannot be read. */
void pm_gates_read(const pm_cli *cli, const pm_cli_list *given, pm_buf *json);

#endif
