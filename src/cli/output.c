/* output: rows or text to standard output or to the file of -o, all or nothing. */
#include "cli/output.h"

#include "base/buf.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The formats for people escape what could drive a terminal themselves; the others pass bytes on.
 */
static pmapdb_status write_escaped(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    const pm_sink *to = ctx;
    pm_buf shown = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        unsigned char c = (unsigned char)bytes[i];
        unsigned char next = i + 1 < n ? (unsigned char)bytes[i + 1] : 0;

        if ((c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
            st = pm_buf_addf(&shown, err, "\\x%02x", c);
        else if (c == 0xc2 && next >= 0x80 && next < 0xa0) /* U+0080..9F drive terminals, too */
            st = pm_buf_addf(&shown, err, "\\x%02x\\x%02x", c, (unsigned char)bytes[++i]);
        else
            st = pm_buf_add(&shown, &bytes[i], 1, err);
    }
    if (st == PMAPDB_OK)
        st = to->write(to->ctx, shown.data ? shown.data : "", shown.len, err);
    pm_buf_free(&shown);
    return st;
}

static bool goes_to_terminal(const pm_cli *cli)
{
    return !cli->output && isatty(STDOUT_FILENO) && !pm_cli_is_for_people(cli);
}

void pm_output_open(pm_output *o, const pm_cli *cli)
{
    pmapdb_error err;

    *o = (pm_output){.cli = cli};
    pm_cli_must(pm_cli_out_open(cli->output, &o->out, &err), &err);
    o->raw = pm_cli_out_sink(o->out);
    o->sink = goes_to_terminal(cli) ? (pm_sink){&o->raw, write_escaped} : o->raw;
}

void pm_output_check(pm_output *o, pmapdb_status status, const pmapdb_error *err)
{
    if (status != PMAPDB_OK && o->err.status == PMAPDB_OK)
        o->err = *err;
}

bool pm_output_failed(const pm_output *o)
{
    return o->err.status != PMAPDB_OK;
}

void pm_output_rows(pm_output *o, const pm_column *columns, int n_columns, const pm_about *about)
{
    pm_render_options how = pm_cli_render_options(o->cli);
    pmapdb_error err;

    how.about = about;
    pm_output_check(o, pm_render_new(&how, &o->sink, columns, n_columns, &o->render, &err), &err);
}

void pm_output_row(pm_output *o, const pm_value *values)
{
    pmapdb_error err;

    if (!pm_output_failed(o))
        pm_output_check(o, pm_render_row(o->render, values, &err), &err);
}

static void write_text(pm_output *o, const char *text, size_t n)
{
    pmapdb_error err;

    if (!pm_output_failed(o))
        pm_output_check(o, o->sink.write(o->sink.ctx, text, n, &err), &err);
}

void pm_output_text(pm_output *o, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        pm_cli_no_memory();
    write_text(o, text, (size_t)n);
    free(text);
}

static char *print(void (*put)(FILE *text, const void *ctx), const void *ctx, size_t *n)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, n);

    if (!out)
        pm_cli_no_memory();
    put(out, ctx);
    if (ferror(out) | fclose(out))
        pm_cli_no_memory();
    return text;
}

void pm_output_print(pm_output *o, void (*put)(FILE *text, const void *ctx), const void *ctx)
{
    size_t n;
    char *text = print(put, ctx, &n);

    write_text(o, text, n);
    free(text);
}

void pm_output_line(pm_output *o, void (*put)(FILE *text, const void *ctx), const void *ctx)
{
    size_t n;
    char *text = print(put, ctx, &n);
    pmapdb_error err;

    if (!pm_output_failed(o))
        pm_output_check(o, pm_render_line(&o->sink, (pm_text){text, n}, &err), &err);
    free(text);
}

void pm_output_flush(pm_output *o)
{
    pmapdb_error err;

    if (!pm_output_failed(o))
        pm_output_check(o, pm_cli_out_flush(o->out, &err), &err);
}

void pm_output_end_rows(pm_output *o)
{
    pmapdb_error err;

    if (o->render && !pm_output_failed(o))
        pm_output_check(o, pm_render_end(o->render, &err), &err);
    if (o->render && !pm_output_failed(o))
        pm_cli_say_left_out(o->cli, o->render);
    pm_render_free(o->render);
    o->render = NULL;
}

void pm_output_end(pm_output *o)
{
    pmapdb_error err;

    pm_output_end_rows(o);
    if (!pm_output_failed(o))
        pm_output_check(o, pm_cli_out_commit(o->out, &err), &err);
    pm_cli_must(o->err.status, &o->err);
    pm_output_drop(o);
}

void pm_output_drop(pm_output *o)
{
    pm_render_free(o->render);
    pm_cli_out_close(o->out);
    o->render = NULL;
    o->out = NULL;
}
