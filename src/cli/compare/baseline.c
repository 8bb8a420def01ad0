/* baseline: pmapdb baseline [RUNS...] : what runs held, as the rows that compare reads; makes and
 * updates the file that a repository keeps. */
#include "cli/compare/compare.h"
#include "cli/options/options.h"
#include "cli/output.h"

#include <unistd.h>

#define KEEP 10 /* runs of --update */

typedef struct baseline {
    pm_cli *cli;
    pm_runs_options from;
    const char *update;
    int64_t keep; /* 0: all */
    pm_runs runs;
} baseline;

#define AT(field) offsetof(baseline, field)

static const pm_option options[] = {
    {"update", 0, PM_OPT_WORD, AT(update), "FILE",
     "Add the runs to this file; the newest 10 stay, or --keep", NULL},
    {"keep", 0, PM_OPT_COUNT, AT(keep), "N", "Only the newest N runs", NULL},
    {"warm-up", 0, PM_OPT_TEXT, AT(from.warm_up), "SPAN",
     "Time after the start of each run that only the peak covers (a tenth)", NULL},
    {"work", 0, PM_OPT_WORD, AT(from.work), "FILE",
     "A counter of work, CSV with time,count: cuts the runs by requests", NULL},
    {"process", 'p', PM_OPT_WORD, AT(from.process), "NAME", "Of stores that have several names",
     NULL},
    {"dialect", 0, PM_OPT_TEXT, AT(from.dialect), "NAME", "Only captures of this dialect", NULL},
    {0}};

static const pm_syntax syntax = {.options = options, .operands = "[RUNS]..."};

/* ---- rows ---- */

enum { RUN, BLOCK, AT_S, WORK, KEY, MAPPINGS, RSS, RSS_MAX, DIALECT, PAGE, COLUMNS };

static const pm_column columns[COLUMNS] = {
    [RUN] = {"run", PM_UNIT_TIME},         [BLOCK] = {"block", PM_UNIT_INT},
    [AT_S] = {"at_s", PM_UNIT_REAL},       [WORK] = {"work", PM_UNIT_REAL},
    [KEY] = {"key", PM_UNIT_CATEGORY},     [MAPPINGS] = {"mappings", PM_UNIT_REAL},
    [RSS] = {"rss_kib", PM_UNIT_KIB},      [RSS_MAX] = {"rss_max_kib", PM_UNIT_KIB},
    [DIALECT] = {"dialect", PM_UNIT_TEXT}, [PAGE] = {"page_kib", PM_UNIT_KIB},
};

static void write_row(pm_output *out, const pm_runs *runs, const pm_run_point *p)
{
    const pm_one_run *run = &runs->run[p->run];
    pm_text dialect = pm_pool_text_get(runs->keys, run->dialect);
    char began[PM_CLOCK_TEXT];
    pm_value values[COLUMNS];

    pm_clock_format(run->began_ms, began);
    values[RUN] = pm_value_text(began);
    values[BLOCK] = pm_value_int(p->block);
    values[AT_S] = pm_value_real(run->at_s[p->block]);
    values[WORK] = pm_value_real(run->work[p->block]);
    values[KEY] = (pm_value){.kind = PM_VALUE_TEXT, .t = pm_pool_text_get(runs->keys, p->key)};
    values[MAPPINGS] = pm_value_real(p->mappings);
    values[RSS] = pm_value_real(p->rss_kib);
    values[RSS_MAX] = pm_value_real(p->rss_max_kib);
    values[DIALECT] = (pm_value){.kind = dialect.len ? PM_VALUE_TEXT : PM_VALUE_NULL, .t = dialect};
    values[PAGE] = pm_value_real(run->page_kib);
    pm_output_row(out, values);
}

/* The oldest run that is neither left out nor written yet; NULL: all are. */
static pm_one_run *next_run(const pm_runs *runs)
{
    pm_one_run *next = NULL;

    for (size_t i = 0; i < runs->n; i++)
        if (!runs->run[i].left_out && (!next || runs->run[i].began_ms < next->began_ms))
            next = &runs->run[i];
    return next;
}

static void write_runs(const baseline *b)
{
    static const pm_about about = {.name = {"baseline", 8},
                                   .title = {"Runs in ten blocks each", 23},
                                   .narrow = {"run block at_s key rss_kib", 26}};
    pm_one_run *run;
    pm_output out;

    pm_output_open(&out, b->cli);
    pm_output_rows(&out, columns, COLUMNS, &about);
    while ((run = next_run(&b->runs))) {
        for (size_t i = 0; i < b->runs.n_points; i++)
            if (&b->runs.run[b->runs.point[i].run] == run)
                write_row(&out, &b->runs, &b->runs.point[i]);
        run->left_out = true;
    }
    pm_output_end(&out);
}

/* ---- which runs ---- */

/* Of the runs that began at one time only the first stays: an update replaces a run. Of all runs
 * the newest stay, if `keep` says how many. */
static void leave_out(pm_runs *runs, int64_t keep)
{
    for (size_t i = 0; i < runs->n; i++)
        for (size_t j = 0; j < i; j++)
            runs->run[i].left_out |= runs->run[i].began_ms == runs->run[j].began_ms;
    for (size_t i = 0; i < runs->n && keep; i++) {
        int64_t newer = 0;

        for (size_t j = 0; j < runs->n; j++)
            newer += !runs->run[j].left_out && runs->run[j].began_ms > runs->run[i].began_ms;
        if (newer >= keep)
            runs->run[i].left_out = true;
    }
}

/* ---- the command ---- */

int pm_cli_baseline(pm_cli *cli, int argc, char **argv)
{
    baseline b = {.cli = cli};
    int n = pm_options_parse(cli, &syntax, &b, argc, argv);

    pm_runs_open(&b.runs);
    for (int i = 1; i <= n || i == 1; i++)
        pm_runs_read(&b.runs, cli, n ? argv[i] : NULL, false, &b.from);
    if (b.update && access(b.update, F_OK) == 0)
        pm_runs_read(&b.runs, cli, b.update, false, &b.from);
    if (b.update) {
        cli->output = b.update;
        b.keep = b.keep ? b.keep : KEEP;
    }
    if (cli->output && cli->format == PM_FORMAT_TABLE)
        cli->format = PM_FORMAT_CSV;
    leave_out(&b.runs, b.keep);
    write_runs(&b);
    pm_runs_free(&b.runs);
    return PM_EXIT_OK;
}
