/* table: rows in aligned columns for people, by libsmartcols, which is loaded for the first table.
 * Keeps every row until the end, because the widths of the columns depend on all rows. */
#include "render/table.h"
#include "render/terminal.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>

#define SMARTCOLS "libsmartcols.so.1"
#define BOLD "\x1b[1m"
#define DIM "\x1b[2m"
#define INDENT 4 /* of the words about left-out columns, after their first line */

/* bytes that a table may keep */
#define TEXT_MAX (256 << 20)

static void open_table(pm_render *r)
{
    table *t = r->state = pm_render_alloc(r, 1, sizeof *t);
    bool loaded;

    if (!t || !(t->columns = pm_render_alloc(r, r->n_columns, sizeof *t->columns)))
        return;
    errno = 0;
    loaded = pm_library_load(SMARTCOLS, "scols_table_enable_noencoding");
    if (!loaded && errno != ENOMEM)
        r->st = pm_fail(&r->error, PMAPDB_IO,
                        "a table needs " SMARTCOLS
                        ", which is not installed (Debian: libsmartcols1); --csv needs nothing");
    else if (!loaded || !(t->scols = PM_LIBRARY(scols_new_table)()))
        r->st = pm_fail_nomem(&r->error);
    if (r->st != PMAPDB_OK)
        return;
    PM_LIBRARY(scols_table_enable_noencoding)(t->scols, 1); /* the cells are printable */
    PM_LIBRARY(scols_table_enable_colors)(t->scols, r->options.color);
    pm_table_ok(r, PM_LIBRARY(scols_table_set_column_separator)(t->scols, "  "));
    PM_LIBRARY(scols_table_set_termforce)(t->scols, SCOLS_TERMFORCE_NEVER);
}

static void close_table(pm_render *r)
{
    table *t = r->state;

    if (!t)
        return;
    if (t->scols)
        PM_LIBRARY(scols_unref_table)(t->scols);
    free(t->columns);
    free(t);
}

static void note_width(table *t, size_t i, pm_text cell)
{
    size_t width = pm_terminal_width(cell);

    if (width > t->columns[i].width)
        t->columns[i].width = width;
    t->bytes += cell.len;
}

static void begin(pm_render *r)
{
    table *t = r->state;

    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++) {
        pm_text name = pm_cell_name(r, i);
        struct libscols_cell *header;

        note_width(t, i, name);
        t->columns[i].scols = PM_LIBRARY(scols_table_new_column)(t->scols, name.data, 0, 0);
        if (!pm_table_ok(r, !t->columns[i].scols) || !r->options.color)
            continue;
        header = PM_LIBRARY(scols_column_get_header)(t->columns[i].scols);
        pm_table_ok(r, PM_LIBRARY(scols_cell_set_color)(header, BOLD));
    }
}

static void row(pm_render *r, const pm_value *values)
{
    table *t = r->state;
    struct libscols_line *line = PM_LIBRARY(scols_table_new_line)(t->scols, NULL);
    int (*set)(struct libscols_line *, size_t, const char *) = PM_LIBRARY(scols_line_set_data);

    if (t->bytes > TEXT_MAX)
        r->st = pm_fail(&r->error, PMAPDB_USAGE,
                        "a table of more than %d MiB: --top N, or a format that holds nothing, as "
                        "csv",
                        TEXT_MAX >> 20);
    for (size_t i = 0; pm_table_ok(r, !line) && r->st == PMAPDB_OK && i < r->n_columns; i++) {
        pm_text cell = pm_cell(r, i, &values[i]);

        note_width(t, i, cell);
        if (r->st == PMAPDB_OK && pm_table_ok(r, set(line, i, cell.data)) && r->options.color &&
            pm_value_unknown(&values[i]))
            pm_table_ok(
                r, PM_LIBRARY(scols_cell_set_color)(PM_LIBRARY(scols_line_get_cell)(line, i), DIM));
    }
}

/* Drops the blanks with which libsmartcols pads the last column. */
static void put_lines(pm_render *r, const char *text, bool only_header)
{
    size_t n;

    do {
        size_t shown = n = strcspn(text, "\n");

        while (shown && text[shown - 1] == ' ')
            shown--;
        pm_put(r, text, shown);
        pm_put(r, "\n", 1);
        text += n + 1;
    } while (text[-1] && !only_header);
}

/* libsmartcols asks the locale for the width of a character, and cron sets none. */
static void print(pm_render *r)
{
    const table *t = r->state;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
    bool empty = PM_LIBRARY(scols_table_get_nlines)(t->scols) == 0;
    char *text = NULL;

    if (utf8)
        before = uselocale(utf8);
    if (empty) /* libsmartcols prints no header without a line */
        pm_table_ok(r, !PM_LIBRARY(scols_table_new_line)(t->scols, NULL));
    /* the text is missing if its stream could not be ended for lack of memory */
    if (pm_table_ok(r, PM_LIBRARY(scols_print_table_to_string)(t->scols, &text) != 0 || !text))
        put_lines(r, text, empty);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    free(text);
}

/* Names the columns that are left out. */
static void tell_left_out(pm_render *r)
{
    const table *t = r->state;
    size_t width = (size_t)r->options.width, less = width > INDENT ? width - INDENT : 1;
    pm_buf words = {0};

    for (size_t i = 0; i < r->n_columns; i++)
        if (t->columns[i].left_out)
            pm_buf_addf(&words, NULL, "%s%s", words.len ? ", " : "[no room for ",
                        pm_cell_name(r, i).data);
    if (words.len)
        pm_buf_addf(&words, NULL, "; --wide shows all]");
    PM_STEP(r->st, pm_buf_status(&words, &r->error));
    for (pm_text rest = pm_buf_text(&words), line; rest.len && r->st == PMAPDB_OK;) {
        line = pm_terminal_line(rest, rest.data == words.data ? width : less);
        pm_putf(r, "%*s", rest.data == words.data ? 0 : INDENT, "");
        pm_put(r, line.data, line.len);
        pm_put(r, "\n", 1);
        rest = pm_text_skip(pm_text_from(rest, line.len), " ");
    }
    pm_buf_free(&words);
}

static void end(pm_render *r)
{
    pm_table_fit(r);
    if (r->st == PMAPDB_OK)
        print(r);
    if (r->st == PMAPDB_OK)
        tell_left_out(r);
}

const pm_render_ops pm_render_table = {
    .open = open_table,
    .close = close_table,
    .begin = begin,
    .row = row,
    .end = end,
};
