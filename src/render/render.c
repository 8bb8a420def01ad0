/* render: picks the format and takes care of what all of them need. */
#include "render/format.h"
#include "render/utf8.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name;
    const pm_render_ops *ops;
} formats[] = {
    [PM_FORMAT_TABLE] = {"table", &pm_render_table},
    [PM_FORMAT_CSV] = {"csv", &pm_render_csv},
    [PM_FORMAT_JSON] = {"json", &pm_render_json},
    [PM_FORMAT_NDJSON] = {"ndjson", &pm_render_ndjson},
    [PM_FORMAT_MD] = {"md", &pm_render_md},
    [PM_FORMAT_PROMETHEUS] = {"prometheus", &pm_render_prometheus},
};

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

static pmapdb_status copy_columns(pm_render *r, const pm_column *columns, size_t n,
                                  pmapdb_error *err)
{
    r->columns = calloc(n, sizeof *r->columns);
    if (!r->columns)
        return pm_fail_nomem(err);
    for (; r->n_columns < n; r->n_columns++) {
        char *name = strdup(columns[r->n_columns].name);

        if (!name)
            return pm_fail_nomem(err);
        r->columns[r->n_columns] = (pm_column){name, columns[r->n_columns].unit};
    }
    return PMAPDB_OK;
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
    if (options->spark && r->ops->for_people)
        r->ops = &pm_render_spark;
    r->options = *options;
    r->sink = *sink;
    st = copy_columns(r, columns, (size_t)n_columns, err);
    if (st == PMAPDB_OK && options->top && r->ops->for_people && !r->ops->own_top)
        st = pm_others_new(r->columns, r->n_columns, &r->others, err);
    if (st == PMAPDB_OK && r->ops->open)
        st = r->ops->open(r, err);
    if (st != PMAPDB_OK) {
        pm_render_free(r);
        return st;
    }
    *out = r;
    return PMAPDB_OK;
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
    pm_others_free(r->others);
    pm_buf_free(&r->line);
    free(r);
}

static pmapdb_status begin(pm_render *r, pmapdb_error *err)
{
    if (r->begun)
        return PMAPDB_OK;
    r->begun = true;
    return r->ops->begin ? r->ops->begin(r, err) : PMAPDB_OK;
}

pmapdb_status pm_render_row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    bool beyond = r->options.top && !r->ops->own_top && r->n_rows >= r->options.top;
    pmapdb_status st = begin(r, err);

    if (st == PMAPDB_OK && r->others)
        st = pm_others_see(r->others, values, beyond, err);
    else if (beyond)
        r->n_left_out++;
    if (st == PMAPDB_OK && !beyond) {
        st = r->ops->row(r, values, err);
        r->n_rows++;
    }
    return st;
}

/* The row that stands for those beyond `top`; once. */
static pmapdb_status end_rows(pm_render *r, pmapdb_error *err)
{
    const pm_value *others = r->others ? pm_others_row(r->others) : NULL;
    pmapdb_status st = others ? r->ops->row(r, others, err) : PMAPDB_OK;

    pm_others_free(r->others);
    r->others = NULL;
    return st;
}

pmapdb_status pm_render_total(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    pmapdb_status st = begin(r, err);

    if (st == PMAPDB_OK)
        st = end_rows(r, err);
    return st == PMAPDB_OK ? r->ops->row(r, values, err) : st;
}

size_t pm_render_left_out(const pm_render *r)
{
    return r->n_left_out;
}

pmapdb_status pm_render_end(pm_render *r, pmapdb_error *err)
{
    pmapdb_status st = begin(r, err);

    if (st == PMAPDB_OK)
        st = end_rows(r, err);
    return st == PMAPDB_OK && r->ops->end ? r->ops->end(r, err) : st;
}

pmapdb_status pm_render_flush(pm_render *r, pmapdb_error *err)
{
    pmapdb_status st = r->sink.write(r->sink.ctx, r->line.data, r->line.len, err);

    pm_buf_clear(&r->line);
    return st;
}

pmapdb_status pm_render_escaped(const pm_sink *sink, pm_text text, pmapdb_error *err)
{
    pm_buf escaped = {0};
    pmapdb_status st = pm_utf8_escape(text, &escaped, err);

    if (st == PMAPDB_OK && escaped.len)
        st = sink->write(sink->ctx, escaped.data, escaped.len, err);
    pm_buf_free(&escaped);
    return st;
}

pmapdb_status pm_render_line(const pm_sink *sink, pm_text text, pmapdb_error *err)
{
    pmapdb_status st = pm_render_escaped(sink, text, err);

    return st == PMAPDB_OK ? sink->write(sink->ctx, "\n", 1, err) : st;
}
