/* text: a run of bytes with a length. Names in memory maps contain blanks, escaped newlines, and
 * bytes that are not UTF-8; only pm_text_copy stops at a NUL. A pm_text does not own its bytes. */
#ifndef PM_BASE_TEXT_H
#define PM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct pm_text {
    const char *data;
    size_t len;
} pm_text;

#define PM_TEXT(literal) ((pm_text){(literal), sizeof(literal) - 1})

static inline pm_text pm_text_of(const char *s)
{
    return (pm_text){s, s ? strlen(s) : 0};
}

static inline bool pm_text_equal(pm_text a, pm_text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool pm_text_starts(pm_text t, pm_text with)
{
    return t.len >= with.len && memcmp(t.data, with.data, with.len) == 0;
}

static inline bool pm_text_ends(pm_text t, pm_text with)
{
    return t.len >= with.len && memcmp(t.data + t.len - with.len, with.data, with.len) == 0;
}

static inline pm_text pm_text_from(pm_text t, size_t skip)
{
    if (skip > t.len)
        skip = t.len;
    /* the data of an empty text may be NULL, to which nothing may be added */
    return (pm_text){skip ? t.data + skip : t.data, t.len - skip};
}

/* Cuts `with` off the start of the text. False: the text does not begin with it. */
static inline bool pm_text_take(pm_text *t, const char *with)
{
    bool begins = pm_text_starts(*t, pm_text_of(with));

    *t = pm_text_from(*t, begins ? strlen(with) : 0);
    return begins;
}

/* Returns a copy as a C string, up to the first NUL, which is released by free(); NULL without
 * memory. */
static inline char *pm_text_copy(pm_text t)
{
    return strndup(t.data ? t.data : "", t.len);
}

static inline bool pm_char_in(char c, const char *set)
{
    while (*set && *set != c)
        set++;
    return *set;
}

static inline bool pm_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool pm_is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Returns how many digits are at the start of the text. */
static inline size_t pm_digits(pm_text t)
{
    size_t n = 0;

    while (n < t.len && pm_is_digit(t.data[n]))
        n++;
    return n;
}

/* True if `list` contains this word. Every word of the list has a blank before and after it. */
static inline bool pm_text_listed(pm_text word, const char *list)
{
    const char *at = word.len && !memchr(word.data, ' ', word.len) ? list : NULL;

    for (; at && (at = memmem(at, strlen(at), word.data, word.len)); at++)
        if (at > list && at[-1] == ' ' && at[word.len] == ' ')
            return true;
    return false;
}

/* Returns the text without the characters of `set` at its start. */
static inline pm_text pm_text_skip(pm_text t, const char *set)
{
    while (t.len && pm_char_in(*t.data, set))
        t = pm_text_from(t, 1);
    return t;
}

/* Returns the text without the characters of `set` at its start and end. */
static inline pm_text pm_text_trim(pm_text t, const char *set)
{
    t = pm_text_skip(t, set);
    while (t.len && pm_char_in(t.data[t.len - 1], set))
        t.len--;
    return t;
}

/* Cuts the separators and the next word off `t`. Returns the word, empty at the end. */
static inline pm_text pm_text_word(pm_text *t, const char *separators)
{
    pm_text word;

    *t = pm_text_skip(*t, separators);
    word = (pm_text){t->data, 0};
    while (word.len < t->len && !pm_char_in(t->data[word.len], separators))
        word.len++;
    *t = pm_text_from(*t, word.len);
    return word;
}

/* True if one of the words of a text is `word`. */
static inline bool pm_text_has(pm_text t, const char *separators, pm_text word)
{
    for (pm_text part; (part = pm_text_word(&t, separators)).len;)
        if (pm_text_equal(part, word))
            return true;
    return false;
}

static inline bool pm_text_holds(pm_text t, const char *part)
{
    return t.len && memmem(t.data, t.len, part, strlen(part));
}

/* Returns the index of a text in a list of names; n if the text is missing. */
static inline int pm_text_index(pm_text t, const char *const *names, int n)
{
    int i = 0;

    while (i < n && !pm_text_equal(t, pm_text_of(names[i])))
        i++;
    return i;
}

/* Cuts the text up to the next `stop` off `t`, including the stop. Returns the text without it. */
static inline pm_text pm_text_cut(pm_text *t, char stop)
{
    const char *at = t->len ? memchr(t->data, stop, t->len) : NULL;
    pm_text part = {t->data, at ? (size_t)(at - t->data) : t->len};

    *t = pm_text_from(*t, part.len + (at ? 1 : 0));
    return part;
}

/* Returns the rest of the line that begins with `key`; empty without such a line. */
static inline pm_text pm_text_after(pm_text text, const char *key)
{
    while (text.len && (*text.data != *key || !pm_text_take(&text, key)))
        pm_text_cut(&text, '\n');
    return pm_text_cut(&text, '\n');
}

/* Returns the part after the last slash; the whole text without a slash. */
static inline pm_text pm_text_basename(pm_text t)
{
    const char *slash = t.len ? memrchr(t.data, '/', t.len) : NULL;

    return slash ? pm_text_from(t, (size_t)(slash - t.data) + 1) : t;
}

/* Returns the part up to the last slash, with the slash; empty without a slash. */
static inline pm_text pm_text_folder(pm_text t)
{
    return (pm_text){t.data, t.len - pm_text_basename(t).len};
}

#endif
