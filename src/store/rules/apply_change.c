/* apply_change: what applying other rules makes different, one for each pair of categories. */
#include "store/rules/apply_work.h"

#include "base/buf.h"
#include "store/dict/ids.h"
#include <stdlib.h>

typedef struct pm_apply_step step;

void pm_apply_changes_free(pm_apply_changes *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->step[i].from_text);
        free(c->step[i].to_text);
    }
    free(c->step);
    *c = (pm_apply_changes){0};
}

/* ---- one process ---- */

/* A lineage that changes, and where it is counted. */
typedef struct counted {
    const pm_apply_lineage *lineage;
    step sum;
} counted;

static int64_t sum(int64_t a, int64_t b)
{
    return a == PMAPDB_UNKNOWN || b == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : a + b;
}

static int compare_rules(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_steps(const void *a, const void *b)
{
    const step *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return compare_rules(x->rule, y->rule);
}

/* Those of one (from, to, rule) become one. */
static void join(pm_apply_changes *c)
{
    size_t n = 0;

    if (c->n)
        qsort(c->step, c->n, sizeof *c->step, compare_steps);
    for (size_t i = 0; i < c->n; i++) {
        step *s = &c->step[n - (n > 0)];

        if (n == 0 || compare_steps(s, &c->step[i]) != 0) {
            c->step[n++] = c->step[i];
            continue;
        }
        s->lineages += c->step[i].lineages;
        s->mappings = sum(s->mappings, c->step[i].mappings);
        s->size_kib = sum(s->size_kib, c->step[i].size_kib);
        s->rss_kib = sum(s->rss_kib, c->step[i].rss_kib);
    }
    c->n = n;
}

static pmapdb_status newest(const pm_applying *a, int64_t *snapshot_id, pmapdb_error *err)
{
    return pm_sql_int(a->in.sql,
                      "SELECT snapshot_id FROM snapshot WHERE process_id = ?1 AND preferred = 1 "
                      "AND state <> 'totals' ORDER BY taken_ms DESC, ordinal DESC LIMIT 1",
                      PM_ARGS(PM_I(a->in.process_id)), 0, snapshot_id, err);
}

/* index[lineage] is its place in c->step + 1; 0: it does not change. */
static pmapdb_status weigh(pm_apply_changes *c, const pm_applying *a, const size_t *index,
                           pmapdb_error *err)
{
    int64_t snapshot_id;
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = newest(a, &snapshot_id, err);

    if (st == PMAPDB_OK)
        st = pm_sql_rows(a->in.sql,
                         "SELECT lineage_id, size_kib, rss_kib FROM mappings "
                         "WHERE snapshot_id = ?1",
                         PM_ARGS(PM_I(snapshot_id)), &stmt, err);
    while (st == PMAPDB_OK && (st = pm_sql_step(a->in.sql, stmt, &has, err)) == PMAPDB_OK && has) {
        const pm_apply_lineage *l = pm_applying_lineage(a, pm_col_int(stmt, 0));
        size_t at = l ? index[l - a->lineage] : 0;

        if (!at)
            continue;
        c->step[at - 1].mappings++;
        c->step[at - 1].size_kib = sum(c->step[at - 1].size_kib, pm_col_int(stmt, 1));
        c->step[at - 1].rss_kib = sum(c->step[at - 1].rss_kib, pm_col_int(stmt, 2));
    }
    return st;
}

pmapdb_status pm_apply_changes_add(pm_apply_changes *c, const pm_applying *a, pmapdb_error *err)
{
    size_t *index = calloc(a->n_lineages + 1, sizeof *index);
    size_t before = c->n;
    pmapdb_status st = PMAPDB_OK;

    if (!index)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < a->n_lineages && st == PMAPDB_OK; i++) {
        const pm_apply_lineage *l = &a->lineage[i];

        if (pm_apply_category(l) == l->category_id)
            continue;
        st = pm_grow(&c->step, &c->cap, c->n, sizeof *c->step, err);
        if (st != PMAPDB_OK)
            break;
        c->step[c->n] = (step){
            .from = l->category_id, .to = pm_apply_category(l), .rule = l->now.rule, .lineages = 1};
        index[i] = ++c->n;
    }
    if (st == PMAPDB_OK && c->n > before)
        st = weigh(c, a, index, err);
    free(index);
    join(c);
    return st;
}

/* ---- the end ---- */

static pmapdb_status text_of(pm_sql *sql, int64_t category_id, char **out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = pm_sql_rows(sql, "SELECT category FROM category WHERE category_id = ?1",
                                   PM_ARGS(PM_I(category_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st != PMAPDB_OK)
        return st;
    *out = has ? pm_text_copy(pm_col_text(stmt, 0)) : strdup("?"); /* a damaged store */
    if (has)
        pm_sql_done(stmt);
    return *out ? PMAPDB_OK : pm_fail_nomem(err);
}

/* Largest first, unknown ones last. */
static int compare_sizes(const void *a, const void *b)
{
    const step *x = a, *y = b;
    int order;

    if (x->rss_kib != y->rss_kib)
        return x->rss_kib > y->rss_kib ? -1 : 1;
    if (x->size_kib != y->size_kib)
        return x->size_kib > y->size_kib ? -1 : 1;
    if (x->lineages != y->lineages)
        return x->lineages > y->lineages ? -1 : 1;
    order = strcmp(x->from_text, y->from_text);
    if (order == 0)
        order = strcmp(x->to_text, y->to_text);
    return order ? order : compare_rules(x->rule, y->rule);
}

pmapdb_status pm_apply_changes_finish(pm_apply_changes *c, pm_sql *sql, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++) {
        st = text_of(sql, c->step[i].from, &c->step[i].from_text, err);
        if (st == PMAPDB_OK)
            st = text_of(sql, c->step[i].to, &c->step[i].to_text, err);
    }
    if (st == PMAPDB_OK && c->n)
        qsort(c->step, c->n, sizeof *c->step, compare_sizes);
    return st;
}
