/* terminal: text of unknown origin made fit for a terminal. */
#include "render/terminal.h"
#include "base/utf8.h"

#include <utf8proc.h>

/* True for a character that can make a name look like another name, or control the terminal. */
static bool is_unsafe(uint32_t cp)
{
    utf8proc_category_t category;

    if (cp < 0x7f)
        return cp < 0x20;
    if (cp == PM_UTF8_BAD)
        return true;
    category = utf8proc_category((utf8proc_int32_t)cp);
    return category == UTF8PROC_CATEGORY_CN || /* of no width that terminals agree on */
           category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
           utf8proc_get_property((utf8proc_int32_t)cp)->ignorable;
}

pmapdb_status pm_terminal_escape(pm_text t, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_add(out, "", 0, err);

    while (t.len && st == PMAPDB_OK) {
        uint32_t cp;
        size_t n = pm_utf8_next(t, &cp);

        if (!is_unsafe(cp))
            st = pm_buf_add(out, t.data, n, err);
        for (size_t i = 0; i < n && is_unsafe(cp) && st == PMAPDB_OK; i++)
            st = pm_buf_addf(out, err, "\\x%02x", (unsigned char)t.data[i]);
        t = pm_text_from(t, n);
    }
    return st;
}

/* Cuts a character off; returns its width. */
static size_t next_width(pm_text *t)
{
    uint32_t cp;

    *t = pm_text_from(*t, pm_utf8_next(*t, &cp));
    return cp < 0x300 || cp == PM_UTF8_BAD ? 1 : (size_t)utf8proc_charwidth((utf8proc_int32_t)cp);
}

size_t pm_terminal_width(pm_text t)
{
    size_t width = 0;

    while (t.len)
        width += next_width(&t);
    return width;
}

pm_text pm_terminal_head(pm_text t, size_t columns)
{
    pm_text rest = t;
    size_t used = 0, n = 0;

    while (rest.len && (used += next_width(&rest)) <= columns)
        n = t.len - rest.len;
    return (pm_text){t.data, n};
}

pm_text pm_terminal_line(pm_text t, size_t columns)
{
    pm_text line = pm_terminal_head(t, columns);
    size_t whole = line.len;

    while (line.len < t.len && whole && t.data[whole] != ' ')
        whole--;
    if (line.len < t.len && whole)
        line.len = whole;
    if (!line.len && t.len) { /* the first character is wider */
        next_width(&t);
        line.len = (size_t)(t.data - line.data);
    }
    return line;
}
