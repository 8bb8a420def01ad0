/* newest: the writer's state of each process, to which the next capture is appended. */
#include "store/write/newest.h"

#include "base/buf.h"
#include "store/write/rewind.h"
#include <stdlib.h>

#define ROWS_MAX 1000000 /* about 200 MB */
#define PROCESSES_MAX 20000

void pm_newest_forget(pm_newest *n)
{
    for (size_t i = 0; i < PM_STREAMS; i++) {
        if (!n->stream[i])
            continue;
        free(n->stream[i]->rows.row);
        free(n->stream[i]->rollup.item);
        free(n->stream[i]);
        n->stream[i] = NULL;
    }
    n->has_sitting = false;
}

void pm_newest_free(pm_newest_all *all)
{
    for (size_t i = 0; i < all->n; i++) {
        pm_newest_forget(all->item[i]);
        if (all->item[i]->late)
            pm_rewind_free(all->item[i]);
        free(all->item[i]);
    }
    free(all->item);
    pm_map_free(&all->index);
    *all = (pm_newest_all){0};
}

/* Counts the rows only when the number of processes is a power of two, so that counting costs
 * little. */
static bool is_too_large(const pm_newest_all *all)
{
    size_t rows = 0;

    if (all->waiting || (all->n & (all->n - 1)))
        return all->n > PROCESSES_MAX && !all->waiting;
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < PM_STREAMS; k++)
            rows += all->item[i]->stream[k] ? all->item[i]->stream[k]->rows.cap : 0;
    return rows > ROWS_MAX;
}

static pmapdb_status add(pm_newest_all *all, int64_t process_id, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&all->item, &all->cap, all->n, sizeof(pm_newest *), err);
    pm_newest *made;

    PM_STEP(st, pm_map_put(&all->index, (uint64_t)process_id, (int64_t)all->n, err));
    if (st != PMAPDB_OK)
        return st;
    made = calloc(1, sizeof *made);
    if (!made)
        return pm_fail_nomem(err);
    made->process_id = process_id;
    all->item[all->n++] = made;
    return PMAPDB_OK;
}

pm_newest *pm_newest_get(pm_sql *sql, pm_newest_all *all, int64_t process_id)
{
    int64_t at = 0;

    if (!pm_map_get(&all->index, (uint64_t)process_id, &at)) {
        if (is_too_large(all))
            pm_newest_free(all);
        at = (int64_t)all->n;
        PM_SQL_STEP(sql, add(all, process_id, &err));
    }
    return pm_sql_ok(sql) ? all->item[at] : NULL;
}

/* ---- the newest sitting ---- */

/* Reads back to a pause that is longer than the sweep and has a complete capture after it. A
 * sitting begins after such a pause, whatever came before, and the complete capture decides the
 * spine. */
pm_sitting *pm_newest_sitting(pm_sql *sql, pm_newest *n, int64_t sweep_ms)
{
    pm_order *o = NULL;
    size_t len = 0, cap = 0;
    bool complete = false;
    sqlite3_stmt *stmt;

    if (n->has_sitting)
        return &n->sitting;
    stmt = pm_captures_back(sql, n->process_id);
    while (pm_sql_next(sql, stmt)) {
        pm_order next = pm_order_read(stmt);

        if (next.state == PM_STATE_TOTALS)
            continue;
        if (complete && o[len - 1].taken_ms - next.taken_ms > sweep_ms) {
            pm_sql_done(stmt);
            break;
        }
        PM_SQL_STEP(sql, pm_grow(&o, &cap, len, sizeof *o, &err));
        if (pm_sql_ok(sql))
            o[len++] = next;
        complete |= next.state == PM_STATE_COMPLETE;
    }
    if (len)
        qsort(o, len, sizeof *o, pm_order_compare);
    n->sitting = pm_sitting_none();
    for (size_t i = 0; i < len; i++) {
        if (!pm_sitting_joins(&n->sitting, &o[i], sweep_ms))
            pm_sitting_begin(&n->sitting, &o[i]);
        pm_sitting_add(&n->sitting, &o[i]);
    }
    n->has_sitting = pm_sql_ok(sql);
    free(o);
    return n->has_sitting ? &n->sitting : NULL;
}

pm_stream *pm_newest_stream(pm_sql *sql, pm_objects *objects, pm_newest *n, pm_dialect dialect,
                            pm_state state)
{
    pm_stream **s = &n->stream[(size_t)dialect * PM_STATES + (size_t)state];

    if (!*s) {
        *s = calloc(1, sizeof **s);
        if (!*s) {
            PM_SQL_STEP(sql, pm_fail_nomem(&err));
            return NULL;
        }
        (*s)->process_id = n->process_id;
        (*s)->dialect = dialect;
        (*s)->state = state;
        pm_stream_load(sql, objects, *s);
    }
    return pm_sql_ok(sql) ? *s : NULL;
}
