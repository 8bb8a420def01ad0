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
static size_t count_numbers(const pm_wide *w, const pm_columns *c)
{
    uint64_t values[PM_COLUMNS_MAX] = {0};
    size_t winner = 0, votes = 0;
    pm_mapping m;

    for (size_t i = 0; i < w->n; i++) {
        pm_text line = pm_wide_line(w, i);
        size_t at = pm_wide_lead(c, line, &m), n;

        if (at == 0)
            continue;
        n = pm_wide_numbers(line, &at, PM_COLUMNS_MAX, values);
        if (votes == 0)
            winner = n;
        votes += winner == n ? 1 : (size_t)-1;
    }
    return winner;
}

/* The values of a row by field, were its columns those of the layout. */
static void spread(size_t i, const uint64_t *columns, uint64_t v[PM_FIELD_COUNT])
{
    enum pm_field field[PM_FIELD_COUNT];
    size_t n = columns_of(i, field);

    memset(v, 0, PM_FIELD_COUNT * sizeof *v);
    for (size_t k = 0; k < n; k++)
        v[field[k]] = columns[k];
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

/* Strikes out the layouts that a row refutes, and of `agreed` the fields on whose value the layouts
 * left differ. */
static void refute(const pm_wide *w, const pm_columns *c, bool alive[LAYOUTS], uint64_t *agreed)
{
    uint64_t columns[PM_COLUMNS_MAX] = {0}, v[PM_FIELD_COUNT], first[PM_FIELD_COUNT] = {0};
    pm_mapping m;

    for (size_t row = 0; row < w->n; row++) {
        pm_text line = pm_wide_line(w, row);
        size_t at = pm_wide_lead(c, line, &m);
        bool any = false;

        if (at == 0 || pm_wide_numbers(line, &at, c->n, columns) != c->n)
            continue;
        for (size_t i = 0; i < LAYOUTS; i++) {
            if (!alive[i])
                continue;
            spread(i, columns, v);
            alive[i] = possible(layout(i), v);
            if (!any)
                memcpy(first, v, sizeof first);
            for (int f = 0; f < PM_FIELD_COUNT; f++)
                if (v[f] != first[f])
                    *agreed &= ~PM_BIT(f);
            any = true;
        }
    }
}

/* Without names: every layout that the number of columns and the values of all rows allow. Where
 * several are left, a field that they place differently stays unknown unless it is the same
 * everywhere. Size comes first in all of them, and in those that we do not know. */
static void guess_columns(pm_columns *c, const pm_wide *w)
{
    enum pm_field field[PM_FIELD_COUNT];
    bool alive[LAYOUTS], flags = pm_wide_vote(w, c) != 0;
    uint64_t agreed = PM_NUMBERS, ignored = 0;
    size_t chosen = LAYOUTS;

    for (size_t i = 0; i < LAYOUTS; i++)
        alive[i] = (size_t)__builtin_popcountll(layout(i)) == c->n && !(i & 2) == flags;
    refute(w, c, alive, &ignored);
    refute(w, c, alive, &agreed);
    for (size_t i = LAYOUTS; i-- > 0;)
        if (alive[i]) {
            agreed &= layout(i);
            chosen = i;
        }
    for (size_t i = 0; i < c->n; i++)
        c->field[i] = i ? PM_NO_COLUMN : PM_SIZE;
    if (chosen == LAYOUTS)
        return;
    columns_of(chosen, field);
    for (size_t i = 0; i < c->n; i++)
        if (agreed & PM_BIT(field[i]))
            c->field[i] = field[i];
}

/* Offset, Device and Inode stand in a row: "00001000 fe:00 5317628". */
static bool has_place(const pm_wide *w)
{
    const pm_columns all = {.offset = true, .device = true, .inode = true};
    pm_mapping m;

    for (size_t i = 0; i < w->n; i++)
        if (pm_wide_lead(&all, pm_wide_line(w, i), &m))
            return true;
    return false;
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

/* The second word of a row is its permissions, or the user's list of columns has none. */
static bool lacks_perms(const pm_wide *w)
{
    const pm_columns any = {0};
    pm_mapping m;

    for (size_t i = 0; i < w->n; i++)
        if (pm_wide_lead(&any, pm_wide_line(w, i), &m))
            return false;
    return true;
}

static const char *read_header(pm_columns *c, pm_text header, const pm_wide *w)
{
    const char *why;
    size_t at = 0, before;
    pm_text word;

    do {
        before = at;
        if (!pm_guess_word(header, &at, &word))
            return "the header names no column of smaps";
    } while (!is_known(word));
    c->no_perms = lacks_perms(w);
    c->offset = pm_guess_has_word(header, "Offset");
    c->device = pm_guess_has_word(header, "Device");
    c->inode = pm_guess_has_word(header, "Inode");
    if (!c->offset && !c->device && !c->inode)
        c->offset = c->device = c->inode = has_place(w);
    else if (has_place(w))
        c->offset = c->device = c->inode = true;
    why = header_columns(c, header, before);
    if (why)
        return why;
    for (size_t i = 0; i < c->n; i++)
        if (c->field[i] == PM_SIZE)
            return NULL;
    /* Its loop over the columns begins one too late. */
    return "pmap -X of procps 3.3.4 to 3.3.6 prints no sizes: use -x";
}

const char *pm_layout_find(pm_columns *c, pm_text header, const pm_wide *w)
{
    *c = (pm_columns){0};
    if (header.len)
        return read_header(c, header, w);
    if (!has_place(w))
        return "columns without names";
    c->offset = c->device = c->inode = true;
    c->n = count_numbers(w, c);
    if (c->n == 0)
        return "no columns with numbers";
    guess_columns(c, w);
    return NULL;
}
