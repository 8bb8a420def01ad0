/* apply_read: the lineages and regions of one process, and which capture decides each lineage. */
#include "store/rules/apply_work.h"

#include "base/buf.h"
#include "store/dict/region.h"
#include <stdlib.h>

void pm_applying_free(pm_applying *a)
{
    for (size_t i = 0; i < a->n_lineages; i++)
        free(a->lineage[i].rule);
    free(a->lineage);
    free(a->region);
    free(a->by_place);
    pm_timeline_free(&a->line);
}

/* ---- the timeline ---- */

static int compare_places(const void *a, const void *b, void *items)
{
    const pm_beat_item *x = &((const pm_beat_item *)items)[*(const size_t *)a];
    const pm_beat_item *y = &((const pm_beat_item *)items)[*(const size_t *)b];

    if (x->epoch_id != y->epoch_id)
        return x->epoch_id < y->epoch_id ? -1 : 1;
    return x->off < y->off ? -1 : x->off > y->off;
}

static pmapdb_status read_line(pm_applying *a, pmapdb_error *err)
{
    pmapdb_status st = pm_timeline_load(a->in.sql, a->in.process_id, &a->line, err);

    if (st != PMAPDB_OK)
        return st;
    a->by_place = calloc(a->line.n + 1, sizeof *a->by_place);
    if (!a->by_place)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < a->line.n; i++)
        a->by_place[i] = i;
    if (a->line.n)
        qsort_r(a->by_place, a->line.n, sizeof *a->by_place, compare_places, a->line.item);
    return PMAPDB_OK;
}

size_t pm_applying_epoch_end(const pm_applying *a, size_t from)
{
    const pm_beat_item *item = a->line.item;
    size_t to = from;

    while (to < a->line.n && item[a->by_place[to]].epoch_id == item[a->by_place[from]].epoch_id)
        to++;
    return to;
}

/* ---- lineages and regions ---- */

static pmapdb_status add_lineage(pm_applying *a, sqlite3_stmt *stmt, pmapdb_error *err)
{
    pm_apply_lineage l = {.id = pm_col_int(stmt, 0),
                          .category_id = pm_col_int(stmt, 1),
                          .first = PM_NOWHERE,
                          .judge = PM_NOWHERE};
    pmapdb_status st = pm_grow(&a->lineage, &a->cap_lineages, a->n_lineages, sizeof l, err);

    if (st != PMAPDB_OK)
        return st;
    if (pm_col_text(stmt, 2).data && !(l.rule = pm_text_copy(pm_col_text(stmt, 2))))
        return pm_fail_nomem(err);
    l.now = (pm_ruling){l.rule ? l.category_id : 0, l.rule};
    l.own = l.category_id; /* unless a capture shows it */
    a->lineage[a->n_lineages++] = l;
    return PMAPDB_OK;
}

static pmapdb_status add_region(pm_applying *a, sqlite3_stmt *stmt, pmapdb_error *err)
{
    pm_row row = {0};
    pmapdb_status st;

    pm_region_read(a->in.sql, stmt, 1, pm_col_int(stmt, 0), a->in.objects, &row);
    st = pm_sql_end(a->in.sql, err);
    if (st == PMAPDB_OK)
        st = pm_grow(&a->region, &a->cap_regions, a->n_regions, sizeof *a->region, err);
    if (st == PMAPDB_OK)
        a->region[a->n_regions++] = (pm_apply_region){
            .id = pm_col_int(stmt, 0), .size_kib = pm_row_size_kib(&row), .at = row.at};
    return st;
}

static pmapdb_status read_with(pm_applying *a, sqlite3_stmt *stmt,
                               pmapdb_status (*add)(pm_applying *, sqlite3_stmt *, pmapdb_error *),
                               pmapdb_error *err)
{
    bool has;
    pmapdb_status st;

    while ((st = pm_sql_step(a->in.sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = add(a, stmt, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

static int compare_lineages(const void *a, const void *b)
{
    int64_t x = ((const pm_apply_lineage *)a)->id, y = ((const pm_apply_lineage *)b)->id;

    return x < y ? -1 : x > y;
}

static int compare_regions(const void *a, const void *b)
{
    int64_t x = ((const pm_apply_region *)a)->id, y = ((const pm_apply_region *)b)->id;

    return x < y ? -1 : x > y;
}

pm_apply_lineage *pm_applying_lineage(const pm_applying *a, int64_t lineage_id)
{
    pm_apply_lineage key = {.id = lineage_id};

    return a->n_lineages ? bsearch(&key, a->lineage, a->n_lineages, sizeof key, compare_lineages)
                         : NULL;
}

pm_apply_region *pm_applying_region(const pm_applying *a, int64_t region_id)
{
    pm_apply_region key = {.id = region_id};

    return a->n_regions ? bsearch(&key, a->region, a->n_regions, sizeof key, compare_regions)
                        : NULL;
}

static pmapdb_status read_dictionaries(pm_applying *a, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st = pm_sql_rows(
        a->in.sql, "SELECT lineage_id, category_id, rule FROM lineage WHERE process_id = ?1",
        PM_ARGS(PM_I(a->in.process_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = read_with(a, stmt, add_lineage, err);
    if (st == PMAPDB_OK)
        st = pm_sql_rows(a->in.sql,
                         "SELECT r.region_id, " PM_REGION_SELECT " FROM lineage l "
                         "CROSS JOIN region r ON r.lineage_id = l.lineage_id "
                         "WHERE l.process_id = ?1",
                         PM_ARGS(PM_I(a->in.process_id)), &stmt, err);
    if (st == PMAPDB_OK)
        st = read_with(a, stmt, add_region, err);
    if (st != PMAPDB_OK)
        return st;
    if (a->n_lineages)
        qsort(a->lineage, a->n_lineages, sizeof *a->lineage, compare_lineages);
    if (a->n_regions)
        qsort(a->region, a->n_regions, sizeof *a->region, compare_regions);
    for (size_t i = 0; i < a->n_regions; i++)
        a->region[i].lineage =
            (size_t)(pm_applying_lineage(a, a->region[i].at.lineage) - a->lineage);
    return PMAPDB_OK;
}

/* ---- where each lineage is seen ---- */

/* Item `at` shows the region, and none before it in its epoch does without a break. */
static void see(pm_applying *a, const pm_apply_region *r, size_t at)
{
    pm_apply_lineage *l = &a->lineage[r->lineage];
    int64_t start = (int64_t)r->at.start;
    int worth = l->judge == PM_NOWHERE
                    ? -1
                    : pm_timeline_compare_worth(&a->line.item[at], &a->line.item[l->judge]);

    if (worth < 0 || (worth == 0 && at < l->judge))
        l->judge = at;
    if (at > l->first || (at == l->first && start >= l->start))
        return;
    l->first = at;
    l->start = start;
    l->own = r->at.object->category_id;
}

/* A prune may have left holes: the first that is there. */
static size_t first_of(const pm_applying *a, size_t from, size_t to, int64_t off)
{
    while (from < to) {
        size_t middle = (from + to) / 2;

        if (a->line.item[a->by_place[middle]].off < off)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Of all versions in the epoch whose captures are by_place[from..to). */
static pmapdb_status see_epoch(pm_applying *a, size_t from, size_t to, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        a->in.sql, "SELECT region_id, first, last FROM mapping_version WHERE epoch_id = ?1",
        PM_ARGS(PM_I(a->line.item[a->by_place[from]].epoch_id)), &stmt, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(a->in.sql, stmt, &has, err)) == PMAPDB_OK && has) {
        const pm_apply_region *r = pm_applying_region(a, pm_col_int(stmt, 0));
        size_t at = first_of(a, from, to, pm_col_int(stmt, 1));
        int64_t last = pm_col_int(stmt, 2);

        if (r && at < to && (last == PMAPDB_UNKNOWN || a->line.item[a->by_place[at]].off <= last))
            see(a, r, a->by_place[at]);
    }
    return st;
}

pmapdb_status pm_applying_read(pm_applying *a, pmapdb_error *err)
{
    pmapdb_status st = read_line(a, err);

    if (st == PMAPDB_OK)
        st = read_dictionaries(a, err);
    for (size_t from = 0, to; from < a->line.n && st == PMAPDB_OK; from = to) {
        to = pm_applying_epoch_end(a, from);
        st = see_epoch(a, from, to, err);
    }
    return st;
}
