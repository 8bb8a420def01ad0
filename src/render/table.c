/* table: rows in aligned columns for people, by libsmartcols. Keeps every row until the end,
 * because the widths of the columns depend on all rows. */
#include "render/flow.h"
#include "render/format.h"
#include "render/terminal.h"

#include <libsmartcols.h>
#include <locale.h>
#include <stdlib.h>

#define GAP 2        /* blanks between columns */
#define NARROWEST 12 /* the least width of wrapped text */
#define READABLE 24  /* text is wrapped to this width before a column is left out */
#define ALWAYS 2     /* columns that are never left out */
#define DOTS "..."   /* in place of what paths have in common */

#define BOLD "\x1b[1m"
#define DIM "\x1b[2m"

/* bytes that a table may keep */
#define TEXT_MAX (256 << 20)

typedef struct column {
    struct libscols_column *scols; /* owned by the table */
    size_t width;                  /* of its longest cell */
    pm_held_kinds kinds;
    bool free_text; /* may be wrapped, unlike a time or a category */
    bool left_out;
} column;

typedef struct table {
    struct libscols_table *scols;
    column *columns;
    size_t bytes;
} table;

/* All failures of libsmartcols are lack of memory. */
static bool ok(pm_render *r, int result)
{
    if (result != 0 && r->st == PMAPDB_OK)
        r->st = pm_fail_nomem(&r->error);
    return result == 0;
}

static void open_table(pm_render *r)
{
    table *t = r->state = pm_render_alloc(r, 1, sizeof *t);

    if (!t)
        return;
    t->columns = pm_render_alloc(r, r->n_columns, sizeof *t->columns);
    t->scols = scols_new_table();
    if (!t->scols && r->st == PMAPDB_OK)
        r->st = pm_fail_nomem(&r->error);
    if (r->st != PMAPDB_OK)
        return;
    scols_table_enable_noencoding(t->scols, 1); /* the cells are printable */
    scols_table_enable_colors(t->scols, r->options.color);
    ok(r, scols_table_set_column_separator(t->scols, "  "));
    scols_table_set_termforce(t->scols, r->options.width > 0 ? SCOLS_TERMFORCE_ALWAYS
                                                             : SCOLS_TERMFORCE_NEVER);
}

static void close_table(pm_render *r)
{
    table *t = r->state;

    if (!t)
        return;
    scols_unref_table(t->scols);
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
        t->columns[i].scols = scols_table_new_column(t->scols, name.data, 0, 0);
        if (!ok(r, !t->columns[i].scols) || !r->options.color)
            continue;
        header = scols_column_get_header(t->columns[i].scols);
        ok(r, scols_cell_set_color(header, BOLD));
    }
}

static void row(pm_render *r, const pm_value *values)
{
    table *t = r->state;
    struct libscols_line *line = scols_table_new_line(t->scols, NULL);

    if (t->bytes > TEXT_MAX)
        r->st = pm_fail(&r->error, PMAPDB_USAGE,
                        "a table of more than %d MiB: --top N, or a format that holds nothing, as "
                        "csv",
                        TEXT_MAX >> 20);
    for (size_t i = 0; ok(r, !line) && r->st == PMAPDB_OK && i < r->n_columns; i++) {
        pm_text cell = pm_cell(r, i, &values[i]);

        note_width(t, i, cell);
        pm_note_kinds(&t->columns[i].kinds, &values[i]);
        if (r->st == PMAPDB_OK && ok(r, scols_line_set_data(line, i, cell.data)) &&
            r->options.color && pm_value_unknown(&values[i]))
            ok(r, scols_cell_set_color(scols_line_get_cell(line, i), DIM));
    }
}

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
    struct libscols_line *l = scols_table_get_line(t->scols, line);

    return pm_text_of(scols_cell_get_data(scols_line_get_cell(l, i)));
}

/* Returns how many bytes to cut from the beginning of the paths that are wider than `room`: whole
 * folders that all of them have in common. 0: they are not paths, or have nothing in common. */
static size_t common_folders(const table *t, size_t i, size_t room)
{
    size_t common = 0, longest = 0, n = 0, wanted;
    pm_text first = {NULL, 0};

    for (size_t l = 0; l < scols_table_get_nlines(t->scols); l++) {
        pm_text cell = cell_at(t, l, i);

        if (cell.len <= room)
            continue;
        if (!memchr(cell.data, '/', cell.len) || memchr(cell.data, ' ', cell.len))
            return 0;
        if (!n++) {
            first = cell;
            common = cell.len;
        }
        longest = cell.len > longest ? cell.len : longest;
        for (size_t k = 0; k < common; k++)
            if (k == cell.len || cell.data[k] != first.data[k])
                common = k;
    }
    if (n < 2)
        return 0;
    wanted = longest + strlen(DOTS) - room;
    for (size_t k = wanted; k < common; k++)
        if (first.data[k] == '/')
            return k;
    while (common > 0 && first.data[common - 1] != '/')
        common--;
    return common > strlen(DOTS) + 1 ? common - 1 : 0;
}

/* Cuts what the longest paths of a column have in common, so that they stay different. */
static void cut_paths(pm_render *r, size_t i)
{
    table *t = r->state;
    size_t excess = width_at(r, SIZE_MAX), room = t->columns[i].width, cut, widest = 0;

    excess -= excess < (size_t)r->options.width ? excess : (size_t)r->options.width;
    room = room > excess + READABLE ? room - excess : READABLE;
    cut = excess ? common_folders(t, i, room) : 0;
    for (size_t l = 0; cut && l < scols_table_get_nlines(t->scols) && r->st == PMAPDB_OK; l++) {
        pm_text cell = cell_at(t, l, i);

        if (cell.len > room) {
            pm_buf_clear(&r->scratch);
            PM_STEP(r->st, pm_buf_addf(&r->scratch, &r->error, DOTS "%s", cell.data + cut));
            cell = pm_buf_text(&r->scratch);
            if (r->st == PMAPDB_OK)
                ok(r, scols_line_set_data(scols_table_get_line(t->scols, l), i, cell.data));
        }
        widest = cell.len > widest ? cell.len : widest;
    }
    if (cut)
        t->columns[i].width = widest;
}

static void lay_out(pm_render *r)
{
    table *t = r->state;
    size_t width;

    for (size_t i = 0; i < r->n_columns; i++)
        t->columns[i].free_text = r->columns[i].unit == PM_UNIT_TEXT &&
                                  t->columns[i].width > NARROWEST &&
                                  !pm_is_right_aligned(&r->columns[i], &t->columns[i].kinds);
    if (r->options.width > 0)
        leave_out(r);
    for (size_t i = 0; r->options.width > 0 && i < r->n_columns; i++)
        if (t->columns[i].free_text && !t->columns[i].left_out)
            cut_paths(r, i);
    for (size_t i = 0; i < r->n_columns; i++) {
        const column *c = &t->columns[i];
        bool right = pm_is_right_aligned(&r->columns[i], &c->kinds);

        ok(r, scols_column_set_flags(c->scols, (right ? SCOLS_FL_RIGHT : 0) |
                                                   (c->free_text ? SCOLS_FL_WRAP : 0) |
                                                   (c->left_out ? SCOLS_FL_HIDDEN : 0)));
    }
    width = width_at(r, NARROWEST);
    if (r->options.width > 0 && width < (size_t)r->options.width)
        width = (size_t)r->options.width;
    scols_table_set_termwidth(t->scols, width);
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
    bool empty = scols_table_get_nlines(t->scols) == 0;
    char *text = NULL;

    if (utf8)
        before = uselocale(utf8);
    if (empty) /* libsmartcols prints no header without a line */
        ok(r, !scols_table_new_line(t->scols, NULL));
    if (ok(r, scols_print_table_to_string(t->scols, &text)) && text)
        put_lines(r, text, empty);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    free(text);
}

static pmapdb_status to_line(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    pm_render *r = ctx;

    (void)err;
    pm_put(r, bytes, n);
    return r->st;
}

/* Names the columns that are left out. */
static void tell_left_out(pm_render *r)
{
    const table *t = r->state;
    pm_sink sink = {r, to_line};
    pm_flow flow = {.sink = &sink, .err = &r->error, .width = r->options.width};
    bool any = false;

    for (size_t i = 0; i < r->n_columns; i++) {
        if (!t->columns[i].left_out)
            continue;
        if (!any) {
            pm_flow_begin(&flow, 0, 4);
            pm_flow_say(&flow, 0, "[no room for");
        } else {
            pm_flow_say(&flow, 0, ",");
        }
        pm_flow_put(&flow, 1, PM_FLOW_PLAIN, pm_cell_name(r, i));
        any = true;
    }
    if (any) {
        pm_flow_say(&flow, 0, "; --wide shows all]");
        pm_flow_end(&flow);
    }
    pm_flow_free(&flow);
    PM_STEP(r->st, flow.st);
}

static void end(pm_render *r)
{
    lay_out(r);
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
