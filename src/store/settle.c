/* settle: what depends on where a region or a lineage appears first, once a late capture is in. */
#include "store/late.h"

#include "base/buf.h"
#include <stdlib.h>

/* snapshot_id -> index in the timeline. */
typedef struct place {
    int64_t snapshot_id;
    size_t index;
} place;

typedef struct settling {
    pm_late *l;
    place *places;
    int64_t *regions, *lineages; /* to look at, each once */
    size_t n_regions, cap_regions, n_lineages, cap_lineages;
} settling;

static int compare_places(const void *a, const void *b)
{
    int64_t x = ((const place *)a)->snapshot_id, y = ((const place *)b)->snapshot_id;

    return x < y ? -1 : x > y;
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static pmapdb_status add_id(int64_t **ids, size_t *n, size_t *cap, int64_t id, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(ids, cap, *n, sizeof **ids, err);

    if (st == PMAPDB_OK)
        (*ids)[(*n)++] = id;
    return st;
}

static size_t unique(int64_t *ids, size_t n)
{
    size_t kept = 0;

    if (n)
        qsort(ids, n, sizeof *ids, compare_ids);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || ids[i] != ids[i - 1])
            ids[kept++] = ids[i];
    return kept;
}

/* ---- what to look at ---- */

/* The capture before in the stream shows the region too: it did not begin here. */
static pmapdb_status goes_on(pm_late *l, size_t before, int64_t region, bool *out,
                             pmapdb_error *err)
{
    pm_epoch *e;
    pmapdb_status st;

    *out = false;
    if (before == PM_NO_BASE)
        return PMAPDB_OK;
    st = pm_late_epoch(l, l->line.item[before].epoch_id, &e, err);
    if (st == PMAPDB_OK)
        *out = pm_epoch_has_region(e, (size_t)l->line.item[before].off, region);
    return st;
}

static pmapdb_status collect_item(settling *s, size_t i, pmapdb_error *err)
{
    const pm_late_item *item = &s->l->item[i];
    size_t before = pm_timeline_before_in_stream(&s->l->line, i);
    pmapdb_status st = PMAPDB_OK;

    for (size_t r = 0; r < item->n && st == PMAPDB_OK; r++) {
        bool old;

        st = goes_on(s->l, before, item->region[r], &old, err);
        if (st == PMAPDB_OK && !old)
            st = add_id(&s->regions, &s->n_regions, &s->cap_regions, item->region[r], err);
        if (st == PMAPDB_OK && item->lineage[r] != item->was[r])
            st = add_id(&s->lineages, &s->n_lineages, &s->cap_lineages, item->lineage[r], err);
        if (st == PMAPDB_OK && item->lineage[r] != item->was[r] && item->was[r])
            st = add_id(&s->lineages, &s->n_lineages, &s->cap_lineages, item->was[r], err);
    }
    return st;
}

static pmapdb_status collect(settling *s, pmapdb_error *err)
{
    pm_late *l = s->l;
    pmapdb_status st = PMAPDB_OK;

    s->places = calloc(l->line.n + 1, sizeof *s->places);
    if (!s->places)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < l->line.n; i++)
        s->places[i] = (place){l->line.item[i].snapshot_id, i};
    qsort(s->places, l->line.n, sizeof *s->places, compare_places);
    for (size_t i = 0; i < l->line.n && st == PMAPDB_OK; i++)
        if (l->item[i].decided)
            st = collect_item(s, i, err);
    for (size_t i = 0; i < l->n_left && st == PMAPDB_OK; i++)
        st = add_id(&s->regions, &s->n_regions, &s->cap_regions, l->left[i], err);
    s->n_regions = unique(s->regions, s->n_regions);
    s->n_lineages = unique(s->lineages, s->n_lineages);
    return st;
}

/* The earliest item among the snapshots that `stmt` gives, or PM_NO_BASE; *what is the second
 * column of its first row. */
static pmapdb_status earliest(settling *s, sqlite3_stmt *stmt, size_t *out, int64_t *what,
                              pmapdb_error *err)
{
    bool has;
    pmapdb_status st;

    *out = PM_NO_BASE;
    *what = 0;
    while ((st = pm_sql_step(s->l->p->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        place key = {pm_col_int(stmt, 0), 0};
        const place *found =
            bsearch(&key, s->places, s->l->line.n, sizeof *s->places, compare_places);

        if (found && found->index < *out) {
            *out = found->index;
            *what = pm_col_int(stmt, 1);
        }
    }
    return st;
}

/* ---- regions ---- */

static pmapdb_status drop_region(pm_sql *sql, int64_t region, int64_t *lineage, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_int(sql, "SELECT lineage_id FROM region WHERE region_id = ?1",
                                  PM_ARGS(PM_I(region)), 0, lineage, err);

    return st == PMAPDB_OK ? pm_sql_run(sql, "DELETE FROM region WHERE region_id = ?1",
                                        PM_ARGS(PM_I(region)), err)
                           : st;
}

/* Reasons of an item that was not decided anew: its base is the same, so they are what they were
 * when it was stored. */
static pmapdb_status reasons_of(pm_late *l, size_t i, pmapdb_error *err)
{
    pm_late_item *item = &l->item[i];
    pm_rows own = {0};
    pm_descent *descent = NULL;
    pmapdb_status st = PMAPDB_OK;

    if (item->region)
        return PMAPDB_OK;
    st = pm_late_rows(l, i, &own, err);
    item->n = own.n;
    item->region = calloc(own.n + 1, sizeof *item->region);
    item->reason = calloc(own.n + 1, sizeof *item->reason);
    if (st == PMAPDB_OK && (!item->region || !item->reason))
        st = pm_fail_nomem(err);
    if (st == PMAPDB_OK)
        st = pm_late_descent(l, i, &own, &descent, err);
    for (size_t r = 0; descent && item->region && item->reason && r < own.n; r++) {
        item->region[r] = own.row[r].region_id;
        item->reason[r] = descent[r].reason;
    }
    free(descent);
    pm_rows_free(&own);
    return st;
}

static pmapdb_status settle_region(settling *s, int64_t region, pmapdb_error *err)
{
    pm_late *l = s->l;
    sqlite3_stmt *stmt;
    size_t first;
    int64_t lineage;
    pmapdb_status st =
        pm_sql_rows(l->p->sql,
                    "SELECT s.snapshot_id, v.region_id FROM epoch e CROSS JOIN ver v ON v.epoch_id "
                    "= e.epoch_id "
                    "AND v.region_id = ?2 CROSS JOIN snapshots s ON s.epoch_id = v.epoch_id "
                    "AND s.off = v.first WHERE e.process_id = ?1",
                    PM_ARGS(PM_I(l->p->process_id), PM_I(region)), &stmt, err);

    if (st == PMAPDB_OK)
        st = earliest(s, stmt, &first, &lineage, err);
    if (st != PMAPDB_OK)
        return st;
    if (first == PM_NO_BASE) {
        st = drop_region(l->p->sql, region, &lineage, err);
        return st == PMAPDB_OK
                   ? add_id(&s->lineages, &s->n_lineages, &s->cap_lineages, lineage, err)
                   : st;
    }
    st = reasons_of(l, first, err);
    for (size_t r = 0; r < l->item[first].n && st == PMAPDB_OK; r++)
        if (l->item[first].region[r] == region)
            return pm_sql_run(l->p->sql,
                              "UPDATE region SET reason = ?2 WHERE region_id = ?1 AND reason <> ?2",
                              PM_ARGS(PM_I(region), PM_I(l->item[first].reason[r])), err);
    return st;
}

/* ---- lineages ---- */

static pmapdb_status settle_lineage(settling *s, int64_t lineage, pmapdb_error *err)
{
    pm_late *l = s->l;
    sqlite3_stmt *stmt;
    size_t first;
    int64_t category;
    pmapdb_status st = pm_sql_rows(
        l->p->sql,
        "SELECT s.snapshot_id, o.category_id FROM region r CROSS JOIN epoch e ON e.process_id = ?1 "
        "CROSS JOIN ver "
        "v ON v.epoch_id = e.epoch_id AND v.region_id = r.region_id CROSS JOIN snapshots s "
        "ON s.epoch_id = v.epoch_id AND s.off = v.first JOIN object o ON o.object_id = r.object_id "
        "WHERE r.lineage_id = ?2 ORDER BY r.start",
        PM_ARGS(PM_I(l->p->process_id), PM_I(lineage)), &stmt, err);

    if (st == PMAPDB_OK)
        st = earliest(s, stmt, &first, &category, err);
    if (st != PMAPDB_OK)
        return st;
    if (first == PM_NO_BASE)
        return pm_sql_run(l->p->sql, "DELETE FROM lineage WHERE lineage_id = ?1",
                          PM_ARGS(PM_I(lineage)), err);
    return pm_sql_run(
        l->p->sql,
        "UPDATE lineage SET first_snapshot_id = ?2, category_id = ?3 WHERE lineage_id = "
        "?1 AND (first_snapshot_id <> ?2 OR category_id <> ?3)",
        PM_ARGS(PM_I(lineage), PM_I(l->line.item[first].snapshot_id), PM_I(category)), err);
}

pmapdb_status pm_late_settle(pm_late *l, pmapdb_error *err)
{
    settling s = {.l = l};
    pmapdb_status st = collect(&s, err);

    for (size_t i = 0; i < s.n_regions && st == PMAPDB_OK; i++)
        st = settle_region(&s, s.regions[i], err);
    s.n_lineages = unique(s.lineages, s.n_lineages);
    for (size_t i = 0; i < s.n_lineages && st == PMAPDB_OK; i++)
        st = settle_lineage(&s, s.lineages[i], err);
    free(s.places);
    free(s.regions);
    free(s.lineages);
    return st;
}
