/* epoch: a stretch of captures taken apart for changing, and put together again. */
#include "store/epoch.h"

#include "base/buf.h"
#include "store/region.h"
#include <stdlib.h>

void pm_epoch_free(pm_epoch *e)
{
    if (!e)
        return;
    pm_strip_free(&e->ver, e->n);
    pm_strip_free(&e->cat, e->n);
    free(e);
}

/* ---- reading ---- */

#define CAT_COLUMNS "mappings, size_kib, rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib"

/* Beyond all places is the same, however far. */
static int64_t place_of(sqlite3_stmt *stmt, int column)
{
    int64_t place = pm_col_int(stmt, column);

    return place > PM_EPOCH_PLACES ? PM_EPOCH_PLACES : place;
}

/* Rows are key, first, last, n_numbers numbers, in the order of the key. */
static pmapdb_status read_strip(pm_sql *sql, sqlite3_stmt *stmt, int n_numbers, size_t n,
                                pm_strip *s, pmapdb_error *err)
{
    pmapdb_status st;
    bool has;

    st = pm_strip_init(s, n, err);
    if (st != PMAPDB_OK) {
        pm_sql_done(stmt);
        return st;
    }
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        pm_version v = {.cell.key = pm_col_int(stmt, 0), .first = place_of(stmt, 1)};

        v.last = place_of(stmt, 2);
        for (int i = 0; i < n_numbers; i++)
            v.cell.m.v[i] = pm_col_kib(stmt, i + 3);
        st = pm_strip_add(s, n, &v, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

static pmapdb_status read_head(pm_sql *sql, pm_epoch *e, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = false;
    int64_t n;
    pmapdb_status st =
        pm_sql_rows(sql, "SELECT process_id, dialect, state, fields FROM epoch WHERE epoch_id = ?1",
                    PM_ARGS(PM_I(e->epoch_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(sql, stmt, &has, err);
    if (st == PMAPDB_OK && !has)
        st = pm_fail(err, PMAPDB_DATABASE, "epoch %lld is missing; the store is damaged",
                     (long long)e->epoch_id);
    if (st != PMAPDB_OK)
        return st;
    e->process_id = pm_col_int(stmt, 0);
    e->dialect = pm_dialect_find(pm_col_text(stmt, 1));
    e->state = pm_col_state(stmt, 2);
    e->fields = (uint64_t)pm_col_int(stmt, 3);
    pm_sql_done(stmt);
    st = pm_sql_int(sql, "SELECT max(off) + 1 FROM snapshot WHERE epoch_id = ?1",
                    PM_ARGS(PM_I(e->epoch_id)), 0, &n, err);
    if (st == PMAPDB_OK && (n < 0 || n > PM_EPOCH_PLACES))
        st = pm_fail(err, PMAPDB_DATABASE,
                     "epoch %lld has a snapshot at place %lld; the store is damaged",
                     (long long)e->epoch_id, (long long)n - 1);
    if (st == PMAPDB_OK)
        e->n = (size_t)n;
    return st;
}

static pmapdb_status read_versions(pm_sql *sql, int64_t epoch_id, size_t n, pm_strip *ver,
                                   pm_strip *cat, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st = pm_sql_rows(sql,
                                   "SELECT v.region_id, v.first, v.last, " PM_VER_SELECT
                                   " FROM mapping_version v WHERE v.epoch_id = ?1 "
                                   "ORDER BY v.region_id, v.first",
                                   PM_ARGS(PM_I(epoch_id)), &stmt, err);

    if (st == PMAPDB_OK)
        st = read_strip(sql, stmt, PM_VER_READ, n, ver, err);
    if (st == PMAPDB_OK)
        st = pm_sql_rows(sql,
                         "SELECT category_id, first, last, " CAT_COLUMNS
                         " FROM category_version WHERE epoch_id = ?1 ORDER BY category_id, first",
                         PM_ARGS(PM_I(epoch_id)), &stmt, err);
    return st == PMAPDB_OK ? read_strip(sql, stmt, PM_TOTAL_COUNT, n, cat, err) : st;
}

pmapdb_status pm_epoch_read(pm_sql *sql, int64_t epoch_id, pm_strip *ver, pm_strip *cat,
                            pmapdb_error *err)
{
    return read_versions(sql, epoch_id, 0, ver, cat, err);
}

pmapdb_status pm_epoch_load(pm_sql *sql, int64_t epoch_id, pm_epoch **out, pmapdb_error *err)
{
    pm_epoch *e = calloc(1, sizeof *e);
    pmapdb_status st;

    if (!e)
        return pm_fail_nomem(err);
    e->epoch_id = epoch_id;
    st = read_head(sql, e, err);
    if (st == PMAPDB_OK)
        st = read_versions(sql, epoch_id, e->n, &e->ver, &e->cat, err);
    if (st != PMAPDB_OK) {
        pm_epoch_free(e);
        return st;
    }
    *out = e;
    return PMAPDB_OK;
}

pmapdb_status pm_epoch_new(pm_sql *sql, int64_t process_id, pm_dialect dialect, pm_state state,
                           uint64_t fields, int64_t *epoch_id, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(
        sql, "INSERT INTO epoch (process_id, dialect, state, fields) VALUES (?1, ?2, ?3, ?4)",
        PM_ARGS(PM_I(process_id), PM_S(pm_dialect_name(dialect)), PM_S(pm_state_name(state)),
                PM_I(fields)),
        err);

    *epoch_id = pm_sql_last_id(sql);
    return st;
}

/* ---- changing ---- */

/* The place comes from a snapshot, which in a damaged store may say anything. */
static pmapdb_status check_place(const pm_epoch *e, size_t k, size_t n, pmapdb_error *err)
{
    if (k < n)
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_DATABASE, "epoch %lld has no place %zu; the store is damaged",
                   (long long)e->epoch_id, k);
}

pmapdb_status pm_epoch_open_gap(pm_sql *sql, pm_epoch *e, size_t k, pmapdb_error *err)
{
    pmapdb_status st = check_place(e, k, e->n + 1, err);

    if (st == PMAPDB_OK)
        st = pm_strip_make_room(&e->ver, e->n, err);
    if (st == PMAPDB_OK)
        st = pm_strip_make_room(&e->cat, e->n, err);
    if (st != PMAPDB_OK) /* both have a place more, or none */
        return st;
    pm_strip_open_gap(&e->ver, e->n, k);
    pm_strip_open_gap(&e->cat, e->n, k);
    e->n++;
    /* From the end, one by one: (epoch_id, off) stays unique at every step. */
    for (size_t off = e->n - 1; off > k && st == PMAPDB_OK; off--)
        st = pm_sql_run(sql, "UPDATE snapshot SET off = ?2 WHERE epoch_id = ?1 AND off = ?2 - 1",
                        PM_ARGS(PM_I(e->epoch_id), PM_I(off)), err);
    return st;
}

pmapdb_status pm_epoch_set_rows(pm_epoch *e, size_t k, const pm_rows *rows, pmapdb_error *err)
{
    pm_cell *cells = calloc(rows->n + 1, sizeof *cells);
    pmapdb_status st;

    if (!cells)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < rows->n; i++)
        cells[i] = (pm_cell){rows->row[i].region_id, rows->row[i].m};
    st = check_place(e, k, e->n, err);
    if (st == PMAPDB_OK)
        st = pm_strip_set(&e->ver, k, cells, rows->n, err);
    free(cells);
    return st;
}

pmapdb_status pm_epoch_set_rollup(pm_epoch *e, size_t k, const pm_rollup *rollup, pmapdb_error *err)
{
    pm_cell *cells = calloc(rollup->n + 1, sizeof *cells);
    size_t n = 0;
    pmapdb_status st;

    if (!cells)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < rollup->n; i++) {
        const pm_category_sums *sums = &rollup->item[i];

        if (!pm_category_sums_any(sums))
            continue;
        cells[n].key = sums->category_id;
        memcpy(cells[n++].m.v, sums->v, sizeof sums->v);
    }
    st = check_place(e, k, e->n, err);
    if (st == PMAPDB_OK)
        st = pm_strip_set(&e->cat, k, cells, n, err);
    free(cells);
    return st;
}

pmapdb_status pm_epoch_get_rows(pm_sql *sql, pm_objects *objects, const pm_epoch *e, size_t k,
                                pm_rows *out, pmapdb_error *err)
{
    const pm_strip_capture *c;
    pmapdb_status st = check_place(e, k, e->n, err);

    out->n = 0;
    if (st != PMAPDB_OK)
        return st;
    c = &e->ver.captures[k];
    for (size_t i = 0; i < c->n && st == PMAPDB_OK; i++) {
        const pm_cell *cell = &e->ver.cells[c->cell[i]];
        pm_row row = {.region_id = cell->key, .m = cell->m};

        st = pm_grow(&out->row, &out->cap, out->n, sizeof *out->row, err);
        if (st == PMAPDB_OK)
            st = pm_region_get(sql, objects, &row, err);
        if (st == PMAPDB_OK)
            out->row[out->n++] = row;
    }
    pm_rows_sort(out);
    return st;
}

/* ---- writing ---- */

/* The versions that the captures make, in the order of the primary key. last is UNKNOWN (NULL) at
 * the end of the epoch. Every capture is compared with the next one by walking both lists. */
typedef struct strip_sql {
    const char *remove, *insert;
    int n_numbers;
} strip_sql;

static const strip_sql ver_sql = {
    "DELETE FROM mapping_version WHERE epoch_id = ?1 AND region_id = ?2 AND first = ?3",
    "INSERT INTO mapping_version (epoch_id, region_id, first, last, " PM_VER_COLUMNS ") VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    PM_VER_COUNT};
static const strip_sql cat_sql = {
    "DELETE FROM category_version WHERE epoch_id = ?1 AND category_id = ?2 AND first = ?3",
    "INSERT INTO category_version (epoch_id, category_id, first, last, " CAT_COLUMNS ") VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    PM_TOTAL_COUNT};

static pmapdb_status insert_version(pm_sql *sql, const strip_sql *how, int64_t epoch_id,
                                    const pm_version *v, pmapdb_error *err)
{
    pm_arg args[4 + PM_VER_COUNT] = {PM_I(epoch_id), PM_I(v->cell.key), PM_I(v->first),
                                     PM_I(v->last)};

    for (int i = 0; i < how->n_numbers; i++)
        args[4 + i] = PM_I(v->cell.m.v[i]);
    return pm_sql_run(sql, how->insert, args, 4 + (size_t)how->n_numbers, err);
}

static bool same_version(const pm_version *a, const pm_version *b)
{
    return a->last == b->last && pm_metrics_equal(&a->cell.m, &b->cell.m);
}

/* Walks what is there and what shall be, both sorted; deletes before it inserts, so that the
 * primary key is never broken on the way. */
static pmapdb_status write_difference(pm_sql *sql, const strip_sql *how, int64_t epoch_id,
                                      const pm_strip *old, const pm_strip *new, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, j = 0; (i < old->n_saved || j < new->n_saved) && st == PMAPDB_OK;) {
            int order = i == old->n_saved   ? 1
                        : j == new->n_saved ? -1
                                            : pm_version_compare(&old->saved[i], &new->saved[j]);
            bool keep = order == 0 && same_version(&old->saved[i], &new->saved[j]);

            if (pass == 0 && order <= 0 && !keep)
                st = pm_sql_run(sql, how->remove,
                                PM_ARGS(PM_I(epoch_id), PM_I(old->saved[i].cell.key),
                                        PM_I(old->saved[i].first)),
                                err);
            if (pass == 1 && order >= 0 && !keep)
                st = insert_version(sql, how, epoch_id, &new->saved[j], err);
            i += order <= 0;
            j += order >= 0;
        }
    return st;
}

pmapdb_status pm_epoch_rewrite(pm_sql *sql, int64_t epoch_id, const pm_strip old[2],
                               const pm_strip new[2], pmapdb_error *err)
{
    pmapdb_status st = write_difference(sql, &ver_sql, epoch_id, &old[0], &new[0], err);

    return st == PMAPDB_OK ? write_difference(sql, &cat_sql, epoch_id, &old[1], &new[1], err) : st;
}

static pmapdb_status save_strip(pm_sql *sql, const strip_sql *how, int64_t epoch_id, size_t n,
                                pm_strip *s, pmapdb_error *err)
{
    pm_strip made = {0};
    pmapdb_status st = pm_strip_versions(s, n, &made, err);

    if (st == PMAPDB_OK)
        st = write_difference(sql, how, epoch_id, s, &made, err);
    if (st != PMAPDB_OK) {
        free(made.saved);
        return st;
    }
    free(s->saved);
    s->saved = made.saved;
    s->n_saved = made.n_saved;
    s->cap_saved = made.cap_saved;
    return PMAPDB_OK;
}

pmapdb_status pm_epoch_save_rows(pm_sql *sql, pm_epoch *e, pmapdb_error *err)
{
    return save_strip(sql, &ver_sql, e->epoch_id, e->n, &e->ver, err);
}

pmapdb_status pm_epoch_save_sums(pm_sql *sql, pm_epoch *e, pmapdb_error *err)
{
    return save_strip(sql, &cat_sql, e->epoch_id, e->n, &e->cat, err);
}

static pmapdb_status save(pm_sql *sql, pm_epoch *e, pmapdb_error *err)
{
    pmapdb_status st = pm_epoch_save_rows(sql, e, err);

    return st == PMAPDB_OK ? pm_epoch_save_sums(sql, e, err) : st;
}

pmapdb_status pm_epoch_split(pm_sql *sql, pm_epoch *e, size_t k, pmapdb_error *err)
{
    pm_epoch *tail = calloc(1, sizeof *tail);
    pmapdb_status st;

    if (!tail)
        return pm_fail_nomem(err);
    tail->n = e->n - k;
    st = pm_strip_split(&e->ver, &tail->ver, e->n, k, err);
    if (st == PMAPDB_OK)
        st = pm_strip_split(&e->cat, &tail->cat, e->n, k, err);
    e->n = k;
    if (st == PMAPDB_OK)
        st =
            pm_epoch_new(sql, e->process_id, e->dialect, e->state, e->fields, &tail->epoch_id, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(sql,
                        "UPDATE snapshot SET epoch_id = ?1, off = off - ?3 "
                        "WHERE epoch_id = ?2 AND off >= ?3",
                        PM_ARGS(PM_I(tail->epoch_id), PM_I(e->epoch_id), PM_I(k)), err);
    if (st == PMAPDB_OK)
        st = save(sql, e, err);
    if (st == PMAPDB_OK)
        st = save(sql, tail, err);
    pm_epoch_free(tail);
    return st;
}

bool pm_epoch_has_region(const pm_epoch *e, size_t k, int64_t region_id)
{
    return k < e->n && pm_strip_has_key(&e->ver, k, region_id);
}

pmapdb_status pm_epoch_lighten(pm_sql *sql, pm_epoch *e, pmapdb_error *err)
{
    size_t first_rows = e->n ? e->ver.captures[0].n : 0, behind = 0, k;
    size_t limit = 2 * PM_EPOCH_ALPHA * (first_rows + 1);
    size_t *born;

    if (e->n < 2 || (e->n <= 2 * PM_EPOCH_CAPTURES && e->ver.n_saved - first_rows <= limit))
        return PMAPDB_OK;
    born = calloc(e->n, sizeof *born);
    if (!born)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < e->ver.n_saved; i++)
        born[e->ver.saved[i].first]++;
    for (k = 1; k < e->n - 1; k++) {
        behind += born[k];
        if (2 * behind >= e->ver.n_saved - first_rows && 2 * k >= (behind ? 1 : e->n))
            break;
    }
    free(born);
    return pm_epoch_split(sql, e, k, err);
}
