/* stream: appends a capture as its difference to the newest one. */
#include "store/stream.h"

#include "base/buf.h"
#include "store/region.h"
#include <stdlib.h>

void pm_stream_free(pm_stream *s)
{
    pm_rows_free(&s->rows);
    pm_rollup_free(&s->rollup);
    *s = (pm_stream){0};
}

static bool is_full(const pm_stream *s)
{
    return s->n >= PM_EPOCH_CAPTURES ||
           s->versions - s->first_rows > PM_EPOCH_ALPHA * (s->rows.n + 1);
}

bool pm_stream_is_due(const pm_stream *s, uint64_t fields)
{
    return s->epoch_id == 0 || s->fields != fields || is_full(s);
}

pmapdb_status pm_stream_place(pm_sql *sql, pm_stream *s, int64_t process_id, pm_dialect dialect,
                              pm_state state, uint64_t fields, int64_t *off, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (pm_stream_is_due(s, fields)) {
        st = pm_epoch_new(sql, process_id, dialect, state, fields, &s->epoch_id, err);
        s->fields = fields;
        s->n = 0;
        s->versions = s->first_rows = 0;
    }
    *off = (int64_t)s->n;
    return st;
}

/* ---- rows ---- */

/* A capture that is written at place `off` of its stream. */
typedef struct writing {
    pm_sql *sql;
    pm_stream *s;
    int64_t off;
} writing;

static pmapdb_status close_version(const writing *w, const pm_row *row, pmapdb_error *err)
{
    return pm_sql_run(
        w->sql,
        "UPDATE mapping_version SET last = ?4 WHERE epoch_id = ?1 AND region_id = ?2 AND first = "
        "?3",
        PM_ARGS(PM_I(w->s->epoch_id), PM_I(row->region_id), PM_I(row->first), PM_I(w->off - 1)),
        err);
}

static pmapdb_status open_version(const writing *w, pm_row *row, pmapdb_error *err)
{
    const int64_t *v = row->m.v;

    row->first = (int32_t)w->off;
    w->s->versions++;
    return pm_sql_run(w->sql,
                      "INSERT INTO mapping_version (epoch_id, region_id, first, " PM_VER_COLUMNS
                      ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                      PM_ARGS(PM_I(w->s->epoch_id), PM_I(row->region_id), PM_I(w->off),
                              PM_I(v[PM_VER_PRIVATE_DIRTY]), PM_I(v[PM_VER_PRIVATE_CLEAN]),
                              PM_I(v[PM_VER_SHARED_CLEAN]), PM_I(v[PM_VER_SHARED_DIRTY]),
                              PM_I(v[PM_VER_SWAP]), PM_I(v[PM_VER_PSS]), PM_I(v[PM_VER_REFERENCED]),
                              PM_I(v[PM_VER_DETAIL])),
                      err);
}

/* Same object at the same place in the same lineage. */
static bool same_region(const pm_row *old, const pm_row *new)
{
    return old->at.object == new->at.object && old->at.lineage == new->at.lineage &&
           old->at.has_offset == new->at.has_offset && old->at.offset == new->at.offset &&
           old->size_kib == new->size_kib;
}

/* Both at the same address range, one of them possibly absent. */
static pmapdb_status step(const writing *w, const pm_row *old, pm_row *new, pmapdb_error *err)
{
    bool stays = old && new &&same_region(old, new);
    pmapdb_status st = PMAPDB_OK;

    if (stays)
        new->region_id = old->region_id;
    if (stays && w->off > 0 && pm_metrics_equal(&old->m, &new->m)) {
        new->first = old->first;
        return PMAPDB_OK;
    }
    if (old && w->off > 0)
        st = close_version(w, old, err);
    if (st == PMAPDB_OK && new && !stays)
        st = pm_region_of(w->sql, new, new->reason == PM_REASON_NEW, err);
    return st == PMAPDB_OK && new ? open_version(w, new, err) : st;
}

static pmapdb_status write_rows(const writing *w, const pm_row *old, size_t n_old, pm_row *new,
                                size_t n_new, pmapdb_error *err)
{
    size_t i = 0, j = 0;
    pmapdb_status st = PMAPDB_OK;

    while ((i < n_old || j < n_new) && st == PMAPDB_OK) {
        int order = i == n_old ? 1 : j == n_new ? -1 : pm_place_compare(&old[i].at, &new[j].at);

        st = step(w, order <= 0 ? &old[i] : NULL, order >= 0 ? &new[j] : NULL, err);
        i += order <= 0;
        j += order >= 0;
    }
    return st;
}

/* ---- sums ---- */

static pmapdb_status close_sums(pm_sql *sql, const pm_stream *s, const pm_category_sums *sums,
                                int64_t off, pmapdb_error *err)
{
    return pm_sql_run(
        sql,
        "UPDATE category_version SET last = ?4 WHERE epoch_id = ?1 AND category_id = ?2 AND first "
        "= ?3",
        PM_ARGS(PM_I(s->epoch_id), PM_I(sums->category_id), PM_I(sums->first), PM_I(off - 1)), err);
}

static pmapdb_status open_sums(pm_sql *sql, const pm_stream *s, pm_category_sums *sums, int64_t off,
                               pmapdb_error *err)
{
    const int64_t *v = sums->v;

    sums->first = (int32_t)off;
    return pm_sql_run(
        sql,
        "INSERT INTO category_version (epoch_id, category_id, first, mappings, size_kib, "
        "rss_kib, pss_kib, private_kib, private_dirty_kib, swap_kib) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        PM_ARGS(PM_I(s->epoch_id), PM_I(sums->category_id), PM_I(off), PM_I(v[PM_TOTAL_MAPPINGS]),
                PM_I(v[PM_TOTAL_SIZE]), PM_I(v[PM_TOTAL_RSS]), PM_I(v[PM_TOTAL_PSS]),
                PM_I(v[PM_TOTAL_PRIVATE]), PM_I(v[PM_TOTAL_PRIVATE_DIRTY]), PM_I(v[PM_TOTAL_SWAP])),
        err);
}

/* Of the same category, one of them possibly absent. */
static pmapdb_status step_sums(pm_sql *sql, pm_stream *s, int64_t off, const pm_category_sums *old,
                               pm_category_sums *new, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (old && new &&off > 0 && pm_category_sums_equal(old, new)) {
        new->first = old->first;
        return PMAPDB_OK;
    }
    if (old && off > 0)
        st = close_sums(sql, s, old, off, err);
    return st == PMAPDB_OK && new ? open_sums(sql, s, new, off, err) : st;
}

static pmapdb_status write_sums(pm_sql *sql, pm_stream *s, int64_t off, pm_rollup *rollup,
                                pmapdb_error *err)
{
    pm_rollup was = s->rollup;
    size_t i = 0, j = 0;
    pmapdb_status st = PMAPDB_OK;

    pm_rollup_shorten(rollup);
    while ((i < was.n || j < rollup->n) && st == PMAPDB_OK) {
        int64_t old = i < was.n ? was.item[i].category_id : INT64_MAX;
        int64_t new = j < rollup->n ? rollup->item[j].category_id : INT64_MAX;

        st = step_sums(sql, s, off, old <= new ? &was.item[i] : NULL,
                       new <= old ? &rollup->item[j] : NULL, err);
        i += old <= new;
        j += new <= old;
    }
    if (st != PMAPDB_OK)
        return st;
    s->rollup = *rollup;
    *rollup = was;
    s->n = (size_t)off + 1;
    return PMAPDB_OK;
}

pmapdb_status pm_stream_append(pm_sql *sql, pm_stream *s, int64_t off, pm_rows *rows,
                               pm_rollup *rollup, pmapdb_error *err)
{
    pm_rows was = s->rows;
    const writing w = {sql, s, off};
    pmapdb_status st = write_rows(&w, was.row, was.n, rows->row, rows->n, err);

    if (st == PMAPDB_OK)
        st = write_sums(sql, s, off, rollup, err);
    if (st != PMAPDB_OK)
        return st;
    s->rows = *rows;
    *rows = was;
    if (off == 0)
        s->first_rows = s->rows.n;
    return PMAPDB_OK;
}
