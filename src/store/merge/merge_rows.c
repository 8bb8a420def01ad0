/* merge_rows: versions, regions and lineages of an epoch that is taken over, with ids of this
 * store. */
#include "store/merge/merge_take.h"

#include "classify/classify.h"
#include "store/detail.h"
#include "store/merge/merge_sums.h"
#include "store/recall/recall_epoch.h"
#include "store/recall_row.h"
#include "store/region.h"
#include "store/rules/apply.h"
#include <stdlib.h>

static pmapdb_status damaged(pm_take *t, const char *what, int64_t id, const char *why,
                             pmapdb_error *err)
{
    return pm_merge_theirs(t->m, pm_fail(err, PMAPDB_INPUT, "%s %lld: %s; the store is damaged",
                                         what, (long long)id, why));
}

/* ---- categories ---- */

static pmapdb_status no_category(pm_take *t, int64_t id, pmapdb_error *err)
{
    return damaged(t, "category", id, "it is missing or has no name", err);
}

/* By its text: only those of the program have the same ids everywhere. */
static pmapdb_status category_of(pm_take *t, int64_t there, int64_t *here, pmapdb_error *err)
{
    pm_merge *m = t->m;
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st;

    *here = pm_pairs_get(&m->category_ids, there);
    if (*here)
        return PMAPDB_OK;
    st = pm_sql_rows(m->from->sql,
                     "SELECT category, description FROM category WHERE category_id = ?1",
                     PM_ARGS(PM_I(there)), &stmt, err);
    if (st == PMAPDB_OK)
        st = pm_sql_step(m->from->sql, stmt, &has, err);
    if (pm_merge_theirs(m, st) != PMAPDB_OK)
        return st;
    if (!has)
        return no_category(t, there, err);
    if (pm_col_text(stmt, 0).len)
        st = pm_category_id(m->categories, pm_col_text(stmt, 0), pm_col_text(stmt, 1), false, here,
                            err);
    else
        st = no_category(t, there, err);
    pm_sql_done(stmt);
    if (st == PMAPDB_OK && !*here)
        return pm_fail(err, PMAPDB_DATABASE,
                       "together they would have more than %d categories: apply rules to one of "
                       "them of which fewer come",
                       PM_CATEGORIES_MAX);
    return st == PMAPDB_OK ? pm_pairs_put(&m->category_ids, there, *here, err) : st;
}

/* ---- lineages ---- */

/* What other rules say is not taken over: no rule, any category, until decide_categories. */
static pmapdb_status insert_lineage(pm_take *t, sqlite3_stmt *there, int64_t seen, int64_t *here,
                                    pmapdb_error *err)
{
    static const pm_text none = {NULL, 0};
    int64_t first = pm_pairs_get(&t->snapshots, pm_col_int(there, 0));
    int64_t category_id = PM_CATEGORY_ANONYMOUS + 1;
    pm_text rule = pm_col_text(there, 2);
    bool taken = !t->m->other_rules || pm_text_equal(rule, PM_TEXT(PM_RULE_LABEL));
    pmapdb_status st = taken ? category_of(t, pm_col_int(there, 1), &category_id, err) : PMAPDB_OK;

    if (st == PMAPDB_OK)
        st = pm_sql_run(t->m->into->sql,
                        "INSERT INTO lineage (process_id, first_snapshot_id, category_id, rule) "
                        "VALUES (?1, ?2, ?3, ?4)",
                        PM_ARGS(PM_I(t->process_id), PM_I(first ? first : seen), PM_I(category_id),
                                PM_T((taken ? rule : none))),
                        err);

    *here = pm_sql_last_id(t->m->into->sql);
    return st;
}

/* `seen`: a snapshot here that shows it. */
static pmapdb_status lineage_of(pm_take *t, int64_t there, int64_t seen, int64_t *here,
                                pmapdb_error *err)
{
    pm_merge *m = t->m;
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st;

    *here = pm_pairs_get(&t->lineages, there);
    if (*here)
        return PMAPDB_OK;
    st = pm_sql_rows(m->from->sql,
                     "SELECT first_snapshot_id, category_id, rule FROM lineage "
                     "WHERE lineage_id = ?1 AND process_id = ?2",
                     PM_ARGS(PM_I(there), PM_I(pm_recall_who(m->recall)->process_id)), &stmt, err);
    if (st == PMAPDB_OK)
        st = pm_sql_step(m->from->sql, stmt, &has, err);
    if (pm_merge_theirs(m, st) != PMAPDB_OK)
        return st;
    if (!has)
        return damaged(t, "lineage", there, "it is missing", err);
    st = insert_lineage(t, stmt, seen, here, err);
    pm_sql_done(stmt);
    return st == PMAPDB_OK ? pm_pairs_put(&t->lineages, there, *here, err) : st;
}

/* ---- objects and regions ---- */

/* What a mapping is before any rule is asked. */
static bool is_base(int64_t category_id)
{
    return category_id > 0 && category_id <= PM_CATEGORY_ANONYMOUS + 1;
}

static pmapdb_status object_of(pm_take *t, const pm_object *there, const pm_object **here,
                               pmapdb_error *err)
{
    pm_merge *m = t->m;
    int64_t id = pm_pairs_get(&m->object_ids, there->id);
    pm_mapping like;
    pmapdb_status st;

    if (id)
        return pm_objects_get(m->objects, id, here, err);
    if (!is_base(there->category_id) || !pm_recall_object(there, &like))
        return damaged(t, "object", there->id, "its category or its device cannot be", err);
    st = pm_objects_of(m->objects, &like, (pm_category)(there->category_id - 1), there->inferred,
                       here, err);
    return st == PMAPDB_OK ? pm_pairs_put(&m->object_ids, there->id, (*here)->id, err) : st;
}

/* What the row's lineage keeps here. */
static pmapdb_status kept_here(pm_take *t, pm_row *row, pmapdb_error *err)
{
    return pm_sql_int(t->m->into->sql,
                      "SELECT category_id FROM lineage WHERE lineage_id = ?1 AND rule IS NOT NULL",
                      PM_ARGS(PM_I(row->at.lineage)), 0, &row->at.kept, err);
}

static pmapdb_status region_of(pm_take *t, int64_t there, int64_t seen, int64_t *here,
                               pmapdb_error *err)
{
    pm_merge *m = t->m;
    pm_row row = {.region_id = there};
    pmapdb_status st;

    *here = pm_pairs_get(&t->regions, there);
    if (*here)
        return PMAPDB_OK;
    st = pm_merge_theirs(m, pm_region_get(m->from->sql, pm_recall_objects(m->recall), &row, err));
    if (st == PMAPDB_OK && row.at.kept && !m->other_rules)
        st = category_of(t, row.at.kept, &row.at.kept, err);
    if (st == PMAPDB_OK && row.at.start + row.at.length <= row.at.start)
        st = damaged(t, "region", there, "its place cannot be", err);
    if (st == PMAPDB_OK)
        st = lineage_of(t, row.at.lineage, seen, &row.at.lineage, err);
    if (st == PMAPDB_OK && m->other_rules)
        st = kept_here(t, &row, err);
    if (st == PMAPDB_OK)
        st = object_of(t, row.at.object, &row.at.object, err);
    if (st == PMAPDB_OK)
        st = pm_region_of(m->into->sql, &row, true, err);
    if (st != PMAPDB_OK)
        return st;
    *here = row.region_id;
    st = pm_pairs_put(&t->sizes, there, pm_row_size_kib(&row) + 1, err);
    return st == PMAPDB_OK ? pm_pairs_put(&t->regions, there, *here, err) : st;
}

static bool can_be(int64_t number)
{
    return number >= 0 && number <= PM_RECALL_NUMBER_MAX;
}

/* ---- details ---- */

static pmapdb_status detail_of(pm_take *t, int64_t there, int64_t *here, pmapdb_error *err)
{
    pm_merge *m = t->m;
    pm_detail_memo none = {0}; /* detail_ids is one */
    pm_buf extra = {0};
    pm_detail detail;
    pmapdb_status st;

    *here = there == PMAPDB_UNKNOWN ? PMAPDB_UNKNOWN : pm_pairs_get(&m->detail_ids, there);
    if (*here)
        return PMAPDB_OK;
    st = pm_merge_theirs(m, pm_detail_get(m->from->sql, there, &extra, &detail, err));
    for (size_t i = 0; i < PM_DETAIL_NUMBERS && st == PMAPDB_OK; i++)
        if (detail.number[i] != PMAPDB_UNKNOWN && !can_be(detail.number[i]))
            st = damaged(t, "detail", there, "a number in it cannot be", err);
    if (st == PMAPDB_OK)
        st = pm_detail_put(m->into->sql, &none, &detail, here, err);
    pm_buf_free(&extra);
    return st == PMAPDB_OK ? pm_pairs_put(&m->detail_ids, there, *here, err) : st;
}

/* ---- versions ---- */

/* How many captures of the part stand before `off` there. */
static int64_t place_of(const pm_take_part *part, int64_t off)
{
    size_t low = 0, high = part->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (part->capture[middle].off < off)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low;
}

/* first..last as here, last PMAPDB_UNKNOWN at the end; false: no capture of the part shows it. */
static bool cut(const pm_take_part *part, int64_t *first, int64_t *last)
{
    int64_t end = *last == PMAPDB_UNKNOWN || *last == INT64_MAX ? (int64_t)part->n
                                                                : place_of(part, *last + 1);

    *first = place_of(part, *first);
    *last = end == (int64_t)part->n ? PMAPDB_UNKNOWN : end - 1;
    return *first < end;
}

/* False: a number cannot be. */
static bool add_row(const pm_take *t, const pm_take_part *part, sqlite3_stmt *there, int64_t first,
                    int64_t last, pm_sums *sums)
{
    int64_t size = pm_pairs_get(&t->sizes, pm_col_int(there, 0)) - 1;
    pm_metrics m;
    pm_totals row;

    for (int i = 0; i < PM_VER_READ; i++) {
        m.v[i] = pm_col_int(there, 3 + i);
        if (i < PM_VER_DETAIL && m.v[i] != PMAPDB_UNKNOWN && !can_be(m.v[i]))
            return false;
    }
    pm_row_decode(&m, part->fields, size, &row);
    pm_sums_add(sums, first, last, &row);
    return true;
}

static pmapdb_status take_row(pm_take *t, const pm_take_part *part, sqlite3_stmt *there,
                              pm_sums *sums, pmapdb_error *err)
{
    pm_arg args[4 + PM_VER_COUNT];
    int64_t first = pm_col_int(there, 1), last = pm_col_int(there, 2), region_id, detail_id;
    pmapdb_status st;

    if (!cut(part, &first, &last))
        return PMAPDB_OK;
    st = region_of(t, pm_col_int(there, 0), part->capture[first].snapshot_id, &region_id, err);
    if (st == PMAPDB_OK)
        st = detail_of(t, pm_col_int(there, 3 + PM_VER_DETAIL), &detail_id, err);
    if (st != PMAPDB_OK)
        return st;
    if (!add_row(t, part, there, first, last, sums))
        return damaged(t, "epoch", part->there, "a number in it cannot be", err);
    args[0] = PM_I(part->here);
    args[1] = PM_I(region_id);
    args[2] = PM_I(first);
    args[3] = PM_I(last);
    for (int i = 0; i < PM_VER_COUNT; i++)
        args[4 + i] = PM_I(pm_col_int(there, 3 + i));
    args[4 + PM_VER_DETAIL] = PM_I(detail_id);
    return pm_sql_run(
        t->m->into->sql,
        "INSERT INTO mapping_version (epoch_id, region_id, first, last, " PM_VER_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        args, sizeof args / sizeof *args, err);
}

static pmapdb_status take_sums(pm_take *t, const pm_take_part *part, sqlite3_stmt *there,
                               pm_sums *sums, pmapdb_error *err)
{
    pm_arg args[4 + PM_TOTAL_COUNT];
    pm_totals row;
    int64_t first = pm_col_int(there, 1), last = pm_col_int(there, 2), category_id;
    pmapdb_status st;

    if (!cut(part, &first, &last))
        return PMAPDB_OK;
    st = category_of(t, pm_col_int(there, 0), &category_id, err);
    if (st != PMAPDB_OK)
        return st;
    args[0] = PM_I(part->here);
    args[1] = PM_I(category_id);
    args[2] = PM_I(first);
    args[3] = PM_I(last);
    for (int i = 0; i < PM_TOTAL_COUNT; i++) {
        args[4 + i] = PM_I(pm_col_int(there, 3 + i));
        row.v[i] = args[4 + i].i == PMAPDB_UNKNOWN ? -1 : args[4 + i].i;
    }
    pm_sums_add(sums, first, last, &row);
    return pm_sql_run(
        t->m->into->sql,
        "INSERT INTO category_version (epoch_id, category_id, first, last, mappings, size_kib, "
        "rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib) VALUES "
        "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        args, sizeof args / sizeof *args, err);
}

typedef pmapdb_status take_version(pm_take *t, const pm_take_part *part, sqlite3_stmt *there,
                                   pm_sums *sums, pmapdb_error *err);

static pmapdb_status take_each(pm_take *t, const pm_take_part *part, const char *sql,
                               take_version *take, pm_sums *sums, pmapdb_error *err)
{
    pm_merge *m = t->m;
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_merge_theirs(m, pm_sql_rows(m->from->sql, sql,
                                       PM_ARGS(PM_I(part->there), PM_I(part->capture[0].off),
                                               PM_I(part->capture[part->n - 1].off)),
                                       &stmt, err));

    while (st == PMAPDB_OK &&
           (st = pm_merge_theirs(m, pm_sql_step(m->from->sql, stmt, &has, err))) == PMAPDB_OK &&
           has)
        if ((st = take(t, part, stmt, sums, err)) != PMAPDB_OK)
            pm_sql_done(stmt);
    return st;
}

/* What does not add up to the sums that were proved when it was stored is not what was read. */
static pmapdb_status take_all(pm_take *t, const pm_take_part *part, const char *sql,
                              take_version *take, pmapdb_error *err)
{
    pm_totals *want = calloc(part->n, sizeof *want);
    pm_sums sums = {0};
    size_t wrong;
    pmapdb_status st = want ? pm_sums_new(part->n, &sums, err) : pm_fail_nomem(err);

    if (st == PMAPDB_OK)
        st = take_each(t, part, sql, take, &sums, err);
    if (want && st == PMAPDB_OK) {
        for (size_t i = 0; i < part->n; i++)
            want[i] = part->capture[i].totals;
        for (size_t i = 0; i < part->n && part->state == PM_STATE_TOTALS; i++)
            want[i].v[PM_TOTAL_MAPPINGS] = -1; /* category total counts none */
        wrong = pm_sums_compare(&sums, want);
        if (wrong < part->n)
            st = damaged(t, "epoch", part->there, "its mappings do not add up to its sums", err);
    }
    pm_sums_free(&sums);
    free(want);
    return st;
}

pmapdb_status pm_take_versions(pm_take *t, const pm_take_part *part, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (part->state != PM_STATE_TOTALS)
        st = take_all(t, part,
                      "SELECT v.region_id, v.first, v.last, " PM_VER_SELECT
                      " FROM mapping_version v WHERE v.epoch_id = ?1 AND v.first <= ?3 "
                      "AND coalesce(v.last, ?2) >= ?2 ORDER BY v.region_id, v.first",
                      take_row, err);
    if (st == PMAPDB_OK && (!t->m->other_rules || part->state == PM_STATE_TOTALS))
        st = take_all(
            t, part,
            "SELECT category_id, first, last, mappings, size_kib, rss_kib, pss_kib, "
            "private_kib, private_dirty_kib, swap_kib FROM category_version WHERE epoch_id = ?1 "
            "AND first <= ?3 AND coalesce(last, ?2) >= ?2 ORDER BY category_id, first",
            take_sums, err);
    return st;
}
