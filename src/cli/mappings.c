/* mappings: pmapdb mappings: those of one snapshot, also in words, or by region of the address
 * space with the sum of each and the addresses that a filter wants. It chooses the query. */
#include "cli/named.h"
#include "cli/side.h"
#include "cli/value.h"
#include "cli/write.h"

#include "api/regions.h"
#include <stdio.h>
#include <string.h>

static const char more[] =
    "A region begins with START; END is the first address behind it or, where it ends in fff, its "
    "last one. 0x may stand before them, WinDbg's backtick in them, and the names start and end in "
    "the first line. Sums and the addresses at the end are of the mappings that lie in a region "
    "altogether.";

typedef struct mappings {
    pm_cli *cli;
    pm_run_args args;
    bool words;
    const char *regions;   /* the file; NULL: not asked for */
    pm_buf areas, skipped; /* what the query is given */
    pm_buf addresses;      /* "0xA, 0xB, " */
    pmapdb_rows *rows;
    int64_t unknown_flags; /* rows without VmFlags */
    /* for people: */
    int64_t region;    /* of the row at hand */
    pm_render *render; /* its table, or NULL: nothing lies in it */
    pm_column column[PM_QUERY_ITEMS];
    pm_value total[PM_QUERY_ITEMS];
    int n;
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
    {"regions", 0, PM_OPT_FILE, AT(regions), "FILE",
     "What lies in each region of a CSV file, START,END in hexadecimal: whole, or in part "
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

    pm_side_text(rows, "within", within, sizeof within);
    pm_side_text(rows, "flags", flags, sizeof flags);
    m->unknown_flags += within[0] && !flags[0];
}

/* As the region's file has it: what is behind the highest address takes 65 bits. */
static pmapdb_status add_place(const mappings *m, const pmapdb_rows *rows, pm_buf *line,
                               pmapdb_error *err)
{
    unsigned long long end = (unsigned long long)pm_side_int(rows, "region_end");

    return pm_buf_addf(line, err, "%sregion %lld, %llx to %s%0*llx: ", m->region > 1 ? "\n" : "",
                       (long long)m->region, (unsigned long long)pm_side_int(rows, "region_start"),
                       end ? "" : "1", end ? 1 : 16, end);
}

static pmapdb_status write_heading(const mappings *m, const pmapdb_rows *rows, const pm_sink *sink,
                                   pmapdb_error *err)
{
    int64_t whole = pm_side_int(rows, "region_mappings"), part = pm_side_int(rows, "region_parts");
    pm_buf line = {0};
    pmapdb_status st = add_place(m, rows, &line, err);

    if (st == PMAPDB_OK && whole == PMAPDB_UNKNOWN)
        st = pm_buf_addf(&line, err, "what lies in it is not known");
    else if (st == PMAPDB_OK)
        st = pm_buf_addf(&line, err, "%lld mapping%s in it", (long long)whole,
                         whole == 1 ? "" : "s");
    if (st == PMAPDB_OK && part > 0)
        st = pm_buf_addf(&line, err, ", %lld in part", (long long)part);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&line, err, "%s", m->cli->format == PM_FORMAT_MD ? "\n\n" : "\n");
    if (st == PMAPDB_OK)
        st = sink->write(sink->ctx, line.data, line.len, err);
    pm_buf_free(&line);
    return st;
}

/* The sums are in every row of the region: region_size_kib is that of size_kib. */
static void take_total(mappings *m, const pmapdb_rows *rows)
{
    for (int i = 0; i < m->n; i++) {
        const pm_column *c = &m->column[i];
        char sum[64];

        snprintf(sum, sizeof sum, "region_%s", c->name);
        if (i == 0)
            m->total[i] = pm_value_text("TOTAL");
        else if (c->unit == PM_UNIT_KIB && strncmp(c->name, "region_", 7) != 0)
            m->total[i] = pm_value_int(pm_side_int(rows, sum));
        else
            m->total[i] = pm_value_text("");
    }
}

static pmapdb_status end_region(mappings *m, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!m->render)
        return st;
    st = pm_render_total(m->render, m->total, err);
    if (st == PMAPDB_OK)
        st = pm_render_end(m->render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(m->cli, m->render);
    pm_render_free(m->render);
    m->render = NULL;
    return st;
}

static pmapdb_status begin_region(mappings *m, const pmapdb_rows *rows, const pm_sink *sink,
                                  const char *within, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(m->cli);
    pmapdb_status st = end_region(m, err);

    m->region = pm_side_int(rows, "region");
    if (st == PMAPDB_OK)
        st = write_heading(m, rows, sink, err);
    take_total(m, rows);
    if (st == PMAPDB_OK && *within)
        st = pm_render_new(&how, sink, m->column, m->n, &m->render, err);
    return st;
}

static pmapdb_status write_region_row(mappings *m, const pmapdb_rows *rows, const pm_sink *sink,
                                      const bool *keep, pmapdb_error *err)
{
    pm_value values[PM_QUERY_ITEMS];
    char within[8], address[32];
    pmapdb_status st = PMAPDB_OK;

    pm_side_text(rows, "within", within, sizeof within);
    pm_side_text(rows, "address", address, sizeof address);
    see_flags(m, rows);
    if (pm_side_int(rows, "region") != m->region)
        st = begin_region(m, rows, sink, within, err);
    if (st == PMAPDB_OK && *address)
        st = pm_buf_addf(&m->addresses, err, "%s, ", address);
    pm_run_values(rows, keep, values);
    return st == PMAPDB_OK && m->render ? pm_render_row(m->render, values, err) : st;
}

/* For people: a table per region with its sum, and the addresses as an initializer in C. */
static pmapdb_status write_regions(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    mappings *m = ctx;
    bool keep[PM_QUERY_ITEMS], has = false;
    pm_buf line = {0};
    pmapdb_status st;

    m->n = pm_run_columns(m->cli, m->rows, keep, m->column);
    while ((st = pmapdb_next(m->rows, &has, err)) == PMAPDB_OK && has) {
        st = write_region_row(m, m->rows, sink, keep, err);
        if (st != PMAPDB_OK)
            break;
    }
    if (st == PMAPDB_OK)
        st = end_region(m, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&line, err, "\n{ %s}\n", m->addresses.data ? m->addresses.data : "");
    if (st == PMAPDB_OK)
        st = sink->write(sink->ctx, line.data, line.len, err);
    pm_buf_free(&line);
    return st;
}

static pmapdb_status give_regions(mappings *m, pmapdb_error *err)
{
    pm_regions regions = {0};
    pmapdb_status st = pm_regions_read(m->regions, &regions, err);

    if (st == PMAPDB_OK)
        st = pm_regions_json(&regions, &m->areas, err);
    if (st == PMAPDB_OK)
        st = pmapdb_bind(m->rows, "regions", m->areas.data, err);
    if (st == PMAPDB_OK && m->skipped.len)
        st = pm_buf_add(&m->skipped, "]", 1, err);
    if (st == PMAPDB_OK && m->skipped.len)
        st = pmapdb_bind(m->rows, "skip-flag", m->skipped.data, err);
    pm_regions_free(&regions);
    return st;
}

static pmapdb_status run_regions(mappings *m, pmapdb_store *store, pmapdb_error *err)
{
    pmapdb_status st = pmapdb_query(store, "mappings-regions", &m->rows, err);

    if (st == PMAPDB_OK)
        st = give_regions(m, err);
    if (st == PMAPDB_OK)
        st = pm_run_bind(&m->args, m->rows, err);
    if (st == PMAPDB_OK)
        st = pm_side_say_sums_only(&m->args, store, err);
    if (st == PMAPDB_OK && pm_cli_is_for_people(m->cli))
        st = pm_cli_write_with(m->cli, write_regions, m, err);
    else if (st == PMAPDB_OK)
        st = pm_cli_write_seen(m->cli, m->rows, see_flags, m, err);
    if (st == PMAPDB_OK && m->skipped.len && m->unknown_flags)
        pm_cli_say("the VmFlags of %lld mapping%s are not known: --skip-flag left none of them out",
                   (long long)m->unknown_flags, m->unknown_flags == 1 ? "" : "s");
    pmapdb_rows_close(m->rows);
    return st;
}

static int answer_regions(mappings *m)
{
    pmapdb_open_options open_options = {.mode = PMAPDB_READ};
    pmapdb_store *store = NULL;
    pmapdb_error err;
    pmapdb_status st = pm_cli_open(m->cli, &open_options, &store);

    if (st == PMAPDB_OK) {
        st = run_regions(m, store, &err);
        if (st != PMAPDB_OK)
            pm_cli_fail(st, &err);
    }
    pm_render_free(m->render);
    pmapdb_close(store);
    return st == PMAPDB_OK || st == PMAPDB_STOPPED ? PM_EXIT_OK : PM_EXIT_TROUBLE;
}

int pm_cli_mappings(pm_cli *cli, int argc, char **argv)
{
    mappings m = {.cli = cli};
    pm_named named = {.name = "mappings"};
    pm_query_info *info = NULL;
    pmapdb_error err;
    int exit_code;

    pm_run_find_query_dir(cli, argc, argv);
    pm_cli_must(pm_named_find(cli, &named, &info, &err), &err);
    m.args =
        (pm_run_args){.cli = cli, .info = info, .own = options, .own_values = &m, .more = more};
    pm_run_parse(&m.args, argc, argv);
    if (m.words && m.regions)
        pm_cli_usage(cli, "--words and --regions do not go together");
    if (m.skipped.len && !m.regions)
        pm_cli_usage(cli, "--skip-flag goes with --regions");
    if (m.words)
        named.name = "mappings-words";
    exit_code = m.regions ? answer_regions(&m) : pm_named_run(&m.args, &named);
    pm_catalog_free(info);
    pm_buf_free(&m.areas);
    pm_buf_free(&m.skipped);
    pm_buf_free(&m.addresses);
    return exit_code;
}
