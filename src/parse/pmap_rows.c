/* pmap_rows: the narrow rows of pmap, pmap -x and pmap -d, of procps and of those that look like
 * it, by their shape. */
#include "parse/block.h"

#include "base/num.h"

#define NUMBERS_MAX 6
#define NUMBERS_OF_ROW 5

/* Whether offset and device follow the mode. */
typedef enum place { PLACE_NONE, PLACE_MUST, PLACE_MAY } place;

/* A row's shape: how many numbers stand before the mode, how many dashes behind them, with or
 * without K, how long the mode is. */
typedef struct row_shape {
    int numbers, dashes, perms;
    bool k;
    place place;
    pm_dialect dialect; /* PM_DIALECT_COUNT: refused */
    enum pm_field field[NUMBERS_OF_ROW];
    const char *refused;
} row_shape;

static const row_shape shapes[] = {
    {1, 0, 5, true, PLACE_NONE, PM_DIALECT_PMAP, {PM_SIZE}, NULL},
    {3, 0, 5, false, PLACE_NONE, PM_DIALECT_PMAP_SMALL_X, {PM_SIZE, PM_RSS, PM_DIRTY}, NULL},
    /* procps 3.2 knows the size only */
    {1, 3, 5, false, PLACE_NONE, PM_DIALECT_PMAP_SMALL_X, {PM_SIZE}, NULL},
    /* what -x -A of procps 3.3.2 to 3.3.14 prints of rows outside of the range, size 0 */
    {3, 0, 4, false, PLACE_NONE, PM_DIALECT_PMAP_SMALL_X, {PM_SIZE, PM_RSS, PM_DIRTY}, NULL},
    {1, 0, 5, false, PLACE_MUST, PM_DIALECT_PMAP_D, {PM_SIZE}, NULL},
    {1, 0, 4, true, PLACE_NONE, PM_DIALECT_BUSYBOX, {PM_SIZE}, NULL},
    {4,
     0,
     4,
     false,
     PLACE_NONE,
     PM_DIALECT_BUSYBOX_X,
     {PM_SIZE, PM_PSS, PM_PRIVATE_DIRTY, PM_SWAP},
     NULL},
    {4,
     0,
     5,
     false,
     PLACE_NONE,
     PM_DIALECT_TOYBOX_X,
     {PM_SIZE, PM_PSS, PM_PRIVATE_DIRTY, PM_SWAP},
     NULL},
    {5,
     0,
     5,
     false,
     PLACE_NONE,
     PM_DIALECT_SUSE,
     {PM_SIZE, PM_RSS, PM_PSS, PM_DIRTY, PM_SWAP},
     NULL},
    {5, 0, 4, true, PLACE_MAY, PM_DIALECT_SUSE, {PM_SIZE, PM_RSS, PM_PSS, PM_DIRTY, PM_SWAP}, NULL},
    {3, 1, 5, false, PLACE_NONE, PM_DIALECT_COUNT, {PM_SIZE}, PM_SOLARIS},
    {2, 2, 5, false, PLACE_NONE, PM_DIALECT_COUNT, {PM_SIZE}, PM_SOLARIS},
};

typedef struct numbers {
    uint64_t v[NUMBERS_MAX];
    int n, dashes;
    bool k;
} numbers;

/* Numbers between address and mode, and dashes that stand for numbers; all with K or all without.
 * False for what is neither: zeroes before a number make it the address behind a moment in Unix
 * seconds. */
static bool read_numbers(const char **at, const char *end, numbers *out)
{
    const char *p = pm_skip_blanks(*at, end);

    *out = (numbers){0};
    while (p < end && ((*p >= '0' && *p <= '9') || (*p == '-' && p + 1 < end && p[1] == ' '))) {
        size_t digits = out->n < NUMBERS_MAX ? pm_num_dec(p, end, &out->v[out->n]) : 0;
        bool zeroes = digits > 1 && *p == '0', unit;

        if (*p == '-') {
            out->dashes++;
            p = pm_skip_blanks(p + 1, end);
            continue;
        }
        p += digits;
        unit = p < end && *p == 'K';
        if (digits == 0 || zeroes || out->dashes || (out->n && unit != out->k))
            return false;
        out->k = unit;
        p += unit;
        if (p == end || *p != ' ')
            return false;
        out->n++;
        p = pm_skip_blanks(p, end);
    }
    *at = p;
    return out->n > 0;
}

static const row_shape *find_shape(const numbers *v, size_t perms)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].numbers == v->n && shapes[i].dashes == v->dashes && shapes[i].k == v->k &&
            shapes[i].perms == (int)perms)
            return &shapes[i];
    return NULL;
}

/* " 0000000000001000 0fe:00000" of -d. */
static const char *read_place(const char *p, const char *end, pm_mapping *m)
{
    uint64_t major = 0, minor = 0;
    size_t n;

    p = pm_skip_blanks(p, end);
    n = pm_num_hex(p, end, &m->offset);
    p = pm_skip_blanks(p + n, end);
    if (n < 8)
        return NULL;
    n = pm_num_hex(p, end, &major);
    if (n == 0 || p + n >= end || p[n] != ':')
        return NULL;
    p += n + 1;
    n = pm_num_hex(p, end, &minor);
    if (n == 0 || major > UINT32_MAX || minor > UINT32_MAX || (p + n < end && p[n] != ' '))
        return NULL;
    m->dev_major = (uint32_t)major;
    m->dev_minor = (uint32_t)minor;
    m->present |= PM_HAS_OFFSET | PM_HAS_DEVICE;
    return p + n;
}

static const char *place_of(const row_shape *shape, const char *p, const char *end, pm_mapping *m)
{
    const char *behind;

    if (shape->place == PLACE_NONE)
        return p;
    behind = read_place(p, end, m);
    return behind || shape->place == PLACE_MUST ? behind : p;
}

/* psutil's script has no sizes: its one number is Rss, and more blanks stand behind its mode. */
static const char *whose(const row_shape *shape, pm_text address, pm_text rest)
{
    size_t blanks = 0;

    for (size_t i = 0; i < address.len; i++)
        if (address.data[i] >= 'A' && address.data[i] <= 'F')
            return PM_SOLARIS;
    while (blanks < rest.len && rest.data[blanks] == ' ')
        blanks++;
    if (shape->dialect == PM_DIALECT_BUSYBOX && blanks > 2 &&
        !pm_text_starts(pm_text_from(rest, blanks), PM_TEXT("[ ")))
        return PM_PSUTIL;
    return shape->refused;
}

bool pm_narrow_read(pm_text line, pm_narrow *out)
{
    const char *p = line.data, *end = p + line.len, *first;
    const row_shape *shape;
    pm_mapping *m = &out->m;
    numbers v;
    size_t perms, digits;

    *out = (pm_narrow){.dialect = PM_DIALECT_COUNT};
    digits = pm_num_hex(p, end, &m->start);
    p = first = p + digits;
    if (!read_numbers(&p, end, &v))
        return false;
    perms = pm_guess_perms(p, end, m->perms);
    shape = find_shape(&v, perms);
    if (!shape || memchr(line.data, '\0', line.len) || !(p = place_of(shape, p + perms, end, m)))
        return false;
    out->outside = shape->numbers == 3 && shape->perms == 4;
    if (out->outside && v.v[0] != 0)
        return false;
    out->padded = end - first > 2 && first[1] == ' ';
    out->suse_mode = perms == 5 && memchr(line.data, 'p', (size_t)(p - line.data)) != NULL;
    out->rest = (pm_text){p, (size_t)(end - p)};
    out->refused = whose(shape, (pm_text){line.data, digits}, out->rest);
    out->dialect = out->refused ? PM_DIALECT_COUNT : shape->dialect;
    for (int i = 0; i < v.n && !out->refused; i++)
        pm_set(m, shape->field[i], v.v[i]);
    /* An end past the last address wraps; pm_block_add sees a row without extent. */
    m->end = v.v[0] > PM_KIB_MAX ? 0 : m->start + v.v[0] * 1024;
    return true;
}

pmapdb_status pm_narrow_row(pm_reader *r, pm_narrow *row, pmapdb_error *err)
{
    pm_open *b = &r->b;

    if (row->outside) {
        b->n_outside++;
        return PMAPDB_OK;
    }
    b->padded |= row->padded;
    b->suse_mode |= row->suse_mode;
    pm_dress_callout(r, &row->rest);
    b->worn |= r->worn;
    pm_name_read(b, row->dialect, row->rest, &row->m);
    return pm_block_add(r, &row->m, r->line, err);
}
