/* column: how the tables' values are found. What a capture does not say is NULL. */
#include "sqlite/column.h"

#include "base/clock.h"
#include <stdio.h>

SQLITE_EXTENSION_INIT3

static void show_text(sqlite3_context *out, pm_text t)
{
    sqlite3_result_text64(out, t.len ? t.data : "", t.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static void show_name(sqlite3_context *out, const char *name)
{
    sqlite3_result_text(out, name, -1, SQLITE_STATIC);
}

static void show_known(sqlite3_context *out, int64_t v)
{
    if (v != PMAPDB_UNKNOWN)
        sqlite3_result_int64(out, v);
}

/* ---- of a mapping ---- */

enum place { PLACE_START, PLACE_END, PLACE_OFFSET, PLACE_INODE, PLACE_CUT };

/* Addresses are two's complement, as in a store. */
static void show_place(sqlite3_context *out, const pm_shown *row, int which)
{
    const pm_mapping *m = row->m;

    if (!m)
        return;
    if (which == PLACE_START)
        sqlite3_result_int64(out, (int64_t)m->start);
    else if (which == PLACE_END)
        sqlite3_result_int64(out, (int64_t)m->end);
    else if (which == PLACE_OFFSET && pm_has(m, PM_HAS_OFFSET))
        sqlite3_result_int64(out, (int64_t)m->offset);
    else if (which == PLACE_INODE && pm_has(m, PM_HAS_INODE))
        sqlite3_result_int64(out, (int64_t)m->inode);
    else if (which == PLACE_CUT)
        sqlite3_result_int(out, m->name_cut);
}

static void show_field(sqlite3_context *out, const pm_shown *row, int which)
{
    if (row->m && pm_has(row->m, PM_BIT(which)))
        sqlite3_result_int64(out, (int64_t)row->m->value[which]);
}

static void show_dirty(sqlite3_context *out, const pm_shown *row, int which)
{
    const pm_mapping *m = row->m;

    if (m && !pm_has(m, PM_BIT(which)) &&
        pm_has(m, PM_BIT(PM_SHARED_DIRTY) | PM_BIT(PM_PRIVATE_DIRTY)))
        sqlite3_result_int64(out,
                             (int64_t)(m->value[PM_SHARED_DIRTY] + m->value[PM_PRIVATE_DIRTY]));
    else
        show_field(out, row, which);
}

/* Of a mapping, or of the whole block. */
static void show_total(sqlite3_context *out, const pm_shown *row, int which)
{
    int64_t v = row->m ? pm_total_of(row->m, (enum pm_total)which)
                       : row->held->capture.block.totals.v[which];

    if (v >= 0 && row->held->number != PMAPDB_UNKNOWN && !row->held->error)
        sqlite3_result_int64(out, v);
}

enum word { WORD_PERMS, WORD_DEVICE, WORD_FLAGS, WORD_PATH, WORD_EXTRA };

enum kind { KIND_CATEGORY, KIND_PARENT, KIND_BASE, KIND_INFERRED };

/* A refinement of what the mapping is begins with that; any other text stands alone. */
static bool refines(const char *category, const char *base)
{
    size_t n = strlen(base);

    return strncmp(category, base, n) == 0 && category[n] == '/';
}

static void show_ruled(sqlite3_context *out, const pm_shown *row, const char *slug, int which)
{
    const char *category = slug;
    pmapdb_error err = {0};

    if (row->m && pm_ruled_category(row->ruled, row->held, row->m, &category, &err) != PMAPDB_OK)
        sqlite3_result_error(out, err.text, -1);
    else if (which == KIND_CATEGORY || !refines(category, slug))
        show_text(out, pm_text_of(category));
    else
        show_name(out, slug);
}

static void show_kind(sqlite3_context *out, const pm_shown *row, int which)
{
    pm_category base = row->m ? pm_held_base(row->held, row->m) : PM_CATEGORY_TOTAL;

    if (which == KIND_INFERRED)
        sqlite3_result_int(out, base == PM_CATEGORY_HEAP && row->held->context.heap_inferred);
    else if (which == KIND_BASE)
        show_name(out, pm_categories[base].slug);
    else
        show_ruled(out, row, pm_categories[base].slug, which);
}

static void show_word(sqlite3_context *out, const pm_shown *row, int which)
{
    const pm_mapping *m = row->m;
    char device[24];

    if (!m)
        return;
    if (which == WORD_PATH)
        show_text(out, m->path);
    else if (which == WORD_PERMS && m->perms[0])
        sqlite3_result_text(out, m->perms, -1, SQLITE_TRANSIENT);
    else if (which == WORD_FLAGS && pm_has(m, PM_HAS_FLAGS))
        show_text(out, m->flags);
    else if (which == WORD_EXTRA && m->extra.len)
        show_text(out, m->extra);
    else if (which == WORD_DEVICE && pm_has(m, PM_HAS_DEVICE)) {
        snprintf(device, sizeof device, "%02x:%02x", m->dev_major, m->dev_minor);
        sqlite3_result_text(out, device, -1, SQLITE_TRANSIENT);
    }
}

/* ---- of a block ---- */

enum count { COUNT_BLOCK, COUNT_PID, COUNT_FIRST_LINE, COUNT_LAST_LINE, COUNT_TOOL_SIZE };

static void show_count(sqlite3_context *out, const pm_shown *row, int which)
{
    const pm_held *h = row->held;
    const pm_block *b = &h->capture.block;

    if (which == COUNT_BLOCK)
        show_known(out, h->number);
    else if (h->number == PMAPDB_UNKNOWN)
        return;
    else if (which == COUNT_PID)
        show_known(out, h->capture.pid);
    else if (which == COUNT_FIRST_LINE)
        show_known(out, (int64_t)b->first_line);
    else if (which == COUNT_LAST_LINE)
        show_known(out, (int64_t)b->last_line);
    else if (!h->error)
        show_known(out, b->tool_size_kib);
}

enum about {
    ABOUT_SOURCE,
    ABOUT_COMMAND,
    ABOUT_TAKEN_AT,
    ABOUT_DIALECT,
    ABOUT_TOOL,
    ABOUT_CONFIDENCE,
    ABOUT_STATE,
    ABOUT_CHECKED,
    ABOUT_MISSING,
    ABOUT_NOTES,
    ABOUT_WHY,
    ABOUT_ERROR
};

static void show_taken_at(sqlite3_context *out, const pm_block *b)
{
    char text[PM_CLOCK_TEXT];

    if (b->time_ms == PMAPDB_UNKNOWN)
        return;
    pm_clock_format(b->time_ms, text);
    sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

/* Several lines as one, "; " between; nothing is NULL. */
static void show_lines(sqlite3_context *out, pm_text t)
{
    pm_buf text = {0};
    pmapdb_status st = PMAPDB_OK;

    if (t.len == 0)
        return;
    for (const char *p = t.data, *end = t.data + t.len, *line; p <= end && st == PMAPDB_OK;
         p = line + 1) {
        line = memchr(p, '\n', (size_t)(end - p));
        line = line ? line : end;
        st = pm_buf_add(&text, p, (size_t)(line - p), NULL);
        if (st == PMAPDB_OK && line < end)
            st = pm_buf_add(&text, "; ", 2, NULL);
    }
    if (st == PMAPDB_OK)
        show_text(out, pm_buf_text(&text));
    else
        sqlite3_result_error_nomem(out);
    pm_buf_free(&text);
}

/* What only a capture has. */
static void show_of_capture(sqlite3_context *out, const pm_block *b, int which)
{
    if (which == ABOUT_CONFIDENCE)
        show_name(out, pm_confidence_name(b->confidence));
    else if (which == ABOUT_STATE)
        show_name(out, pm_state_name(b->state));
    else if (which == ABOUT_CHECKED)
        show_name(out, pm_checked_name(b->checked));
    else
        show_lines(out, which == ABOUT_TOOL ? b->tool : b->missing);
}

static void show_of_block(sqlite3_context *out, const pm_block *b, int which)
{
    if (which == ABOUT_TAKEN_AT)
        show_taken_at(out, b);
    else if (which == ABOUT_DIALECT && b->dialect != PM_DIALECT_COUNT)
        show_name(out, pm_dialect_name(b->dialect));
    else if (which == ABOUT_COMMAND)
        show_lines(out, b->command);
    else if (which == ABOUT_NOTES)
        show_lines(out, b->notes);
    else if (which == ABOUT_WHY)
        show_lines(out, b->why);
}

static void show_about(sqlite3_context *out, const pm_shown *row, int which)
{
    const pm_held *h = row->held;
    bool of_capture = which == ABOUT_CONFIDENCE || which == ABOUT_STATE || which == ABOUT_CHECKED ||
                      which == ABOUT_TOOL || which == ABOUT_MISSING;

    if (which == ABOUT_SOURCE && h->path)
        sqlite3_result_text(out, h->path, -1, SQLITE_TRANSIENT);
    else if (which == ABOUT_ERROR && h->error)
        sqlite3_result_text(out, h->error, -1, SQLITE_TRANSIENT);
    else if (h->number != PMAPDB_UNKNOWN && of_capture && !h->error)
        show_of_capture(out, &h->capture.block, which);
    else if (h->number != PMAPDB_UNKNOWN && !of_capture)
        show_of_block(out, &h->capture.block, which);
}

/* ---- the tables' columns ---- */

#define FIELD(name, field)                      \
    {                                           \
        name, "INTEGER", show_field, PM_##field \
    }
#define TOTAL(name, total)                            \
    {                                                 \
        name, "INTEGER", show_total, PM_TOTAL_##total \
    }
#define PLACE(name, place)                         \
    {                                              \
        name, "INTEGER", show_place, PLACE_##place \
    }
#define WORD(name, word)                     \
    {                                        \
        name, "TEXT", show_word, WORD_##word \
    }
#define KIND(name, kind)                     \
    {                                        \
        name, "TEXT", show_kind, KIND_##kind \
    }
#define COUNT(name, count)                         \
    {                                              \
        name, "INTEGER", show_count, COUNT_##count \
    }
#define ABOUT(name, about)                      \
    {                                           \
        name, "TEXT", show_about, ABOUT_##about \
    }
#define LENGTH(columns) ((int)(sizeof(columns) / sizeof *(columns)))

const pm_column pm_mapping_columns[] = {
    PLACE("start", START),
    PLACE("end", END),
    TOTAL("size_kib", SIZE),
    TOTAL("rss_kib", RSS),
    TOTAL("pss_kib", PSS),
    {"dirty_kib", "INTEGER", show_dirty, PM_DIRTY},
    TOTAL("private_kib", PRIVATE),
    TOTAL("private_dirty_kib", PRIVATE_DIRTY),
    TOTAL("swap_kib", SWAP),
    WORD("perms", PERMS),
    PLACE("offset", OFFSET),
    WORD("device", DEVICE),
    PLACE("inode", INODE),
    KIND("category", CATEGORY),
    WORD("flags", FLAGS),
    WORD("path", PATH),
    FIELD("kernel_page_kib", KERNEL_PAGE),
    FIELD("mmu_page_kib", MMU_PAGE),
    FIELD("pss_dirty_kib", PSS_DIRTY),
    FIELD("shared_clean_kib", SHARED_CLEAN),
    FIELD("shared_dirty_kib", SHARED_DIRTY),
    FIELD("private_clean_kib", PRIVATE_CLEAN),
    FIELD("referenced_kib", REFERENCED),
    FIELD("anonymous_kib", ANONYMOUS),
    FIELD("ksm_kib", KSM),
    FIELD("lazy_free_kib", LAZY_FREE),
    FIELD("anon_huge_kib", ANON_HUGE),
    FIELD("shmem_pmd_kib", SHMEM_PMD),
    FIELD("file_pmd_kib", FILE_PMD),
    FIELD("shared_hugetlb_kib", SHARED_HUGETLB),
    FIELD("private_hugetlb_kib", PRIVATE_HUGETLB),
    FIELD("swap_pss_kib", SWAP_PSS),
    FIELD("locked_kib", LOCKED),
    FIELD("thp_eligible", THP_ELIGIBLE),
    FIELD("protection_key", PROTECTION_KEY),
    WORD("extra", EXTRA),
    {"inferred", "INTEGER", show_kind, KIND_INFERRED},
    PLACE("name_cut", CUT),
    KIND("parent", PARENT),
    KIND("base", BASE),
    /* behind here: where it was found */
    COUNT("block", BLOCK),
    ABOUT("source", SOURCE),
    COUNT("pid", PID),
    ABOUT("command", COMMAND),
    ABOUT("taken_at", TAKEN_AT),
    ABOUT("dialect", DIALECT),
    ABOUT("state", STATE),
    ABOUT("checked", CHECKED),
    ABOUT("missing", MISSING),
};
const int pm_mapping_columns_all = LENGTH(pm_mapping_columns);
const int pm_mapping_columns_live = LENGTH(pm_mapping_columns) - 9;

const pm_column pm_block_columns[] = {
    ABOUT("path", SOURCE),
    COUNT("first_line", FIRST_LINE),
    COUNT("last_line", LAST_LINE),
    COUNT("pid", PID),
    ABOUT("command", COMMAND),
    ABOUT("dialect", DIALECT),
    ABOUT("tool", TOOL),
    ABOUT("confidence", CONFIDENCE),
    ABOUT("state", STATE),
    ABOUT("checked", CHECKED),
    TOTAL("mappings", MAPPINGS),
    TOTAL("size_kib", SIZE),
    TOTAL("rss_kib", RSS),
    TOTAL("pss_kib", PSS),
    TOTAL("private_kib", PRIVATE),
    TOTAL("private_dirty_kib", PRIVATE_DIRTY),
    TOTAL("swap_kib", SWAP),
    COUNT("tool_size_kib", TOOL_SIZE),
    ABOUT("missing", MISSING),
    ABOUT("notes", NOTES),
    ABOUT("why", WHY),
    ABOUT("taken_at", TAKEN_AT),
    COUNT("block", BLOCK),
    ABOUT("error", ERROR),
};
const int pm_block_columns_all = LENGTH(pm_block_columns);
