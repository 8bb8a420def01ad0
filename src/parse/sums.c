/* sums: the line of sums that pmap, -x and -d print under their rows, in every tool and language.
 * It proves the rows; a log may have kept nothing else. */
#include "parse/block.h"

#include "base/num.h"

typedef struct sums {
    pm_numbers v;
    bool colon;    /* "mapped:", "Total:" */
    bool wide_gap; /* blanks that a column makes */
} sums;

static size_t unit_length(const char *p, const char *end)
{
    static const char *const units[] = {"K", "k", "К"};
    const char *q = p < end && *p == ' ' ? p + 1 : p;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]);

        if ((size_t)(end - q) >= n && memcmp(q, units[i], n) == 0 && (q + n == end || q[n] == ' '))
            return (size_t)(q - p) + n;
    }
    return 0;
}

static bool read_number(const char **at, const char *end, pm_numbers *v)
{
    const char *p = *at;
    size_t n = v->n < PM_SUMS_MAX ? pm_num_dec(p, end, &v->v[v->n]) : 0, unit;

    if (n == 0 || v->v[v->n] > (uint64_t)INT64_MAX / 2)
        return false;
    p += n;
    unit = unit_length(p, end);
    if (v->n && v->k != (unit != 0))
        return false;
    v->k = unit != 0;
    p += unit;
    v->n++;
    *at = p;
    return p == end || *p == ' ';
}

static bool is_gap(const char *p)
{
    return *p == ' ' || *p == '\t';
}

static bool read_sums(pm_text line, sums *s)
{
    const char *p = line.data, *end = p + line.len;

    *s = (sums){.wide_gap = line.len && is_gap(line.data)};
    while (p < end) {
        bool begins = p == line.data || is_gap(p - 1);

        if (*p >= '0' && *p <= '9') {
            if (!begins || s->v.dashes || !read_number(&p, end, &s->v))
                return false;
            continue;
        }
        if (*p == '-' && begins && s->v.n && (p + 1 == end || is_gap(p + 1)))
            s->v.dashes++;
        s->colon |= *p == ':';
        s->wide_gap |= p + 1 < end && is_gap(p) && is_gap(p + 1);
        p++;
    }
    return s->v.n > 0;
}

/* A line that ends in its last number: " total  123K", "total kB  1 2 3", "mapped: 1K  ... 3K". */
static bool ends_in_number(pm_text line)
{
    const unsigned char *p = (const unsigned char *)line.data;
    size_t n = line.len;

    while (n && p[n - 1] == ' ')
        n--;
    return n && ((p[n - 1] >= '0' && p[n - 1] <= '9') || p[n - 1] == 'K' || p[n - 1] == 'k' ||
                 p[n - 1] == 0x9a || p[n - 1] == '-');
}

static const pm_form *format_of(pm_text line, sums *s)
{
    return ends_in_number(line) && read_sums(line, s) ? pm_form_of_sums(&s->v, s->colon) : NULL;
}

/* SLES 11 and 12 end with "336K writable-private, 10224K readonly-private, 0K shared, and 636K
 * referenced"; where nothing is shared or referenced they leave that out. */
static bool read_sles(pm_text line, uint64_t *size)
{
    static const char *const parts[] = {"writable-private", "readonly-private", "shared"};
    const char *p = line.data, *end = p + line.len;
    uint64_t v;
    size_t n;
    int found = 0;

    *size = 0;
    while ((p = pm_skip_blanks(p, end)) < end) {
        if (end - p > 4 && memcmp(p, "and ", 4) == 0)
            p += 4;
        n = pm_num_dec(p, end, &v);
        if (n == 0 || v > PM_KIB_MAX || p + n + 1 >= end || p[n] != 'K' || p[n + 1] != ' ')
            return false;
        p += n + 2;
        for (size_t i = 0; i < 3; i++)
            if ((size_t)(end - p) >= strlen(parts[i]) &&
                memcmp(p, parts[i], strlen(parts[i])) == 0) {
                *size += v;
                found++;
            }
        p = memchr(p, ',', (size_t)(end - p));
        p = p ? p + 1 : end;
    }
    return found >= 2;
}

static void set_tool(pm_open *b, const pm_form *f, const sums *s)
{
    enum pm_field field[PM_NUMBERS_MAX];

    pm_form_fields(f, field);
    b->footer = true;
    for (int i = 0; i < s->v.n; i++)
        if (field[i] != PM_NO_COLUMN)
            b->tool[field[i]] = (int64_t)s->v.v[i];
}

/* A sum's number stands right behind these words. */
static bool is_before_number(pm_text t, const char *word)
{
    size_t n = strlen(word);

    if (!pm_text_starts(t, pm_text_of(word)))
        return false;
    while (n < t.len && is_gap(t.data + n))
        n++;
    return n < t.len && t.data[n] >= '0' && t.data[n] <= '9';
}

static bool has_one_of(pm_text t, const char *const *words)
{
    for (; *words; words++)
        if (is_before_number(t, *words))
            return true;
    return false;
}

/* `ls -l` and `du -c` print "total" and one blank. */
static bool has_bare_word(pm_text t)
{
    static const char *const words[] = {"total",   "gesamt", "razem", "totalt",
                                        "загалом", "tổng",   NULL};

    for (size_t i = 0; words[i]; i++)
        if (is_before_number(t, words[i]))
            return is_gap(t.data + strlen(words[i]) + 1);
    return false;
}

/* Which words stand before the sums, in the languages of procps; without rows above them they are
 * all that tells a sum from any other number. */
static bool has_known_words(pm_text line, const sums *s)
{
    static const char *const of_x[] = {"total kB", "kB gesamt", "ko total",
                                       "razem kB", "totalt kB", "кБ загалом",
                                       "tổng kB",  "kB total",  NULL};
    static const char *const of_d[] = {
        "mapped:", "mappé:",    "odwzorowane:", "mappat:", "пов'язано:",
        "ánhxạ:",  "asignado:", "mapeado:",     NULL};
    static const char *const of_sles[] = {"Total:", NULL};
    pm_text t = line;

    while (t.len && is_gap(t.data))
        t = pm_text_from(t, 1);
    if (s->colon)
        return has_one_of(t, s->v.n == 5 ? of_sles : of_d);
    return s->v.n == 4 || s->v.k ? has_bare_word(t) : has_one_of(t, of_x);
}

/* ... and that they are those of a process. */
static bool stands_alone(pm_text line, const sums *s)
{
    for (int i = 0; i < s->v.n; i++)
        if (s->v.v[i] > PM_KIB_MAX)
            return false;
    return has_known_words(line, s);
}

/* Without known words it has to be the sum of such rows: `ls -l` ends in numbers, too. toybox and
 * busybox print the same four numbers, toybox and procps the same one. */
static bool fits(const pm_open *b, const pm_form *f)
{
    return f->dialect == b->dialect ||
           (f->dialect == PM_DIALECT_TOYBOX_X && b->dialect == PM_DIALECT_BUSYBOX_X);
}

bool pm_footer_narrow(pm_reader *r, pm_text line)
{
    pm_open *b = &r->b;
    const pm_form *f;
    uint64_t size;
    sums s;

    if (b->family != PM_FAMILY_NARROW && b->family != PM_FAMILY_NONE)
        return false;
    if (read_sles(line, &size)) {
        b->footer = true;
        b->tool[PM_SIZE] = (int64_t)size;
        if (b->family == PM_FAMILY_NONE)
            b->dialect = PM_DIALECT_SUSE;
        return true;
    }
    f = format_of(line, &s);
    if (!f ||
        !(b->family == PM_FAMILY_NARROW ? has_known_words(line, &s) || (s.wide_gap && fits(b, f))
                                        : stands_alone(line, &s)))
        return false;
    set_tool(b, f, &s);
    if (b->family == PM_FAMILY_NONE) {
        b->dialect = f->dialect;
        if (b->dialect == PM_DIALECT_TOYBOX_X && memchr(line.data, '\t', line.len))
            b->dialect = PM_DIALECT_BUSYBOX_X;
    }
    return true;
}

bool pm_footer_in_words(pm_text line)
{
    uint64_t size;

    return read_sles(line, &size);
}

bool pm_footer_alone(pm_text line)
{
    const pm_form *f;
    sums s;

    if (pm_footer_in_words(line))
        return true;
    f = format_of(line, &s);
    return f && stands_alone(line, &s);
}
