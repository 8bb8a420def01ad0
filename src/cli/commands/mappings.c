/* mappings: pmapdb mappings: the mappings of one snapshot. With --words in words; with --regions by
 * region of the address space, with the sum of each region and the addresses that a filter wants.
 * Chooses the query. */
#include "cli/moment.h"
#include "cli/run.h"
#include "cli/words.h"

#include "api/regions.h"
#include <stdlib.h>

typedef struct mappings {
    pm_cli *cli;
    pm_run_args args;
    bool words;
    const char *regions;   /* path of the CSV file; NULL: not asked for */
    pm_buf skipped;        /* flags as a JSON list without its closing bracket */
    int64_t unknown_flags; /* rows without VmFlags */
    /* For people: */
    int64_t region;     /* of the current row */
    pm_words addresses; /* "0xA, 0xB, " */
    pm_answer_view view;
    pm_value total[PM_QUERY_ITEMS]; /* of the region */
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
    if (pm_buf_addf(skipped, NULL, "%s\"%s\"", skipped->len ? "," : "[", arg) != PMAPDB_OK)
        pm_cli_no_memory();
    return NULL;
}

#define AT(field) offsetof(mappings, field)

static const pm_option options[] = {
    {"words", 0, PM_OPT_FLAG, AT(words), NULL,
     "Permissions and VmFlags in words, largest first (mappings-words)", NULL},
    {"regions", 0, PM_OPT_WORD, AT(regions), "FILE",
     "What lies in each region of a CSV file, START,END in hexadecimal: completely or in part "
     "(mappings-regions)",
     NULL},
    {"skip-flag", 0, PM_OPT_CUSTOM, AT(skipped), "FLAG",
     "With --regions: leave out mappings with that VmFlag, like dd; may be repeated", read_flag},
    {0}};

/* ---- regions ---- */

static void see_flags(void *ctx, const pmapdb_rows *rows)
{
    mappings *m = ctx;
    char within[8], flags[8];

    pm_answer_text(rows, "within", within, sizeof within);
    pm_answer_text(rows, "flags", flags, sizeof flags);
    m->unknown_flags += within[0] && !flags[0];
}

/* Writes the bounds as the CSV file has them: the address after the highest one has 65 bits. */
static void write_heading(const mappings *m, const pmapdb_rows *row, pm_output *out)
{
    unsigned long long end = (unsigned long long)pm_answer_int(row, "region_end");
    int64_t whole = pm_answer_int(row, "region_mappings"),
            part = pm_answer_int(row, "region_parts");

    pm_output_text(out, "%sregion %lld, %llx to %s%0*llx: ", m->region > 1 ? "\n" : "",
                   (long long)m->region, (unsigned long long)pm_answer_int(row, "region_start"),
                   end ? "" : "1", end ? 1 : 16, end);
    if (whole == PMAPDB_UNKNOWN)
        pm_output_text(out, "what lies in it is not known");
    else
        pm_output_text(out, "%lld mapping%s in it", (long long)whole, whole == 1 ? "" : "s");
    if (part > 0)
        pm_output_text(out, ", %lld in part", (long long)part);
    pm_output_text(out, m->cli->format == PM_FORMAT_MD ? "\n\n" : "\n");
}

/* Reads the sums, which every row of a region repeats: region_size_kib is the sum of size_kib. */
static void read_total(mappings *m, const pmapdb_rows *row)
{
    for (int i = 0; i < m->view.n; i++) {
        const pm_column *c = &m->view.column[i];
        bool is_sum = c->unit == PM_UNIT_KIB && strncmp(c->name, "region_", 7) != 0;
        char sum[64];

        snprintf(sum, sizeof sum, "region_%s", c->name);
        m->total[i] =
            is_sum ? pm_value_int(pm_answer_int(row, sum)) : pm_value_text(i ? "" : "TOTAL");
    }
}

static void end_region(const mappings *m, pm_output *out)
{
    if (out->render)
        pm_output_total(out, m->total);
    pm_output_end_rows(out);
}

static void write_region_row(mappings *m, const pmapdb_rows *row, pm_output *out)
{
    pm_value values[PM_QUERY_ITEMS];
    char within[8], address[32];

    see_flags(m, row);
    pm_answer_text(row, "within", within, sizeof within);
    pm_answer_text(row, "address", address, sizeof address);
    if (pm_answer_int(row, "region") != m->region) {
        end_region(m, out);
        m->region = pm_answer_int(row, "region");
        write_heading(m, row, out);
        read_total(m, row);
        if (*within) /* empty if the region has no mappings */
            pm_output_rows(out, m->view.column, m->view.n, NULL);
    }
    if (*address)
        fprintf(m->addresses.out, "%s, ", address);
    pm_run_values(row, m->view.keep, values);
    if (out->render)
        pm_output_row(out, values);
}

/* Writes for people: a table for each region with its sum, and the addresses as a C initializer. */
static void write_regions(mappings *m, pmapdb_rows *rows)
{
    pm_output out;

    pm_output_open(&out, m->cli);
    pm_words_begin(&m->addresses);
    pm_answer_look(m->cli, rows, &m->view);
    while (!pm_output_failed(&out) && pm_run_next(rows))
        write_region_row(m, rows, &out);
    end_region(m, &out);
    pm_words_end(&m->addresses);
    pm_output_text(&out, "\n{ %s}\n", m->addresses.data);
    free(m->addresses.data);
    pm_output_end(&out);
}

static void bind_regions(mappings *m, pmapdb_rows *rows)
{
    pm_buf areas = {0};
    pmapdb_error err;

    pm_cli_must(pm_regions_read(m->regions, &areas, &err), &err);
    pm_cli_must(pmapdb_bind(rows, "regions", areas.data, &err), &err);
    if (m->skipped.len) {
        pm_cli_must(pm_buf_add(&m->skipped, "]", 1, &err), &err);
        pm_cli_must(pmapdb_bind(rows, "skip-flag", m->skipped.data, &err), &err);
    }
    pm_buf_free(&areas);
}

static void answer_regions(mappings *m)
{
    pmapdb_rows *rows;

    pm_run_open(&m->args);
    rows = pm_run_query(&m->args, "mappings-regions");
    bind_regions(m, rows);
    pm_moment_say_sums_only(&m->args);
    if (pm_cli_is_for_people(m->cli))
        write_regions(m, rows);
    else
        pm_answer_write(m->cli, rows, see_flags, m);
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
