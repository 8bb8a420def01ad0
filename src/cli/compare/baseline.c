/* baseline: pmapdb baseline [RUNS...] : what runs held, as the rows that compare reads; makes and
 * updates the file that a repository keeps. */
#include "cli/compare/compare.h"
#include "cli/options/options.h"

#include <unistd.h>

#define KEEP 10 /* runs that --update leaves in the file */

typedef struct baseline {
    pm_runs_options from;
    const char *update;
    int64_t keep; /* 0: all */
} baseline;

#define AT(field) offsetof(baseline, field)

static const pm_option options[] = {
    {"update", 0, PM_OPT_WORD, AT(update), "FILE",
     "Add the runs to this file; the newest 10 stay, or --keep"},
    {"keep", 0, PM_OPT_COUNT, AT(keep), "N", "Only the newest N runs"},
    {"warm-up", 0, PM_OPT_TEXT, AT(from.warm_up), "SPAN",
     "Time after the start of each run that only the peak covers (a tenth)"},
    {"work", 0, PM_OPT_WORD, AT(from.work), "FILE",
     "A counter of work, CSV with time,count: cuts the runs by requests"},
    {"process", 'p', PM_OPT_WORD, AT(from.process), "NAME", "Of stores that have several names"},
    {"dialect", 0, PM_OPT_TEXT, AT(from.dialect), "NAME", "Only captures of this dialect"},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "[RUNS]..."};

int pm_cli_baseline(pm_cli *cli, int argc, char **argv)
{
    baseline b = {.keep = 0};
    int n = pm_options_parse(cli, &syntax, &b, argc, argv);
    pm_buf sources = {0};
    char keep[24];
    pmapdb_store *store;
    pmapdb_rows *rows;

    for (int i = 1; i <= n || i == 1; i++)
        pm_sources_add(&sources, cli, n ? argv[i] : NULL, false, &b.from);
    if (b.update && access(b.update, F_OK) == 0)
        pm_sources_add(&sources, cli, b.update, false, &b.from);
    if (b.update) {
        cli->output = b.update;
        b.keep = b.keep ? b.keep : KEEP;
    }
    if (cli->output && cli->format == PM_FORMAT_TABLE)
        cli->format = PM_FORMAT_CSV;
    snprintf(keep, sizeof keep, "%lld", (long long)b.keep);
    store = pm_sources_end(&sources, cli);
    rows = pm_answer_ask(
        store, "baseline-rows",
        (pm_answer_arg[]){{"sources", sources.data}, {"keep", b.keep ? keep : NULL}, {0}});
    pm_answer_write(cli, rows, NULL, NULL);
    pmapdb_close(store);
    pm_buf_free(&sources);
    return PM_EXIT_OK;
}
