/* label_name: lineages get the categories of the names that cover them. */
#include "store/label.h"

#include "base/buf.h"
#include "store/dict/ids.h"
#include "store/dict/object.h"
#include "store/dict/pairs.h"
#include "store/rules/apply.h"
#include <stdlib.h>

/* A lineage that has a name. */
typedef struct named {
    int64_t lineage;
    const char *category;
    size_t report; /* that gave it */
} named;

typedef struct naming {
    pm_sql *sql;
    const pm_labels *labels; /* of the report at hand */
    size_t report;           /* its number */
    size_t next;             /* of its labels, the first that does not end below the row at hand */
    int64_t mappings, size_kib; /* that it names */
    int64_t fitting;            /* rows that it covers to half of them or more */
    named *named;
    size_t n, cap;
    pm_pairs place; /* lineage -> index in named + 1 */
} naming;

static void naming_free(naming *w)
{
    free(w->named);
    pm_pairs_free(&w->place);
}

/* ---- what covers a row ---- */

/* By category: there are few. */
#define COVERS_MAX 8

typedef struct cover {
    const char *category;
    uint64_t bytes;
} cover;

typedef struct covers {
    cover of[COVERS_MAX];
    size_t n;
    uint64_t bytes; /* of any, those too that make no category */
} covers;

static void add_cover(covers *c, const char *category, uint64_t bytes)
{
    size_t i = 0;

    c->bytes += bytes;
    while (i < c->n && c->of[i].category != category)
        i++;
    if (!category || i == COVERS_MAX)
        return;
    if (i == c->n)
        c->of[c->n++] = (cover){category, 0};
    c->of[i].bytes += bytes;
}

static covers covers_of(naming *w, uint64_t start, uint64_t end, pm_text base)
{
    const pm_labels *l = w->labels;
    covers c = {.n = 0};

    while (w->next < l->n && l->label[w->next].end <= start)
        w->next++;
    for (size_t i = w->next; i < l->n && l->label[i].start < end; i++) {
        uint64_t from = l->label[i].start > start ? l->label[i].start : start;
        uint64_t to = l->label[i].end < end ? l->label[i].end : end;

        add_cover(&c, pm_label_category(pm_label_text(l, &l->label[i]), base), to - from);
    }
    return c;
}

/* The one whose names cover nine tenths of the row; NULL: none. The rest may be of another owner,
 * and what is resident in it. */
static const char *main_cover(const covers *c, uint64_t size)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->of[i].bytes >= size - size / 10)
            return c->of[i].category;
    return NULL;
}

/* ---- one report ---- */

/* NULL: it has no name yet. */
static named *named_of(const naming *w, int64_t lineage)
{
    int64_t place = pm_pairs_get(&w->place, lineage);

    return place > 0 && (size_t)place <= w->n ? &w->named[place - 1] : NULL;
}

/* Of several rows of a lineage the lowest tells; of several reports the last. */
static pmapdb_status add_named(naming *w, int64_t lineage, const char *category, pmapdb_error *err)
{
    named one = {lineage, category, w->report}, *before = named_of(w, lineage);
    pmapdb_status st;

    if (before) {
        if (before->report != w->report)
            *before = one;
        return PMAPDB_OK;
    }
    st = pm_grow(&w->named, &w->cap, w->n, sizeof *w->named, err);
    if (st == PMAPDB_OK)
        st = pm_pairs_put(&w->place, lineage, (int64_t)w->n + 1, err);
    if (st == PMAPDB_OK)
        w->named[w->n++] = one;
    return st;
}

static pmapdb_status name_row(naming *w, sqlite3_stmt *row, pmapdb_error *err)
{
    uint64_t start = (uint64_t)sqlite3_column_int64(row, 0);
    uint64_t end = (uint64_t)sqlite3_column_int64(row, 1), size = end - start;
    int64_t lineage = pm_col_int(row, 3);
    const named *before = named_of(w, lineage);
    covers c = covers_of(w, start, end, pm_col_text(row, 2));
    bool fits = c.bytes && c.bytes >= size - size / 2;
    const char *category = main_cover(&c, size);

    w->fitting += fits;
    if (!category && !fits)
        category =
            pm_label_rest(w->labels, before ? pm_text_of(before->category) : pm_col_text(row, 4));
    if (!category)
        return PMAPDB_OK;
    w->mappings++;
    w->size_kib += (int64_t)(size / 1024);
    return add_named(w, lineage, category, err);
}

static pmapdb_status name_rows(naming *w, const pm_labels *labels, int64_t snapshot_id,
                               pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(w->sql,
                                   "SELECT start, end, base, lineage_id, category FROM mappings "
                                   "WHERE snapshot_id = ?1 ORDER BY start < 0, start",
                                   PM_ARGS(PM_I(snapshot_id)), &stmt, err);

    w->labels = labels;
    w->report++;
    w->next = 0;
    w->mappings = w->size_kib = w->fitting = 0;
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(w->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = name_row(w, stmt, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

pmapdb_status pm_label_fits(pm_sql *sql, const pm_labels *labels, int64_t snapshot_id,
                            int64_t *rows, pmapdb_error *err)
{
    naming w = {.sql = sql};
    pmapdb_status st = name_rows(&w, labels, snapshot_id, err);

    *rows = w.fitting;
    naming_free(&w);
    return st;
}

/* ---- all reports ---- */

static pmapdb_status find_labelled(pm_sql *sql, int64_t process_id, pm_ids *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql, "SELECT lineage_id FROM lineage WHERE process_id = ?1 AND rule = '" PM_RULE_LABEL "'",
        PM_ARGS(PM_I(process_id)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_ids_add(out, pm_col_int(stmt, 0), err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

/* As if no report had named anything. */
static pmapdb_status forget_names(const pm_apply_within *within, pmapdb_error *err)
{
    pm_apply_within asking = *within;
    pm_ids lineages = {0};
    pmapdb_status st = pm_rule_set_new(within->sql, &asking.refine.rules, err);

    if (st == PMAPDB_OK)
        st = find_labelled(within->sql, within->process_id, &lineages, err);
    if (st == PMAPDB_OK && lineages.n)
        st = pm_apply_ask(&asking, lineages.id, lineages.n, err);
    pm_ids_free(&lineages);
    pm_rule_set_free(asking.refine.rules);
    return st;
}

static pmapdb_status name_by(void *ctx, const pm_label_key *key, pm_labels *l, pmapdb_error *err)
{
    naming *w = ctx;
    pm_label_stored nearest = {0};
    pmapdb_status st = pm_label_nearest(w->sql, key->process_id, key->taken_ms, &nearest, err);

    return st == PMAPDB_OK && nearest.process_id ? name_rows(w, l, nearest.snapshot_id, err) : st;
}

/* ---- lineages ---- */

static int compare_lineages(const void *a, const void *b)
{
    int64_t x = ((const named *)a)->lineage, y = ((const named *)b)->lineage;

    return x < y ? -1 : x > y;
}

/* In the order of their ids, so that equal stores write equal bytes. */
static pmapdb_status apply(naming *w, const pm_apply_within *within, pmapdb_error *err)
{
    pm_apply_ruling *ruling = calloc(w->n + 1, sizeof *ruling);
    pmapdb_status st = PMAPDB_OK;

    if (!ruling)
        return pm_fail_nomem(err);
    if (w->n)
        qsort(w->named, w->n, sizeof *w->named, compare_lineages);
    for (size_t i = 0; i < w->n && st == PMAPDB_OK; i++) {
        ruling[i] = (pm_apply_ruling){w->named[i].lineage, {0, PM_RULE_LABEL}};
        st = pm_category_id(within->refine.categories, pm_text_of(w->named[i].category),
                            PM_TEXT(""), false, &ruling[i].ruling.kept, err);
        if (!ruling[i].ruling.kept) /* the store has no room for it */
            ruling[i].ruling.rule = NULL;
    }
    if (st == PMAPDB_OK && w->n)
        st = pm_apply_lineages(within, ruling, w->n, err);
    free(ruling);
    return st;
}

static pmapdb_status name_all(const pm_apply_within *within, const pm_labels *labels, bool anew,
                              pm_label_stored *out, pmapdb_error *err)
{
    naming w = {.sql = within->sql};
    pmapdb_status st = name_rows(&w, labels, out->snapshot_id, err);

    out->mappings = w.mappings;
    out->size_kib = w.size_kib;
    if (anew) {
        naming_free(&w);
        w = (naming){.sql = within->sql};
        if (st == PMAPDB_OK)
            st = forget_names(within, err);
        if (st == PMAPDB_OK)
            st = pm_label_each(within->sql, within->process_id, name_by, &w, err);
    }
    if (st == PMAPDB_OK)
        st = apply(&w, within, err);
    out->lineages = (int64_t)w.n;
    naming_free(&w);
    return st;
}

pmapdb_status pm_label_name(pm_sql *sql, const pm_labels *labels, bool anew, pm_label_stored *out,
                            pmapdb_error *err)
{
    pm_apply_within within = {.sql = sql, .process_id = out->process_id};
    pmapdb_status st = pm_category_ids_new(sql, &within.refine.categories, err);

    if (st == PMAPDB_OK)
        st = pm_objects_new(sql, &within.objects, err);
    if (st == PMAPDB_OK)
        st = name_all(&within, labels, anew, out, err);
    pm_objects_free(within.objects);
    pm_category_ids_free(within.refine.categories);
    return st;
}
