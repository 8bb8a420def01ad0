/* prune_show: what a prune prints: a row per series, of a dry run a row per moment; progress on a
 * terminal; a summary. */
#ifndef PM_CLI_PRUNE_SHOW_H
#define PM_CLI_PRUNE_SHOW_H

#include "cli/cli.h"

typedef struct pm_prune_show {
    const pm_cli *cli;
    pm_render *render;
    const pmapdb_prune_result *result; /* filled in when the series are told */
    bool progress;                     /* a line on the terminal that is written over */
    int64_t shown_ms;                  /* when it was last */
    pmapdb_status st;                  /* of the output; once it failed, nothing more is written */
    pmapdb_error err;
} pm_prune_show;

/* From now on SIGINT and SIGTERM end the work behind the transaction at hand. */
pmapdb_status pm_prune_show_open(pm_prune_show *s, const pm_cli *cli, const pm_sink *sink,
                                 bool moments, const pmapdb_prune_result *result,
                                 pmapdb_error *err);
/* Completes the output where st is PMAPDB_OK; returns the first trouble. */
pmapdb_status pm_prune_show_close(pm_prune_show *s, pmapdb_status st, pmapdb_error *err);

/* For pmapdb_prune_options and pmapdb_compact_options; ctx is the pm_prune_show. */
void pm_prune_show_moment(void *ctx, const pmapdb_prune_moment *moment);
void pm_prune_show_series(void *ctx, const pmapdb_prune_series *series);
bool pm_prune_show_progress(void *ctx, const char *step, uint64_t done, uint64_t of);

#endif
