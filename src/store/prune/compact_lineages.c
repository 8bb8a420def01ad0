/* compact_lineages: the regions and lineages of one process that still have something to show, and
 * where each lineage begins.
 *
 * All versions of the process are looked at, which can take long, so without the writer's lock;
 * what was found is written if nobody else wrote meanwhile, else it is looked at again.
 */
#include "store/prune/compact.h"

#include "base/buf.h"
#include "store/space.h"
#include "store/timeline.h"
#include <stdlib.h>

#define PART 5000 /* rows changed in one transaction, where the disk is not full */
#define LEAST 4   /* ... where it is */
#define TRIES 3   /* to look without the lock */
#define NOWHERE SIZE_MAX

typedef struct region {
    int64_t id, lineage_id, start, category_id;
    bool shown;
} region;

typedef struct lineage {
    int64_t id, first_snapshot_id, category_id;
    bool by_rule;
    size_t first;         /* in the timeline, or NOWHERE */
    int64_t start;        /* of its lowest region there */
    int64_t own_category; /* and that region's object's */
} lineage;

typedef struct looking {
    pm_sql *sql;
    int64_t process_id;
    region *region; /* by id */
    size_t n_regions, cap_regions;
    lineage *lineage; /* by id */
    size_t n_lineages, cap_lineages;
    pm_timeline line;
    size_t *by_place; /* indexes of line, by (epoch, off) */
} looking;

static void looking_free(looking *l)
{
    free(l->region);
    free(l->lineage);
    free(l->by_place);
    pm_timeline_free(&l->line);
}

/* ---- reading ---- */

static pmapdb_status add_lineage(looking *l, sqlite3_stmt *stmt, pmapdb_error *err)
{
    pmapdb_status st =
        pm_grow(&l->lineage, &l->cap_lineages, l->n_lineages, sizeof *l->lineage, err);

    if (st == PMAPDB_OK)
        l->lineage[l->n_lineages++] = (lineage){.id = pm_col_int(stmt, 0),
                                                .first_snapshot_id = pm_col_int(stmt, 1),
                                                .category_id = pm_col_int(stmt, 2),
                                                .by_rule = pm_col_int(stmt, 3) != 0,
                                                .first = NOWHERE};
    return st;
}

static pmapdb_status add_region(looking *l, sqlite3_stmt *stmt, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&l->region, &l->cap_regions, l->n_regions, sizeof *l->region, err);

    if (st == PMAPDB_OK)
        l->region[l->n_regions++] = (region){.id = pm_col_int(stmt, 0),
                                             .lineage_id = pm_col_int(stmt, 1),
                                             .start = pm_col_int(stmt, 2),
                                             .category_id = pm_col_int(stmt, 3)};
    return st;
}

static pmapdb_status read_with(looking *l, sqlite3_stmt *stmt,
                               pmapdb_status (*add)(looking *, sqlite3_stmt *, pmapdb_error *),
                               pmapdb_error *err)
{
    bool has;
    pmapdb_status st;

    while ((st = pm_sql_step(l->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = add(l, stmt, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

static int compare_regions(const void *a, const void *b)
{
    int64_t x = ((const region *)a)->id, y = ((const region *)b)->id;

    return x < y ? -1 : x > y;
}

static int compare_lineages(const void *a, const void *b)
{
    int64_t x = ((const lineage *)a)->id, y = ((const lineage *)b)->id;

    return x < y ? -1 : x > y;
}

static int compare_places(const void *a, const void *b, void *items)
{
    const pm_beat_item *x = &((const pm_beat_item *)items)[*(const size_t *)a];
    const pm_beat_item *y = &((const pm_beat_item *)items)[*(const size_t *)b];

    if (x->epoch_id != y->epoch_id)
        return x->epoch_id < y->epoch_id ? -1 : 1;
    return x->off < y->off ? -1 : x->off > y->off;
}

static pmapdb_status read_places(looking *l, pmapdb_error *err)
{
    pmapdb_status st = pm_timeline_load(l->sql, l->process_id, &l->line, err);

    if (st != PMAPDB_OK)
        return st;
    l->by_place = calloc(l->line.n + 1, sizeof *l->by_place);
    if (!l->by_place)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < l->line.n; i++)
        l->by_place[i] = i;
    if (l->line.n)
        qsort_r(l->by_place, l->line.n, sizeof *l->by_place, compare_places, l->line.item);
    return PMAPDB_OK;
}

static pmapdb_status read_dictionaries(looking *l, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st =
        pm_sql_rows(l->sql,
                    "SELECT lineage_id, first_snapshot_id, category_id, rule IS NOT NULL "
                    "FROM lineage WHERE process_id = ?1",
                    PM_ARGS(PM_I(l->process_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = read_with(l, stmt, add_lineage, err);
    if (st == PMAPDB_OK)
        st = pm_sql_rows(l->sql,
                         "SELECT r.region_id, r.lineage_id, r.start, o.category_id "
                         "FROM lineage l CROSS JOIN region r ON r.lineage_id = l.lineage_id "
                         "CROSS JOIN object o ON o.object_id = r.object_id WHERE l.process_id = ?1",
                         PM_ARGS(PM_I(l->process_id)), &stmt, err);
    if (st == PMAPDB_OK)
        st = read_with(l, stmt, add_region, err);
    if (st != PMAPDB_OK)
        return st;
    if (l->n_lineages)
        qsort(l->lineage, l->n_lineages, sizeof *l->lineage, compare_lineages);
    if (l->n_regions)
        qsort(l->region, l->n_regions, sizeof *l->region, compare_regions);
    return PMAPDB_OK;
}

/* ---- looking ---- */

/* The region is shown by item `at`. */
static void show(looking *l, int64_t region_id, size_t at)
{
    region key = {.id = region_id}, *r;
    lineage own, *line;

    r = l->n_regions ? bsearch(&key, l->region, l->n_regions, sizeof key, compare_regions) : NULL;
    if (!r)
        return;
    r->shown = true;
    own.id = r->lineage_id;
    line = bsearch(&own, l->lineage, l->n_lineages, sizeof own, compare_lineages);
    if (!line || at > line->first || (at == line->first && r->start >= line->start))
        return;
    line->first = at;
    line->start = r->start;
    line->own_category = r->category_id;
}

/* All versions of the epoch whose captures are by_place[from..to). */
static pmapdb_status look_at_epoch(looking *l, size_t from, size_t to, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_sql_rows(l->sql, "SELECT region_id, first FROM mapping_version WHERE epoch_id = ?1",
                    PM_ARGS(PM_I(l->line.item[l->by_place[from]].epoch_id)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(l->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        int64_t first = pm_col_int(stmt, 1);
        size_t low = from, high = to;

        while (low < high) {
            size_t middle = (low + high) / 2;

            if (l->line.item[l->by_place[middle]].off < first)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < to)
            show(l, pm_col_int(stmt, 0), l->by_place[low]);
    }
    return st;
}

static pmapdb_status look(looking *l, pmapdb_error *err)
{
    pmapdb_status st = read_places(l, err);

    if (st == PMAPDB_OK)
        st = read_dictionaries(l, err);
    for (size_t from = 0, to; from < l->line.n && st == PMAPDB_OK; from = to) {
        for (to = from; to < l->line.n && l->line.item[l->by_place[to]].epoch_id ==
                                              l->line.item[l->by_place[from]].epoch_id;)
            to++;
        st = look_at_epoch(l, from, to, err);
    }
    return st;
}

/* ---- writing ---- */

/* *budget: rows that may still be changed in this transaction. */
static pmapdb_status write_region(looking *l, const region *r, size_t *budget, pmapdb_error *err)
{
    if (r->shown)
        return PMAPDB_OK;
    --*budget;
    return pm_sql_run(l->sql, "DELETE FROM region WHERE region_id = ?1", PM_ARGS(PM_I(r->id)), err);
}

static pmapdb_status write_lineage(looking *l, lineage *line, size_t *budget, pmapdb_error *err)
{
    int64_t snapshot_id, category_id;

    if (line->first == NOWHERE) {
        --*budget;
        return pm_sql_run(l->sql, "DELETE FROM lineage WHERE lineage_id = ?1",
                          PM_ARGS(PM_I(line->id)), err);
    }
    snapshot_id = l->line.item[line->first].snapshot_id;
    category_id = line->by_rule ? line->category_id : line->own_category;
    if (snapshot_id == line->first_snapshot_id && category_id == line->category_id)
        return PMAPDB_OK;
    --*budget;
    return pm_sql_run(
        l->sql, "UPDATE lineage SET first_snapshot_id = ?2, category_id = ?3 WHERE lineage_id = ?1",
        PM_ARGS(PM_I(line->id), PM_I(snapshot_id), PM_I(category_id)), err);
}

/* From the end of both lists, regions first: they refer to lineages. */
static pmapdb_status write_some(looking *l, size_t budget, bool *all, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    while (l->n_regions && budget && st == PMAPDB_OK)
        st = write_region(l, &l->region[--l->n_regions], &budget, err);
    while (!l->n_regions && l->n_lineages && budget && st == PMAPDB_OK)
        st = write_lineage(l, &l->lineage[--l->n_lineages], &budget, err);
    *all = l->n_regions == 0 && l->n_lineages == 0;
    if (st == PMAPDB_OK && *all)
        st = pm_sql_run(l->sql, "DELETE FROM untidy WHERE process_id = ?1",
                        PM_ARGS(PM_I(l->process_id)), err);
    return st;
}

/* One transaction; *stale: somebody wrote since `version`, so that nothing was done. */
static pmapdb_status write_part(pmapdb_store *s, looking *l, int64_t version, pm_pace *pace,
                                bool *all, bool *stale, pmapdb_error *err)
{
    size_t n_regions = l->n_regions, n_lineages = l->n_lineages;
    int64_t now;
    pmapdb_status st = pm_store_begin(s, err);

    if (st == PMAPDB_OK)
        st = pm_store_version(s, &now, err);
    *stale = st == PMAPDB_OK && now != version;
    if (st == PMAPDB_OK && !*stale)
        st = write_some(l, pace->now, all, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st == PMAPDB_OK) {
        pm_pace_fitted(pace);
        return st;
    }
    pm_store_rollback(s);
    *all = false;
    l->n_regions = n_regions; /* for a smaller part */
    l->n_lineages = n_lineages;
    return pm_space_try_again(s, pace, st, err) ? PMAPDB_OK : st;
}

/* Looks without the lock, then writes. */
static pmapdb_status try_tidy(pmapdb_store *s, int64_t process_id, bool *done, pmapdb_error *err)
{
    looking l = {.sql = s->sql, .process_id = process_id};
    pm_pace pace = pm_pace_of(PART, LEAST);
    bool stale = false;
    int64_t version;
    pmapdb_status st = pm_sql_run(s->sql, "BEGIN", PM_NO_ARGS, err);

    *done = false;
    if (st == PMAPDB_OK)
        st = pm_store_version(s, &version, err);
    if (st == PMAPDB_OK)
        st = look(&l, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    else
        pm_store_rollback(s);
    while (st == PMAPDB_OK && !*done && !stale)
        st = write_part(s, &l, version, &pace, done, &stale, err);
    looking_free(&l);
    return st;
}

/* Where others write all the time: with the lock. */
static pmapdb_status tidy_locked(pmapdb_store *s, int64_t process_id, pmapdb_error *err)
{
    looking l = {.sql = s->sql, .process_id = process_id};
    bool done = false;
    pmapdb_status st = pm_store_begin(s, err);

    if (st == PMAPDB_OK)
        st = look(&l, err);
    while (st == PMAPDB_OK && !done)
        st = write_some(&l, PART, &done, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(s, err);
    if (st != PMAPDB_OK)
        pm_store_rollback(s);
    looking_free(&l);
    return st;
}

pmapdb_status pm_tidy_lineages(pmapdb_store *s, int64_t process_id, pmapdb_error *err)
{
    bool done = false;
    pmapdb_status st = PMAPDB_OK;

    for (int i = 0; i < TRIES && !done && st == PMAPDB_OK; i++)
        st = try_tidy(s, process_id, &done, err);
    return st == PMAPDB_OK && !done ? tidy_locked(s, process_id, err) : st;
}
