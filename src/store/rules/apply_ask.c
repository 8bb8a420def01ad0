/* apply_ask: what rules say of the lineages of one process. An epoch that decides any is gone
 * through once, in the order of its captures, by what appears and disappears in it; only the
 * captures that decide are made rows, whose other lineages are not asked. */
#include "store/rules/apply_work.h"

#include "base/buf.h"
#include "store/write/refine.h"
#include <stdlib.h>

/* A region shown by captures first..last without a break, whatever its numbers. */
typedef struct stay {
    size_t region; /* index */
    int64_t first, last;
} stay;

typedef struct showing {
    pm_applying *a;
    stay *stay; /* in the order of (first, place) */
    size_t n, cap;
    size_t begun;   /* stays that begin at the capture at hand or before */
    size_t *active; /* those that it shows, by place */
    size_t n_active;
    pm_rows rows; /* of the capture at hand */
} showing;

static const pm_apply_region *region_of(const showing *s, size_t i)
{
    return &s->a->region[s->stay[i].region];
}

/* ---- the stays of an epoch ---- */

static pmapdb_status add_stay(showing *s, sqlite3_stmt *stmt, pmapdb_error *err)
{
    const pm_apply_region *r = pm_applying_region(s->a, pm_col_int(stmt, 0));
    stay one = {.first = pm_col_int(stmt, 1), .last = pm_col_int(stmt, 2)};
    stay *before = s->n ? &s->stay[s->n - 1] : NULL;
    pmapdb_status st;

    if (!r)
        return pm_fail(err, PMAPDB_DATABASE, "region %lld is missing; the store is damaged",
                       (long long)pm_col_int(stmt, 0));
    one.region = (size_t)(r - s->a->region);
    if (one.last == PMAPDB_UNKNOWN)
        one.last = INT64_MAX;
    if (before && before->region == one.region && before->last == one.first - 1) {
        before->last = one.last;
        return PMAPDB_OK;
    }
    st = pm_grow(&s->stay, &s->cap, s->n, sizeof *s->stay, err);
    if (st == PMAPDB_OK)
        s->stay[s->n++] = one;
    return st;
}

static int compare_stays(const void *a, const void *b, void *regions)
{
    const stay *x = a, *y = b;
    const pm_apply_region *r = regions;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return pm_place_compare(&r[x->region].at, &r[y->region].at);
}

static pmapdb_status load_stays(showing *s, int64_t epoch_id, pmapdb_error *err)
{
    pm_sql *sql = s->a->in.sql;
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_sql_rows(sql,
                    "SELECT region_id, first, last FROM mapping_version WHERE epoch_id = ?1 "
                    "ORDER BY region_id, first",
                    PM_ARGS(PM_I(epoch_id)), &stmt, err);

    s->n = s->begun = s->n_active = 0;
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = add_stay(s, stmt, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    free(s->active);
    s->active = calloc(s->n + 1, sizeof *s->active);
    if (!s->active)
        return pm_fail_nomem(err);
    if (s->n)
        qsort_r(s->stay, s->n, sizeof *s->stay, compare_stays, s->a->region);
    return st;
}

/* ---- one capture ---- */

/* Stays from..to are in the order of their places, as the active ones are. */
static void merge_active(showing *s, size_t from, size_t to)
{
    size_t i = s->n_active, j = to, at = s->n_active + (to - from);

    s->n_active = at;
    while (j > from)
        if (i > 0 &&
            pm_place_compare(&region_of(s, s->active[i - 1])->at, &region_of(s, j - 1)->at) > 0)
            s->active[--at] = s->active[--i];
        else
            s->active[--at] = --j;
}

/* off only rises within an epoch. */
static void move_to(showing *s, int64_t off)
{
    size_t n = 0;

    while (s->begun < s->n && s->stay[s->begun].first <= off) {
        size_t from = s->begun;

        while (s->begun < s->n && s->stay[s->begun].first == s->stay[from].first)
            s->begun++;
        merge_active(s, from, s->begun);
    }
    for (size_t i = 0; i < s->n_active; i++)
        if (s->stay[s->active[i]].last >= off)
            s->active[n++] = s->active[i];
    s->n_active = n;
}

/* Without their numbers, which no rule asks for. */
static pmapdb_status make_rows(showing *s, pmapdb_error *err)
{
    if (s->rows.cap < s->n_active) {
        pm_row *grown = realloc(s->rows.row, s->n_active * sizeof *grown);

        if (!grown)
            return pm_fail_nomem(err);
        s->rows.row = grown;
        s->rows.cap = s->n_active;
    }
    for (size_t i = 0; i < s->n_active; i++) {
        const pm_apply_region *r = region_of(s, s->active[i]);

        s->rows.row[i] = (pm_row){.at = r->at, .size_kib = r->size_kib, .region_id = r->id};
    }
    s->rows.n = s->n_active;
    return PMAPDB_OK;
}

/* Every lineage that item `at` decides, by the lowest row of which rules say anything. */
static pmapdb_status ask_item(showing *s, size_t at, pmapdb_error *err)
{
    pm_applying *a = s->a;
    pm_refine *refine = &a->in.refine;
    pmapdb_status st;

    pm_refine_turn(refine);
    move_to(s, a->line.item[at].off);
    st = make_rows(s, err);
    for (size_t i = 0; i < s->rows.n && st == PMAPDB_OK; i++) {
        pm_apply_lineage *l = &a->lineage[region_of(s, s->active[i])->lineage];

        if (l->judge != at || !l->asked || l->now.kept)
            continue;
        st = pm_refine_row(refine, &s->rows, i, &l->now, err);
    }
    return st;
}

/* ---- the process ---- */

/* Some know their category from elsewhere, and some nothing shows any more. */
static bool is_asked(const pm_applying *a, const pm_apply_lineage *l)
{
    bool labelled = l->rule && strcmp(l->rule, PM_RULE_LABEL) == 0;

    if (l->judge == PM_NOWHERE || a->line.item[l->judge].snapshot_id < a->since)
        return false;
    switch (a->which) {
    case PM_ASK_LABELLED:
        return labelled;
    case PM_ASK_ALL:
        return true;
    case PM_ASK_CHOSEN:
        return l->asked;
    default:
        return !labelled;
    }
}

static pmapdb_status ask_epoch(showing *s, const bool *judges, size_t from, size_t to,
                               pmapdb_error *err)
{
    pm_applying *a = s->a;
    bool loaded = false;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = from; i < to && st == PMAPDB_OK; i++) {
        size_t at = a->by_place[i];

        if (!judges[at])
            continue;
        if (!loaded)
            st = load_stays(s, a->line.item[at].epoch_id, err);
        loaded = true;
        if (st == PMAPDB_OK)
            st = ask_item(s, at, err);
    }
    return st;
}

pmapdb_status pm_applying_ask(pm_applying *a, pmapdb_error *err)
{
    showing s = {.a = a};
    bool *judges = calloc(a->line.n + 1, sizeof *judges);
    pmapdb_status st = PMAPDB_OK;

    if (!judges)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < a->n_lineages; i++) {
        pm_apply_lineage *l = &a->lineage[i];

        l->asked = is_asked(a, l);
        if (l->asked) {
            l->now = (pm_ruling){0};
            judges[l->judge] = true;
        }
    }
    for (size_t from = 0, to; from < a->line.n && st == PMAPDB_OK; from = to) {
        to = pm_applying_epoch_end(a, from);
        st = ask_epoch(&s, judges, from, to, err);
    }
    free(judges);
    free(s.stay);
    free(s.active);
    pm_rows_free(&s.rows);
    return st;
}
