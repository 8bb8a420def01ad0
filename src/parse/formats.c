/* formats: the table of formats, and the search in it. */
#include "parse/formats.h"

#include "base/num.h"
#include <stdio.h>

static const pm_form formats[] = {
#define PM_FORMAT(id, pattern, tool, gives, example) \
    {PM_DIALECT_##id, pattern, tool, gives, example},
#define PM_DIALECT(id, name, names, ...) PM_FORMAT(id, __VA_ARGS__)
#include "base/record/formats.def"
#undef PM_DIALECT
#undef PM_FORMAT
};

static const struct {
    pm_refused shown;
    const char *why, *without, *words[4];
} foreign[] = {
#define PM_REFUSED(tool, example, why, without, ...) {{tool, example}, why, without, {__VA_ARGS__}},
#include "parse/refused.def"
#undef PM_REFUSED
};

#define N_FORMATS (sizeof formats / sizeof *formats)

static size_t unit_length(const char *p, const char *end)
{
    pm_text t = {p, (size_t)(end - p)};
    bool unit;

    pm_text_take(&t, " ");
    unit = pm_text_take(&t, "K") || pm_text_take(&t, "k") || pm_text_take(&t, "К");
    return unit && (!t.len || *t.data == ' ') ? (size_t)(t.data - p) : 0;
}

bool pm_form_number(const char **at, const char *end, pm_numbers *v)
{
    const char *p = *at;
    size_t n = v->n < PM_NUMBERS_MAX ? pm_num_dec(p, end, &v->v[v->n]) : 0, unit;

    if (n == 0)
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

/* True if the numbers of a pattern from p on match v; *end is after these numbers. */
static bool has_numbers(const char *p, const pm_numbers *v, const char **end)
{
    int n = 0, dashes = 0;

    for (; *p && *p != 'P'; p++) {
        if (*p == ' ')
            continue;
        if (*p == '-') {
            dashes++;
            continue;
        }
        if (n == v->n || (*p == '0' && v->v[n]) || (p[1] == 'K') != v->k)
            return false;
        p += v->k;
        n++;
    }
    *end = p;
    return n == v->n && dashes == v->dashes;
}

const pm_form *pm_form_of_row(const pm_numbers *v, size_t perms)
{
    for (const pm_form *f = formats; f < formats + N_FORMATS; f++) {
        const char *mode;

        if (f->pattern && *f->pattern == 'A' && has_numbers(f->pattern + 1, v, &mode) &&
            (size_t)(mode[1] - '0') == perms)
            return f;
    }
    return NULL;
}

const pm_form *pm_form_of_sums(const pm_numbers *v, bool colon, pm_dialect dialect)
{
    const pm_form *found = NULL;

    for (const pm_form *f = formats; f < formats + N_FORMATS; f++) {
        const char *numbers = f->pattern && *f->pattern != 'A' ? strchr(f->pattern, ' ') : NULL;
        const char *end;

        /* toybox and busybox print the same four numbers; only one of them prints a colon */
        if (numbers && has_numbers(numbers, v, &end) &&
            ((numbers[-1] == ':') == colon || v->n == 4) && (!found || f->dialect == dialect))
            found = f;
    }
    return found;
}

static enum pm_field field_of(char letter)
{
    static const struct {
        char letter;
        enum pm_field field;
    } letters[] = {{'s', PM_SIZE},  {'0', PM_SIZE},          {'r', PM_RSS}, {'p', PM_PSS},
                   {'d', PM_DIRTY}, {'v', PM_PRIVATE_DIRTY}, {'w', PM_SWAP}};

    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter)
            return letters[i].field;
    return PM_NO_COLUMN;
}

void pm_form_fields(const pm_form *f, enum pm_field field[PM_NUMBERS_MAX])
{
    const char *p = strchr(f->pattern, ' ');

    for (int i = 0; i < PM_NUMBERS_MAX; i++)
        field[i] = PM_NO_COLUMN;
    for (int i = 0; *p && *p != 'P' && i < PM_NUMBERS_MAX; p++)
        if (*p != ' ' && *p != 'K' && *p != '-')
            field[i++] = field_of(*p);
}

/* Skips lines without an example, which only the reader uses. */
const pm_form *pm_form_at(size_t i)
{
    for (const pm_form *f = formats; f < formats + N_FORMATS; f++)
        if (f->example && !i--)
            return f;
    return NULL;
}

const pm_refused *pm_form_refused(size_t i)
{
    return i < sizeof foreign / sizeof *foreign ? &foreign[i].shown : NULL;
}

const char *pm_form_foreign(pm_text line)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        bool all = !foreign[i].without || !pm_text_holds(line, foreign[i].without);

        for (int k = 0; k < 4 && foreign[i].words[k] && all; k++)
            all = pm_text_holds(line, foreign[i].words[k]);
        if (all)
            return foreign[i].why;
    }
    return NULL;
}

pmapdb_status pm_form_find(const char *name, pm_dialect *out, pmapdb_error *err)
{
    char names[256];
    size_t n = 0;
    pm_dialect found = name ? pm_dialect_find(pm_text_of(name)) : PM_DIALECT_COUNT;

    if (name && (found == PM_DIALECT_COUNT || found == PM_DIALECT_PAGEMAP)) {
        for (int i = 0; i < PM_DIALECT_COUNT && n < sizeof names; i++)
            if (i != PM_DIALECT_PAGEMAP) /* has no text */
                n += (size_t)snprintf(names + n, sizeof names - n, " %s", pm_dialect_names[i]);
        return pm_fail(err, PMAPDB_USAGE, "no dialect '%s'; there are:%s", name, names);
    }
    *out = found;
    return PMAPDB_OK;
}
