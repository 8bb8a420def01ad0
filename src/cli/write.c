/* write: what the commands that still hand on a status write with. */
#include "cli/write.h"

static void look(const pm_cli *cli, const pmapdb_rows *rows, pm_answer_view *view)
{
    pm_answer_look(cli, rows, view);
}

int pm_run_columns(const pm_cli *cli, const pmapdb_rows *rows, bool *keep, pm_column *columns)
{
    pm_answer_view view;

    look(cli, rows, &view);
    memcpy(keep, view.keep, sizeof view.keep);
    memcpy(columns, view.column, (size_t)view.n * sizeof *columns);
    return view.n;
}

void pm_cli_describe(const pmapdb_rows *rows, const bool *keep, pm_cli_about *out)
{
    const pm_query_info *q = pm_rows_info(rows);
    pm_cli all = {.format = PM_FORMAT_CSV};
    int n = 0;

    look(&all, rows, &out->view);
    for (int i = 0; i < q->n_columns; i++)
        if (keep[i])
            out->view.help[n++] = q->column[i].help;
    out->about = out->view.about;
}

void pm_cli_say_left_out(const pm_cli *cli, const pm_render *render)
{
    size_t n = pm_render_left_out(render);

    if (n)
        pm_cli_note(cli, "--top %lld leaves out %zu more row%s", (long long)cli->top, n,
                    n == 1 ? "" : "s");
}

pmapdb_status pm_cli_write_with(const pm_cli *cli, pm_cli_writer write, void *ctx,
                                pmapdb_error *err)
{
    pm_output out;
    pmapdb_status st;

    pm_output_open(&out, cli);
    st = write(ctx, &out.sink, err);
    if (st == PMAPDB_OK)
        pm_output_end(&out);
    else
        pm_output_drop(&out);
    return st;
}

pmapdb_status pm_cli_write_seen(const pm_cli *cli, pmapdb_rows *rows, pm_cli_see see, void *ctx,
                                pmapdb_error *err)
{
    (void)err;
    pm_answer_write(cli, rows, see, ctx);
    return PMAPDB_OK;
}

pmapdb_status pm_cli_write(const pm_cli *cli, pmapdb_rows *rows, pmapdb_error *err)
{
    return pm_cli_write_seen(cli, rows, NULL, NULL, err);
}
