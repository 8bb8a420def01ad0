/* md: rows as a Markdown table, as GitHub and GitLab print it in a ticket. Holds every row back
 * until the end, because the second line says how the columns are aligned. */
#include "render/cell.h"
#include "render/format.h"
#include "render/utf8.h"

#include <stdlib.h>

typedef struct md {
    pm_buf header, body;
    bool *has_text, *has_number; /* one per column */
} md;

static pmapdb_status open_md(pm_render *r, pmapdb_error *err)
{
    md *m = r->state = calloc(1, sizeof *m);

    if (!m)
        return pm_fail_nomem(err);
    m->has_text = calloc(r->n_columns, sizeof *m->has_text);
    m->has_number = calloc(r->n_columns, sizeof *m->has_number);
    return m->has_text && m->has_number ? PMAPDB_OK : pm_fail_nomem(err);
}

static void close_md(pm_render *r)
{
    md *m = r->state;

    if (!m)
        return;
    pm_buf_free(&m->header);
    pm_buf_free(&m->body);
    free(m->has_text);
    free(m->has_number);
    free(m);
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

/* Markdown obeys these wherever they stand; an underscore only at a word's edge, so that rss_kib
 * stays readable in the source; brackets only where an address follows. */
static bool is_markup(pm_text t, size_t i)
{
    if (strchr("\\|`*~<&$", t.data[i]))
        return t.data[i] != '\0';
    if (t.data[i] == '_')
        return i == 0 || i + 1 == t.len || !is_word(t.data[i - 1]) || !is_word(t.data[i + 1]);
    return t.data[i] == ']' && i + 1 < t.len && (t.data[i + 1] == '(' || t.data[i + 1] == '[');
}

/* A cell is one line: a newline in a name is escaped like every control byte. */
static pmapdb_status add_marked(pm_buf *out, pm_text t, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    size_t done = 0;

    for (size_t i = 0; i < t.len && st == PMAPDB_OK; i++) {
        if (!is_markup(t, i))
            continue;
        st = pm_buf_add(out, t.data + done, i - done, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(out, "\\", 1, err);
        done = i;
    }
    return st == PMAPDB_OK ? pm_buf_add(out, t.data + done, t.len - done, err) : st;
}

/* Adds r->line, cleared, as a cell. */
static pmapdb_status end_cell(pm_render *r, pm_buf *out, size_t i, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_addf(out, err, "%s ", i ? " |" : "|");

    if (st == PMAPDB_OK)
        st = add_marked(out, pm_buf_text(&r->line), err);
    pm_buf_clear(&r->line);
    return st == PMAPDB_OK && i + 1 == r->n_columns ? pm_buf_addf(out, err, " |\n") : st;
}

static pmapdb_status begin(pm_render *r, pmapdb_error *err)
{
    md *m = r->state;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        st = pm_cell_add_name(&r->line, &r->columns[i], r->options.human, err);
        if (st == PMAPDB_OK)
            st = end_cell(r, &m->header, i, err);
    }
    return st;
}

static pmapdb_status row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    md *m = r->state;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        const pm_value *v = &values[i];

        st = pm_cell_add(&r->line, r->columns[i].unit, v, r->options.human, err);
        if (st == PMAPDB_OK)
            st = end_cell(r, &m->body, i, err);
        m->has_text[i] |= v->kind == PM_VALUE_TEXT && v->t.len > 0;
        m->has_number[i] |= v->kind == PM_VALUE_INT || v->kind == PM_VALUE_REAL;
    }
    return st;
}

static pmapdb_status end(pm_render *r, pmapdb_error *err)
{
    md *m = r->state;
    pmapdb_status st = pm_buf_add(&r->line, m->header.data, m->header.len, err);

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        bool right = pm_unit_is_number(r->columns[i].unit) || (m->has_number[i] && !m->has_text[i]);

        st = pm_buf_addf(&r->line, err, "%s%s", i ? " | " : "| ", right ? "---:" : "---");
    }
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&r->line, err, " |\n");
    if (st == PMAPDB_OK)
        st = pm_render_flush(r, err);
    if (st != PMAPDB_OK || !m->body.len)
        return st;
    return r->sink.write(r->sink.ctx, m->body.data, m->body.len, err);
}

const pm_render_ops pm_render_md = {
    .open = open_md,
    .close = close_md,
    .begin = begin,
    .row = row,
    .end = end,
    .for_people = true,
};
