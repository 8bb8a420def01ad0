/* settle: what depends on where a region or a lineage appears first, once a late capture is in. */
#include "store/late.h"

#include "store/refine.h"
#include <stdlib.h>

/* snapshot_id -> index in the timeline. */
typedef struct place {
    int64_t snapshot_id;
    size_t index;
} place;

typedef struct settling {
    pm_late *l;
    place *places;
    pm_ids regions, lineages; /* to look at, each once */
    pm_ids moved;             /* lineages that captures stored before lost or got */
} settling;

static int compare_places(const void *a, const void *b)
{
    int64_t x = ((const place *)a)->snapshot_id, y = ((const place *)b)->snapshot_id;

    return x < y ? -1 : x > y;
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
            st = pm_ids_add(&s->regions, item->region[r], err);
        /* Where the capture before in the stream shows the region, the new one is neither the
         * lineage's first nor its strongest. */
        if (st == PMAPDB_OK && item->lineage[r] != item->was[r] && !(old && i == s->l->at))
            st = pm_ids_add(i == s->l->at ? &s->lineages : &s->moved, item->lineage[r], err);
        if (st == PMAPDB_OK && item->lineage[r] != item->was[r] && item->was[r])
            st = pm_ids_add(&s->moved, item->was[r], err);
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
    for (size_t i = 0; i < l->left.n && st == PMAPDB_OK; i++)
        st = pm_ids_add(&s->regions, l->left.id[i], err);
    for (size_t i = 0; i < s->moved.n && st == PMAPDB_OK; i++)
        st = pm_ids_add(&s->lineages, s->moved.id[i], err);
    pm_ids_sort(&s->regions);
    pm_ids_sort(&s->lineages);
    pm_ids_sort(&s->moved);
    return st;
}

static size_t index_of(const settling *s, int64_t snapshot_id)
{
    place key = {snapshot_id, 0};
    const place *found = bsearch(&key, s->places, s->l->line.n, sizeof *s->places, compare_places);

    return found ? found->index : PM_NO_BASE;
}

/* Where something appears. */
typedef struct sight {
    size_t first;     /* earliest item, or PM_NO_BASE */
    size_t strongest; /* earliest of those that tell most */
    int64_t what;     /* second column of the first row of item `first` */
} sight;

/* Among the snapshots that `stmt` gives. */
static pmapdb_status look(settling *s, sqlite3_stmt *stmt, sight *out, pmapdb_error *err)
{
    const pm_beat_item *item = s->l->line.item;
    bool has;
    pmapdb_status st;

    *out = (sight){PM_NO_BASE, PM_NO_BASE, 0};
    while ((st = pm_sql_step(s->l->p->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        size_t at = index_of(s, pm_col_int(stmt, 0));
        int worth = at == PM_NO_BASE || out->strongest == PM_NO_BASE
                        ? 0
                        : pm_timeline_compare_worth(&item[at], &item[out->strongest]);

        if (at == PM_NO_BASE)
            continue;
        if (at < out->first) {
            out->first = at;
            out->what = pm_col_int(stmt, 1);
        }
        if (worth < 0 || (worth == 0 && at < out->strongest))
            out->strongest = at;
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
    sight seen;
    int64_t lineage;
    pmapdb_status st = pm_sql_rows(
        l->p->sql,
        "SELECT s.snapshot_id, v.region_id FROM epoch e CROSS JOIN mapping_version v ON v.epoch_id "
        "= e.epoch_id "
        "AND v.region_id = ?2 CROSS JOIN snapshot s ON s.epoch_id = v.epoch_id "
        "AND s.off = v.first WHERE e.process_id = ?1",
        PM_ARGS(PM_I(l->p->process_id), PM_I(region)), &stmt, err);

    if (st == PMAPDB_OK)
        st = look(s, stmt, &seen, err);
    if (st != PMAPDB_OK)
        return st;
    if (seen.first == PM_NO_BASE) {
        st = drop_region(l->p->sql, region, &lineage, err);
        return st == PMAPDB_OK ? pm_ids_add(&s->lineages, lineage, err) : st;
    }
    st = reasons_of(l, seen.first, err);
    for (size_t r = 0; r < l->item[seen.first].n && st == PMAPDB_OK; r++)
        if (l->item[seen.first].region[r] == region)
            return pm_sql_run(l->p->sql,
                              "UPDATE region SET reason = ?2 WHERE region_id = ?1 AND reason <> ?2",
                              PM_ARGS(PM_I(region), PM_I(l->item[seen.first].reason[r])), err);
    return st;
}

/* ---- lineages ---- */

/* The lineage, all of its regions and the captures that show it. */
static pmapdb_status set_kept(settling *s, int64_t lineage, int64_t kept, pmapdb_error *err)
{
    pm_sql *sql = s->l->p->sql;
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_run(sql, "UPDATE region SET category_id = ?2 WHERE lineage_id = ?1",
                                  PM_ARGS(PM_I(lineage), PM_I(kept ? kept : PMAPDB_UNKNOWN)), err);

    if (st == PMAPDB_OK)
        st = pm_sql_rows(
            sql,
            "SELECT s.snapshot_id FROM region r CROSS JOIN epoch e ON e.process_id = ?1 "
            "CROSS JOIN mapping_version v ON v.epoch_id = e.epoch_id AND v.region_id = r.region_id "
            "CROSS JOIN snapshot s ON s.epoch_id = v.epoch_id "
            "AND s.off BETWEEN v.first AND coalesce(v.last, 32767) WHERE r.lineage_id = ?2",
            PM_ARGS(PM_I(s->l->p->process_id), PM_I(lineage)), &stmt, err);
    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        size_t at = index_of(s, pm_col_int(stmt, 0));

        if (at != PM_NO_BASE)
            s->l->item[at].recount = true;
    }
    return st;
}

/* *by: the program itself named the lineage; no rule says otherwise. */
static pmapdb_status is_labelled(pm_sql *sql, int64_t lineage, bool *by, pmapdb_error *err)
{
    int64_t n;
    pmapdb_status st =
        pm_sql_int(sql, "SELECT count(*) FROM lineage WHERE lineage_id = ?1 AND rule = ?2",
                   PM_ARGS(PM_I(lineage), PM_S(PM_RULE_LABEL)), 0, &n, err);

    *by = n != 0;
    return st;
}

/* What a lineage keeps, and has kept: *ruling, of which rule is not known, stays so unless the
 * rules are asked. Only where the new capture is what decides now, or where others changed sides,
 * can they say something else than before. */
static pmapdb_status settle_kept(settling *s, int64_t lineage, const sight *seen, pm_ruling *ruling,
                                 bool *asked, pmapdb_error *err)
{
    int64_t was;
    bool labelled = false;
    pmapdb_status st = pm_sql_int(
        s->l->p->sql, "SELECT category_id FROM lineage WHERE lineage_id = ?1 AND rule IS NOT NULL",
        PM_ARGS(PM_I(lineage)), 0, &was, err);

    *ruling = (pm_ruling){.kept = was};
    *asked = seen->strongest == s->l->at || pm_ids_has(&s->moved, lineage);
    if (st == PMAPDB_OK && *asked)
        st = is_labelled(s->l->p->sql, lineage, &labelled, err);
    *asked &= !labelled;
    if (st == PMAPDB_OK && *asked)
        st = pm_refine_lineage(s->l, seen->strongest, lineage, ruling, err);
    return st == PMAPDB_OK && ruling->kept != was ? set_kept(s, lineage, ruling->kept, err) : st;
}

static pmapdb_status settle_lineage(settling *s, int64_t lineage, pmapdb_error *err)
{
    pm_late *l = s->l;
    sqlite3_stmt *stmt;
    sight seen;
    pm_ruling ruling;
    bool asked;
    pmapdb_status st = pm_sql_rows(
        l->p->sql,
        "SELECT s.snapshot_id, o.category_id FROM region r CROSS JOIN epoch e ON e.process_id = ?1 "
        "CROSS JOIN mapping_version "
        "v ON v.epoch_id = e.epoch_id AND v.region_id = r.region_id CROSS JOIN snapshot s "
        "ON s.epoch_id = v.epoch_id AND s.off = v.first JOIN object o ON o.object_id = r.object_id "
        "WHERE r.lineage_id = ?2 ORDER BY r.start",
        PM_ARGS(PM_I(l->p->process_id), PM_I(lineage)), &stmt, err);

    if (st == PMAPDB_OK)
        st = look(s, stmt, &seen, err);
    if (st != PMAPDB_OK)
        return st;
    if (seen.first == PM_NO_BASE)
        return pm_sql_run(l->p->sql, "DELETE FROM lineage WHERE lineage_id = ?1",
                          PM_ARGS(PM_I(lineage)), err);
    st = settle_kept(s, lineage, &seen, &ruling, &asked, err);
    if (st == PMAPDB_OK && asked)
        st = pm_sql_run(l->p->sql,
                        "UPDATE lineage SET rule = ?2 WHERE lineage_id = ?1 AND rule IS NOT ?2",
                        PM_ARGS(PM_I(lineage), PM_S(ruling.rule)), err);
    if (st != PMAPDB_OK)
        return st;
    return pm_sql_run(
        l->p->sql,
        "UPDATE lineage SET first_snapshot_id = ?2, category_id = ?3 WHERE lineage_id = "
        "?1 AND (first_snapshot_id <> ?2 OR category_id <> ?3)",
        PM_ARGS(PM_I(lineage), PM_I(l->line.item[seen.first].snapshot_id),
                PM_I(ruling.kept ? ruling.kept : seen.what)),
        err);
}

pmapdb_status pm_late_settle(pm_late *l, pmapdb_error *err)
{
    settling s = {.l = l};
    pmapdb_status st = collect(&s, err);

    for (size_t i = 0; i < s.regions.n && st == PMAPDB_OK; i++)
        st = settle_region(&s, s.regions.id[i], err);
    pm_ids_sort(&s.lineages);
    for (size_t i = 0; i < s.lineages.n && st == PMAPDB_OK; i++)
        st = settle_lineage(&s, s.lineages.id[i], err);
    free(s.places);
    pm_ids_free(&s.regions);
    pm_ids_free(&s.lineages);
    pm_ids_free(&s.moved);
    return st;
}
