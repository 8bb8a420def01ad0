/* strip_decoration: removes what was added to a line after its tool printed it: a carriage return,
 * an editor's byte order mark, "> " of mail, colours of grep and terminals, the dashes and blanks
 * of word processors. Indentation stays, because the columns of -X and -XX are recognised by their
 * positions. */
#include "parse/block.h"

#define ESCAPE '\033'
#define NO_BREAK "\xc2\xa0"
#define EN_DASH "\xe2\x80\x93" /* WordPress converts "--" to this */
#define EM_DASH "\xe2\x80\x94" /* and "---" to this */
/* A hard blank in this many bytes at the start of a line separates columns between address and
 * mode, and is not in a name. */
#define FRONT 24

static void wear(pm_reader *r, pm_mark mark)
{
    r->worn |= 1U << (mark - PM_MARK_COLOUR);
}

/* Recognises a sequence that sets a colour or clears a line: ESC [ digits ; m or K. Returns its
 * length, or 0. *resets is true if the sequence ends a coloured run. */
static size_t colour_length(pm_text t, bool *resets)
{
    pm_text rest = t.len < 3 ? t : pm_text_skip(pm_text_from(t, 2), "0123456789;");
    size_t n = t.len - rest.len;

    if (t.len < 3 || t.data[0] != ESCAPE || t.data[1] != '[' || !rest.len ||
        !pm_char_in(*rest.data, "mK"))
        return 0;
    *resets = n == 2 || (n == 3 && t.data[2] == '0');
    return n + 1;
}

/* True if the line is coloured. Colours come in pairs; a single escape is part of the name of a
 * file. */
static bool is_coloured(pm_text t)
{
    const char *p;
    bool resets;

    while (t.len && (p = memchr(t.data, ESCAPE, t.len))) {
        t = pm_text_from(t, (size_t)(p - t.data));
        if (colour_length(t, &resets) && resets)
            return true;
        t = pm_text_from(t, 1);
    }
    return false;
}

static void without_colours(pm_reader *r, pm_text *t)
{
    pm_text rest = *t;
    bool resets;

    pm_buf_clear(&r->plain);
    while (rest.len) {
        size_t n = colour_length(rest, &resets);

        if (!n)
            pm_keep(r, &r->plain, (pm_text){rest.data, 1});
        rest = pm_text_from(rest, n ? n : 1);
    }
    *t = pm_buf_text(&r->plain);
}

/* Returns how many dashes the long dash at the start of t stands for, or 0. */
static int long_dash(pm_text t)
{
    return pm_text_starts(t, PM_TEXT(EN_DASH)) ? 2 : pm_text_starts(t, PM_TEXT(EM_DASH)) ? 3 : 0;
}

/* Returns the length of a word that is a mode ("r-x–", "rw—") or a rule ("—————"), or 0. Such a
 * word contains only the letters of a mode and at least one long dash. A shorter word belongs to
 * the name of a file ("Artist – Title"). */
static size_t dashed_word(pm_text t)
{
    size_t n = 0, width = 0;
    bool any = false;

    while (n < t.len && t.data[n] != ' ') {
        int dashes = long_dash(pm_text_from(t, n));

        if (!dashes && !pm_char_in(t.data[n], "rwxspR-"))
            return 0;
        any |= dashes > 0;
        width += dashes ? (size_t)dashes : 1;
        n += dashes ? 3 : 1;
    }
    return any && width >= 4 ? n : 0;
}

static bool has_dashed_word(pm_text t)
{
    while ((t = pm_text_skip(t, " ")).len) {
        const char *blank = memchr(t.data, ' ', t.len);

        if (dashed_word(t))
            return true;
        t = pm_text_from(t, blank ? (size_t)(blank - t.data) : t.len);
    }
    return false;
}

/* Replaces the long dashes of modes and rules by dashes, and with `blanks` also hard blanks by
 * blanks. */
static void respell(pm_reader *r, pm_text *t, bool blanks)
{
    pm_buf out = {0};
    size_t dashed = 0; /* bytes left of the current word, if it has long dashes */
    bool begins = true;

    for (pm_text rest = *t; rest.len;) {
        bool hard = blanks && pm_text_starts(rest, PM_TEXT(NO_BREAK));
        size_t word = begins ? dashed_word(rest) : 0, n;
        int dashes;

        dashed = word ? word : dashed;
        dashes = dashed ? long_dash(rest) : 0;
        n = dashes ? 3 : hard ? 2 : 1;
        pm_keep(r, &out,
                dashes ? (pm_text){"---", (size_t)dashes} : (pm_text){hard ? " " : rest.data, 1});
        begins = hard || *rest.data == ' ';
        dashed -= dashed ? n : 0;
        rest = pm_text_from(rest, n);
    }
    pm_buf_free(&r->plain);
    r->plain = out;
    *t = pm_buf_text(&r->plain);
}

void pm_strip_decoration(pm_reader *r, pm_text *t)
{
    bool blanks;

    if (t->len && t->data[t->len - 1] == '\r')
        t->len--;
    if (r->line == 1 && pm_text_starts(*t, PM_TEXT("\xef\xbb\xbf")))
        *t = pm_text_from(*t, 3);
    if (is_coloured(*t)) {
        wear(r, PM_MARK_COLOUR);
        without_colours(r, t);
    }
    while (t->len && t->data[0] == '>') {
        *t = pm_text_from(*t, t->len > 1 && t->data[1] == ' ' ? 2 : 1);
        wear(r, PM_MARK_QUOTE);
    }
    if (t->len == 0)
        return;
    blanks = memmem(t->data, t->len < FRONT ? t->len : FRONT, NO_BREAK, 2) != NULL;
    if (!blanks && !(memchr(t->data, *EN_DASH, t->len) && has_dashed_word(*t)))
        return;
    wear(r, PM_MARK_TYPE);
    respell(r, t, blanks);
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
