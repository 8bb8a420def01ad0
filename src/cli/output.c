/* output: rows or text to standard output or to the file of -o, all or nothing. */
#include "cli/output.h"

#include "base/text.h"
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define FIELDS_MAX 16

static pmapdb_status write_text(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    pm_output *o = ctx;

    fwrite(bytes, 1, n, o->text);
    if (err)
        *err = o->file.failure;
    return o->file.failure.status;
}

void pm_output_open(pm_output *o, const pm_cli *cli)
{
    pmapdb_error err;

    *o = (pm_output){.cli = cli,
                     /* The formats for people escape control characters themselves. */
                     .file.escape =
                         !cli->output && isatty(STDOUT_FILENO) && !pm_cli_is_for_people(cli),
                     .file.page = !cli->output && !cli->no_pager && pm_output_file_can_page()};
    pm_cli_must(pm_output_file_open(&o->file, cli->output, &err), &err);
    o->text = o->file.text;
    o->sink = (pm_sink){o, write_text};
}

void pm_output_into(pm_output *o, const pm_cli *cli, pm_buf *lines)
{
    *o = (pm_output){.cli = cli, .file.fd = -1, .sink = {lines, pm_sink_add}};
}

void pm_output_check(pm_output *o, pmapdb_status status, const pmapdb_error *err)
{
    if (status != PMAPDB_OK && !pm_output_failed(o))
        o->file.failure = *err;
}

void pm_output_rows(pm_output *o, const pm_column *columns, int n_columns, const pm_about *about)
{
    pm_render_options how = pm_cli_render_options(o->cli);
    pmapdb_error err;

    if (!about && (o->cli->sort || o->cli->columns))
        pm_cli_die("--sort and --columns are for the rows of a query");
    how.about = about;
    pm_output_check(o, pm_render_new(&how, &o->sink, columns, n_columns, &o->render, &err), &err);
}

void pm_output_row(pm_output *o, const pm_value *values)
{
    pmapdb_error err;

    if (!pm_output_failed(o))
        pm_output_check(o, pm_render_row(o->render, values, &err), &err);
}

void pm_output_total(pm_output *o, const pm_value *values)
{
    pmapdb_error err;

    if (!pm_output_failed(o))
        pm_output_check(o, pm_render_total(o->render, values, &err), &err);
}

pm_value pm_member_value(const pm_member *field, const void *row, char time[PM_CLOCK_TEXT])
{
    const char *at = (const char *)row + field->at;

    switch (field->column.unit) {
    case PM_UNIT_TEXT:
    case PM_UNIT_CATEGORY:
        return pm_value_text(*(const char *const *)at);
    case PM_UNIT_BOOL:
        return pm_value_int(*(const bool *)at);
    case PM_UNIT_TIME:
        pm_clock_format(*(const int64_t *)at, time);
        return pm_value_text(time);
    default:
        return pm_value_int(*(const int64_t *)at);
    }
}

void pm_output_fields(pm_output *o, const pm_member *fields, int n)
{
    pm_column columns[FIELDS_MAX];

    for (int i = 0; i < n; i++)
        columns[i] = fields[i].column;
    pm_output_rows(o, columns, n, NULL);
}

void pm_output_struct(pm_output *o, const pm_member *fields, int n, const void *row)
{
    pm_value values[FIELDS_MAX];
    char times[FIELDS_MAX][PM_CLOCK_TEXT];

    for (int i = 0; i < n; i++)
        values[i] = pm_member_value(&fields[i], row, times[i]);
    pm_output_row(o, values);
}

void pm_output_end_rows(pm_output *o)
{
    size_t n = o->render ? pm_render_left_out(o->render) : 0;
    pmapdb_error err;

    if (o->render && !pm_output_failed(o))
        pm_output_check(o, pm_render_end(o->render, &err), &err);
    if (n && !pm_output_failed(o))
        pm_cli_note(o->cli, "--top %lld leaves out %zu more row%s", (long long)o->cli->top, n,
                    n == 1 ? "" : "s");
    pm_render_free(o->render);
    o->render = NULL;
}

void pm_output_line(pm_output *o, const char *format, ...)
{
    va_list args;
    pmapdb_error err;
    char *line;

    va_start(args, format);
    if (vasprintf(&line, format, args) < 0)
        pm_cli_no_memory();
    va_end(args);
    if (!pm_output_failed(o))
        pm_output_check(o, pm_render_line(&o->sink, pm_text_of(line), &err), &err);
    free(line);
}

pm_flow pm_output_flow(pm_output *o)
{
    pm_render_options how = pm_cli_render_options(o->cli);

    return (pm_flow){.sink = &o->sink,
                     .err = &o->file.failure,
                     .width = how.width,
                     .color = how.color,
                     .st = o->file.failure.status};
}

void pm_output_words(pm_output *o, const char *format, ...)
{
    pm_flow flow = pm_output_flow(o);
    va_list args;
    char *words;

    va_start(args, format);
    if (vasprintf(&words, format, args) < 0)
        pm_cli_no_memory();
    va_end(args);
    pm_flow_begin(&flow, 0, 4);
    pm_flow_words(&flow, 0, pm_text_of(words));
    pm_flow_end(&flow);
    pm_flow_free(&flow);
    free(words);
}

void pm_output_flush(pm_output *o)
{
    pm_output_file_flush(&o->file);
}

void pm_output_end(pm_output *o)
{
    pmapdb_error failure;

    pm_output_end_rows(o);
    if (!pm_output_failed(o))
        pm_output_file_commit(&o->file);
    failure = o->file.failure;
    pm_output_drop(o);
    pm_cli_must(failure.status, &failure);
}

void pm_output_drop(pm_output *o)
{
    pm_render_free(o->render);
    o->render = NULL;
    pm_output_file_close(&o->file);
}

void pm_output_keep_apart(const pm_cli *cli, const char *const *paths, size_t n, const char *does)
{
    for (size_t i = 0; cli->output && i < n; i++)
        if (paths[i] && strcmp(paths[i], "-") != 0 && pm_output_file_can_be_lost(cli->output) &&
            pm_output_file_same(cli->output, paths[i]))
            pm_cli_die("-o '%s' is a file that this command %s", cli->output, does);
}
