/* sums: the line of sums that pmap, -x and -d print under their rows, in every tool and language:
 * a checksum, and where only it was kept, all that there is. */
#include "parse/block.h"

#include "base/num.h"

/* What kind of sums a line holds: how many numbers, with a K behind them or not ("12K", Swedish
 * "12 k", Ukrainian "12 К"), with a colon before them or not. */
typedef struct sums_shape {
    int n;
    bool k, colon;
    pm_dialect dialect;
    enum pm_field field[PM_SUMS_MAX];
} sums_shape;

static const sums_shape shapes[] = {
    {1, true, false, PM_DIALECT_PMAP, {PM_SIZE}},
    {1, true, true, PM_DIALECT_BUSYBOX, {PM_SIZE}},
    {3, false, false, PM_DIALECT_PMAP_SMALL_X, {PM_SIZE, PM_RSS, PM_DIRTY}},
    {3, true, true, PM_DIALECT_PMAP_D, {PM_SIZE, PM_NO_COLUMN, PM_NO_COLUMN}},
    {4, false, false, PM_DIALECT_TOYBOX_X, {PM_SIZE, PM_PSS, PM_PRIVATE_DIRTY, PM_SWAP}},
    {5, false, false, PM_DIALECT_SUSE, {PM_SIZE, PM_RSS, PM_PSS, PM_DIRTY, PM_SWAP}},
    {5, true, true, PM_DIALECT_SUSE, {PM_SIZE, PM_RSS, PM_PSS, PM_DIRTY, PM_SWAP}},
};

/* procps 3.2 has only dashes under RSS, Anon and Locked. */
static const sums_shape unknown_x = {
    4, false, false, PM_DIALECT_PMAP_SMALL_X, {PM_SIZE, PM_NO_COLUMN, PM_NO_COLUMN, PM_NO_COLUMN}};

typedef struct sums {
    uint64_t v[PM_SUMS_MAX];
    int n, n_dashes;
    bool k, colon;
    bool wide_gap; /* blanks that a column makes */
    bool leads;    /* the numbers come before the words */
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

static bool read_number(const char **at, const char *end, sums *s)
{
    const char *p = *at;
    size_t n = s->n < PM_SUMS_MAX ? pm_num_dec(p, end, &s->v[s->n]) : 0, unit;

    if (n == 0 || s->v[s->n] > (uint64_t)INT64_MAX / 2)
        return false;
    p += n;
    unit = unit_length(p, end);
    if (s->n && s->k != (unit != 0))
        return false;
    s->k = unit != 0;
    p += unit;
    s->n++;
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
            if (!begins || s->n_dashes || !read_number(&p, end, s))
                return false;
            continue;
        }
        if (*p == '-' && begins && s->n && (p + 1 == end || is_gap(p + 1)))
            s->n_dashes++;
        s->colon |= *p == ':';
        s->wide_gap |= p + 1 < end && is_gap(p) && is_gap(p + 1);
        p++;
    }
    return s->n > 0;
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

static const sums_shape *shape_of(pm_text line, sums *s)
{
    if (!ends_in_number(line) || !read_sums(line, s))
        return NULL;
    if (s->n == 1 && s->n_dashes == 3 && !s->k)
        return &unknown_x;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !s->n_dashes; i++)
        if (shapes[i].n == s->n && shapes[i].k == s->k &&
            (shapes[i].colon == s->colon || s->n == 4))
            return &shapes[i];
    return NULL;
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

static void set_tool(pm_open *b, const sums_shape *shape, const sums *s)
{
    b->footer = true;
    for (int i = 0; i < s->n; i++)
        if (shape->field[i] != PM_NO_COLUMN)
            b->tool[shape->field[i]] = (int64_t)s->v[i];
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
        return has_one_of(t, s->n == 5 ? of_sles : of_d);
    return s->n == 4 || s->k ? has_bare_word(t) : has_one_of(t, of_x);
}

/* ... and that they are those of a process. */
static bool stands_alone(pm_text line, const sums *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->v[i] > PM_KIB_MAX)
            return false;
    return has_known_words(line, s);
}

/* Without known words it has to be the sum of such rows: `ls -l` ends in numbers, too. toybox and
 * busybox print the same four numbers, toybox and procps the same one. */
static bool fits(const pm_open *b, const sums_shape *shape)
{
    return shape->dialect == b->dialect ||
           (shape->dialect == PM_DIALECT_TOYBOX_X && b->dialect == PM_DIALECT_BUSYBOX_X);
}

bool pm_footer_narrow(pm_reader *r, pm_text line)
{
    pm_open *b = &r->b;
    const sums_shape *shape;
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
    shape = shape_of(line, &s);
    if (!shape || !(b->family == PM_FAMILY_NARROW
                        ? has_known_words(line, &s) || (s.wide_gap && fits(b, shape))
                        : stands_alone(line, &s)))
        return false;
    set_tool(b, shape, &s);
    if (b->family == PM_FAMILY_NONE) {
        b->dialect = shape->dialect;
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
    const sums_shape *shape;
    sums s;

    if (pm_footer_in_words(line))
        return true;
    shape = shape_of(line, &s);
    return shape && stands_alone(line, &s);
}
