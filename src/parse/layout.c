/* layout: finds the field of each column of pmap -X and -XX: by the header, or without a header
 * (-q) by the formats of the kernels since 2.6.39 and by arithmetic. */
#include "parse/block.h"

/* The fields that -XX shows and -X leaves out. */
#define ONLY_XX                                                                      \
    (PM_BIT(PM_KERNEL_PAGE) | PM_BIT(PM_MMU_PAGE) | PM_BIT(PM_SHARED_CLEAN) |        \
     PM_BIT(PM_SHARED_DIRTY) | PM_BIT(PM_PRIVATE_CLEAN) | PM_BIT(PM_PRIVATE_DIRTY) | \
     PM_BIT(PM_ANON_HUGE))

#define PAGES (PM_BIT(PM_KERNEL_PAGE) | PM_BIT(PM_MMU_PAGE))

/* Linux 6.8 prints all fields except Dirty and Private, in the order of fields.def; on many
 * machines it leaves out ProtectionKey. An older release lacks the fields that newer releases
 * added. */
static const uint64_t added[] = {
    PM_BIT(PM_KSM),          /* 6.8 */
    PM_BIT(PM_PSS_DIRTY),    /* 6.0 */
    PM_BIT(PM_FILE_PMD),     /* 5.4 */
    PM_BIT(PM_THP_ELIGIBLE), /* 5.0 */
    0,                       /* 4.15; earlier kernels print the page sizes after the swap */
    PM_BIT(PM_LAZY_FREE),    /* 4.12 */
    PM_BIT(PM_SHMEM_PMD),    /* 4.8 */
    PM_BIT(PM_SHARED_HUGETLB) | PM_BIT(PM_PRIVATE_HUGETLB), /* 4.4 */
    PM_BIT(PM_SWAP_PSS),                                    /* 4.3 */
    0,                                                      /* 2.6.39 */
};
#define PAGES_EARLY 4 /* index in added: from this kernel on, the page sizes come early */
#define LAYOUTS (sizeof added / sizeof *added * 2 * 2) /* with ProtectionKey or not, -XX and -X */

/* A layout that some kernel prints. */
typedef struct candidate {
    uint64_t fields;
    enum pm_field field[PM_FIELD_COUNT]; /* from left to right */
} candidate;

static candidate candidate_of(size_t i)
{
    candidate c = {.fields = PM_NUMBERS & ~PM_BIT(PM_DIRTY) & ~PM_BIT(PM_PRIVATE)};
    bool late = i / 4 > PAGES_EARLY && !(i & 2);
    size_t n = 0;

    for (size_t younger = 0; younger < i / 4; younger++)
        c.fields &= ~added[younger];
    if (!(i & 1))
        c.fields &= ~PM_BIT(PM_PROTECTION_KEY);
    if (i & 2)
        c.fields &= ~ONLY_XX;
    for (int f = 0; f < PM_FIELD_COUNT; f++) {
        if (late && f == PM_LOCKED) {
            c.field[n++] = PM_KERNEL_PAGE;
            c.field[n++] = PM_MMU_PAGE;
        }
        if (c.fields & PM_BIT(f) && !(late && (PAGES & PM_BIT(f))))
            c.field[n++] = (enum pm_field)f;
    }
    return c;
}

/* Returns how many numbers most rows have. A few rows seem to have more, because a name may begin
 * with a number. */
static size_t count_numbers(const pm_wide *w)
{
    uint64_t values[PM_COLUMNS_MAX];
    pm_vote vote = {0};

    for (size_t i = 0, end; i < w->n; i++) {
        size_t n = pm_wide_count(w, i, PM_COLUMNS_MAX, values, &end);

        if (end)
            pm_vote_for(&vote, n);
    }
    return vote.winner;
}

/* Assigns the values of a row to fields as if the row had this layout. */
static void spread(const candidate *l, const uint64_t *columns, size_t n,
                   uint64_t v[PM_FIELD_COUNT])
{
    memset(v, 0, PM_FIELD_COUNT * sizeof *v);
    for (size_t k = 0; k < n; k++)
        v[l->field[k]] = columns[k];
}

static bool is_page(uint64_t kib)
{
    return kib >= 4 && (kib & (kib - 1)) == 0;
}

/* True if the values satisfy the relations that hold in every row that Linux prints. A huge page
 * has at least 1 MiB (s390x). */
static bool possible(uint64_t fields, const uint64_t v[PM_FIELD_COUNT])
{
    uint64_t parts =
        v[PM_SHARED_CLEAN] + v[PM_SHARED_DIRTY] + v[PM_PRIVATE_CLEAN] + v[PM_PRIVATE_DIRTY];

    if ((fields & ONLY_XX) &&
        (parts != v[PM_RSS] || !is_page(v[PM_KERNEL_PAGE]) || !is_page(v[PM_MMU_PAGE]) ||
         v[PM_ANON_HUGE] > v[PM_RSS] || v[PM_ANON_HUGE] % 1024))
        return false;
    return v[PM_PSS] <= v[PM_RSS] && v[PM_PSS_DIRTY] <= v[PM_PSS] &&
           v[PM_REFERENCED] <= v[PM_RSS] && v[PM_ANONYMOUS] <= v[PM_RSS] &&
           v[PM_LAZY_FREE] <= v[PM_RSS] && v[PM_KSM] <= v[PM_RSS] && v[PM_SWAP_PSS] <= v[PM_SWAP] &&
           v[PM_LOCKED] <= v[PM_PSS] && v[PM_THP_ELIGIBLE] <= 1 && v[PM_PROTECTION_KEY] <= 31;
}

/* True if no row refutes the layout. */
static bool fits(const pm_wide *w, const candidate *l)
{
    uint64_t columns[PM_COLUMNS_MAX], v[PM_FIELD_COUNT];

    for (size_t row = 0, end; row < w->n; row++)
        if (pm_wide_values(w, row, columns, &end)) {
            spread(l, columns, w->columns.n, v);
            if (!possible(l->fields, v))
                return false;
        }
    return true;
}

/* Returns the fields on whose values two layouts agree in every row. */
static uint64_t agreement(const pm_wide *w, const candidate *a, const candidate *b)
{
    uint64_t columns[PM_COLUMNS_MAX], x[PM_FIELD_COUNT], y[PM_FIELD_COUNT];
    uint64_t agreed = a->fields & b->fields;

    for (size_t row = 0, end; row < w->n; row++) {
        if (!pm_wide_values(w, row, columns, &end))
            continue;
        spread(a, columns, w->columns.n, x);
        spread(b, columns, w->columns.n, y);
        for (int f = 0; f < PM_FIELD_COUNT; f++)
            agreed &= x[f] == y[f] ? PM_NUMBERS : ~PM_BIT(f);
    }
    return agreed;
}

/* Finds the columns without a header: tries every layout that fits the number of columns and the
 * values of all rows. If several layouts are left, a field that they place differently stays
 * unknown unless its value is the same in all of them. Size is the first column of every known
 * layout, and is assumed to be the first of unknown layouts too. */
static void guess_columns(pm_wide *w)
{
    pm_columns *c = &w->columns;
    candidate first = {0};
    uint64_t agreed = 0;
    bool flags = pm_wide_vote(w) != 0;

    for (size_t i = 0; i < LAYOUTS; i++) {
        candidate next = candidate_of(i);

        if ((size_t)__builtin_popcountll(next.fields) != c->n || !(i & 2) != flags ||
            !fits(w, &next))
            continue;
        if (!first.fields)
            first = next;
        agreed = agreement(w, &first, &next) & (agreed ? agreed : PM_NUMBERS);
    }
    for (size_t i = 0; i < c->n; i++) {
        c->field[i] = i ? PM_NO_COLUMN : PM_SIZE;
        if (i < PM_FIELD_COUNT && agreed & PM_BIT(first.field[i]))
            c->field[i] = first.field[i];
    }
}

/* True if some row begins with these columns. */
static bool any_row_has(const pm_wide *w, const pm_columns *c)
{
    pm_mapping m;

    for (size_t i = 0; i < w->n; i++)
        if (pm_wide_lead(c, pm_wide_line(w, i), &m))
            return true;
    return false;
}

/* True if offset, device and inode ("00001000 fe:00 5317628") precede the numbers. */
static bool has_place(const pm_wide *w)
{
    return any_row_has(w, &(pm_columns){.place = "odi"});
}

/* True if the word can be a smaps key. The last word of a header, Mapping, is translated and may be
 * any word. */
static bool is_key_word(pm_text word)
{
    for (size_t i = 0; i < word.len; i++)
        if ((unsigned char)word.data[i] >= 0x80)
            return false;
    return !pm_text_equal(word, PM_TEXT("Mapping"));
}

static bool is_known(pm_text word)
{
    return pm_field_find(word) != PM_FIELD_COUNT || pm_text_equal(word, PM_TEXT("VmFlags"));
}

/* Reads the words of the header from the first key on. The last word is the column of the name,
 * unless it is a key or a blank follows it (a column list of the user without names). */
static const char *header_columns(pm_columns *c, pm_text header, pm_text rest)
{
    bool open_end = header.len && header.data[header.len - 1] == ' ';
    pm_text word;

    while ((word = pm_text_word(&rest, PM_BLANKS)).len) {
        bool last = !pm_text_skip(rest, PM_BLANKS).len, glued = word.len > strlen("VmFlags");

        /* procps 3.3.7 to 3.3.14 ends the lists with a blank and prints "VmFlagsMapping", one
         * column too far right. */
        if (pm_text_starts(word, PM_TEXT("VmFlags"))) {
            c->has_flags = true;
            c->flags_end = (size_t)(word.data - header.data) + strlen("VmFlags");
            c->flags_end -= glued;
            c->has_name = glued || !last;
            return NULL;
        }
        c->has_name = !is_known(word) && ((last && !open_end) || !is_key_word(word));
        if (c->has_name)
            return NULL;
        if (c->n == PM_COLUMNS_MAX)
            return "too many columns";
        c->field[c->n] = pm_field_find(word);
        c->name[c->n++] = word;
    }
    return NULL;
}

static const char *read_header(pm_columns *c, pm_text header, const pm_wide *w)
{
    static const char *const places[] = {"Offset", "Device", "Inode"};
    const char *why;
    size_t n = 0;
    pm_text rest = header, keys, word;

    do {
        keys = rest;
        word = pm_text_word(&rest, PM_BLANKS);
        if (!word.len)
            return "the header names no column of smaps";
    } while (!is_known(word));
    if (keys.len == header.len)
        return "the header has lost its beginning";
    /* otherwise the column list of the user has no Perm */
    c->no_perms = !any_row_has(w, &(pm_columns){0});
    for (size_t i = 0; i < 3; i++)
        if (pm_text_has(header, PM_BLANKS, pm_text_of(places[i])))
            c->place[n++] = "odi"[i];
    if (has_place(w))
        memcpy(c->place, "odi", 4);
    why = header_columns(c, header, keys);
    if (why)
        return why;
    for (size_t i = 0; i < c->n; i++)
        if (c->field[i] == PM_SIZE)
            return NULL;
    /* The loop over the columns in this pmap begins one column too late. */
    return "pmap -X of procps 3.3.4 to 3.3.6 prints no sizes: use -x";
}

/* Finds the columns of rows without a header, whose shape shows the number of columns. */
static const char *read_bare(pm_wide *w)
{
    pm_columns *c = &w->columns;

    if (!has_place(w))
        return "columns without names";
    memcpy(c->place, "odi", 4);
    c->n = count_numbers(w);
    if (c->n == 0)
        return "no columns with numbers";
    guess_columns(w);
    return NULL;
}

const char *pm_layout_find(pm_wide *w, pm_text header)
{
    w->columns = (pm_columns){0};
    return header.len ? read_header(&w->columns, header, w) : read_bare(w);
}
