/* csv: rows as comma-separated values. Numbers and times stand bare, text as libcsv writes it,
 * unknown is nothing between commas (empty text is "", so the two differ; not where there is but
 * one column). */
#include "render/format.h"
#include "render/number.h"

#include <csv.h>
#include <inttypes.h>
#include <stdlib.h>

/* csv_write needs its output in one piece. */
typedef struct csv {
    char *quoted;
    size_t cap;
} csv;

static pmapdb_status open_csv(pm_render *r, pmapdb_error *err)
{
    r->state = calloc(1, sizeof(csv));
    return r->state ? PMAPDB_OK : pm_fail_nomem(err);
}

static void close_csv(pm_render *r)
{
    csv *c = r->state;

    if (c)
        free(c->quoted);
    free(c);
}

static pmapdb_status add_as_it_is(pm_render *r, pm_text t, pmapdb_error *err)
{
    const char *data = t.len ? t.data : "";
    csv *c = r->state;
    size_t need;

    if (t.len > SIZE_MAX / 4)
        return pm_fail_nomem(err);
    need = 2 * t.len + 2;
    if (need > c->cap) {
        char *grown = realloc(c->quoted, need);

        if (!grown)
            return pm_fail_nomem(err);
        c->quoted = grown;
        c->cap = need;
    }
    return pm_buf_add(&r->line, c->quoted, csv_write(c->quoted, c->cap, data, t.len), err);
}

/* What spreadsheets begin a formula with: also behind blanks and quotes, which some take off first,
 * and in the wide forms that Japanese ones read alike. */
static bool is_formula(pm_text t)
{
    static const char *const begins[] = {"=",
                                         "+",
                                         "-",
                                         "@",
                                         "\t",
                                         "\r",
                                         "\n",
                                         "\xef\xbc\x9d",
                                         "\xef\xbc\x8b",
                                         "\xef\xbc\x8d",
                                         "\xef\xbc\xa0"};

    while (t.len && (t.data[0] == ' ' || t.data[0] == '"'))
        t = pm_text_from(t, 1);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (pm_text_starts(t, pm_text_of(begins[i])))
            return true;
    return false;
}

static pmapdb_status add_quoted(pm_render *r, pm_text t, pmapdb_error *err)
{
    pm_buf safe = {0};
    pmapdb_status st;

    if (!r->options.safe || !is_formula(t))
        return add_as_it_is(r, t, err);
    st = pm_buf_add(&safe, "'", 1, err);
    if (st == PMAPDB_OK)
        st = pm_buf_add(&safe, t.data, t.len, err);
    if (st == PMAPDB_OK)
        st = add_as_it_is(r, pm_buf_text(&safe), err);
    pm_buf_free(&safe);
    return st;
}

/* Column names and times are bare as long as they cannot be misread: the columns of an ad-hoc
 * SELECT are called as its author likes. */
static pmapdb_status add_bare(pm_render *r, pm_text t, pmapdb_error *err)
{
    bool plain = t.len > 0 && t.data[0] != ' ' && t.data[t.len - 1] != ' ';

    if (r->options.safe && is_formula(t))
        plain = false;
    for (size_t i = 0; i < t.len && plain; i++)
        plain = t.data[i] != ',' && t.data[i] != '"' && (unsigned char)t.data[i] >= ' ';
    return plain ? pm_buf_add(&r->line, t.data, t.len, err) : add_quoted(r, t, err);
}

static pmapdb_status add_value(pm_render *r, pm_unit unit, const pm_value *v, pmapdb_error *err)
{
    char text[PM_NUMBER_TEXT];

    /* an empty line is no row to most readers */
    if (pm_value_unknown(v))
        return r->n_columns > 1 ? PMAPDB_OK : pm_buf_add(&r->line, "\"\"", 2, err);
    if (v->kind == PM_VALUE_TEXT)
        return unit == PM_UNIT_TIME ? add_bare(r, v->t, err) : add_quoted(r, v->t, err);
    if (v->kind == PM_VALUE_INT && unit == PM_UNIT_ADDRESS)
        return pm_buf_addf(&r->line, err, "%" PRIx64, (uint64_t)v->i);
    if (v->kind == PM_VALUE_INT)
        return pm_buf_addf(&r->line, err, "%" PRId64, v->i);
    pm_number_exact(v->r, text);
    return pm_buf_add(&r->line, text, strlen(text), err);
}

/* Ends column i: with a comma, or after the last one with the line's end, which is then written. */
static pmapdb_status end_field(pm_render *r, size_t i, pmapdb_error *err)
{
    const char *mark = i + 1 < r->n_columns ? "," : r->options.crlf ? "\r\n" : "\n";
    pmapdb_status st = pm_buf_add(&r->line, mark, strlen(mark), err);

    return st == PMAPDB_OK && i + 1 == r->n_columns ? pm_render_flush(r, err) : st;
}

static pmapdb_status begin(pm_render *r, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        st = add_bare(r, pm_text_of(r->columns[i].name), err);
        if (st == PMAPDB_OK)
            st = end_field(r, i, err);
    }
    return st;
}

static pmapdb_status row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        st = add_value(r, r->columns[i].unit, &values[i], err);
        if (st == PMAPDB_OK)
            st = end_field(r, i, err);
    }
    return st;
}

const pm_render_ops pm_render_csv = {
    .open = open_csv,
    .close = close_csv,
    .begin = begin,
    .row = row,
};
