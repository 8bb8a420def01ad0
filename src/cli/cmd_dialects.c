/* cmd_dialects: pmapdb dialects: what import reads, a line of each kind, and what it refuses by
 * name. */
#include "cli/cli.h"

#include "base/buf.h"
#include "cli/value.h"
#include "parse/known.h"

static const pm_column columns[] = {{"dialect", PM_UNIT_TEXT},
                                    {"tool", PM_UNIT_TEXT},
                                    {"gives", PM_UNIT_TEXT},
                                    {"example", PM_UNIT_TEXT}};

static pmapdb_status write_forms(const pm_cli *cli, const pm_sink *sink, pmapdb_error *err)
{
    pm_render_options how = pm_cli_render_options(cli);
    pm_render *render = NULL;
    const pm_known *k;
    pmapdb_status st =
        pm_render_new(&how, sink, columns, sizeof columns / sizeof *columns, &render, err);

    for (size_t i = 0; st == PMAPDB_OK && (k = pm_known_form(i)); i++) {
        pm_value values[] = {pm_value_text(pm_dialect_name(k->dialect)), pm_value_text(k->tool),
                             pm_value_text(k->gives), pm_value_text(k->example)};

        st = pm_render_row(render, values, err);
    }
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    pm_render_free(render);
    return st;
}

static pmapdb_status write_refused(const pm_sink *sink, pmapdb_error *err)
{
    pm_buf line = {0};
    const pm_known_other *k;
    pmapdb_status st = pm_buf_addf(&line, err, "Refused by name:");

    for (size_t i = 0; st == PMAPDB_OK && (k = pm_known_refused(i)); i++)
        st = pm_buf_addf(&line, err, "%s %s", i ? "," : "", k->tool);
    if (st == PMAPDB_OK)
        st = pm_render_line(sink, pm_buf_text(&line), err);
    pm_buf_free(&line);
    return st;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = state->input;
        return 0;
    }
    if (key == ARGP_KEY_ARG)
        argp_error(state, "what is '%s'?", arg);
    return ARGP_ERR_UNKNOWN;
}

int pm_cli_dialects(pm_cli *cli, int argc, char **argv)
{
    static const struct argp_child children[] = {{&pm_cli_common, 0, "Everywhere:", 9}, {0}};
    static const struct argp argp = {
        NULL,
        parse,
        NULL,
        "What import reads: who prints it, what it gives, a line of it. Each kind is told by the "
        "shape of its lines, in any language and whatever the file is called; \"pmapdb import "
        "--explain FILE\" says how a file is read. The names are those of --dialect.\v"
        "Columns:\n"
        "  dialect                 text     Its name in the store\n"
        "  tool                    text     What prints it, and with which options\n"
        "  gives                   text     What is known of it; the rest is unknown\n"
        "  example                 text     One line of it",
        children,
        NULL,
        NULL};
    pm_cli_out *out = NULL;
    pm_sink sink;
    pmapdb_error err = {0};
    pmapdb_status st;

    pm_cli_parse(&argp, argc, argv, 0, cli);
    st = pm_cli_out_open(cli->output, &out, &err);
    if (st == PMAPDB_OK) {
        sink = pm_cli_out_sink(out);
        st = write_forms(cli, &sink, &err);
    }
    if (st == PMAPDB_OK && cli->format == PM_FORMAT_TABLE)
        st = write_refused(&sink, &err);
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(out, &err);
    pm_cli_out_close(out);
    return st == PMAPDB_OK ? PM_EXIT_OK : pm_cli_fail(st, &err);
}
