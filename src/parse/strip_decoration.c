/* strip_decoration: removes what was added to a line after its tool printed it: a carriage return,
 * an editor's byte order mark, "> " of mail, colours of grep and terminals. Indentation stays,
 * because the columns of -X and -XX are recognised by their positions. */
#include "parse/block.h"

static void wear(pm_reader *r, pm_mark mark)
{
    r->worn |= 1U << (mark - PM_MARK_COLOUR);
}

/* Returns the length of a sequence that sets a colour or clears a line: ESC [ digits ; m or K; or
 * 0. *ends becomes true if the sequence ends a coloured run. */
static size_t colour_length(pm_text t, bool *ends)
{
    pm_text rest = pm_text_skip(pm_text_from(t, 2), "0123456789;");
    size_t n = t.len - rest.len;

    if (!pm_text_starts(t, PM_TEXT("\033[")) || !rest.len || !pm_char_in(*rest.data, "mK"))
        return 0;
    *ends |= n == 2 || (n == 3 && t.data[2] == '0');
    return n + 1;
}

/* Colours come in pairs; a single escape is part of the name of a file. */
static void strip_colours(pm_reader *r, pm_text *t)
{
    bool ends = false;

    pm_buf_clear(&r->plain);
    for (pm_text rest = *t; rest.len;) {
        size_t n = colour_length(rest, &ends);

        if (!n)
            pm_keep(r, &r->plain, (pm_text){rest.data, 1});
        rest = pm_text_from(rest, n ? n : 1);
    }
    if (!ends)
        return;
    wear(r, PM_MARK_COLOUR);
    *t = pm_buf_text(&r->plain);
}

void pm_strip_decoration(pm_reader *r, pm_text *t)
{
    if (t->len && t->data[t->len - 1] == '\r')
        t->len--;
    if (r->line == 1 && pm_text_starts(*t, PM_TEXT("\xef\xbb\xbf")))
        *t = pm_text_from(*t, 3);
    if (t->len && memchr(t->data, '\033', t->len))
        strip_colours(r, t);
    while (t->len && t->data[0] == '>') {
        *t = pm_text_from(*t, t->len > 1 && t->data[1] == ' ' ? 2 : 1);
        wear(r, PM_MARK_QUOTE);
    }
}

void pm_strip_callout(pm_reader *r, pm_text *t)
{
    pm_text rest = *t;
    size_t digits = 0;

    if (!pm_text_ends(rest, PM_TEXT(">")))
        return;
    rest.len--;
    for (; digits < 2 && rest.len && pm_char_in(rest.data[rest.len - 1], "0123456789"); digits++)
        rest.len--;
    if (!digits || !pm_text_ends(rest, PM_TEXT(" <")))
        return;
    t->len = rest.len - 2;
    wear(r, PM_MARK_CALLOUT);
}
