/* doctor: pmapdb doctor: whether the store is intact, whether captures arrive, what they cost, how
 * long its space lasts. */
#include "cli/options/options.h"
#include "cli/output.h"

#include <string.h>

typedef struct doctor {
    pm_cli *cli;
    pmapdb_doctor_options o;
    pm_output out;
} doctor;

#define AT(field) offsetof(doctor, field)

static const pm_option options[] = {
    {"deep", 0, PM_OPT_FLAG, AT(o.deep), NULL,
     "Also check every index, every reference and the sums of every snapshot against the rows"},
    {"max-size", 0, PM_OPT_SIZE, AT(o.max_size_kib), "SIZE",
     "Size that the store may grow to: 2G (default: the disk)"},
    {0}};

/* Tables and Markdown show the first four columns; Prometheus gets labels and numbers. */
static const struct {
    pm_column column;
    const char *help;
} columns[] = {{{"check", PM_UNIT_TEXT}, "What was checked"},
               {{"state", PM_UNIT_TEXT}, "ok, note (worth knowing), trouble (needs action)"},
               {{"value", PM_UNIT_TEXT}, "What was found"},
               {{"detail", PM_UNIT_TEXT}, "Where, since when, what to do"},
               {{"number", PM_UNIT_REAL}, "The value where it is a number"},
               {{"unit", PM_UNIT_TEXT}, "Of the number: KiB, ms, snapshots, ..."},
               {{"level", PM_UNIT_INT}, "0 ok, 1 note, 2 trouble"}};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

static const pm_syntax syntax = {.options = options};

static bool is_shown(const pm_cli *cli, int i)
{
    if (pm_cli_is_for_people(cli) && !cli->wide)
        return i < 4;
    return cli->format != PM_FORMAT_PROMETHEUS || i == 0 || i >= 4;
}

static void on_event(void *ctx, const pmapdb_doctor_event *e)
{
    static const char *const states[] = {"ok", "note", "trouble"};
    doctor *d = ctx;
    const pm_value all[N_COLUMNS] = {pm_value_text(e->check),
                                     pm_value_text(states[e->state]),
                                     pm_value_text(*e->value ? e->value : NULL),
                                     pm_value_text(*e->detail ? e->detail : NULL),
                                     pm_value_real(e->number),
                                     pm_value_text(*e->unit ? e->unit : NULL),
                                     pm_value_int((int64_t)e->state)};
    pm_value values[N_COLUMNS];
    int n = 0;

    for (int i = 0; i < N_COLUMNS; i++)
        if (is_shown(d->cli, i))
            values[n++] = all[i];
    pm_output_row(&d->out, values);
}

int pm_cli_doctor(pm_cli *cli, int argc, char **argv)
{
    doctor d = {.cli = cli};
    pmapdb_doctor_result result;
    pm_column shown[N_COLUMNS];
    pm_text help[N_COLUMNS];
    pm_about about = {
        .name = PM_TEXT("doctor"), .title = PM_TEXT("State of the store"), .help = help};
    char path[PM_CLI_PATH];
    pmapdb_error err;
    int n = 0;

    pmapdb_doctor_defaults(&d.o);
    pm_options_parse(cli, &syntax, &d, argc, argv);
    pm_cli_find_store(cli, false, path);
    for (int i = 0; i < N_COLUMNS; i++)
        if (is_shown(cli, i)) {
            shown[n] = columns[i].column;
            help[n++] = pm_text_of(columns[i].help);
        }
    pm_output_open(&d.out, cli);
    pm_output_rows(&d.out, shown, n, &about);
    d.o.ctx = &d;
    d.o.on_event = on_event;
    pm_cli_must(pmapdb_doctor(path, &d.o, &result, &err), &err);
    pm_output_end(&d.out);
    return result.troubles ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
