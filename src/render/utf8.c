/* utf8: decoding, repair, escaping and shortening of text. */
#include "render/utf8.h"

typedef struct lead {
    unsigned char first, last; /* lead bytes */
    unsigned char low, high;   /* what the second byte may be: no overlong forms, no surrogates */
    unsigned char length;
} lead;

/* Table 3-7 of the Unicode standard. */
static const lead leads[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static const lead *find_lead(unsigned char byte)
{
    for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++)
        if (byte >= leads[i].first && byte <= leads[i].last)
            return &leads[i];
    return NULL;
}

size_t pm_utf8_next(pm_text t, uint32_t *cp)
{
    const unsigned char *p = (const unsigned char *)t.data;
    const lead *l;
    uint32_t value;

    *cp = PM_UTF8_BAD;
    if (p[0] < 0x80) {
        *cp = p[0];
        return 1;
    }
    l = find_lead(p[0]);
    if (!l)
        return 1;
    value = p[0] & (0x7fU >> l->length);
    for (size_t i = 1; i < l->length; i++) {
        unsigned char low = i == 1 ? l->low : 0x80, high = i == 1 ? l->high : 0xbf;

        if (i == t.len || p[i] < low || p[i] > high)
            return i;
        value = value << 6 | (p[i] & 0x3fU);
    }
    *cp = value;
    return l->length;
}

bool pm_utf8_valid(pm_text t)
{
    while (t.len) {
        uint32_t cp;

        t = pm_text_from(t, pm_utf8_next(t, &cp));
        if (cp == PM_UTF8_BAD)
            return false;
    }
    return true;
}

/* Adds runs of good characters in one piece; `bad` decides, `add_bad` says what to put instead. */
static pmapdb_status rewrite(pm_text t, bool (*bad)(uint32_t cp),
                             pmapdb_status (*add_bad)(pm_text piece, pm_buf *out,
                                                      pmapdb_error *err),
                             pm_buf *out, pmapdb_error *err)
{
    pm_text good = {t.data, 0};

    while (t.len) {
        uint32_t cp;
        size_t n = pm_utf8_next(t, &cp);
        pmapdb_status st;

        if (!bad(cp)) {
            good.len += n;
            t = pm_text_from(t, n);
            continue;
        }
        st = pm_buf_add(out, good.data, good.len, err);
        if (st == PMAPDB_OK)
            st = add_bad((pm_text){t.data, n}, out, err);
        if (st != PMAPDB_OK)
            return st;
        t = pm_text_from(t, n);
        good = (pm_text){t.data, 0};
    }
    return pm_buf_add(out, good.data, good.len, err);
}

static bool is_malformed(uint32_t cp)
{
    return cp == PM_UTF8_BAD;
}

static pmapdb_status add_replacement(pm_text piece, pm_buf *out, pmapdb_error *err)
{
    (void)piece;
    return pm_buf_add(out, "\xef\xbf\xbd", 3, err);
}

pmapdb_status pm_utf8_repair(pm_text t, pm_buf *out, pmapdb_error *err)
{
    return rewrite(t, is_malformed, add_replacement, out, err);
}

/* C0 and C1 controls, and what is not seen. */
static bool is_unsafe(uint32_t cp)
{
    return cp == PM_UTF8_BAD || cp < 0x20 || (cp >= 0x7f && cp <= 0x9f) || pm_utf8_is_invisible(cp);
}

static pmapdb_status add_hex(pm_text piece, pm_buf *out, pmapdb_error *err)
{
    for (size_t i = 0; i < piece.len; i++) {
        pmapdb_status st = pm_buf_addf(out, err, "\\x%02x", (unsigned char)piece.data[i]);

        if (st != PMAPDB_OK)
            return st;
    }
    return PMAPDB_OK;
}

pmapdb_status pm_utf8_escape(pm_text t, pm_buf *out, pmapdb_error *err)
{
    return rewrite(t, is_unsafe, add_hex, out, err);
}

size_t pm_utf8_width(pm_text t)
{
    size_t width = 0;

    while (t.len) {
        uint32_t cp;

        t = pm_text_from(t, pm_utf8_next(t, &cp));
        width += (size_t)pm_utf8_char_width(cp);
    }
    return width;
}

/* The longest beginning of t that takes at most `width` columns, its last marks included. */
static size_t head_of(pm_text t, size_t width)
{
    size_t used = 0, taken = 0;

    while (used < t.len) {
        uint32_t cp;
        size_t n = pm_utf8_next(pm_text_from(t, used), &cp);

        taken += (size_t)pm_utf8_char_width(cp);
        if (taken > width)
            break;
        used += n;
    }
    return used;
}

/* Where the longest end of t begins that takes at most `width` columns. A mark whose letter is cut
 * off would sit on the ellipsis: it goes too. */
static size_t tail_of(pm_text t, size_t width)
{
    size_t used = 0, left = pm_utf8_width(t);

    while (used < t.len) {
        uint32_t cp;
        size_t n = pm_utf8_next(pm_text_from(t, used), &cp), w = (size_t)pm_utf8_char_width(cp);

        if (left <= width && w)
            break;
        left -= w;
        used += n;
    }
    return used;
}

pmapdb_status pm_utf8_shorten(pm_text t, size_t width, pm_buf *out, pmapdb_error *err)
{
    size_t room = width ? width - 1 : 0, head_room = room / 3;
    pmapdb_status st;

    if (pm_utf8_width(t) <= width)
        return pm_buf_add(out, t.data, t.len, err);
    st = pm_buf_add(out, t.data, head_of(t, head_room), err);
    if (st == PMAPDB_OK)
        st = pm_buf_add(out, "\xe2\x80\xa6", 3, err);
    if (st == PMAPDB_OK) {
        pm_text tail = pm_text_from(t, tail_of(t, room - head_room));

        st = pm_buf_add(out, tail.data, tail.len, err);
    }
    return st;
}
