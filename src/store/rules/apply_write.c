/* apply_write: what is decided of the lineages of one process, where it is another category than
 * before: into lineages, regions, and the sums of the epochs that show them. */
#include "store/rules/apply_work.h"

#include "base/buf.h"
#include "store/merge/merge_sums.h"
#include <stdlib.h>

/* ---- lineages and regions ---- */

static bool same_rule(const pm_apply_lineage *l)
{
    return l->rule && l->now.rule ? strcmp(l->rule, l->now.rule) == 0 : l->rule == l->now.rule;
}

static pmapdb_status write_lineage(pm_applying *a, const pm_apply_lineage *l, pmapdb_error *err)
{
    int64_t category_id = pm_apply_category(l);

    a->changed_lineages += category_id != l->category_id;
    if (category_id == l->category_id && same_rule(l))
        return PMAPDB_OK;
    return pm_sql_run(a->in.sql,
                      "UPDATE lineage SET category_id = ?2, rule = ?3 WHERE lineage_id = ?1",
                      PM_ARGS(PM_I(l->id), PM_I(category_id), PM_S(l->now.rule)), err);
}

static int64_t category_of(const pm_apply_region *r, int64_t kept)
{
    return kept ? kept : r->at.object->category_id;
}

static pmapdb_status write_region(pm_applying *a, pm_apply_region *r, pmapdb_error *err)
{
    int64_t kept = a->lineage[r->lineage].now.kept;

    r->moved = category_of(r, kept) != category_of(r, r->at.kept);
    if (kept == r->at.kept)
        return PMAPDB_OK;
    return pm_sql_run(a->in.sql, "UPDATE region SET category_id = ?2 WHERE region_id = ?1",
                      PM_ARGS(PM_I(r->id), PM_I(kept ? kept : PMAPDB_UNKNOWN)), err);
}

/* ---- one epoch ---- */

/* Of its captures by_place[from..to). */
typedef struct epoch {
    int64_t id;
    uint64_t fields;
    size_t n; /* places, those that a prune left empty too */
    size_t from, to;
    pm_strip ver, cat; /* versions alone */
    pm_strip made;     /* instead of cat */
} epoch;

static void epoch_free(epoch *e)
{
    pm_strip_free(&e->ver, 0);
    pm_strip_free(&e->cat, 0);
    pm_strip_free(&e->made, 0);
}

static pmapdb_status shows_moved(pm_applying *a, int64_t epoch_id, bool *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st =
        pm_sql_rows(a->in.sql, "SELECT region_id FROM mapping_version WHERE epoch_id = ?1",
                    PM_ARGS(PM_I(epoch_id)), &stmt, err);

    *out = false;
    while (st == PMAPDB_OK && (st = pm_sql_step(a->in.sql, stmt, &has, err)) == PMAPDB_OK && has) {
        const pm_apply_region *r = pm_applying_region(a, pm_col_int(stmt, 0));

        if (r && r->moved) {
            *out = true;
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

static pmapdb_status read_epoch(pm_applying *a, epoch *e, pmapdb_error *err)
{
    const pm_beat_item *item = a->line.item;
    int64_t fields;
    pmapdb_status st = pm_sql_int(a->in.sql, "SELECT fields FROM epoch WHERE epoch_id = ?1",
                                  PM_ARGS(PM_I(e->id)), 0, &fields, err);

    e->fields = (uint64_t)fields;
    e->n = (size_t)item[a->by_place[e->to - 1]].off + 1;
    return st == PMAPDB_OK ? pm_epoch_read(a->in.sql, e->id, &e->ver, &e->cat, err) : st;
}

/* As far as captures go; false: beyond them. */
static bool cut(const epoch *e, const pm_version *v, int64_t *last)
{
    *last = v->last == PMAPDB_UNKNOWN || v->last >= (int64_t)e->n - 1 ? PMAPDB_UNKNOWN : v->last;
    return v->first >= 0 && v->first < (int64_t)e->n && (v->last < 0 || v->last >= v->first);
}

static pmapdb_status make_sums(pm_applying *a, epoch *e, pmapdb_error *err)
{
    pm_share *share = calloc(e->ver.n_saved + 1, sizeof *share);
    size_t n = 0;
    pmapdb_status st = PMAPDB_OK;

    if (!share)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < e->ver.n_saved && st == PMAPDB_OK; i++) {
        const pm_version *v = &e->ver.saved[i];
        const pm_apply_region *r = pm_applying_region(a, v->cell.key);

        if (!r)
            st = pm_fail(err, PMAPDB_DATABASE, "region %lld is missing; the store is damaged",
                         (long long)v->cell.key);
        else if (cut(e, v, &share[n].last)) {
            share[n].first = v->first;
            share[n].category_id = category_of(r, a->lineage[r->lineage].now.kept);
            pm_row_decode(&v->cell.m, e->fields, r->size_kib, &share[n++].totals);
        }
    }
    if (st == PMAPDB_OK)
        st = pm_share_sums(share, n, e->n, &e->made, err);
    free(share);
    return st;
}

/* ---- proof ---- */

/* What the sums by category come to. */
static void add_up(const epoch *e, const pm_strip *cat, pm_sums *out)
{
    for (size_t i = 0; i < cat->n_saved; i++) {
        pm_totals sums;
        int64_t last;

        for (int k = 0; k < PM_TOTAL_COUNT; k++)
            sums.v[k] =
                cat->saved[i].cell.m.v[k] == PMAPDB_UNKNOWN ? -1 : cat->saved[i].cell.m.v[k];
        if (cut(e, &cat->saved[i], &last))
            pm_sums_add(out, cat->saved[i].first, last, &sums);
    }
}

/* The totals of its captures as they were read; a damaged store may have places that none has. */
static pmapdb_status read_totals(pm_applying *a, const epoch *e, pm_totals *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(a->in.sql,
                                   "SELECT off, mappings, size_kib, rss_kib, pss_kib, private_kib, "
                                   "private_dirty_kib, swap_kib FROM snapshot WHERE epoch_id = ?1",
                                   PM_ARGS(PM_I(e->id)), &stmt, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(a->in.sql, stmt, &has, err)) == PMAPDB_OK && has) {
        int64_t off = pm_col_int(stmt, 0);

        for (int k = 0; k < PM_TOTAL_COUNT && off >= 0 && off < (int64_t)e->n; k++) {
            int64_t v = pm_col_int(stmt, 1 + k);

            out[off].v[k] = v == PMAPDB_UNKNOWN ? -1 : v;
        }
    }
    return st;
}

static pmapdb_status compare(pm_applying *a, const epoch *e, const pm_totals *want, pm_sums *old,
                             pm_sums *new, pmapdb_error *err)
{
    const pm_beat_item *item = a->line.item;
    size_t place = e->from;

    for (size_t k = 0; k < e->n; k++) {
        pm_totals was, is;

        pm_sums_next(old, k, &was);
        pm_sums_next(new, k, &is);
        if (item[a->by_place[place]].off != (int64_t)k)
            continue; /* removed by a prune */
        if (memcmp(&is, &want[k], sizeof is) != 0 &&
            (a->sums || memcmp(&was, &want[k], sizeof was) == 0))
            return pm_fail(err, PMAPDB_DATABASE,
                           "the categories of snapshot %lld would not add up to its totals; the "
                           "store is damaged, nothing was changed",
                           (long long)item[a->by_place[place]].snapshot_id);
        place++;
    }
    return PMAPDB_OK;
}

/* What added up before does so again. */
static pmapdb_status prove(pm_applying *a, const epoch *e, pmapdb_error *err)
{
    pm_totals *want = calloc(e->n, sizeof *want);
    pm_sums old = {0}, new = {0};
    pmapdb_status st;

    if (!want)
        return pm_fail_nomem(err);
    st = pm_sums_new(e->n, &old, err);
    if (st == PMAPDB_OK)
        st = pm_sums_new(e->n, &new, err);
    if (st == PMAPDB_OK)
        st = read_totals(a, e, want, err);
    if (st == PMAPDB_OK) {
        add_up(e, &e->cat, &old);
        add_up(e, &e->made, &new);
        st = compare(a, e, want, &old, &new, err);
    }
    pm_sums_free(&old);
    pm_sums_free(&new);
    free(want);
    return st;
}

/* ---- the process ---- */

static pmapdb_status write_epoch(pm_applying *a, size_t from, size_t to, pmapdb_error *err)
{
    epoch e = {.id = a->line.item[a->by_place[from]].epoch_id, .from = from, .to = to};
    bool touched = a->sums && a->line.item[a->by_place[from]].snapshot_id >= a->since;
    pmapdb_status st = touched ? PMAPDB_OK : shows_moved(a, e.id, &touched, err);

    if (st != PMAPDB_OK || !touched)
        return st;
    a->changed_snapshots += to - from;
    st = read_epoch(a, &e, err);
    if (st == PMAPDB_OK)
        st = make_sums(a, &e, err);
    if (st == PMAPDB_OK)
        st = prove(a, &e, err);
    if (st == PMAPDB_OK) {
        const pm_strip was[2] = {{0}, e.cat}, is[2] = {{0}, e.made}; /* rows stay */

        st = pm_epoch_rewrite(a->in.sql, e.id, was, is, err);
    }
    epoch_free(&e);
    return st;
}

pmapdb_status pm_applying_write(pm_applying *a, pmapdb_error *err)
{
    bool moved = a->sums;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < a->n_lineages && st == PMAPDB_OK; i++)
        st = write_lineage(a, &a->lineage[i], err);
    for (size_t i = 0; i < a->n_regions && st == PMAPDB_OK; i++) {
        st = write_region(a, &a->region[i], err);
        moved |= a->region[i].moved;
    }
    for (size_t from = 0, to; moved && from < a->line.n && st == PMAPDB_OK; from = to) {
        to = pm_applying_epoch_end(a, from);
        st = write_epoch(a, from, to, err);
    }
    return st;
}
