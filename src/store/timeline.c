/* timeline: the snapshots of one process in their order, and what each takes its lineages from. */
#include "store/timeline.h"

#include "base/buf.h"
#include "store/epoch.h"
#include <stdlib.h>

#define TAIL 64 /* snapshots that are read for an append; more if they show no beat's begin */

void pm_timeline_free(pm_timeline *t)
{
    free(t->item);
    *t = (pm_timeline){0};
}

static int compare(const pm_beat_item *a, const pm_beat_item *b)
{
    if (a->taken_ms != b->taken_ms)
        return a->taken_ms < b->taken_ms ? -1 : 1;
    if (a->dialect != b->dialect)
        return a->dialect < b->dialect ? -1 : 1;
    if (a->ordinal != b->ordinal)
        return a->ordinal < b->ordinal ? -1 : 1;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static int compare_items(const void *a, const void *b)
{
    return compare(a, b);
}

/* Whoever reckons with a place makes room for all before it. */
static pmapdb_status check_place(const pm_beat_item *item, pmapdb_error *err)
{
    if (item->off >= 0 && item->off < PM_EPOCH_PLACES)
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_DATABASE,
                   "snapshot %lld is at place %lld of its epoch, which cannot be; the store is "
                   "damaged",
                   (long long)item->snapshot_id, (long long)item->off);
}

static pmapdb_status read_items(pm_sql *sql, sqlite3_stmt *stmt, pm_timeline *out,
                                pmapdb_error *err)
{
    pmapdb_status st;
    bool has;

    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_grow(&out->item, &out->cap, out->n, sizeof *out->item, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        out->item[out->n++] = (pm_beat_item){
            .snapshot_id = pm_col_int(stmt, 0),
            .taken_ms = pm_col_ms(stmt, 1),
            .ordinal = pm_col_int(stmt, 2),
            .hash = pm_col_int(stmt, 3),
            .dialect = pm_col_dialect(stmt, 4),
            .state = pm_col_state(stmt, 5),
            .epoch_id = pm_col_int(stmt, 6),
            .off = pm_col_int(stmt, 7),
        };
        st = check_place(&out->item[out->n - 1], err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    if (st == PMAPDB_OK && out->n)
        qsort(out->item, out->n, sizeof *out->item, compare_items);
    return st;
}

#define ITEM_COLUMNS "snapshot_id, taken_ms, ordinal, hash, dialect, state, epoch_id, off"

pmapdb_status pm_timeline_load(pm_sql *sql, int64_t process_id, pm_timeline *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st;

    out->n = 0;
    out->whole = true;
    st = pm_sql_rows(sql,
                     "SELECT " ITEM_COLUMNS " FROM snapshot WHERE process_id = ?1 "
                     "AND state <> 'totals'",
                     PM_ARGS(PM_I(process_id)), &stmt, err);
    return st == PMAPDB_OK ? read_items(sql, stmt, out, err) : st;
}

/* A pause longer than the sweep is where a beat begins, whatever came before. Drops what stands
 * before the earliest such pause; false where there is none or no leader stands behind it. */
static bool trim_to_beat(pm_timeline *t, int64_t sweep_ms)
{
    size_t begin = 1;
    bool leader = false;

    while (begin < t->n && t->item[begin].taken_ms - t->item[begin - 1].taken_ms <= sweep_ms)
        begin++;
    for (size_t i = begin; i < t->n; i++)
        leader |= t->item[i].state == PM_STATE_COMPLETE;
    if (!leader)
        return false;
    t->n -= begin;
    memmove(t->item, t->item + begin, t->n * sizeof *t->item);
    return true;
}

pmapdb_status pm_timeline_load_tail(pm_sql *sql, int64_t process_id, int64_t sweep_ms,
                                    pm_timeline *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st;

    out->n = 0;
    st = pm_sql_rows(sql,
                     "SELECT " ITEM_COLUMNS " FROM snapshot WHERE process_id = ?1 "
                     "AND state <> 'totals' ORDER BY taken_ms DESC LIMIT ?2",
                     PM_ARGS(PM_I(process_id), PM_I(TAIL)), &stmt, err);
    if (st == PMAPDB_OK)
        st = read_items(sql, stmt, out, err);
    if (st != PMAPDB_OK)
        return st;
    out->whole = out->n < TAIL;
    if (out->whole || trim_to_beat(out, sweep_ms))
        return PMAPDB_OK;
    return pm_timeline_load(sql, process_id, out, err);
}

#define IN_STREAM                                                                   \
    "SELECT " ITEM_COLUMNS " FROM snapshot WHERE process_id = ?1 AND dialect = ?5 " \
    "AND state = ?6 AND taken_ms "

pmapdb_status pm_timeline_load_neighbours(pm_sql *sql, int64_t process_id, const pm_beat_item *item,
                                          pm_timeline *out, pmapdb_error *err)
{
    const pm_arg args[] = {PM_I(process_id),
                           PM_I(item->taken_ms),
                           PM_I(item->ordinal),
                           PM_I(item->hash),
                           PM_S(pm_dialect_name(item->dialect)),
                           PM_S(pm_state_name(item->state))};
    sqlite3_stmt *stmt;
    pmapdb_status st;

    out->n = 0;
    st = pm_sql_rows(sql,
                     IN_STREAM "<= ?2 AND (taken_ms, ordinal, hash) < (?2, ?3, ?4) "
                               "ORDER BY taken_ms DESC, ordinal DESC, hash DESC LIMIT 1",
                     args, sizeof args / sizeof *args, &stmt, err);
    if (st == PMAPDB_OK)
        st = read_items(sql, stmt, out, err);
    if (st == PMAPDB_OK)
        st = pm_sql_rows(sql,
                         IN_STREAM ">= ?2 AND (taken_ms, ordinal, hash) > (?2, ?3, ?4) "
                                   "ORDER BY taken_ms, ordinal, hash LIMIT 1",
                         args, sizeof args / sizeof *args, &stmt, err);
    return st == PMAPDB_OK ? read_items(sql, stmt, out, err) : st;
}

pmapdb_status pm_timeline_insert(pm_timeline *t, const pm_beat_item *item, size_t *at,
                                 pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&t->item, &t->cap, t->n, sizeof *t->item, err);
    size_t i;

    if (st != PMAPDB_OK)
        return st;
    for (i = t->n; i > 0 && compare(&t->item[i - 1], item) > 0; i--)
        t->item[i] = t->item[i - 1];
    t->item[i] = *item;
    t->n++;
    *at = i;
    return PMAPDB_OK;
}

int pm_timeline_compare_worth(const pm_beat_item *a, const pm_beat_item *b)
{
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return a->dialect < b->dialect ? -1 : a->dialect > b->dialect;
}

size_t pm_timeline_before_in_stream(const pm_timeline *t, size_t at)
{
    for (size_t i = at; i > 0; i--)
        if (pm_timeline_same_stream(&t->item[i - 1], &t->item[at]))
            return i - 1;
    return PM_NO_BASE;
}

/* One past the last item of the beat that begins at `from`. */
static size_t beat_end(const pm_timeline *t, size_t from, int64_t sweep_ms)
{
    unsigned seen = 0;
    size_t i;

    for (i = from; i < t->n && t->item[i].taken_ms - t->item[from].taken_ms <= sweep_ms; i++) {
        unsigned bit = 1U << t->item[i].dialect;

        if (seen & bit)
            break;
        seen |= bit;
    }
    return i;
}

static size_t leader_of(const pm_timeline *t, size_t from, size_t to)
{
    size_t leader = PM_NO_BASE;

    for (size_t i = from; i < to; i++)
        if (t->item[i].state == PM_STATE_COMPLETE &&
            (leader == PM_NO_BASE || t->item[i].dialect < t->item[leader].dialect))
            leader = i;
    return leader;
}

void pm_timeline_derive(pm_timeline *t, int64_t sweep_ms)
{
    size_t spine = PM_NO_BASE; /* the leader before the beat at hand */

    for (size_t from = 0, to; from < t->n; from = to) {
        size_t leader;

        to = beat_end(t, from, sweep_ms);
        leader = leader_of(t, from, to);
        for (size_t i = from; i < to; i++) {
            t->item[i].leads = i == leader;
            t->item[i].base = i == leader || leader == PM_NO_BASE ? spine : leader;
            if (t->item[i].base == PM_NO_BASE && i != leader)
                t->item[i].base = pm_timeline_before_in_stream(t, i);
        }
        if (leader != PM_NO_BASE)
            spine = leader;
    }
}
