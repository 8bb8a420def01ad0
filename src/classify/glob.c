/* glob: one pass with one place to come back to, the latest star. fnmatch(3) itself wants texts
 * without a NUL, and its stack grows with the stars. */
#include "classify/glob.h"

#include <ctype.h>
#include <stdint.h>

#define NOT_UTF8 0x200000 /* + the byte: no character of UTF-8 */

/* The character at *at, which must be in `t`; *at is then behind it. */
static uint32_t character(pm_text t, size_t *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)t.data + *at;
    size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t code = n == 1 ? s[0] : n ? s[0] & (0x7fu >> n) : 0;

    if (n == 0 || s[0] > 0xf4 || n > t.len - *at)
        n = 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            n = 0;
            break;
        }
        code = code << 6 | (s[i] & 0x3f);
    }
    if (n == 0 || code < least[n]) {
        *at += 1;
        return NOT_UTF8 + s[0];
    }
    *at += n;
    return code;
}

/* ---- sets ---- */

static const struct {
    const char *name;
    int (*holds)(int c);
} classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
               {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
               {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};

/* At "[:" in a set: takes the class off where it is one that there is. */
static bool take_class(pm_text p, size_t *at, uint32_t c, bool *in)
{
    pm_text rest = pm_text_from(p, *at + 2);

    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        pm_text name = pm_text_of(classes[i].name);

        if (!pm_text_starts(rest, name) ||
            !pm_text_starts(pm_text_from(rest, name.len), PM_TEXT(":]")))
            continue;
        *at += 2 + name.len + 2;
        *in |= c < 0x80 && classes[i].holds((int)c);
        return true;
    }
    return false;
}

/* The next character of a set, \ taken off; false at the pattern's end. */
static bool member(pm_text p, size_t *at, uint32_t *out)
{
    if (*at < p.len && p.data[*at] == '\\')
        *at += 1;
    if (*at >= p.len)
        return false;
    *out = character(p, at);
    return true;
}

/* At a character of a set that may begin a range: takes it off. */
static bool take_range(pm_text p, size_t *at, uint32_t c, bool *in)
{
    uint32_t low, high;

    if (!member(p, at, &low))
        return false;
    high = low;
    if (p.len - *at >= 2 && p.data[*at] == '-' && p.data[*at + 1] != ']') {
        *at += 1;
        if (!member(p, at, &high))
            return false;
    }
    *in |= low <= c && c <= high;
    return true;
}

/* *at is behind a [; false where no ] ends the set. */
static bool set(pm_text p, size_t *at, uint32_t c, bool *in)
{
    size_t i = *at, first;
    bool inverse = i < p.len && pm_char_in(p.data[i], "!^");

    *in = false;
    first = i += inverse ? 1 : 0;
    while (i < p.len && (p.data[i] != ']' || i == first)) {
        bool class = p.data[i] == '[' && p.len - i > 2 && p.data[i + 1] == ':';

        if (!(class && take_class(p, &i, c, in)) && !take_range(p, &i, c, in))
            return false;
    }
    if (i >= p.len)
        return false;
    *at = i + 1;
    *in ^= inverse;
    return true;
}

/* ---- patterns ---- */

/* Does what stands at *at, no star, take the character c? *at is then behind it. */
static bool one(pm_text p, size_t *at, uint32_t c)
{
    size_t behind = *at + 1;
    bool in;

    if (p.data[*at] == '?') {
        *at = behind;
        return true;
    }
    if (p.data[*at] == '[' && set(p, &behind, c, &in)) {
        *at = behind;
        return in;
    }
    if (p.data[*at] == '\\' && behind < p.len)
        *at = behind;
    return character(p, at) == c;
}

bool pm_glob(pm_text pattern, pm_text text)
{
    size_t p = 0, t = 0, star = 0, resume = 0; /* star: 0, or behind the latest one */

    while (t < text.len) {
        size_t behind = t;
        uint32_t c = character(text, &behind);

        if (p < pattern.len && pattern.data[p] == '*') {
            star = ++p;
            resume = t;
        } else if (p < pattern.len && one(pattern, &p, c)) {
            t = behind;
        } else if (star) {
            p = star;
            character(text, &resume);
            t = resume;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.data[p] == '*')
        p++;
    return p == pattern.len;
}

size_t pm_glob_start(pm_text pattern, char *out, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < pattern.len && n < max; i++) {
        if (pm_char_in(pattern.data[i], "*?["))
            break;
        if (pattern.data[i] == '\\' && i + 1 < pattern.len)
            i++;
        out[n++] = pattern.data[i];
    }
    return n;
}
