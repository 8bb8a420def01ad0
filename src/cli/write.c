/* write: rows -> the output that the command line asks for, all or nothing. */
#include "cli/write.h"

#include "base/buf.h"
#include <unistd.h>

/* What tells one answer of a query from another, and does not change from run to run. */
static bool is_label(const pm_query_param *p)
{
    return p->unit == PM_UNIT_PROCESS || p->unit == PM_UNIT_CATEGORY || p->unit == PM_UNIT_TEXT;
}

void pm_cli_describe(const pmapdb_rows *rows, const bool *keep, pm_cli_about *out)
{
    const pm_query_info *q = pm_rows_info(rows);
    int n = 0;

    *out = (pm_cli_about){.about = {.name = q->name,
                                    .title = q->title,
                                    .narrow = q->narrow,
                                    .help = out->help,
                                    .labels = out->labels,
                                    .moment_ms = rows->moment_ms}};
    for (int i = 0; i < q->n_columns; i++)
        if (keep[i])
            out->help[n++] = q->column[i].help;
    for (int i = 0; i < q->n_params; i++)
        if (rows->given[i] && *rows->given[i] && is_label(&q->param[i]))
            out->labels[out->about.n_labels++] =
                (pm_label){q->param[i].name, pm_text_of(rows->given[i])};
}

/* On a terminal nothing that a name holds may drive it; the formats for people see to that
 * themselves, and the others pass their bytes on. */
static pmapdb_status write_tame(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    const pm_sink *to = ctx;
    pm_buf tame = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        unsigned char c = (unsigned char)bytes[i];
        unsigned char next = i + 1 < n ? (unsigned char)bytes[i + 1] : 0;

        if ((c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
            st = pm_buf_addf(&tame, err, "\\x%02x", c);
        else if (c == 0xc2 && next >= 0x80 && next < 0xa0) /* U+0080..9F drive terminals, too */
            st = pm_buf_addf(&tame, err, "\\x%02x\\x%02x", c, (unsigned char)bytes[++i]);
        else
            st = pm_buf_add(&tame, &bytes[i], 1, err);
    }
    if (st == PMAPDB_OK)
        st = to->write(to->ctx, tame.data ? tame.data : "", tame.len, err);
    pm_buf_free(&tame);
    return st;
}

static bool drives_terminal(const pm_cli *cli)
{
    return !cli->output && isatty(STDOUT_FILENO) && cli->format != PM_FORMAT_TABLE &&
           cli->format != PM_FORMAT_MD;
}

typedef struct seen_rows {
    const pm_cli *cli;
    pmapdb_rows *rows;
    pm_cli_see see; /* or NULL */
    void *ctx;
} seen_rows;

static pmapdb_status write_rows(void *ctx, const pm_sink *sink, pmapdb_error *err)
{
    const seen_rows *w = ctx;
    pm_render_options options = pm_cli_render_options(w->cli);
    pm_column columns[PM_QUERY_ITEMS];
    pm_value values[PM_QUERY_ITEMS];
    bool keep[PM_QUERY_ITEMS], has;
    int n = pm_run_columns(w->cli, w->rows, keep, columns);
    pm_render *render = NULL;
    pm_cli_about said;
    pmapdb_status st = pmapdb_next(w->rows, &has, err);

    pm_cli_describe(w->rows, keep, &said);
    options.about = &said.about;
    if (st == PMAPDB_OK)
        st = pm_render_new(&options, sink, columns, n, &render, err);
    while (st == PMAPDB_OK && has) {
        if (w->see)
            w->see(w->ctx, w->rows);
        pm_run_values(w->rows, keep, values);
        st = pm_render_row(render, values, err);
        if (st == PMAPDB_OK)
            st = pmapdb_next(w->rows, &has, err);
    }
    if (st == PMAPDB_OK)
        st = pm_render_end(render, err);
    if (st == PMAPDB_OK)
        pm_cli_say_left_out(w->cli, render);
    pm_render_free(render);
    return st;
}

pmapdb_status pm_cli_write_with(const pm_cli *cli, pm_cli_writer write, void *ctx,
                                pmapdb_error *err)
{
    pm_cli_out *out = NULL;
    pm_sink sink;
    pmapdb_status st = pm_cli_out_open(cli->output, &out, err);

    if (st == PMAPDB_OK) {
        pm_sink tame = {&sink, write_tame};

        sink = pm_cli_out_sink(out);
        st = write(ctx, drives_terminal(cli) ? &tame : &sink, err);
    }
    if (st == PMAPDB_OK)
        st = pm_cli_out_commit(out, err);
    pm_cli_out_close(out);
    return st;
}

pmapdb_status pm_cli_write_seen(const pm_cli *cli, pmapdb_rows *rows, pm_cli_see see, void *ctx,
                                pmapdb_error *err)
{
    seen_rows w = {cli, rows, see, ctx};

    return pm_cli_write_with(cli, write_rows, &w, err);
}

pmapdb_status pm_cli_write(const pm_cli *cli, pmapdb_rows *rows, pmapdb_error *err)
{
    return pm_cli_write_seen(cli, rows, NULL, NULL, err);
}
