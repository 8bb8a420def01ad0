/* pmap_rows: the narrow rows of pmap, pmap -x and pmap -d, by their shape. */
#include "parse/block.h"

#include "base/num.h"

#define NUMBERS_MAX 6

/* A row's shape: how many numbers stand before the mode, with or without K behind them, how long
 * the mode is, and whether offset and device follow it. */
typedef struct row_shape {
    int numbers;
    int perms;
    bool k, place;
    pm_dialect dialect;
    enum pm_field field[3];
    const char *refused;
} row_shape;

static const row_shape shapes[] = {
    {1, 5, true, false, PM_DIALECT_PMAP, {PM_SIZE}, NULL},
    {3, 5, false, false, PM_DIALECT_PMAP_SMALL_X, {PM_SIZE, PM_RSS, PM_DIRTY}, NULL},
    {1, 5, false, true, PM_DIALECT_PMAP_D, {PM_SIZE}, NULL},
    {1,
     4,
     true,
     false,
     PM_DIALECT_COUNT,
     {PM_SIZE},
     "rows of busybox pmap or psutil: not a known dialect"},
    {4,
     4,
     false,
     false,
     PM_DIALECT_COUNT,
     {PM_SIZE},
     "columns of busybox pmap -x (PSS): not a known dialect"},
    {4,
     5,
     false,
     false,
     PM_DIALECT_COUNT,
     {PM_SIZE},
     "columns of toybox pmap -x (PSS): not a known dialect"},
};

/* Numbers between address and mode. Returns how many, 0 for none or too many; all with K or all
 * without. */
static int read_numbers(const char **at, const char *end, uint64_t v[NUMBERS_MAX], bool *k)
{
    const char *p = *at;
    int n = 0;

    for (p = pm_skip_blanks(p, end); p < end && *p >= '0' && *p <= '9';
         p = pm_skip_blanks(p, end)) {
        size_t digits = n < NUMBERS_MAX ? pm_num_dec(p, end, &v[n]) : 0;
        bool unit;

        p += digits;
        unit = p < end && *p == 'K';
        if (digits == 0 || (n && unit != *k))
            return 0;
        *k = unit;
        p += unit;
        if (p == end || *p != ' ')
            return 0;
        n++;
    }
    *at = p;
    return n;
}

static const row_shape *find_shape(int numbers, bool k, size_t perms)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].numbers == numbers && shapes[i].k == k && shapes[i].perms == (int)perms)
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

bool pm_narrow_read(pm_text line, pm_narrow *out)
{
    const char *p = line.data, *end = p + line.len;
    const row_shape *shape;
    pm_mapping *m = &out->m;
    uint64_t v[NUMBERS_MAX] = {0};
    bool k = false;
    size_t perms;
    int n;

    *m = (pm_mapping){0};
    p += pm_num_hex(p, end, &m->start);
    n = read_numbers(&p, end, v, &k);
    perms = pm_guess_perms(p, end, m->perms);
    shape = find_shape(n, k, perms);
    if (!shape || memchr(line.data, '\0', line.len))
        return false;
    p += perms;
    if (shape->place && !(p = read_place(p, end, m)))
        return false;
    out->dialect = shape->dialect;
    out->refused = shape->refused;
    out->rest = (pm_text){p, (size_t)(end - p)};
    for (int i = 0; i < n && !shape->refused; i++)
        pm_set(m, shape->field[i], v[i]);
    /* An end past the last address wraps; pm_block_add sees a row without extent. */
    m->end = v[0] > PM_KIB_MAX ? 0 : m->start + v[0] * 1024;
    return true;
}

static pm_text trim(pm_text t)
{
    while (t.len && t.data[0] == ' ')
        t = pm_text_from(t, 1);
    while (t.len && t.data[t.len - 1] == ' ')
        t.len--;
    return t;
}

static bool is_one_of(pm_text t, const char *const *words)
{
    for (; *words; words++)
        if (pm_text_equal(t, pm_text_of(*words)))
            return true;
    return false;
}

/* "[ anon ]", "[ stack ]" and what the translations of procps make of them; others ("[ shmid=0x1
 * ]") stay. */
static pm_text pseudo_name(pm_text name)
{
    static const char *const anon[] = {"anon", "анон", "vô danh", "anôn", NULL};
    static const char *const stack[] = {"stack", "pile",     "stos",  "стек",
                                        "pila",  "ngăn xếp", "pilha", NULL};
    pm_text word;

    if (name.len < 2 || name.data[name.len - 1] != ']')
        return name;
    word = trim((pm_text){name.data + 1, name.len - 2});
    if (is_one_of(word, anon))
        return PM_TEXT("");
    return is_one_of(word, stack) ? PM_TEXT("[stack]") : name;
}

/* One blank separates the name, two did so before procps 3.3.7; two more mark a pseudo name. */
static pm_text name_of(pm_open *b, pm_text rest)
{
    size_t blanks = 0, separator;
    bool bracket;

    while (blanks < rest.len && rest.data[blanks] == ' ')
        blanks++;
    if (blanks == rest.len)
        return PM_TEXT("");
    bracket = rest.data[blanks] == '[';
    if (b->name_blanks == 0)
        b->name_blanks = blanks == 2 || (blanks == 4 && bracket) ? 2 : 1;
    separator = blanks < (size_t)b->name_blanks ? blanks : (size_t)b->name_blanks;
    if (bracket && blanks == separator + 2)
        return pseudo_name(pm_text_from(rest, blanks));
    return pm_text_from(rest, separator);
}

pmapdb_status pm_narrow_row(pm_reader *r, pm_narrow *row, pmapdb_error *err)
{
    row->m.path = name_of(&r->b, row->rest);
    return pm_block_add(r, &row->m, r->line, err);
}
