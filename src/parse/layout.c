/* layout: which field stands in which column of pmap -X and -XX: by the header, and where there is
 * none (-q) by what the kernels since 2.6.39 print and what arithmetic allows. */
#include "parse/block.h"

/* What -X leaves out of what -XX shows. */
#define ONLY_XX                                                                      \
    (PM_BIT(PM_KERNEL_PAGE) | PM_BIT(PM_MMU_PAGE) | PM_BIT(PM_SHARED_CLEAN) |        \
     PM_BIT(PM_SHARED_DIRTY) | PM_BIT(PM_PRIVATE_CLEAN) | PM_BIT(PM_PRIVATE_DIRTY) | \
     PM_BIT(PM_ANON_HUGE))

/* Linux 6.8 prints all fields in the order of fields.def; a release before lacks the younger. */
#define SINCE_6_8 (PM_NUMBERS & ~PM_BIT(PM_DIRTY) & ~PM_BIT(PM_PROTECTION_KEY))
#define SINCE_6_0 (SINCE_6_8 & ~PM_BIT(PM_KSM))
#define SINCE_5_4 (SINCE_6_0 & ~PM_BIT(PM_PSS_DIRTY))
#define SINCE_5_0 (SINCE_5_4 & ~PM_BIT(PM_FILE_PMD))
#define SINCE_4_15 (SINCE_5_0 & ~PM_BIT(PM_THP_ELIGIBLE))
/* Before 4.15 the page sizes stand behind the swap. */
#define SINCE_4_12 SINCE_4_15
#define SINCE_4_8 (SINCE_4_12 & ~PM_BIT(PM_LAZY_FREE))
#define SINCE_4_4 (SINCE_4_8 & ~PM_BIT(PM_SHMEM_PMD))
#define SINCE_4_3 (SINCE_4_4 & ~PM_BIT(PM_SHARED_HUGETLB) & ~PM_BIT(PM_PRIVATE_HUGETLB))
#define SINCE_2_6_39 (SINCE_4_3 & ~PM_BIT(PM_SWAP_PSS))

static const struct {
    uint64_t fields;
    bool pages_late;
} kernels[] = {{SINCE_6_8, false},  {SINCE_6_0, false},  {SINCE_5_4, false}, {SINCE_5_0, false},
               {SINCE_4_15, false}, {SINCE_4_12, true},  {SINCE_4_8, true},  {SINCE_4_4, true},
               {SINCE_4_3, true},   {SINCE_2_6_39, true}};
#define KERNELS (sizeof kernels / sizeof *kernels)
#define LAYOUTS (KERNELS * 2 * 2) /* with and without ProtectionKey, -XX and -X */

static uint64_t layout(size_t i)
{
    uint64_t fields = kernels[i / 4].fields;

    if (i & 1)
        fields |= PM_BIT(PM_PROTECTION_KEY);
    return i & 2 ? fields & ~ONLY_XX : fields;
}

/* The fields of a layout from left to right; returns how many. */
static size_t columns_of(size_t i, enum pm_field out[PM_FIELD_COUNT])
{
    const uint64_t pages = PM_BIT(PM_KERNEL_PAGE) | PM_BIT(PM_MMU_PAGE);
    uint64_t fields = layout(i);
    size_t n = 0;

    for (int f = 0; f < PM_FIELD_COUNT; f++) {
        bool late = kernels[i / 4].pages_late && (fields & pages);

        if (late && f == PM_LOCKED) {
            out[n++] = PM_KERNEL_PAGE;
            out[n++] = PM_MMU_PAGE;
        }
        if (fields & PM_BIT(f) && !(late && (pages & PM_BIT(f))))
            out[n++] = (enum pm_field)f;
    }
    return n;
}

/* How many numbers most rows have; a name may begin with a number too. */
static size_t count_numbers(const pm_wide *w)
{
    size_t winner = 0, votes = 0;

    for (size_t i = 0; i < w->n; i++) {
        size_t n = w->rows[i].n;

        if (w->rows[i].numbers_end == 0)
            continue;
        if (votes == 0)
            winner = n;
        votes += winner == n ? 1 : (size_t)-1;
    }
    return winner;
}

static bool any_longer(const pm_wide *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->rows[i].n > w->columns.n)
            return true;
    return false;
}

/* A layout that the rows so far allow. */
typedef struct candidate {
    uint64_t fields;
    enum pm_field field[PM_FIELD_COUNT]; /* from left to right */
} candidate;

/* Those of n columns, with flags or without. */
static size_t collect_candidates(size_t n, bool flags, candidate out[LAYOUTS])
{
    size_t count = 0;

    for (size_t i = 0; i < LAYOUTS; i++) {
        if ((size_t)__builtin_popcountll(layout(i)) != n || !(i & 2) != flags)
            continue;
        out[count].fields = layout(i);
        columns_of(i, out[count++].field);
    }
    return count;
}

/* The values of a row by field, were its columns those of the layout. */
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

/* What holds in every row that Linux prints. Huge pages have at least 1 MiB (s390x). */
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

/* Strikes out the layouts that a row refutes; returns how many are left. */
static size_t refute(const pm_wide *w, candidate *layouts, size_t n)
{
    uint64_t v[PM_FIELD_COUNT];

    for (size_t row = 0; row < w->n; row++) {
        const uint64_t *columns = pm_wide_values(w, row);
        size_t left = 0;

        for (size_t i = 0; columns && i < n; i++) {
            spread(&layouts[i], columns, w->columns.n, v);
            if (possible(layouts[i].fields, v))
                layouts[left++] = layouts[i];
        }
        n = columns ? left : n;
    }
    return n;
}

/* The fields on whose values all layouts agree, in every row. */
static uint64_t agreement(const pm_wide *w, const candidate *layouts, size_t n)
{
    uint64_t first[PM_FIELD_COUNT], v[PM_FIELD_COUNT], agreed = PM_NUMBERS;

    for (size_t i = 0; i < n; i++)
        agreed &= layouts[i].fields;
    for (size_t row = 0; n > 1 && row < w->n; row++) {
        const uint64_t *columns = pm_wide_values(w, row);

        if (!columns)
            continue;
        spread(&layouts[0], columns, w->columns.n, first);
        for (size_t i = 1; i < n; i++) {
            spread(&layouts[i], columns, w->columns.n, v);
            for (int f = 0; f < PM_FIELD_COUNT; f++)
                if (v[f] != first[f])
                    agreed &= ~PM_BIT(f);
        }
    }
    return agreed;
}

/* Without names: every layout that the number of columns and the values of all rows allow. Where
 * several are left, a field that they place differently stays unknown unless it is the same
 * everywhere. Size comes first in all of them, and in those that we do not know. */
static void guess_columns(pm_wide *w)
{
    pm_columns *c = &w->columns;
    candidate layouts[LAYOUTS];
    size_t n = collect_candidates(c->n, pm_wide_vote(w) != 0, layouts);
    uint64_t agreed;

    n = refute(w, layouts, n);
    agreed = agreement(w, layouts, n);
    for (size_t i = 0; i < c->n; i++) {
        c->field[i] = i ? PM_NO_COLUMN : PM_SIZE;
        if (n && (agreed & PM_BIT(layouts[0].field[i])))
            c->field[i] = layouts[0].field[i];
    }
}

/* Some row begins as these columns say. */
static bool any_row_has(const pm_wide *w, const pm_columns *c)
{
    pm_mapping m;

    for (size_t i = 0; i < w->n; i++)
        if (pm_wide_lead(c, pm_wide_line(w, i), &m))
            return true;
    return false;
}

/* "00001000 fe:00 5317628" stands before the numbers. */
static bool has_place(const pm_wide *w)
{
    return any_row_has(w, &(pm_columns){.place = "odi"});
}

/* A word that can be a smaps key; the last one, Mapping, is translated and may be any word. */
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

/* Words from the first key on. The last word is the name's column unless it is a key or a blank
 * follows it (a column list of the user's, without names). */
static const char *header_columns(pm_columns *c, pm_text header, size_t at)
{
    bool open_end = header.len && header.data[header.len - 1] == ' ';
    pm_text word;

    while (pm_guess_word(header, &at, &word)) {
        size_t rest = at;
        pm_text next;
        bool last = !pm_guess_word(header, &rest, &next);

        /* 3.3.7 to 3.3.14 end the lists in a blank and print "VmFlagsMapping", one column late. */
        if (pm_text_starts(word, PM_TEXT("VmFlags"))) {
            c->has_flags = true;
            c->flags_end = (size_t)(word.data - header.data) + strlen("VmFlags");
            c->flags_glued = word.len > strlen("VmFlags");
            c->flags_end -= c->flags_glued;
            c->has_name = c->flags_glued || !last;
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
    size_t at = 0, before, n = 0;
    pm_text word;

    do {
        before = at;
        if (!pm_guess_word(header, &at, &word))
            return "the header names no column of smaps";
    } while (!is_known(word));
    /* else the user's list of columns has no Perm */
    c->no_perms = !any_row_has(w, &(pm_columns){0});
    for (size_t i = 0; i < 3; i++)
        if (pm_guess_has_word(header, places[i]))
            c->place[n++] = "odi"[i];
    if (has_place(w))
        memcpy(c->place, "odi", 4);
    why = header_columns(c, header, before);
    if (why)
        return why;
    for (size_t i = 0; i < c->n; i++)
        if (c->field[i] == PM_SIZE)
            return NULL;
    /* Its loop over the columns begins one too late. */
    return "pmap -X of procps 3.3.4 to 3.3.6 prints no sizes: use -x";
}

/* Rows without a header: what they look like says how many columns there are. */
static pmapdb_status read_bare(pm_wide *w, const char **refused, pmapdb_error *err)
{
    pm_columns *c = &w->columns;
    pmapdb_status st;

    *refused = has_place(w) ? NULL : "columns without names";
    if (*refused)
        return PMAPDB_OK;
    memcpy(c->place, "odi", 4);
    st = pm_wide_read(w, PM_COLUMNS_MAX, err);
    if (st != PMAPDB_OK)
        return st;
    c->n = count_numbers(w);
    if (c->n == 0) {
        *refused = "no columns with numbers";
        return PMAPDB_OK;
    }
    if (any_longer(w)) /* by a name */
        st = pm_wide_read(w, c->n, err);
    if (st == PMAPDB_OK)
        guess_columns(w);
    return st;
}

pmapdb_status pm_layout_find(pm_wide *w, pm_text header, const char **refused, pmapdb_error *err)
{
    pm_columns *c = &w->columns;

    *c = (pm_columns){0};
    if (header.len == 0)
        return read_bare(w, refused, err);
    *refused = read_header(c, header, w);
    return *refused ? PMAPDB_OK : pm_wide_read(w, c->n, err);
}
