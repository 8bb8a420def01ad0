/* strip_decoration: takes off what was put around a line since its tool printed it: a carriage
 * return, an editor's byte order mark, "> " of mail, colours of grep and terminals, the dashes and
 * blanks of word processors. Indentation stays: the columns of -X and -XX are told by their places.
 */
#include "parse/block.h"

#define ESCAPE '\033'
#define NO_BREAK "\xc2\xa0"
#define EN_DASH "\xe2\x80\x93" /* WordPress makes it of "--" */
#define EM_DASH "\xe2\x80\x94" /* ... and this one of "---" */
/* Between address and mode, where the columns are, and not in a name. */
#define FRONT 24

/* A sequence that sets a colour or clears a line: ESC [ digits ; m or K. Its length, or 0. *resets:
 * it ends a coloured stretch. */
static size_t colour_length(const char *p, const char *end, bool *resets)
{
    const char *q = p + 2;

    if (end - p < 3 || p[0] != ESCAPE || p[1] != '[')
        return 0;
    while (q < end && ((*q >= '0' && *q <= '9') || *q == ';'))
        q++;
    if (q == end || (*q != 'm' && *q != 'K'))
        return 0;
    *resets = q == p + 2 || (q == p + 3 && p[2] == '0');
    return (size_t)(q + 1 - p);
}

/* Colours come in pairs; a lone escape is part of a file's name. */
static bool is_coloured(pm_text t)
{
    const char *end = t.data + t.len, *p = memchr(t.data, ESCAPE, t.len);
    bool resets;

    for (; p; p = memchr(p + 1, ESCAPE, (size_t)(end - p - 1)))
        if (colour_length(p, end, &resets) && resets)
            return true;
    return false;
}

static pmapdb_status without_colours(pm_reader *r, pm_text *t, pmapdb_error *err)
{
    const char *p = t->data, *end = p + t->len;
    pmapdb_status st = PMAPDB_OK;

    pm_buf_clear(&r->plain);
    while (p < end && st == PMAPDB_OK) {
        bool resets;
        size_t n = colour_length(p, end, &resets);
        const char *next;

        if (n) {
            p += n;
            continue;
        }
        next = memchr(p + 1, ESCAPE, (size_t)(end - p - 1));
        next = next ? next : end;
        st = pm_buf_add(&r->plain, p, (size_t)(next - p), err);
        p = next;
    }
    *t = pm_buf_text(&r->plain);
    return st;
}

static bool starts_at(const char *p, const char *end, const char *what)
{
    size_t n = strlen(what);

    return (size_t)(end - p) >= n && memcmp(p, what, n) == 0;
}

/* A mode ("r-x–", "rw—") or a rule ("—————"): nothing but the letters of one, and a long dash. A
 * shorter word is one of a file's name ("Artist – Title"). */
static size_t dashed_word(const char *p, const char *end)
{
    const char *q = p;
    size_t width = 0;
    bool any = false;

    while (q < end && *q != ' ') {
        bool en = starts_at(q, end, EN_DASH), em = !en && starts_at(q, end, EM_DASH);

        if (!en && !em && !pm_char_in(*q, "rwxspR-"))
            return 0;
        any |= en || em;
        width += en ? 2 : em ? 3 : 1;
        q += en || em ? 3 : 1;
    }
    return any && width >= 4 ? (size_t)(q - p) : 0;
}

static pmapdb_status add_dashed(pm_buf *out, const char *p, const char *end, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (p < end && st == PMAPDB_OK) {
        bool en = starts_at(p, end, EN_DASH), em = !en && starts_at(p, end, EM_DASH);

        st = en   ? pm_buf_add(out, "--", 2, err)
             : em ? pm_buf_add(out, "---", 3, err)
                  : pm_buf_add(out, p, 1, err);
        p += en || em ? 3 : 1;
    }
    return st;
}

static bool has_long_dash(pm_text t)
{
    const char *end = t.data + t.len;

    for (const char *p = t.data; p && p < end; p = memchr(p, ' ', (size_t)(end - p))) {
        while (p < end && *p == ' ')
            p++;
        if (dashed_word(p, end))
            return true;
    }
    return false;
}

static bool has_hard_blank(pm_text t)
{
    size_t n = t.len < FRONT ? t.len : FRONT;

    return memchr(t.data, NO_BREAK[0], n) && memmem(t.data, n, NO_BREAK, 2);
}

static pmapdb_status respell(pm_reader *r, pm_text *t, bool blanks, pmapdb_error *err)
{
    pm_buf out = {0};
    const char *p = t->data, *end = p + t->len;
    pmapdb_status st = PMAPDB_OK;
    bool word_begins = true;

    while (p < end && st == PMAPDB_OK) {
        size_t word = word_begins ? dashed_word(p, end) : 0;
        bool hard = blanks && starts_at(p, end, NO_BREAK);

        if (word)
            st = add_dashed(&out, p, p + word, err);
        else
            st = pm_buf_add(&out, hard ? " " : p, 1, err);
        word_begins = !word && (hard || *p == ' ');
        p += word ? word : hard ? 2 : 1;
    }
    pm_buf_free(&r->plain);
    r->plain = out;
    *t = pm_buf_text(&r->plain);
    return st;
}

static void unquote(pm_reader *r, pm_text *t)
{
    while (t->len && t->data[0] == '>') {
        *t = pm_text_from(*t, 1);
        if (t->len && t->data[0] == ' ')
            *t = pm_text_from(*t, 1);
        r->worn |= PM_WORN_QUOTE;
    }
}

pmapdb_status pm_strip_decoration(pm_reader *r, pm_text *t, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;
    bool blanks;

    r->worn = 0;
    if (t->len && t->data[t->len - 1] == '\r')
        t->len--;
    if (r->line == 1 && pm_text_starts(*t, PM_TEXT("\xef\xbb\xbf")))
        *t = pm_text_from(*t, 3);
    if (t->len == 0)
        return PMAPDB_OK;
    if (is_coloured(*t)) {
        r->worn |= PM_WORN_COLOUR;
        st = without_colours(r, t, err);
    }
    unquote(r, t);
    if (st != PMAPDB_OK || t->len == 0)
        return st;
    blanks = has_hard_blank(*t);
    if (!blanks && !(memchr(t->data, '\xe2', t->len) && has_long_dash(*t)))
        return st;
    r->worn |= PM_WORN_TYPE;
    return respell(r, t, blanks, err);
}

void pm_strip_callout(pm_reader *r, pm_text *t)
{
    size_t n = t->len, digits = 0;

    if (n < 4 || t->data[n - 1] != '>')
        return;
    while (digits < 2 && digits + 3 < n && t->data[n - 2 - digits] >= '0' &&
           t->data[n - 2 - digits] <= '9')
        digits++;
    if (digits == 0 || t->data[n - 2 - digits] != '<' || t->data[n - 3 - digits] != ' ')
        return;
    t->len = n - 3 - digits;
    r->worn |= PM_WORN_CALLOUT;
}
