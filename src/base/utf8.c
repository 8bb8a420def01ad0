/* utf8: decodes and repairs UTF-8. */
#include "base/utf8.h"

typedef struct lead {
    unsigned char first, last; /* lead bytes */
    unsigned char low, high;   /* the second byte's range: no overlong forms, no surrogates */
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
        uint32_t cp = (unsigned char)*t.data;

        t = pm_text_from(t, cp < 0x80 ? 1 : pm_utf8_next(t, &cp));
        if (cp == PM_UTF8_BAD)
            return false;
    }
    return true;
}

pmapdb_status pm_utf8_repair(pm_text t, pm_buf *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (t.len && st == PMAPDB_OK) {
        uint32_t cp;
        size_t n = pm_utf8_next(t, &cp);

        st = cp == PM_UTF8_BAD ? pm_buf_add(out, "\xef\xbf\xbd", 3, err)
                               : pm_buf_add(out, t.data, n, err);
        t = pm_text_from(t, n);
    }
    return st == PMAPDB_OK ? pm_buf_add(out, "", 0, err) : st;
}

pm_text pm_utf8_head(pm_text t, size_t max)
{
    size_t n = max;

    if (t.len <= max)
        return t;
    while (n && max - n < 3 && ((unsigned char)t.data[n] & 0xc0) == 0x80)
        n--;
    return (pm_text){t.data, n};
}
