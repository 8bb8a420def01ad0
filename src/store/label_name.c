/* label_name: lineages get the categories of the names that cover them. */
#include "store/label.h"

#include "base/buf.h"
#include "store/object.h"
#include "store/rules/apply.h"
#include <stdlib.h>

/* A row that gets a name. */
typedef struct named {
    int64_t lineage, category_id;
    size_t row;
} named;

typedef struct naming {
    pm_sql *sql;
    const pm_labels *labels;
    pm_category_ids *categories;
    size_t next; /* of the labels, the first that does not end below the row at hand */
    named *named;
    size_t n, cap;
} naming;

/* What covers a row, by category: there are few. */
#define COVERS_MAX 8

typedef struct cover {
    const char *category;
    uint64_t bytes;
} cover;

static void add_cover(cover covers[COVERS_MAX], size_t *n, const char *category, uint64_t bytes)
{
    size_t i = 0;

    while (i < *n && covers[i].category != category)
        i++;
    if (i == COVERS_MAX)
        return;
    if (i == *n)
        covers[(*n)++] = (cover){category, 0};
    covers[i].bytes += bytes;
}

/* The category whose names cover half of the row or more; of equal ones the lower; NULL: none. */
static const char *category_of(naming *w, uint64_t start, uint64_t end, pm_text base)
{
    const pm_labels *l = w->labels;
    cover covers[COVERS_MAX], best = {NULL, 0};
    size_t n = 0;

    while (w->next < l->n && l->label[w->next].end <= start)
        w->next++;
    for (size_t i = w->next; i < l->n && l->label[i].start < end; i++) {
        uint64_t from = l->label[i].start > start ? l->label[i].start : start;
        uint64_t to = l->label[i].end < end ? l->label[i].end : end;
        const char *category = pm_label_category(pm_label_text(l, &l->label[i]), base);

        if (category)
            add_cover(covers, &n, category, to - from);
    }
    for (size_t i = 0; i < n; i++)
        if (covers[i].bytes > best.bytes)
            best = covers[i];
    return best.bytes >= (end - start + 1) / 2 ? best.category : NULL;
}

static pmapdb_status add_named(naming *w, int64_t lineage, const char *category, pmapdb_error *err)
{
    named one = {.lineage = lineage, .row = w->n};
    pmapdb_status st =
        pm_category_id(w->categories, pm_text_of(category), PM_TEXT(""), &one.category_id, err);

    if (st == PMAPDB_OK)
        st = pm_grow(&w->named, &w->cap, w->n, sizeof *w->named, err);
    if (st == PMAPDB_OK)
        w->named[w->n++] = one;
    return st;
}

static pmapdb_status name_row(naming *w, sqlite3_stmt *row, pm_label_stored *out, pmapdb_error *err)
{
    uint64_t start = (uint64_t)sqlite3_column_int64(row, 0);
    uint64_t end = (uint64_t)sqlite3_column_int64(row, 1);
    const char *category = category_of(w, start, end, pm_col_text(row, 2));

    if (!category)
        category = pm_label_rest(w->labels, pm_col_text(row, 5));
    if (!category)
        return PMAPDB_OK;
    out->mappings++;
    out->size_kib += (int64_t)((end - start) / 1024);
    return pm_text_equal(pm_col_text(row, 4), PM_TEXT(PM_RULE_LABEL))
               ? PMAPDB_OK
               : add_named(w, pm_col_int(row, 3), category, err);
}

static pmapdb_status name_rows(naming *w, pm_label_stored *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        w->sql,
        "SELECT m.start, m.end, m.base, m.lineage_id, l.rule, m.category FROM mappings m CROSS "
        "JOIN lineage l "
        "ON l.lineage_id = m.lineage_id WHERE m.snapshot_id = ?1 ORDER BY m.start < 0, m.start",
        PM_ARGS(PM_I(out->snapshot_id)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(w->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = name_row(w, stmt, out, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

/* ---- lineages ---- */

static int compare_named(const void *a, const void *b)
{
    const named *x = a, *y = b;

    if (x->lineage != y->lineage)
        return x->lineage < y->lineage ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Of several rows of a lineage the lowest tells. */
static pmapdb_status apply(naming *w, const pm_apply_within *within, pm_label_stored *out,
                           pmapdb_error *err)
{
    pm_apply_ruling *ruling = calloc(w->n + 1, sizeof *ruling);
    size_t n = 0;
    pmapdb_status st;

    if (!ruling)
        return pm_fail_nomem(err);
    if (w->n)
        qsort(w->named, w->n, sizeof *w->named, compare_named);
    for (size_t i = 0; i < w->n; i++)
        if (i == 0 || w->named[i].lineage != w->named[i - 1].lineage)
            ruling[n++] =
                (pm_apply_ruling){w->named[i].lineage, {w->named[i].category_id, PM_RULE_LABEL}};
    st = pm_apply_lineages(within, ruling, n, err);
    out->lineages = (int64_t)n;
    free(ruling);
    return st;
}

pmapdb_status pm_label_name(pm_sql *sql, const pm_labels *labels, pm_label_stored *out,
                            pmapdb_error *err)
{
    naming w = {.sql = sql, .labels = labels};
    pm_apply_within within = {.sql = sql, .process_id = out->process_id};
    pmapdb_status st = pm_category_ids_new(sql, &w.categories, err);

    out->mappings = out->size_kib = 0;
    if (st == PMAPDB_OK)
        st = pm_objects_new(sql, &within.objects, err);
    if (st == PMAPDB_OK)
        st = name_rows(&w, out, err);
    if (st == PMAPDB_OK && w.n)
        st = apply(&w, &within, out, err);
    free(w.named);
    pm_objects_free(within.objects);
    pm_category_ids_free(w.categories);
    return st;
}
