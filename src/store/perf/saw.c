/* saw: what a recording and the captures of a process saw of edges of what is mapped. */
#include "store/perf/saw.h"

#include "base/buf.h"
#include "store/ids.h"
#include <stdlib.h>

#define CAPTURES_MAX 400
#define EDGES_MAX ((size_t)2 << 20)
#define MS 1000000

void pm_saw_free(pm_saw *saw)
{
    free(saw->step);
    free(saw->edge);
    *saw = (pm_saw){0};
}

/* ---- captures ---- */

typedef struct edges {
    uint64_t *at;
    size_t n, cap;
} edges;

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Where something ends and the next begins is no edge: the calls do not tell either which of the
 * mappings that touch the kernel took for one. */
static void drop_pairs(edges *e)
{
    size_t kept = 0;

    if (e->n)
        qsort(e->at, e->n, sizeof *e->at, compare_addresses);
    for (size_t i = 0; i < e->n; i++)
        if (i + 1 < e->n && e->at[i] == e->at[i + 1])
            i++;
        else
            e->at[kept++] = e->at[i];
    e->n = kept;
}

static pmapdb_status read_edges(pm_sql *sql, int64_t snapshot_id, edges *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT r.start, r.length FROM snapshot s CROSS JOIN mapping_version v ON v.epoch_id = "
        "s.epoch_id AND v.first <= s.off AND (v.last IS NULL OR v.last >= s.off) "
        "CROSS JOIN region r ON r.region_id = v.region_id WHERE s.snapshot_id = ?1",
        PM_ARGS(PM_I(snapshot_id)), &stmt, err);

    out->n = 0;
    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        uint64_t start = (uint64_t)sqlite3_column_int64(stmt, 0);

        st = pm_grow(&out->at, &out->cap, out->n + 1, sizeof *out->at, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        out->at[out->n++] = start;
        out->at[out->n++] = start + (uint64_t)sqlite3_column_int64(stmt, 1);
    }
    drop_pairs(out);
    return st;
}

static pmapdb_status add_step(pm_saw *saw, uint64_t address, bool on, int64_t from_ns,
                              int64_t to_ns, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&saw->step, &saw->cap_steps, saw->n_steps, sizeof *saw->step, err);

    if (st == PMAPDB_OK)
        saw->step[saw->n_steps++] = (pm_align_step){address, from_ns, to_ns, on};
    return st;
}

static pmapdb_status compare(pm_saw *saw, const edges *was, const edges *is, int64_t from_ns,
                             int64_t to_ns, pmapdb_error *err)
{
    size_t i = 0, k = 0;
    pmapdb_status st = PMAPDB_OK;

    while ((i < was->n || k < is->n) && st == PMAPDB_OK)
        if (k == is->n || (i < was->n && was->at[i] < is->at[k])) {
            st = add_step(saw, was->at[i++], false, from_ns, to_ns, err);
        } else if (i == was->n || is->at[k] < was->at[i]) {
            st = add_step(saw, is->at[k++], true, from_ns, to_ns, err);
        } else {
            i++;
            k++;
        }
    return st;
}

typedef struct shots {
    pm_ids id, ms; /* in the order of time */
    bool whole_seconds;
} shots;

static pmapdb_status list_shots(pm_sql *sql, int64_t process_id, int64_t from_ms, int64_t to_ms,
                                shots *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql,
        "SELECT snapshot_id, taken_ms FROM snapshot WHERE process_id = ?1 AND taken_ms "
        "BETWEEN ?2 AND ?3 AND preferred = 1 AND state = 'complete' ORDER BY taken_ms, ordinal",
        PM_ARGS(PM_I(process_id), PM_BITS(from_ms), PM_BITS(to_ms)), &stmt, err);

    out->whole_seconds = true;
    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        int64_t ms = pm_col_int(stmt, 1);

        out->whole_seconds &= ms % 1000 == 0;
        st = pm_ids_add(&out->id, pm_col_int(stmt, 0), err);
        if (st == PMAPDB_OK)
            st = pm_ids_add(&out->ms, ms, err);
        if (st != PMAPDB_OK)
            pm_sql_done(stmt);
    }
    return st;
}

/* A time in whole seconds is most often cut to them. */
static pmapdb_status compare_shots(pm_saw *saw, pm_sql *sql, const shots *s, pmapdb_error *err)
{
    size_t n = s->id.n < CAPTURES_MAX ? s->id.n : CAPTURES_MAX;
    int64_t last_ms = 0, blur_ms = s->whole_seconds ? 1000 : 1;
    edges was = {0}, is = {0}, other;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        size_t at = n < 2 ? 0 : i * (s->id.n - 1) / (n - 1);
        int64_t ms = s->ms.id[at];

        st = read_edges(sql, s->id.id[at], &is, err);
        if (st == PMAPDB_OK && i)
            st = compare(saw, &was, &is, last_ms * MS, (ms + blur_ms) * MS, err);
        last_ms = ms;
        other = was;
        was = is;
        is = other;
    }
    free(was.at);
    free(is.at);
    return st;
}

pmapdb_status pm_saw_captures(pm_saw *saw, pm_sql *sql, int64_t process_id, int64_t from_ms,
                              int64_t to_ms, pmapdb_error *err)
{
    shots s = {.whole_seconds = true};
    pmapdb_status st = list_shots(sql, process_id, from_ms, to_ms, &s, err);

    saw->n_steps = saw->n_edges = 0;
    if (st == PMAPDB_OK)
        st = compare_shots(saw, sql, &s, err);
    pm_ids_free(&s.id);
    pm_ids_free(&s.ms);
    return st;
}

/* ---- calls ---- */

/* At an address something below it or above it begins to be mapped, or ceases to. */
typedef struct change {
    uint64_t address;
    int64_t ns;
    int below, above; /* 1, -1 or 0 */
} change;

typedef struct changes {
    change *change;
    size_t n, cap;
} changes;

static int compare_changes(const void *a, const void *b)
{
    const change *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static pmapdb_status addresses_of(const pm_saw *saw, pm_ids *out, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < saw->n_steps && st == PMAPDB_OK; i++)
        st = pm_ids_add(out, (int64_t)saw->step[i].address, err);
    pm_ids_sort(out);
    return st;
}

static pmapdb_status add_change(changes *c, change new, int64_t died_ns, pmapdb_error *err)
{
    pmapdb_status st = pm_grow(&c->change, &c->cap, c->n + 1, sizeof *c->change, err);

    if (st != PMAPDB_OK)
        return st;
    c->change[c->n++] = new;
    if (died_ns != PMAPDB_UNKNOWN)
        c->change[c->n++] = (change){new.address, died_ns, -new.below, -new.above};
    return st;
}

static pmapdb_status read_changes(pm_sql *sql, int64_t tracee_id, const pm_ids *addresses,
                                  changes *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql, "SELECT start, length, born_ns, died_ns FROM extent WHERE traced_process_id = ?1",
        PM_ARGS(PM_I(tracee_id)), &stmt, err);

    while (st == PMAPDB_OK && (st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        int64_t start = sqlite3_column_int64(stmt, 0);
        int64_t end = (int64_t)((uint64_t)start + (uint64_t)sqlite3_column_int64(stmt, 1));
        int64_t born = pm_col_int(stmt, 2), died = pm_col_int(stmt, 3);

        if (out->n < EDGES_MAX && pm_ids_has(addresses, start))
            st = add_change(out, (change){(uint64_t)start, born, 0, 1}, died, err);
        if (st == PMAPDB_OK && out->n < EDGES_MAX && pm_ids_has(addresses, end))
            st = add_change(out, (change){(uint64_t)end, born, 1, 0}, died, err);
        if (st != PMAPDB_OK)
            pm_sql_done(stmt);
    }
    return st;
}

/* It is an edge while just one side is mapped. */
static pmapdb_status edges_of(pm_saw *saw, const changes *c, pmapdb_error *err)
{
    int below = 0, above = 0;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++) {
        const change *now = &c->change[i];
        bool was, is;

        if (i == 0 || now->address != now[-1].address)
            below = above = 0;
        was = (below > 0) != (above > 0);
        for (;; i++) { /* all of one moment */
            below += c->change[i].below;
            above += c->change[i].above;
            if (i + 1 == c->n || compare_changes(&c->change[i + 1], now) != 0)
                break;
        }
        is = (below > 0) != (above > 0);
        if (is == was)
            continue;
        st = pm_grow(&saw->edge, &saw->cap_edges, saw->n_edges, sizeof *saw->edge, err);
        if (st == PMAPDB_OK)
            saw->edge[saw->n_edges++] = (pm_align_edge){now->address, now->ns, is};
    }
    return st;
}

pmapdb_status pm_saw_calls(pm_saw *saw, pm_sql *sql, int64_t tracee_id, pmapdb_error *err)
{
    pm_ids addresses = {0};
    changes c = {0};
    pmapdb_status st = addresses_of(saw, &addresses, err);

    saw->n_edges = 0;
    if (st == PMAPDB_OK)
        st = read_changes(sql, tracee_id, &addresses, &c, err);
    if (st == PMAPDB_OK && c.n)
        qsort(c.change, c.n, sizeof *c.change, compare_changes);
    if (st == PMAPDB_OK)
        st = edges_of(saw, &c, err);
    if (st == PMAPDB_OK && saw->n_edges)
        qsort(saw->edge, saw->n_edges, sizeof *saw->edge, pm_align_compare_edges);
    pm_ids_free(&addresses);
    free(c.change);
    return st;
}
