/* table_fit: makes a table fit the width of a terminal. */
#include "render/table.h"
#include "render/terminal.h"

#define GAP 2        /* blanks between columns */
#define NARROWEST 12 /* the least width of wrapped text */
#define WHOLE 16     /* text that is not wider, such as a process name, is never wrapped */
#define READABLE 24  /* text is wrapped to this width before a column is left out */
#define ALWAYS 2     /* columns that are never left out */
#define DOTS "..."   /* in place of what paths have in common */

/* The width of the table if free text is wrapped at `longest`. */
static size_t width_at(const pm_render *r, size_t longest)
{
    const table *t = r->state;
    size_t total = 0;

    for (size_t i = 0; i < r->n_columns; i++) {
        const column *c = &t->columns[i];

        if (!c->left_out)
            total += GAP + (c->free_text && c->width > longest ? longest : c->width);
    }
    return total ? total - GAP : 0;
}

/* True if about->narrow names the column or names none. */
static bool stays(const pm_render *r, size_t i)
{
    pm_text narrow = r->options.about ? r->options.about->narrow : PM_TEXT("");

    return !narrow.len || pm_text_has(narrow, " ", pm_text_of(r->columns[i].name));
}

/* Leaves out columns from the right until the table fits: those that about->narrow does not name,
 * or all but two if it names none. */
static void leave_out(pm_render *r)
{
    table *t = r->state;
    size_t width = (size_t)r->options.width;
    bool has_narrow = r->options.about && r->options.about->narrow.len;

    for (size_t i = r->n_columns; i > 0; i--)
        t->columns[i - 1].left_out = !stays(r, i - 1) && width_at(r, READABLE) > width;
    for (size_t i = r->n_columns; i > ALWAYS && !has_narrow; i--)
        t->columns[i - 1].left_out |= width_at(r, NARROWEST) > width;
}

static pm_text cell_at(const table *t, size_t line, size_t i)
{
    struct libscols_line *l = PM_LIBRARY(scols_table_get_line)(t->scols, line);

    return pm_text_of(PM_LIBRARY(scols_cell_get_data)(PM_LIBRARY(scols_line_get_cell)(l, i)));
}

/* Returns how many bytes to cut from the beginning of the paths that are wider than `room`: whole
 * folders that all of them have in common. 0: they are not paths, or have nothing in common. */
static size_t common_folders(const table *t, size_t i, size_t room)
{
    size_t common = 0, longest = 0, n = 0, wanted;
    pm_text first = {NULL, 0};

    for (size_t l = 0; l < PM_LIBRARY(scols_table_get_nlines)(t->scols); l++) {
        pm_text cell = cell_at(t, l, i);
        size_t width = pm_terminal_width(cell);

        if (width <= room)
            continue;
        if (!memchr(cell.data, '/', cell.len) || memchr(cell.data, ' ', cell.len))
            return 0;
        if (!n++) {
            first = cell;
            common = cell.len;
        }
        longest = width > longest ? width : longest;
        for (size_t k = 0; k < common; k++)
            if (k == cell.len || cell.data[k] != first.data[k])
                common = k;
    }
    if (n < 2)
        return 0;
    wanted = longest + strlen(DOTS) - room;
    for (size_t k = wanted; k < common; k++)
        if (first.data[k] == '/' && pm_terminal_width((pm_text){first.data, k}) >= wanted)
            return k;
    while (common > 0 && first.data[common - 1] != '/')
        common--;
    return common > strlen(DOTS) + 1 ? common - 1 : 0;
}

/* Cuts what the longest paths of a column have in common, so that they stay different. */
static void cut_paths(pm_render *r, size_t i)
{
    table *t = r->state;
    size_t excess = width_at(r, SIZE_MAX), room = t->columns[i].width, cut, width, widest = 0;

    excess -= excess < (size_t)r->options.width ? excess : (size_t)r->options.width;
    room = room > excess + READABLE ? room - excess : READABLE;
    cut = excess ? common_folders(t, i, room) : 0;
    for (size_t l = 0;
         cut && l < PM_LIBRARY(scols_table_get_nlines)(t->scols) && r->st == PMAPDB_OK; l++) {
        pm_text cell = cell_at(t, l, i);

        if (pm_terminal_width(cell) > room) {
            pm_buf_clear(&r->scratch);
            PM_STEP(r->st, pm_buf_addf(&r->scratch, &r->error, DOTS "%s", cell.data + cut));
            cell = pm_buf_text(&r->scratch);
            if (r->st == PMAPDB_OK)
                pm_table_ok(r, PM_LIBRARY(scols_line_set_data)(
                                   PM_LIBRARY(scols_table_get_line)(t->scols, l), i, cell.data));
        }
        width = pm_terminal_width(cell);
        widest = width > widest ? width : widest;
    }
    if (cut)
        t->columns[i].width = widest;
}

/* Shares the room among the columns of free text: one that needs less than an equal share gets what
 * it needs. */
static size_t equal_share(const pm_render *r)
{
    const table *t = r->state;
    size_t others = width_at(r, 0), width = (size_t)r->options.width, share = 0, next = 0;
    size_t room = width > others ? width - others : 0;

    do {
        size_t rest = room, n = 0;

        share = next;
        for (size_t i = 0; i < r->n_columns; i++) {
            const column *c = &t->columns[i];

            if (!c->free_text || c->left_out)
                continue;
            n += c->width > share;
            rest -= c->width > share ? 0 : c->width;
        }
        next = n ? rest / n : share;
    } while (next > share);
    return share > NARROWEST ? share : NARROWEST;
}

/* Breaks the cells of a column into lines. */
static void wrap(pm_render *r, size_t i, size_t width)
{
    table *t = r->state;

    pm_table_ok(r, PM_LIBRARY(scols_column_set_wrapfunc)(t->columns[i].scols,
                                                         PM_LIBRARY(scols_wrapnl_chunksize),
                                                         PM_LIBRARY(scols_wrapnl_nextchunk), NULL));
    for (size_t l = 0; l < PM_LIBRARY(scols_table_get_nlines)(t->scols) && r->st == PMAPDB_OK;
         l++) {
        pm_text rest = cell_at(t, l, i);

        if (pm_terminal_width(rest) <= width)
            continue;
        pm_buf_clear(&r->scratch);
        while (rest.len) {
            size_t n = pm_terminal_line(rest, width).len;

            PM_STEP(r->st, pm_buf_addf(&r->scratch, &r->error, "%.*s%s", (int)n, rest.data,
                                       n < rest.len ? "\n" : ""));
            rest = pm_text_skip(pm_text_from(rest, n), " ");
        }
        if (r->st == PMAPDB_OK)
            pm_table_ok(
                r, PM_LIBRARY(scols_line_set_data)(PM_LIBRARY(scols_table_get_line)(t->scols, l), i,
                                                   pm_buf_text(&r->scratch).data));
    }
}

static void make_fit(pm_render *r)
{
    table *t = r->state;
    size_t share;

    leave_out(r);
    for (size_t i = 0; i < r->n_columns; i++)
        if (t->columns[i].free_text && !t->columns[i].left_out)
            cut_paths(r, i);
    share = equal_share(r);
    for (size_t i = 0; i < r->n_columns; i++)
        if (t->columns[i].free_text && !t->columns[i].left_out && t->columns[i].width > share)
            wrap(r, i, share);
}

void pm_table_fit(pm_render *r)
{
    table *t = r->state;

    for (size_t i = 0; i < r->n_columns; i++)
        t->columns[i].free_text = r->columns[i].unit == PM_UNIT_TEXT &&
                                  t->columns[i].width > WHOLE && !pm_is_right_aligned(r, i);
    if (r->options.width > 0)
        make_fit(r);
    for (size_t i = 0; i < r->n_columns; i++) {
        const column *c = &t->columns[i];

        pm_table_ok(r, PM_LIBRARY(scols_column_set_flags)(
                           c->scols, (pm_is_right_aligned(r, i) ? SCOLS_FL_RIGHT : 0) |
                                         (c->free_text ? SCOLS_FL_WRAP : 0) |
                                         (c->left_out ? SCOLS_FL_HIDDEN : 0)));
    }
}
