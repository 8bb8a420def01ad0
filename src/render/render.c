/* render: chooses the format and does what all formats need: columns, `top`, the sink, errors. */
#include "render/format.h"
#include "render/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    const pm_render_ops *ops;
} formats[] = {
#define PM_FORMAT(id, name) {#name, &pm_render_##name},
    PM_FORMATS(PM_FORMAT, PM_FORMAT)
#undef PM_FORMAT
};

pmapdb_status pm_sink_add(void *buf, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_buf_add(buf, bytes, n, err);
}

bool pm_format_find(const char *name, pm_format *out)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(name, formats[i].name) == 0) {
            *out = (pm_format)i;
            return true;
        }
    return false;
}

bool pm_value_unknown(const pm_value *v)
{
    return v->kind == PM_VALUE_NULL || (v->kind == PM_VALUE_REAL && isnan(v->r));
}

void pm_put(pm_render *r, const char *bytes, size_t n)
{
    PM_STEP(r->st, pm_buf_add(&r->line, bytes, n, &r->error));
}

void pm_putf(pm_render *r, const char *format, ...)
{
    char text[1024];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pm_put(r, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

void *pm_render_alloc(pm_render *r, size_t n, size_t size)
{
    void *memory = r->st == PMAPDB_OK ? calloc(n, size) : NULL;

    if (!memory && r->st == PMAPDB_OK)
        r->st = pm_fail_nomem(&r->error);
    return memory;
}

static void copy_columns(pm_render *r, const pm_column *columns, size_t n)
{
    r->columns = pm_render_alloc(r, n, sizeof *r->columns);
    r->kinds = pm_render_alloc(r, n, sizeof *r->kinds);
    for (; r->columns && r->n_columns < n; r->n_columns++) {
        const pm_column *c = &columns[r->n_columns];
        char *name = strdup(c->name);

        if (!name) {
            r->st = pm_fail_nomem(&r->error);
            return;
        }
        r->columns[r->n_columns] = (pm_column){name, c->unit};
    }
}

/* Passes the line to the sink, and the first failure to the caller. */
static pmapdb_status flush(pm_render *r, pmapdb_error *err)
{
    if (r->st == PMAPDB_OK && r->line.len)
        r->st = r->sink.write(r->sink.ctx, r->line.data, r->line.len, &r->error);
    pm_buf_clear(&r->line);
    if (r->st != PMAPDB_OK && err)
        *err = r->error;
    return r->st;
}

pmapdb_status pm_render_new(const pm_render_options *options, const pm_sink *sink,
                            const pm_column *columns, int n_columns, pm_render **out,
                            pmapdb_error *err)
{
    pmapdb_status st;
    pm_render *r;

    if (n_columns < 1)
        return pm_fail(err, PMAPDB_USAGE, "no columns to print");
    r = calloc(1, sizeof *r);
    if (!r)
        return pm_fail_nomem(err);
    r->ops = formats[options->format].ops;
    r->options = *options;
    r->sink = *sink;
    copy_columns(r, columns, (size_t)n_columns);
    if (r->st == PMAPDB_OK && r->ops->open)
        r->ops->open(r);
    st = flush(r, err);
    if (st == PMAPDB_OK)
        *out = r;
    else
        pm_render_free(r);
    return st;
}

void pm_render_free(pm_render *r)
{
    if (!r)
        return;
    if (r->ops->close)
        r->ops->close(r);
    for (size_t i = 0; i < r->n_columns; i++)
        free((char *)r->columns[i].name);
    free(r->columns);
    free(r->kinds);
    pm_buf_free(&r->held);
    pm_buf_free(&r->line);
    pm_buf_free(&r->scratch);
    free(r);
}

static void begin(pm_render *r)
{
    if (!r->begun && r->ops->begin)
        r->ops->begin(r);
    r->begun = true;
}

static void put_row(pm_render *r, const pm_value *values)
{
    for (size_t i = 0; i < r->n_columns; i++) {
        const pm_value *v = &values[i];

        if (strcmp(r->columns[i].name, "metric") == 0)
            r->pieces = v->kind == PM_VALUE_TEXT && pm_text_equal(v->t, PM_TEXT("mappings"));
        r->kinds[i].text |= v->kind == PM_VALUE_TEXT && v->t.len > 0;
        r->kinds[i].number |= v->kind == PM_VALUE_INT || v->kind == PM_VALUE_REAL;
    }
    if (r->st == PMAPDB_OK)
        r->ops->row(r, values);
}

pmapdb_status pm_render_row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    bool beyond = r->options.top && r->n_rows >= r->options.top;

    begin(r);
    if (beyond) {
        r->n_left_out++;
    } else {
        put_row(r, values);
        r->n_rows++;
    }
    return flush(r, err);
}

pmapdb_status pm_render_total(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    begin(r);
    put_row(r, values);
    return flush(r, err);
}

size_t pm_render_left_out(const pm_render *r)
{
    return r->n_left_out;
}

pmapdb_status pm_render_end(pm_render *r, pmapdb_error *err)
{
    begin(r);
    if (r->st == PMAPDB_OK && r->ops->end)
        r->ops->end(r);
    return flush(r, err);
}

pmapdb_status pm_render_line(const pm_sink *sink, pm_text text, pmapdb_error *err)
{
    pm_buf escaped = {0};
    pmapdb_status st = pm_terminal_escape(text, &escaped, err);

    PM_STEP(st, pm_buf_add(&escaped, "\n", 1, err));
    PM_STEP(st, sink->write(sink->ctx, escaped.data, escaped.len, err));
    pm_buf_free(&escaped);
    return st;
}
