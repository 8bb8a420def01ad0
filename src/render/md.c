/* md: rows as a Markdown table for a ticket in GitHub or GitLab. Keeps every row until the end,
 * because the second line has the alignment of the columns. */
#include "render/format.h"

static bool is_word(char c)
{
    return pm_is_digit(c) || pm_is_letter(c) || (unsigned char)c >= 0x80;
}

/* True for markup: some characters anywhere; an underscore at the edge of a word (rss_kib needs no
 * escape); a bracket before an address. */
static bool is_markup(pm_text t, size_t i)
{
    if (pm_char_in(t.data[i], "\\|`*~<&$"))
        return true;
    if (t.data[i] == '_')
        return i == 0 || i + 1 == t.len || !is_word(t.data[i - 1]) || !is_word(t.data[i + 1]);
    return t.data[i] == ']' && i + 1 < t.len && (t.data[i + 1] == '(' || t.data[i + 1] == '[');
}

static void put_cell(pm_render *r, size_t i, pm_text t)
{
    size_t done = 0;

    pm_putf(r, i ? " | " : "| ");
    for (size_t k = 0; k < t.len; k++) {
        if (!is_markup(t, k))
            continue;
        pm_put(r, t.data + done, k - done);
        pm_put(r, "\\", 1);
        done = k;
    }
    pm_put(r, t.data + done, t.len - done);
}

static void row(pm_render *r, const pm_value *values)
{
    for (size_t i = 0; i < r->n_columns; i++)
        put_cell(r, i, pm_cell(r, i, &values[i]));
    pm_putf(r, " |\n");
    PM_STEP(r->st, pm_buf_add(&r->held, r->line.data, r->line.len, &r->error));
    pm_buf_clear(&r->line);
}

static void end(pm_render *r)
{
    for (size_t i = 0; i < r->n_columns; i++)
        put_cell(r, i, pm_cell_name(r, i));
    pm_putf(r, " |\n");
    for (size_t i = 0; i < r->n_columns; i++)
        pm_putf(r, "%s%s", i ? " | " : "| ", pm_is_right_aligned(r, i) ? "---:" : "---");
    pm_putf(r, " |\n");
    pm_put(r, r->held.data, r->held.len);
}

const pm_render_ops pm_render_md = {.row = row, .end = end};
