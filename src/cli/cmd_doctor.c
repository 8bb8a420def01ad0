/* cmd_doctor: pmapdb doctor: whether the store is whole, whether captures arrive, what they cost,
 * how long it lasts. */
#include "cli/write.h"

#include "base/num.h"
#include "cli/value.h"
#include <math.h>
#include <stdio.h>

enum { KEY_DEEP = 0x4000, KEY_COMPACT, KEY_MAX_SIZE };

static const struct argp_option options[] = {
    {"deep", KEY_DEEP, NULL, 0,
     "Also hold every index, every reference and the sums of every snapshot against the rows", 0},
    {"compact", KEY_COMPACT, NULL, 0,
     "Also join what late captures split, and give unused space back; the only form that writes",
     0},
    {"max-size", KEY_MAX_SIZE, "SIZE", 0, "What the store may grow to: 2G (the disk)", 0},
    {0}};

/* A table and Markdown show the first four; Prometheus gets what is a label or a number. */
static const struct {
    pm_column column;
    const char *help;
} columns[] = {
    {{"check", PM_UNIT_TEXT}, "What was looked at"},
    {{"state", PM_UNIT_TEXT}, "ok, note (worth knowing), trouble (something is to be done)"},
    {{"value", PM_UNIT_TEXT}, "What was found"},
    {{"detail", PM_UNIT_TEXT}, "Where, since when, what to do"},
    {{"number", PM_UNIT_REAL}, "The value where it is a number"},
    {{"unit", PM_UNIT_TEXT}, "Of the number: KiB, ms, snapshots, ..."},
    {{"level", PM_UNIT_INT}, "0 ok, 1 note, 2 trouble"},
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

typedef struct doctor_cli {
    pm_cli *cli;
    pmapdb_doctor_options doctor;
    pmapdb_doctor_result result;
    const char *path;
    pm_render *render;
    pmapdb_status st; /* of the output */
    pmapdb_error err;
} doctor_cli;

static bool is_shown(const pm_cli *cli, const char *column)
{
    static const char *const not_for_gauges[] = {"state", "value", "detail"};
    bool number = strcmp(column, "number") == 0 || strcmp(column, "unit") == 0 ||
                  strcmp(column, "level") == 0;

    if (pm_cli_is_for_people(cli) && !cli->wide)
        return !number;
    for (size_t i = 0; cli->format == PM_FORMAT_PROMETHEUS && i < 3; i++)
        if (strcmp(column, not_for_gauges[i]) == 0)
            return false;
    return true;
}

static void tell(void *ctx, const pmapdb_doctor_event *e)
{
    static const char *const states[] = {"ok", "note", "trouble"};
    doctor_cli *d = ctx;
    const pm_value all[N_COLUMNS] = {
        pm_value_text(e->check),
        pm_value_text(states[e->state]),
        pm_value_text(*e->value ? e->value : NULL),
        pm_value_text(*e->detail ? e->detail : NULL),
        {.kind = isnan(e->number) ? PM_VALUE_NULL : PM_VALUE_REAL, .r = e->number},
        pm_value_text(*e->unit ? e->unit : NULL),
        pm_value_int((int64_t)e->state),
    };
    pm_value values[N_COLUMNS];
    int n = 0;

    for (int i = 0; i < N_COLUMNS; i++)
        if (is_shown(d->cli, columns[i].column.name))
            values[n++] = all[i];
    if (d->st == PMAPDB_OK)
        d->st = pm_render_row(d->render, values, &d->err);
}

static pmapdb_status write_checks(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    doctor_cli *d = ctx;
    pm_render_options how = pm_cli_render_options(d->cli);
    pm_column shown[N_COLUMNS];
    pm_text help[N_COLUMNS];
    pm_about about = {
        .name = PM_TEXT("doctor"), .title = PM_TEXT("How the store is"), .help = help};
    int n = 0;
    pmapdb_status st;

    for (int i = 0; i < N_COLUMNS; i++)
        if (is_shown(d->cli, columns[i].column.name)) {
            shown[n] = columns[i].column;
            help[n++] = pm_text_of(columns[i].help);
        }
    how.about = &about;
    d->doctor.ctx = d;
    d->doctor.on_event = tell;
    st = pm_render_new(&how, sink, shown, n, &d->render, err);
    if (st == PMAPDB_OK)
        st = pmapdb_doctor(d->path, &d->doctor, &d->result, err);
    if (st == PMAPDB_OK && d->st != PMAPDB_OK) {
        *err = d->err;
        st = d->st;
    }
    if (st == PMAPDB_OK)
        st = pm_render_end(d->render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(d->cli, d->render);
    pm_render_free(d->render);
    return st;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    doctor_cli *d = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = d->cli;
        return 0;
    case KEY_DEEP:
        d->doctor.deep = true;
        return 0;
    case KEY_COMPACT:
        d->doctor.compact = true;
        return 0;
    case KEY_MAX_SIZE:
        if (!pm_num_size(pm_text_of(arg), &d->doctor.max_size_kib))
            argp_error(state, "--max-size wants a size like 2G, not '%s'", arg);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "what is '%s'?", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "Columns:", as the help of a query has it. */
static char *add_columns(int key, const char *text, void *input)
{
    char *all = NULL;
    size_t size = 0;
    FILE *out;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC || !(out = open_memstream(&all, &size)))
        return (char *)text;
    fprintf(out, "%s\nColumns:\n", text);
    for (int i = 0; i < N_COLUMNS; i++)
        fprintf(out, "  %-23s %-8s %s\n", columns[i].column.name,
                pm_unit_name(columns[i].column.unit), columns[i].help);
    fclose(out);
    return all;
}

int pm_cli_doctor(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Says how the store is: whether it is whole, whether captures arrive, what they cost, how "
        "long it lasts. Reads only, unless --compact; also what is damaged, as far as that "
        "goes.\vCounted are the last 7 days of the store. What a check counts is listed by the "
        "queries sweeps, gaps, refusals, read-cost, clock-jumps, store-growth, unknown-fields. A "
        "capture that ran for a day on this machine and is late by three steps is trouble, for a "
        "week. With --deep a damaged snapshot is named; a damaged store is read so without it.\n\n"
        "Exit status: 0 done; 2 where something is trouble, or there is no store.\n",
        children,
        add_columns,
        NULL};
    doctor_cli d = {.cli = cli};
    char path[4096];
    pmapdb_error err;
    pmapdb_status st;

    pmapdb_doctor_defaults(&d.doctor);
    pm_cli_parse(&argp, argc, argv, 0, &d);
    st = pm_cli_find_store(cli, false, path, sizeof path, &err);
    d.path = path;
    if (st == PMAPDB_OK)
        st = pm_cli_write_with(cli, write_checks, &d, &err);
    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    return d.result.troubles ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
