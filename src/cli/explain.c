/* explain: pmapdb import --explain: how each capture is read and why, as a few lines or a row. */
#include "cli/cli.h"

#include "base/buf.h"
#include "cli/value.h"
#include <inttypes.h>
#include <string.h>

typedef struct explain_cli {
    pm_cli_out *out;
    pm_sink sink;
    pm_render *render; /* NULL: lines for people */
    pmapdb_status st;  /* of the output */
    pmapdb_error err;
} explain_cli;

static const pm_column columns[] = {
    {"path", PM_UNIT_TEXT},      {"first_line", PM_UNIT_INT}, {"last_line", PM_UNIT_INT},
    {"pid", PM_UNIT_INT},        {"dialect", PM_UNIT_TEXT},   {"confidence", PM_UNIT_TEXT},
    {"tool", PM_UNIT_TEXT},      {"state", PM_UNIT_TEXT},     {"checked", PM_UNIT_TEXT},
    {"mappings", PM_UNIT_COUNT}, {"size_kib", PM_UNIT_KIB},   {"why", PM_UNIT_TEXT},
    {"notes", PM_UNIT_TEXT},     {"missing", PM_UNIT_TEXT},   {"error", PM_UNIT_TEXT}};

static pmapdb_status join(pm_buf *out, const char *const *texts, size_t n, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        st = pm_buf_addf(out, err, "%s%s", i ? "; " : "", texts[i]);
    return st;
}

/* ---- rows ---- */

static pm_value joined(const pm_buf *texts)
{
    return pm_value_text(texts->len ? texts->data : NULL);
}

static void write_row(explain_cli *x, const pmapdb_explain_event *e)
{
    pm_buf why = {0}, notes = {0};

    x->st = join(&why, e->why, e->n_why, &x->err);
    if (x->st == PMAPDB_OK)
        x->st = join(&notes, e->notes, e->n_notes, &x->err);
    if (x->st == PMAPDB_OK) {
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
                             joined(&why),
                             joined(&notes),
                             pm_value_text(e->missing),
                             pm_value_text(e->error)};

        x->st = pm_render_row(x->render, values, &x->err);
    }
    pm_buf_free(&why);
    pm_buf_free(&notes);
}

/* ---- lines ---- */

/* "x.log:3-63  pmap-x of pid 4711, certain: procps 3.3.7 to 3.3.11" */
static pmapdb_status say_what(pm_buf *line, const pmapdb_explain_event *e, pmapdb_error *err)
{
    const char *dialect = e->dialect ? e->dialect : "", *gap = *dialect ? " of " : "  ";
    pmapdb_status st = pm_buf_addf(line, err, "%s:%" PRId64 "-%" PRId64 "%s%s", e->path,
                                   e->first_line, e->last_line, *dialect ? "  " : "", dialect);

    if (st == PMAPDB_OK && e->pid != PMAPDB_UNKNOWN)
        st = pm_buf_addf(line, err, "%spid %" PRId64, gap, e->pid);
    if (st == PMAPDB_OK && e->confidence)
        st = pm_buf_addf(line, err, ", %s", e->confidence);
    return st == PMAPDB_OK && e->tool ? pm_buf_addf(line, err, ": %s", e->tool) : st;
}

/* "  complete, proved by footer, 58 mappings, 1 TiB" */
static pmapdb_status say_result(pm_buf *line, const pmapdb_explain_event *e, pmapdb_error *err)
{
    bool proved = strcmp(e->checked, "none") != 0;
    char size[32], mappings[24] = "?";

    pm_render_kib(e->size_kib, true, size);
    if (e->mappings != PMAPDB_UNKNOWN)
        snprintf(mappings, sizeof mappings, "%" PRId64, e->mappings);
    return pm_buf_addf(line, err, "  %s%s%s, %s mappings, %s", e->state,
                       proved ? ", proved by " : "", proved ? e->checked : "", mappings, size);
}

/* Ends the line at hand and begins the next. */
static void end_line(explain_cli *x, pm_buf *line, pmapdb_status st)
{
    x->st = st;
    if (st == PMAPDB_OK)
        x->st = pm_render_line(&x->sink, pm_buf_text(line), &x->err);
    pm_buf_clear(line);
}

static void write_list(explain_cli *x, pm_buf *line, const char *label, const char *const *texts,
                       size_t n)
{
    pmapdb_status st;

    if (n == 0 || x->st != PMAPDB_OK)
        return;
    st = pm_buf_addf(line, &x->err, "  %s", label);
    end_line(x, line, st == PMAPDB_OK ? join(line, texts, n, &x->err) : st);
}

static void write_lines(explain_cli *x, const pmapdb_explain_event *e)
{
    pm_buf line = {0};

    if (e->first_line == PMAPDB_UNKNOWN) {
        end_line(x, &line,
                 pm_buf_addf(&line, &x->err, "%s%s%s", e->path, *e->path ? "  not stored: " : "",
                             e->error));
        pm_buf_free(&line);
        return;
    }
    end_line(x, &line, say_what(&line, e, &x->err));
    write_list(x, &line, "", e->why, e->n_why);
    write_list(x, &line, "made good: ", e->notes, e->n_notes);
    write_list(x, &line, "not stored: ", &e->error, e->error != NULL);
    if (x->st == PMAPDB_OK && !e->error)
        end_line(x, &line, say_result(&line, e, &x->err));
    write_list(x, &line, "missing: ", &e->missing, e->missing != NULL);
    pm_buf_free(&line);
}

/* ---- the run ---- */

static bool on_event(void *ctx, const pmapdb_explain_event *e)
{
    explain_cli *x = ctx;

    if (x->render)
        write_row(x, e);
    else
        write_lines(x, e);
    return x->st == PMAPDB_OK;
}

static pmapdb_status open_output(explain_cli *x, const pm_cli *cli, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(cli);
    pmapdb_status st = pm_cli_out_open(cli->output, &x->out, err);

    if (st != PMAPDB_OK)
        return st;
    x->sink = pm_cli_out_sink(x->out);
    if (how.format != PM_FORMAT_TABLE)
        st = pm_render_new(&how, &x->sink, columns, sizeof columns / sizeof *columns, &x->render,
                           err);
    return st;
}

int pm_cli_explain(const pm_cli *cli, const char *const *paths, size_t n_paths,
                   const pmapdb_import_options *import)
{
    explain_cli x = {0};
    pmapdb_explain_options options = {.dialect = import->dialect,
                                      .max_memory = import->max_memory,
                                      .ctx = &x,
                                      .on_event = on_event};
    pmapdb_explain_result result = {0};
    pmapdb_error err = {0};
    pmapdb_status st = open_output(&x, cli, &err);

    if (st == PMAPDB_OK)
        st = pmapdb_explain(paths, n_paths, &options, &result, &err);
    if (x.st != PMAPDB_OK) {
        st = x.st;
        err = x.err;
    }
    if (st == PMAPDB_OK && x.render)
        st = pm_render_end(x.render, &err);
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(x.out, &err);
    pm_render_free(x.render);
    pm_cli_out_close(x.out);
    if (st != PMAPDB_OK)
        return pm_cli_fail(st, &err);
    return result.trouble ? PM_EXIT_TROUBLE : PM_EXIT_OK;
}
