/* match_word: the characters and words of an expression, and how a mistake in it is told. */
#include "classify/match_word.h"

#include <stdarg.h>
#include <stdio.h>

int pm_match_excerpt(pm_text t)
{
    size_t n = t.len > 20 ? 20 : t.len;

    while (n < t.len && n > 17 && ((unsigned char)t.data[n] & 0xc0) == 0x80)
        n--;
    return (int)n;
}

pmapdb_status pm_match_wrong(pm_match_parser *p, size_t at, const char *format, ...)
{
    pm_text rest = pm_text_from(p->text, at);
    int shown = pm_match_excerpt(rest);
    char why[400];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    if (rest.len == 0)
        return pm_fail(p->err, PMAPDB_USAGE, "at the end of the expression: %s", why);
    return pm_fail(p->err, PMAPDB_USAGE, "at character %zu of the expression, '%.*s%s': %s", at + 1,
                   shown, rest.data, (size_t)shown < rest.len ? "..." : "", why);
}

/* ---- characters ---- */

static bool is_blank(char c)
{
    return pm_char_in(c, " \t\r\n");
}

size_t pm_match_skip(pm_match_parser *p)
{
    while (p->at < p->text.len && is_blank(p->text.data[p->at]))
        p->at++;
    return p->at;
}

int pm_match_peek(pm_match_parser *p)
{
    pm_match_skip(p);
    return p->at < p->text.len ? (unsigned char)p->text.data[p->at] : 0;
}

pm_text pm_match_name(pm_match_parser *p)
{
    size_t from = p->at;

    while (p->at < p->text.len &&
           (pm_char_in(p->text.data[p->at], "_-") ||
            (p->text.data[p->at] >= '0' && p->text.data[p->at] <= '9') ||
            ((p->text.data[p->at] | 0x20) >= 'a' && (p->text.data[p->at] | 0x20) <= 'z')))
        p->at++;
    return (pm_text){p->text.data + from, p->at - from};
}

/* ---- words ---- */

static pmapdb_status take_quoted(pm_match_parser *p, pm_text *out)
{
    size_t from = p->at++;

    while (p->at < p->text.len && p->text.data[p->at] != '"')
        p->at += p->text.data[p->at] == '\\' ? 2 : 1;
    if (p->at >= p->text.len)
        return pm_match_wrong(p, from, "this \" is never closed");
    *out = (pm_text){p->text.data + from + 1, p->at - from - 1};
    p->at++;
    return PMAPDB_OK;
}

static pmapdb_status take_bare(pm_match_parser *p, pm_text *out)
{
    size_t from = p->at, end = p->at;

    while (p->at < p->text.len && !pm_char_in(p->text.data[p->at], ",()\"")) {
        bool keeps = p->text.data[p->at] == '\\' && p->at + 1 < p->text.len;
        bool blank = is_blank(p->text.data[p->at]);

        p->at += keeps ? 2 : 1;
        end = blank ? end : p->at;
    }
    if (p->at < p->text.len && pm_char_in(p->text.data[p->at], "(\""))
        return pm_match_wrong(p, p->at, "a word with %c in it is put in \"...\"",
                              p->text.data[p->at]);
    *out = (pm_text){p->text.data + from, end - from};
    return PMAPDB_OK;
}

pmapdb_status pm_match_word(pm_match_parser *p, pm_text *out)
{
    return pm_match_peek(p) == '"' ? take_quoted(p, out) : take_bare(p, out);
}
