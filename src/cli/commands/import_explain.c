/* import_explain: pmapdb import --explain: shows how each capture is read and why, as lines or as a
 * row. */
#include "cli/output.h"
#include "cli/words.h"

#include <inttypes.h>
#include <stdlib.h>

/* An event whose lists are joined to texts. */
typedef struct explained {
    pmapdb_explain_event e;
    const char *path, *why, *notes; /* NULL: none */
} explained;

#define AT(field) offsetof(explained, field)

static const pm_member fields[] = {{{"path", PM_UNIT_TEXT}, AT(path)},
                                   {{"first_line", PM_UNIT_INT}, AT(e.first_line)},
                                   {{"last_line", PM_UNIT_INT}, AT(e.last_line)},
                                   {{"pid", PM_UNIT_INT}, AT(e.pid)},
                                   {{"dialect", PM_UNIT_TEXT}, AT(e.dialect)},
                                   {{"confidence", PM_UNIT_TEXT}, AT(e.confidence)},
                                   {{"tool", PM_UNIT_TEXT}, AT(e.tool)},
                                   {{"state", PM_UNIT_TEXT}, AT(e.state)},
                                   {{"checked", PM_UNIT_TEXT}, AT(e.checked)},
                                   {{"mappings", PM_UNIT_COUNT}, AT(e.mappings)},
                                   {{"size_kib", PM_UNIT_KIB}, AT(e.size_kib)},
                                   {{"why", PM_UNIT_TEXT}, AT(why)},
                                   {{"notes", PM_UNIT_TEXT}, AT(notes)},
                                   {{"missing", PM_UNIT_TEXT}, AT(e.missing)},
                                   {{"error", PM_UNIT_TEXT}, AT(e.error)}};

enum { N_FIELDS = sizeof fields / sizeof *fields };

/* Returns the texts joined, or NULL for an empty list. The caller frees the result. */
static char *join(const char *const *texts, size_t n)
{
    pm_words words = {0};

    if (!n)
        return NULL;
    pm_words_begin(&words);
    for (size_t i = 0; i < n; i++)
        fprintf(words.out, "%s%s", i ? "; " : "", texts[i]);
    pm_words_end(&words);
    return words.data;
}

/* Writes "x.log:3-63  pmap-x of pid 4711, certain: procps 3.3.7 to 3.3.11" */
static void write_what(pm_output *out, const pmapdb_explain_event *e)
{
    bool dialect = e->dialect && *e->dialect, pid = e->pid != PMAPDB_UNKNOWN;
    char number[32] = "";

    if (pid)
        snprintf(number, sizeof number, "%spid %" PRId64, dialect ? " of " : "  ", e->pid);
    pm_output_line(out, "%s:%" PRId64 "-%" PRId64 "%s%s%s%s%s%s%s", e->path, e->first_line,
                   e->last_line, dialect ? "  " : "", dialect ? e->dialect : "", number,
                   e->confidence ? ", " : "", e->confidence ? e->confidence : "",
                   e->tool ? ": " : "", e->tool ? e->tool : "");
}

/* Writes "  complete, proved by footer, 58 mappings, 1 TiB" */
static void write_result(pm_output *out, const pmapdb_explain_event *e)
{
    bool proved = strcmp(e->checked, "none") != 0;
    char size[32], mappings[32] = "?";

    pm_render_kib(e->size_kib, true, size);
    if (e->mappings != PMAPDB_UNKNOWN)
        snprintf(mappings, sizeof mappings, "%" PRId64, e->mappings);
    pm_output_line(out, "  %s%s%s, %s mappings, %s", e->state, proved ? ", proved by " : "",
                   proved ? e->checked : "", mappings, size);
}

static void write_labelled(pm_output *out, const char *label, const char *text)
{
    if (text)
        pm_output_line(out, "  %s%s", label, text);
}

static void write_lines(pm_output *out, const explained *x)
{
    const pmapdb_explain_event *e = &x->e;

    if (e->first_line == PMAPDB_UNKNOWN) {
        pm_output_line(out, "%s%s%s", e->path, x->path ? "  not stored: " : "", e->error);
        return;
    }
    write_what(out, e);
    write_labelled(out, "", x->why);
    write_labelled(out, "made good: ", x->notes);
    write_labelled(out, "not stored: ", e->error);
    if (!e->error)
        write_result(out, e);
    write_labelled(out, "missing: ", e->missing);
}

/* ---- the run ---- */

static bool on_event(void *ctx, const pmapdb_explain_event *e)
{
    pm_output *out = ctx;

    char *why = join(e->why, e->n_why), *notes = join(e->notes, e->n_notes);
    explained x = {*e, *e->path ? e->path : NULL, why, notes};

    if (out->render)
        pm_output_struct(out, fields, N_FIELDS, &x);
    else
        write_lines(out, &x);
    free(why);
    free(notes);
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
        pm_output_fields(&out, fields, N_FIELDS);
    st = pmapdb_explain(paths, n_paths, &options, &result, &err);
    if (!pm_output_failed(&out))
        pm_cli_must(st, &err);
    pm_output_end(&out);
    return result.trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
