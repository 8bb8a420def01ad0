/* table: rows in aligned columns for people. Holds every row back until the end, because only then
 * the columns' widths are known. */
#include "render/cell.h"
#include "render/flow.h"
#include "render/format.h"
#include "render/utf8.h"

#include <stdlib.h>

#define GAP 2        /* blanks between columns */
#define NARROWEST 12 /* no text column is cut below this */
#define READABLE 24  /* nor below this for the sake of a column that can be left out */

#define BOLD "\x1b[1m"
#define DIM "\x1b[2m"
#define PLAIN "\x1b[0m"

/* Its rows are held until the widths are known. */
#define TEXT_MAX (256 << 20)

typedef struct cell {
    size_t at, len, width; /* its text in table.text; columns of the terminal */
    bool unknown;
} cell;

typedef struct column {
    size_t width;
    bool has_text, has_number;
    bool right;
    bool left_out;
} column;

typedef struct table {
    column *columns;
    pm_buf text;
    cell *cells; /* row by row, the header first */
    size_t n_cells, cap;
} table;

static pmapdb_status open_table(pm_render *r, pmapdb_error *err)
{
    table *t = r->state = calloc(1, sizeof *t);

    if (!t)
        return pm_fail_nomem(err);
    t->columns = calloc(r->n_columns, sizeof *t->columns);
    return t->columns ? PMAPDB_OK : pm_fail_nomem(err);
}

static void close_table(pm_render *r)
{
    table *t = r->state;

    if (!t)
        return;
    pm_buf_free(&t->text);
    free(t->cells);
    free(t->columns);
    free(t);
}

/* Counts in what was added to the text from `at` on as the next cell. */
static pmapdb_status end_cell(table *t, column *col, size_t at, bool unknown, pmapdb_error *err)
{
    cell c = {.at = at, .len = t->text.len - at, .unknown = unknown};
    pmapdb_status st = pm_grow(&t->cells, &t->cap, t->n_cells, sizeof *t->cells, err);

    if (st != PMAPDB_OK)
        return st;
    c.width = pm_utf8_width((pm_text){t->text.data + c.at, c.len});
    if (c.width > col->width)
        col->width = c.width;
    t->cells[t->n_cells++] = c;
    return PMAPDB_OK;
}

static pmapdb_status begin(pm_render *r, pmapdb_error *err)
{
    table *t = r->state;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        size_t at = t->text.len;

        st = pm_cell_add_name(&t->text, &r->columns[i], r->options.human, err);
        if (st == PMAPDB_OK)
            st = end_cell(t, &t->columns[i], at, false, err);
    }
    return st;
}

static pmapdb_status row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    table *t = r->state;
    pmapdb_status st = PMAPDB_OK;

    if (t->text.len > TEXT_MAX)
        return pm_fail(err, PMAPDB_USAGE,
                       "a table of more than %d MiB: --top N, or a format that holds nothing back, "
                       "as csv",
                       TEXT_MAX >> 20);
    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        const pm_value *v = &values[i];
        column *col = &t->columns[i];
        size_t at = t->text.len;

        st = pm_cell_add(&t->text, r->columns[i].unit, v, r->options.human, err);
        if (st == PMAPDB_OK)
            st = end_cell(t, col, at, pm_value_unknown(v), err);
        col->has_text |= v->kind == PM_VALUE_TEXT && v->t.len > 0;
        col->has_number |= v->kind == PM_VALUE_INT || v->kind == PM_VALUE_REAL;
    }
    return st;
}

/* A column of an ad-hoc SELECT is declared as text; numbers in it show what it is. */
static void align(pm_render *r)
{
    table *t = r->state;

    for (size_t i = 0; i < r->n_columns; i++)
        t->columns[i].right = pm_unit_is_number(r->columns[i].unit) ||
                              (t->columns[i].has_number && !t->columns[i].has_text);
}

static bool is_free_text(const pm_render *r, size_t i)
{
    const table *t = r->state;

    return !t->columns[i].right && r->columns[i].unit == PM_UNIT_TEXT;
}

/* Free text only: half a time or half a category's name says nothing. */
static column *widest_text(const pm_render *r)
{
    table *t = r->state;
    column *widest = NULL;

    for (size_t i = 0; i < r->n_columns; i++)
        if (is_free_text(r, i) && !t->columns[i].left_out &&
            (!widest || t->columns[i].width > widest->width))
            widest = &t->columns[i];
    return widest;
}

/* Of a line in which no text is longer than that. */
static size_t width_of(const pm_render *r, size_t longest)
{
    const table *t = r->state;
    size_t total = 0;

    for (size_t i = 0; i < r->n_columns; i++) {
        const column *c = &t->columns[i];

        if (!c->left_out)
            total += GAP + (is_free_text(r, i) && c->width > longest ? longest : c->width);
    }
    return total ? total - GAP : 0;
}

static bool stays(const pm_render *r, size_t i)
{
    pm_text rest = r->options.about ? r->options.about->narrow : (pm_text){NULL, 0};
    pm_text name = pm_text_of(r->columns[i].name);
    bool named = rest.len == 0;

    while (rest.len && !named) {
        const char *blank = memchr(rest.data, ' ', rest.len);
        size_t n = blank ? (size_t)(blank - rest.data) : rest.len;

        named = pm_text_equal((pm_text){rest.data, n}, name);
        rest = pm_text_from(rest, blank ? n + 1 : n);
    }
    return named;
}

/* Leaves out what a narrow table can do without, the last first; then takes columns off the widest
 * text column, again and again, until the line fits. */
static void fit(pm_render *r)
{
    table *t = r->state;
    size_t total;

    if (r->options.width <= 0)
        return;
    for (size_t i = r->n_columns; i > 0 && width_of(r, READABLE) > (size_t)r->options.width; i--)
        t->columns[i - 1].left_out = !stays(r, i - 1);
    total = width_of(r, SIZE_MAX);
    for (; total > (size_t)r->options.width; total--) {
        column *widest = widest_text(r);

        if (!widest || widest->width <= NARROWEST)
            return;
        widest->width--;
    }
}

static pmapdb_status add_blanks(pm_buf *out, size_t n, pmapdb_error *err)
{
    static const char blanks[] = "                                ";
    pmapdb_status st = PMAPDB_OK;

    for (size_t piece; n && st == PMAPDB_OK; n -= piece) {
        piece = n < sizeof blanks - 1 ? n : sizeof blanks - 1;
        st = pm_buf_add(out, blanks, piece, err);
    }
    return st;
}

/* Adds the cell, cut to its column, and its width: a wide character that does not fit whole leaves
 * less than the column's. */
static pmapdb_status add_cut(pm_buf *out, pm_text text, size_t limit, size_t *width,
                             pmapdb_error *err)
{
    size_t at = out->len;
    pmapdb_status st = pm_utf8_shorten(text, limit, out, err);

    if (st == PMAPDB_OK)
        *width = pm_utf8_width((pm_text){out->data + at, out->len - at});
    return st;
}

static pmapdb_status add_padded(pm_render *r, const column *col, const cell *c, pmapdb_error *err)
{
    const table *t = r->state;
    pm_text text = {t->text.data + c->at, c->len};
    bool dim = c->unknown && r->options.color;
    size_t width = c->width;
    pmapdb_status st = PMAPDB_OK;

    if (col->right)
        st = add_blanks(&r->line, col->width - width, err);
    if (st == PMAPDB_OK && dim)
        st = pm_buf_add(&r->line, DIM, sizeof DIM - 1, err);
    if (st == PMAPDB_OK)
        st = add_cut(&r->line, text, col->width, &width, err);
    if (st == PMAPDB_OK && dim)
        st = pm_buf_add(&r->line, PLAIN, sizeof PLAIN - 1, err);
    if (st == PMAPDB_OK && !col->right)
        st = add_blanks(&r->line, col->width - width, err);
    return st;
}

static pmapdb_status write_line(pm_render *r, const cell *cells, bool bold, pmapdb_error *err)
{
    const table *t = r->state;
    pmapdb_status st = PMAPDB_OK;

    if (bold)
        st = pm_buf_add(&r->line, BOLD, sizeof BOLD - 1, err);
    for (size_t i = 0, n = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        if (t->columns[i].left_out)
            continue;
        st = add_blanks(&r->line, n++ ? GAP : 0, err);
        if (st == PMAPDB_OK)
            st = add_padded(r, &t->columns[i], &cells[i], err);
    }
    if (st != PMAPDB_OK)
        return st;
    while (r->line.len && r->line.data[r->line.len - 1] == ' ')
        r->line.len--;
    st = pm_buf_addf(&r->line, err, "%s\n", bold ? PLAIN : "");
    return st == PMAPDB_OK ? pm_render_flush(r, err) : st;
}

/* Nobody is to think that these were all. The header's cells come first. */
static pmapdb_status tell_left_out(pm_render *r, pmapdb_error *err)
{
    const table *t = r->state;
    pm_flow flow = {.sink = &r->sink, .err = err, .width = r->options.width};
    bool any = false;

    for (size_t i = 0; i < r->n_columns; i++) {
        const cell *name = &t->cells[i];

        if (!t->columns[i].left_out)
            continue;
        if (!any) {
            pm_flow_begin(&flow, 0, 4);
            pm_flow_say(&flow, 0, "[no room for");
        } else {
            pm_flow_say(&flow, 0, ",");
        }
        pm_flow_put(&flow, 1, PM_FLOW_PLAIN, (pm_text){t->text.data + name->at, name->len});
        any = true;
    }
    if (any) {
        pm_flow_say(&flow, 0, "; --wide shows all]");
        pm_flow_end(&flow);
    }
    pm_flow_free(&flow);
    return flow.st;
}

static pmapdb_status end(pm_render *r, pmapdb_error *err)
{
    table *t = r->state;
    pmapdb_status st = PMAPDB_OK;

    align(r);
    fit(r);
    for (size_t i = 0; i < t->n_cells && st == PMAPDB_OK; i += r->n_columns)
        st = write_line(r, t->cells + i, i == 0 && r->options.color, err);
    return st == PMAPDB_OK ? tell_left_out(r, err) : st;
}

const pm_render_ops pm_render_table = {
    .open = open_table,
    .close = close_table,
    .begin = begin,
    .row = row,
    .end = end,
    .for_people = true,
};
