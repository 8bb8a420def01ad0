/* script: the tokens of SQL, well enough to say in which line something stands. */
#include "store/read/script.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

static int line_of(pm_text text, const char *at)
{
    int line = 1;

    for (const char *p = text.data; p < at; p++)
        line += *p == '\n';
    return line;
}

static bool has_lines(pm_text text)
{
    const char *newline = text.len ? memchr(text.data, '\n', text.len) : NULL;

    return newline && newline + 1 < text.data + text.len;
}

pmapdb_status pm_script_fail(const pm_script *script, const char *at, pmapdb_error *err,
                             pmapdb_status status, const char *format, ...)
{
    char what[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (script->where && at)
        return pm_fail(err, status, "%s:%d: %s", script->where, line_of(script->text, at), what);
    if (script->where)
        return pm_fail(err, status, "%s: %s", script->where, what);
    if (at && has_lines(script->text))
        return pm_fail(err, status, "line %d: %s", line_of(script->text, at), what);
    return pm_fail(err, status, "%s", what);
}

/* ---- tokens ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Blanks and comments at the beginning. */
static size_t blank(pm_text t)
{
    const char *end;

    if (isspace((unsigned char)t.data[0]))
        return 1;
    if (pm_text_starts(t, PM_TEXT("--"))) {
        end = memchr(t.data, '\n', t.len);
        return end ? (size_t)(end - t.data) : t.len;
    }
    if (pm_text_starts(t, PM_TEXT("/*"))) {
        end = memmem(t.data + 2, t.len - 2, "*/", 2);
        return end ? (size_t)(end - t.data) + 2 : t.len;
    }
    return 0;
}

/* A quote inside is doubled: then it ends one string and begins the next, which is all the same
 * here, but for the end of the token. */
static size_t quoted(pm_text t)
{
    char end = t.data[0];
    size_t n = 1;

    if (end == '[')
        end = ']';
    while (n < t.len && (t.data[n] != end || (n + 1 < t.len && t.data[n + 1] == end && end != ']')))
        n += t.data[n] == end ? 2 : 1;
    return n < t.len ? n + 1 : t.len;
}

pm_text pm_script_token(pm_text *sql)
{
    pm_text t = *sql, token;
    size_t n = 1;

    while (t.len && (n = blank(t)))
        t = pm_text_from(t, n);
    token = (pm_text){t.data, 0};
    if (t.len) {
        bool sign = pm_char_in(t.data[0], ":@$?#");

        n = 1;
        if (pm_char_in(t.data[0], "'\"`["))
            n = quoted(t);
        else
            while ((sign || is_word(t.data[0])) && n < t.len && is_word(t.data[n]))
                n++;
        token.len = n;
        t = pm_text_from(t, n);
    }
    *sql = t;
    return token;
}

static bool same_word(pm_text a, pm_text b)
{
    return a.len == b.len && strncasecmp(a.data, b.data, a.len) == 0;
}

pm_text pm_script_find(pm_text sql, pm_text wanted)
{
    pm_text token;

    while ((token = pm_script_token(&sql)).len) {
        pm_text inside = token;

        if (token.len > 2 && pm_char_in(token.data[0], "\"`["))
            inside = (pm_text){token.data + 1, token.len - 2};
        if (same_word(token, wanted) || same_word(inside, wanted))
            return token;
    }
    return (pm_text){NULL, 0};
}
