/* stream: appends a capture as its difference to the newest one. */
#include "store/stream.h"

#include "base/buf.h"
#include "store/region.h"
#include <stdlib.h>

void pm_stream_free(pm_stream *s)
{
    pm_rows_free(&s->rows);
    pm_rollup_free(&s->rollup);
    free(s->ids);
    free(s->program);
    free(s->marks);
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

#define VERSION "INSERT OR FAIL INTO ver (epoch_id, region_id, first, " PM_VER_COLUMNS ")"
#define VERSION_ROW "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define VERSION_WIDTH (3 + PM_VER_COUNT)

static const pm_bulk_table version_table = {
    .one = PM_BULK_INSERT(VERSION, VERSION_ROW),
    .many = PM_BULK_INSERTS(VERSION, VERSION_ROW),
    .columns = VERSION_WIDTH,
};

void pm_stream_begin_rows(pm_stream_rows *out, pm_sql *sql, pm_stream *s, int64_t off)
{
    out->sql = sql;
    out->s = s;
    out->off = off;
    pm_bulk_begin(&out->regions, sql, &pm_region_table);
    pm_bulk_begin(&out->versions, sql, &version_table);
}

static pmapdb_status close_version(const pm_stream_rows *out, const pm_row *row, pmapdb_error *err)
{
    return pm_sql_run(
        out->sql,
        "UPDATE ver SET last = ?4 WHERE epoch_id = ?1 AND region_id = ?2 "
        "AND first = ?3",
        PM_ARGS(PM_I(out->s->epoch_id), PM_I(row->region_id), PM_I(row->first), PM_I(out->off - 1)),
        err);
}

static pmapdb_status open_version(pm_stream_rows *out, pm_row *row, pmapdb_error *err)
{
    pm_arg *args;
    pmapdb_status st = PMAPDB_OK;

    if (out->versions.n == PM_BULK_ROWS) /* whose regions are to be there first */
        st = pm_bulk_end(&out->regions, err);
    if (st == PMAPDB_OK)
        st = pm_bulk_row(&out->versions, &args, NULL, err);
    if (st != PMAPDB_OK)
        return st;
    args[0] = PM_I(out->s->epoch_id);
    args[1] = PM_I(row->region_id);
    args[2] = PM_I(out->off);
    for (int i = 0; i < PM_VER_COUNT; i++)
        args[3 + i] = PM_I(row->m.v[i]);
    row->first = (int32_t)out->off;
    out->s->versions++;
    return PMAPDB_OK;
}

/* Same object at the same place in the same lineage. */
static bool same_region(const pm_row *old, const pm_row *new)
{
    return old->at.object == new->at.object && old->at.lineage == new->at.lineage &&
           old->at.has_offset == new->at.has_offset && old->at.offset == new->at.offset &&
           old->size_kib == new->size_kib;
}

/* Both at the same address range, one of them possibly absent. */
static pmapdb_status step(pm_stream_rows *out, const pm_row *old, pm_row *new, pmapdb_error *err)
{
    bool stays = old && new &&same_region(old, new);
    pmapdb_status st = PMAPDB_OK;

    if (stays)
        new->region_id = old->region_id;
    if (stays && out->off > 0 && pm_metrics_equal(&old->m, &new->m)) {
        new->first = old->first;
        return PMAPDB_OK;
    }
    if (old && out->off > 0)
        st = close_version(out, old, err);
    if (st == PMAPDB_OK && new && !stays)
        st = pm_region_among(&out->regions, new, new->reason == PM_REASON_NEW, err);
    return st == PMAPDB_OK && new ? open_version(out, new, err) : st;
}

pmapdb_status pm_stream_write_rows(pm_stream_rows *out, const pm_row *old, size_t n_old,
                                   pm_row *new, size_t n_new, pmapdb_error *err)
{
    size_t i = 0, j = 0;
    pmapdb_status st = PMAPDB_OK;

    while ((i < n_old || j < n_new) && st == PMAPDB_OK) {
        int order = i == n_old ? 1 : j == n_new ? -1 : pm_place_compare(&old[i].at, &new[j].at);

        st = step(out, order <= 0 ? &old[i] : NULL, order >= 0 ? &new[j] : NULL, err);
        i += order <= 0;
        j += order >= 0;
    }
    return st;
}

pmapdb_status pm_stream_end_rows(pm_stream_rows *out, pmapdb_error *err)
{
    pmapdb_status st = pm_bulk_end(&out->regions, err);

    return st == PMAPDB_OK ? pm_bulk_end(&out->versions, err) : st;
}

/* ---- sums ---- */

static pmapdb_status close_sums(pm_sql *sql, const pm_stream *s, const pm_category_sums *sums,
                                int64_t off, pmapdb_error *err)
{
    return pm_sql_run(
        sql, "UPDATE catver SET last = ?4 WHERE epoch_id = ?1 AND category_id = ?2 AND first = ?3",
        PM_ARGS(PM_I(s->epoch_id), PM_I(sums->category_id), PM_I(sums->first), PM_I(off - 1)), err);
}

static pmapdb_status open_sums(pm_sql *sql, const pm_stream *s, pm_category_sums *sums, int64_t off,
                               pmapdb_error *err)
{
    const int64_t *v = sums->v;

    sums->first = (int32_t)off;
    return pm_sql_run(
        sql,
        "INSERT INTO catver (epoch_id, category_id, first, mappings, size_kib, "
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

pmapdb_status pm_stream_write_sums(pm_sql *sql, pm_stream *s, int64_t off, pm_rollup *rollup,
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
    pm_stream_rows out;
    pmapdb_status st;

    pm_stream_begin_rows(&out, sql, s, off);
    st = pm_stream_write_rows(&out, was.row, was.n, rows->row, rows->n, err);
    if (st == PMAPDB_OK)
        st = pm_stream_end_rows(&out, err);
    if (st == PMAPDB_OK)
        st = pm_stream_write_sums(sql, s, off, rollup, err);
    if (st != PMAPDB_OK)
        return st;
    s->rows = *rows;
    *rows = was;
    if (off == 0)
        s->first_rows = s->rows.n;
    return PMAPDB_OK;
}

/* In the order of the text they are sorted by place, and none shares an address with another. */
static bool is_in_order(const pm_capture *c)
{
    for (size_t i = 1; i < c->n_rows; i++)
        if (pm_capture_row(c, i)->start < pm_capture_row(c, i - 1)->end)
            return false;
    return true;
}

static void forget_ids(pm_stream *s)
{
    s->pool = 0;
    free(s->marks);
    s->marks = NULL;
}

pmapdb_status pm_stream_know(pm_stream *s, const pm_pool *pool, const uint32_t *ids, size_t n,
                             const pm_classify_context *context, pmapdb_error *err)
{
    forget_ids(s);
    if (s->cap_ids < n) {
        free(s->ids);
        s->cap_ids = n + n / 8;
        s->ids = malloc(s->cap_ids * sizeof *s->ids);
    }
    if (context && context != &s->context) {
        free(s->program);
        s->program = pm_text_copy(context->program);
        s->context = *context;
        s->context.program.data = s->program;
    }
    if (!s->program || (!s->ids && n)) {
        s->cap_ids = 0;
        return pm_fail_nomem(err);
    }
    if (n)
        memcpy(s->ids, ids, n * sizeof *s->ids);
    s->pool = pm_pool_serial(pool);
    return PMAPDB_OK;
}

pmapdb_status pm_stream_remember(pm_stream *s, const pm_capture *c,
                                 const pm_classify_context *context, pmapdb_error *err)
{
    if (!context || is_in_order(c))
        return pm_stream_know(s, c->pool, c->rows, c->n_rows, context, err);
    forget_ids(s);
    return PMAPDB_OK;
}
