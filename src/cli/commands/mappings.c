/* mappings: pmapdb mappings: the mappings of one snapshot; with --words in words; with --regions by
 * region of the address space, and the addresses as a C initializer, for a filter. */
#include "cli/run.h"

#include "api/regions.h"

typedef struct mappings {
    pm_cli *cli;
    pm_run_args args;
    bool words;
    const char *regions;   /* path of the CSV file; NULL: not asked for */
    pm_buf skipped;        /* flags as a JSON list without its closing bracket */
    int64_t unknown_flags; /* rows without VmFlags */
    pm_buf addresses;      /* "0xA, 0xB, " */
} mappings;

/* ---- options ---- */

static const char *read_flag(const char *arg, void *value)
{
    pm_buf *skipped = value;
    bool letters = strlen(arg) == 2;

    for (size_t i = 0; letters && i < 2; i++)
        letters = arg[i] >= 'a' && arg[i] <= 'z';
    if (!letters)
        return "two letters of VmFlags like dd";
    pm_buf_addf(skipped, NULL, "%s\"%s\"", skipped->len ? "," : "[", arg);
    return NULL;
}

#define AT(field) offsetof(mappings, field)

static const pm_option options[] = {
    {"words", 0, PM_OPT_FLAG, AT(words), NULL,
     "Permissions and VmFlags in words, largest first (mappings-words)"},
    {"regions", 0, PM_OPT_WORD, AT(regions), "FILE",
     "What lies in each region of a CSV file, START,END in hexadecimal: completely or in part "
     "(mappings-regions)"},
    {"skip-flag", 0, PM_OPT_CUSTOM, AT(skipped), "FLAG",
     "With --regions: leave out mappings with that VmFlag, like dd; may be repeated", read_flag},
    {0}};

/* ---- regions ---- */

static void see_row(void *ctx, const pmapdb_rows *rows)
{
    mappings *m = ctx;
    const char *address = pm_answer_bytes(rows, "address").data;

    m->unknown_flags += pm_answer_bytes(rows, "within").len && !pm_answer_bytes(rows, "flags").len;
    if (address)
        pm_buf_addf(&m->addresses, NULL, "%s, ", address);
}

static void bind_regions(mappings *m, pmapdb_rows *rows)
{
    pm_buf areas = {0};
    pmapdb_error err;

    pm_cli_must(pm_regions_read(m->regions, &areas, &err), &err);
    pm_answer_bind(rows, "regions", areas.data);
    if (m->skipped.len)
        pm_buf_addf(&m->skipped, NULL, "]");
    pm_answer_bind(rows, "skip-flag", m->skipped.len ? pm_cli_text(&m->skipped) : NULL);
    pm_buf_free(&areas);
}

/* For people, also writes the addresses as a C initializer. */
static void answer_regions(mappings *m)
{
    pm_answer_view view;
    pmapdb_rows *rows;
    pm_output out;

    pm_run_open(&m->args);
    rows = pm_run_query(&m->args, "mappings-regions");
    bind_regions(m, rows);
    pm_moment_say(&m->args, PM_TEXT("mappings-regions"));
    pm_output_open(&out, m->cli);
    pm_answer_rows(&out, rows, &view, see_row, m);
    pm_output_end_rows(&out);
    if (pm_cli_is_for_people(m->cli))
        fprintf(out.text, "\n{ %s}\n", pm_cli_text(&m->addresses));
    pm_output_end(&out);
    pm_buf_free(&m->addresses);
    if (m->skipped.len && m->unknown_flags)
        pm_cli_say("the VmFlags of %lld mapping%s are not known: --skip-flag left none of them out",
                   (long long)m->unknown_flags, m->unknown_flags == 1 ? "" : "s");
    pmapdb_rows_close(rows);
    pm_run_end(&m->args);
}

int pm_cli_mappings(pm_cli *cli, int argc, char **argv)
{
    mappings m = {.cli = cli};

    m.args = (pm_run_args){.cli = cli, .query = "mappings", .own = options, .own_values = &m};
    pm_run_parse(&m.args, argc, argv);
    if (m.words && m.regions)
        pm_cli_usage(cli, "--words and --regions do not go together");
    if (m.skipped.len && !m.regions)
        pm_cli_usage(cli, "--skip-flag goes with --regions");
    if (m.regions)
        answer_regions(&m);
    else
        pm_run_answer(&m.args, m.words ? "mappings-words" : "mappings");
    pm_buf_free(&m.skipped);
    return PM_EXIT_OK;
}
