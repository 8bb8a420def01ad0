/* import_explain: pmapdb import --explain: how each capture is read and why, as lines or a row. */
#include "cli/output.h"
#include "cli/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const pm_column columns[] = {
    {"path", PM_UNIT_TEXT},      {"first_line", PM_UNIT_INT}, {"last_line", PM_UNIT_INT},
    {"pid", PM_UNIT_INT},        {"dialect", PM_UNIT_TEXT},   {"confidence", PM_UNIT_TEXT},
    {"tool", PM_UNIT_TEXT},      {"state", PM_UNIT_TEXT},     {"checked", PM_UNIT_TEXT},
    {"mappings", PM_UNIT_COUNT}, {"size_kib", PM_UNIT_KIB},   {"why", PM_UNIT_TEXT},
    {"notes", PM_UNIT_TEXT},     {"missing", PM_UNIT_TEXT},   {"error", PM_UNIT_TEXT}};

/* Several texts with a label before them. */
typedef struct list {
    const char *label;
    const char *const *texts;
    size_t n;
} list;

static void put_list(FILE *out, const void *ctx)
{
    const list *l = ctx;

    fputs(l->label, out);
    for (size_t i = 0; i < l->n; i++)
        fprintf(out, "%s%s", i ? "; " : "", l->texts[i]);
}

/* ---- rows ---- */

/* For free(); NULL for an empty list. */
static char *join(const char *const *texts, size_t n)
{
    char *text = NULL;
    size_t size;
    FILE *out = n ? open_memstream(&text, &size) : NULL;

    if (!n)
        return NULL;
    if (!out)
        pm_cli_no_memory();
    put_list(out, &(list){"", texts, n});
    if (ferror(out) | fclose(out))
        pm_cli_no_memory();
    return text;
}

static void write_row(pm_output *out, const pmapdb_explain_event *e)
{
    char *why = join(e->why, e->n_why), *notes = join(e->notes, e->n_notes);
    pm_value values[] = {pm_value_text(*e->path ? e->path : NULL),
                         pm_value_int(e->first_line),
                         pm_value_int(e->last_line),
                         pm_value_int(e->pid),
                         pm_value_text(e->dialect),
                         pm_value_text(e->confidence),
                         pm_value_text(e->tool),
                         pm_value_text(e->state),
                         pm_value_text(e->checked),
                         pm_value_int(e->mappings),
                         pm_value_int(e->size_kib),
                         pm_value_text(why),
                         pm_value_text(notes),
                         pm_value_text(e->missing),
                         pm_value_text(e->error)};

    pm_output_row(out, values);
    free(why);
    free(notes);
}

/* ---- lines ---- */

static void put_file_error(FILE *line, const void *ctx)
{
    const pmapdb_explain_event *e = ctx;

    fprintf(line, "%s%s%s", e->path, *e->path ? "  not stored: " : "", e->error);
}

/* "x.log:3-63  pmap-x of pid 4711, certain: procps 3.3.7 to 3.3.11" */
static void put_what(FILE *line, const void *ctx)
{
    const pmapdb_explain_event *e = ctx;

    fprintf(line, "%s:%" PRId64 "-%" PRId64, e->path, e->first_line, e->last_line);
    if (e->dialect && *e->dialect)
        fprintf(line, "  %s", e->dialect);
    if (e->pid != PMAPDB_UNKNOWN)
        fprintf(line, "%spid %" PRId64, e->dialect && *e->dialect ? " of " : "  ", e->pid);
    if (e->confidence)
        fprintf(line, ", %s", e->confidence);
    if (e->tool)
        fprintf(line, ": %s", e->tool);
}

/* "  complete, proved by footer, 58 mappings, 1 TiB" */
static void put_result(FILE *line, const void *ctx)
{
    const pmapdb_explain_event *e = ctx;
    bool proved = strcmp(e->checked, "none") != 0;
    char size[32];

    pm_render_kib(e->size_kib, true, size);
    fprintf(line, "  %s%s%s, ", e->state, proved ? ", proved by " : "", proved ? e->checked : "");
    if (e->mappings != PMAPDB_UNKNOWN)
        fprintf(line, "%" PRId64, e->mappings);
    else
        fputc('?', line);
    fprintf(line, " mappings, %s", size);
}

static void write_list(pm_output *out, const char *label, const char *const *texts, size_t n)
{
    if (n)
        pm_output_line(out, put_list, &(list){label, texts, n});
}

static void write_lines(pm_output *out, const pmapdb_explain_event *e)
{
    if (e->first_line == PMAPDB_UNKNOWN) {
        pm_output_line(out, put_file_error, e);
        return;
    }
    pm_output_line(out, put_what, e);
    write_list(out, "  ", e->why, e->n_why);
    write_list(out, "  made good: ", e->notes, e->n_notes);
    write_list(out, "  not stored: ", &e->error, e->error != NULL);
    if (!e->error)
        pm_output_line(out, put_result, e);
    write_list(out, "  missing: ", &e->missing, e->missing != NULL);
}

/* ---- the run ---- */

static bool on_event(void *ctx, const pmapdb_explain_event *e)
{
    pm_output *out = ctx;

    if (out->render)
        write_row(out, e);
    else
        write_lines(out, e);
    return !pm_output_failed(out);
}

int pm_cli_explain(const pm_cli *cli, const char *const *paths, size_t n_paths,
                   const pmapdb_import_options *import)
{
    pm_output out;
    pmapdb_explain_options options = {.dialect = import->dialect,
                                      .max_memory = import->max_memory,
                                      .ctx = &out,
                                      .on_event = on_event};
    pmapdb_explain_result result = {0};
    pmapdb_error err = {0};
    pmapdb_status st;

    pm_output_open(&out, cli);
    if (cli->format != PM_FORMAT_TABLE)
        pm_output_rows(&out, columns, sizeof columns / sizeof *columns, NULL);
    st = pmapdb_explain(paths, n_paths, &options, &result, &err);
    if (!pm_output_failed(&out))
        pm_cli_must(st, &err);
    pm_output_end(&out);
    return result.trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
