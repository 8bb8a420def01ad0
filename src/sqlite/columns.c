/* columns: the value of each column. A value that the capture lacks is NULL. */
#include "sqlite/table.h"

#include "base/clock/clock.h"
#include "store/rules/rules_file.h"
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

/* ---- categories ---- */

void pm_categorizer_free(pm_categorizer *r)
{
    pm_categorize_end(&r->rows);
    pm_rules_free(r->rules);
    pm_buf_free(&r->category);
}

/* Without a store the table is missing; a store without rules has an empty table. */
static pmapdb_status load_rules(pm_categorizer *r, pmapdb_error *err)
{
    const char *name = pm_rules_builtins[0];
    pm_text text = pm_rules_builtin(pm_text_of(name));
    sqlite3_stmt *stmt = NULL;
    pmapdb_status st;

    if (sqlite3_prepare_v2(r->db, "SELECT text, name FROM main.rule_set WHERE text <> ''", -1,
                           &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        text = (pm_text){(const char *)sqlite3_column_text(stmt, 0),
                         (size_t)sqlite3_column_bytes(stmt, 0)};
        name = (const char *)sqlite3_column_text(stmt, 1);
    }
    st = pm_rules_read(text, name, &r->rules, err);
    sqlite3_finalize(stmt);
    return st;
}

static pmapdb_status prepare(pm_categorizer *r, const pm_capture *capture, pmapdb_error *err)
{
    pmapdb_status st = r->rules ? PMAPDB_OK : load_rules(r, err);

    if (!r->rows.row)
        PM_STEP(st, pm_categorize_begin(&r->rows, r->rules, capture, err));
    return st;
}

/* ---- a mapping ---- */

enum place { PLACE_START, PLACE_END, PLACE_OFFSET, PLACE_INODE, PLACE_CUT };

/* Addresses are stored in two's complement, as in a store. */
static void show_place(sqlite3_context *out, const pm_table_row *row, int which)
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

static void show_field(sqlite3_context *out, const pm_table_row *row, int which)
{
    if (row->m && pm_has(row->m, PM_BIT(which)))
        sqlite3_result_int64(out, (int64_t)row->m->value[which]);
}

static void show_dirty(sqlite3_context *out, const pm_table_row *row, int which)
{
    const pm_mapping *m = row->m;

    if (m && !pm_has(m, PM_BIT(which)) &&
        pm_has(m, PM_BIT(PM_SHARED_DIRTY) | PM_BIT(PM_PRIVATE_DIRTY)))
        sqlite3_result_int64(out,
                             (int64_t)(m->value[PM_SHARED_DIRTY] + m->value[PM_PRIVATE_DIRTY]));
    else
        show_field(out, row, which);
}

/* A sum of a mapping, or of the block. */
static void show_total(sqlite3_context *out, const pm_table_row *row, int which)
{
    int64_t v = row->m ? pm_total_of(row->m, (enum pm_total)which)
                       : row->block->capture->block.totals.v[which];

    if (v >= 0)
        sqlite3_result_int64(out, v);
}

enum word { WORD_PERMS, WORD_DEVICE, WORD_FLAGS, WORD_PATH, WORD_EXTRA };

enum kind { KIND_CATEGORY, KIND_PARENT, KIND_BASE, KIND_INFERRED };

/* True for a refined category, such as anonymous/glibc-arena of anonymous. */
static bool refines(const char *category, const char *base)
{
    size_t n = strlen(base);

    return strncmp(category, base, n) == 0 && category[n] == '/';
}

static void show_kind(sqlite3_context *out, const pm_table_row *row, int which)
{
    pm_categorizer *r = row->categorizer;
    pm_category base = PM_CATEGORY_TOTAL;
    const char *slug, *category;
    size_t rule;
    pmapdb_error err = {0};
    pmapdb_status st = row->m ? prepare(r, row->block->capture, &err) : PMAPDB_OK;

    if (row->m && st == PMAPDB_OK)
        base = pm_classify_mapping(&r->rows.context, row->m);
    slug = category = pm_categories[base].slug;
    if (row->m && (which == KIND_CATEGORY || which == KIND_PARENT)) {
        pm_buf_clear(&r->category);
        PM_STEP(st, pm_categorize_row(&r->rows, row->m, &rule, &r->category, &err));
        category = pm_buf_text(&r->category).data;
    }
    if (st != PMAPDB_OK)
        sqlite3_result_error(out, err.text, -1);
    else if (which == KIND_INFERRED)
        sqlite3_result_int(out, base == PM_CATEGORY_HEAP && r->rows.context.heap_inferred);
    else if (which == KIND_CATEGORY || (which == KIND_PARENT && !refines(category, slug)))
        show_text(out, pm_text_of(category));
    else
        show_name(out, slug);
}

static void show_word(sqlite3_context *out, const pm_table_row *row, int which)
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

/* ---- a block ---- */

enum about {
    ABOUT_BLOCK,
    ABOUT_PID,
    ABOUT_SOURCE,
    ABOUT_COMMAND,
    ABOUT_TAKEN_AT,
    ABOUT_DIALECT,
    ABOUT_STATE,
    ABOUT_CHECKED,
    ABOUT_MISSING
};

static void show_about(sqlite3_context *out, const pm_table_row *row, int which)
{
    const pm_found_block *h = row->block;
    const pm_block *b = &h->capture->block;
    char at[PM_CLOCK_TEXT];

    if (which == ABOUT_BLOCK)
        show_known(out, h->number);
    else if (which == ABOUT_PID)
        show_known(out, h->capture->pid);
    else if (which == ABOUT_SOURCE && h->path)
        sqlite3_result_text(out, h->path, -1, SQLITE_TRANSIENT);
    else if (which == ABOUT_COMMAND && b->command.len)
        show_text(out, b->command);
    else if (which == ABOUT_DIALECT)
        show_name(out, pm_dialect_names[b->dialect]);
    else if (which == ABOUT_STATE)
        show_name(out, pm_state_names[b->state]);
    else if (which == ABOUT_CHECKED)
        show_name(out, pm_checked_names[b->checked]);
    else if (which == ABOUT_MISSING && b->missing.len)
        show_text(out, b->missing);
    else if (which == ABOUT_TAKEN_AT && b->time_ms != PMAPDB_UNKNOWN) {
        pm_clock_format(b->time_ms, at);
        sqlite3_result_text(out, at, -1, SQLITE_TRANSIENT);
    }
}

/* ---- the columns ---- */

#define LENGTH(columns) ((int)(sizeof(columns) / sizeof *(columns)))

const pm_table_column pm_mapping_columns[] = {
    {"start", "INTEGER", show_place, PLACE_START},
    {"end", "INTEGER", show_place, PLACE_END},
    {"size_kib", "INTEGER", show_total, PM_TOTAL_SIZE},
    {"rss_kib", "INTEGER", show_total, PM_TOTAL_RSS},
    {"pss_kib", "INTEGER", show_total, PM_TOTAL_PSS},
    {"dirty_kib", "INTEGER", show_dirty, PM_DIRTY},
    {"private_kib", "INTEGER", show_total, PM_TOTAL_PRIVATE},
    {"private_dirty_kib", "INTEGER", show_total, PM_TOTAL_PRIVATE_DIRTY},
    {"swap_kib", "INTEGER", show_total, PM_TOTAL_SWAP},
    {"perms", "TEXT", show_word, WORD_PERMS},
    {"offset", "INTEGER", show_place, PLACE_OFFSET},
    {"device", "TEXT", show_word, WORD_DEVICE},
    {"inode", "INTEGER", show_place, PLACE_INODE},
    {"category", "TEXT", show_kind, KIND_CATEGORY},
    {"flags", "TEXT", show_word, WORD_FLAGS},
    {"path", "TEXT", show_word, WORD_PATH},
    {"kernel_page_kib", "INTEGER", show_field, PM_KERNEL_PAGE},
    {"mmu_page_kib", "INTEGER", show_field, PM_MMU_PAGE},
    {"pss_dirty_kib", "INTEGER", show_field, PM_PSS_DIRTY},
    {"shared_clean_kib", "INTEGER", show_field, PM_SHARED_CLEAN},
    {"shared_dirty_kib", "INTEGER", show_field, PM_SHARED_DIRTY},
    {"private_clean_kib", "INTEGER", show_field, PM_PRIVATE_CLEAN},
    {"referenced_kib", "INTEGER", show_field, PM_REFERENCED},
    {"anonymous_kib", "INTEGER", show_field, PM_ANONYMOUS},
    {"ksm_kib", "INTEGER", show_field, PM_KSM},
    {"lazy_free_kib", "INTEGER", show_field, PM_LAZY_FREE},
    {"anon_huge_kib", "INTEGER", show_field, PM_ANON_HUGE},
    {"shmem_pmd_kib", "INTEGER", show_field, PM_SHMEM_PMD},
    {"file_pmd_kib", "INTEGER", show_field, PM_FILE_PMD},
    {"shared_hugetlb_kib", "INTEGER", show_field, PM_SHARED_HUGETLB},
    {"private_hugetlb_kib", "INTEGER", show_field, PM_PRIVATE_HUGETLB},
    {"swap_pss_kib", "INTEGER", show_field, PM_SWAP_PSS},
    {"locked_kib", "INTEGER", show_field, PM_LOCKED},
    {"thp_eligible", "INTEGER", show_field, PM_THP_ELIGIBLE},
    {"protection_key", "INTEGER", show_field, PM_PROTECTION_KEY},
    {"extra", "TEXT", show_word, WORD_EXTRA},
    {"inferred", "INTEGER", show_kind, KIND_INFERRED},
    {"name_cut", "INTEGER", show_place, PLACE_CUT},
    {"parent", "TEXT", show_kind, KIND_PARENT},
    {"base", "TEXT", show_kind, KIND_BASE},
    /* where the mapping was found */
    {"block", "INTEGER", show_about, ABOUT_BLOCK},
    {"source", "TEXT", show_about, ABOUT_SOURCE},
    {"pid", "INTEGER", show_about, ABOUT_PID},
    {"command", "TEXT", show_about, ABOUT_COMMAND},
    {"taken_at", "TEXT", show_about, ABOUT_TAKEN_AT},
    {"dialect", "TEXT", show_about, ABOUT_DIALECT},
    {"state", "TEXT", show_about, ABOUT_STATE},
    {"checked", "TEXT", show_about, ABOUT_CHECKED},
    {"missing", "TEXT", show_about, ABOUT_MISSING},
};
const int pm_mapping_columns_all = LENGTH(pm_mapping_columns);
const int pm_mapping_columns_live = LENGTH(pm_mapping_columns) - 9;
