/* put: the rows of one capture, and its row in table snapshots. */
#include "store/put.h"

#include "store/origin.h"
#include "store/refine.h"
#include "store/region.h"
#include <stdlib.h>

/* ---- rows of the capture ---- */

static pmapdb_status make_row(pm_put *p, const pm_mapping *m, pm_row *row, pmapdb_error *err)
{
    pm_category category = pm_classify_mapping(p->context, m);
    bool inferred = p->context->heap_inferred && category == PM_CATEGORY_HEAP;
    uint64_t length = m->end - m->start;
    int64_t detail_id = PMAPDB_UNKNOWN;
    pm_detail detail;
    pmapdb_status st;

    *row = (pm_row){
        .at = {.start = m->start,
               .length = length,
               .offset = m->offset,
               .has_offset = pm_has(m, PM_HAS_OFFSET)},
        .size_kib = pm_has(m, PM_BIT(PM_SIZE)) && m->value[PM_SIZE] != length / 1024
                        ? (int64_t)m->value[PM_SIZE]
                        : PMAPDB_UNKNOWN,
    };
    st = pm_objects_of(p->objects, m, category, inferred, &row->at.object, err);
    pm_row_encode(m, p->fields, &row->m);
    if (st == PMAPDB_OK && pm_detail_of(m, p->fields, &row->m, &detail)) {
        st = pm_detail_put(p->sql, &p->details, &detail, &detail_id, err);
        pm_detail_refer(&row->m, detail_id, &detail);
    }
    return st;
}

pmapdb_status pm_put_rows(pm_put *p, pmapdb_error *err)
{
    size_t n = p->capture->n_rows;
    pmapdb_status st = PMAPDB_OK;

    p->rows.row = malloc((n + 1) * sizeof *p->rows.row);
    if (!p->rows.row)
        return pm_fail_nomem(err);
    p->rows.cap = n + 1;
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        st = make_row(p, pm_capture_row(p->capture, i), &p->rows.row[p->rows.n++], err);
    if (st == PMAPDB_OK)
        pm_rows_sort(&p->rows);
    for (size_t i = 1; i < p->rows.n && st == PMAPDB_OK; i++)
        if (pm_place_compare(&p->rows.row[i - 1].at, &p->rows.row[i].at) == 0)
            st = pm_fail(err, PMAPDB_INPUT, "two mappings at the address %llx",
                         (unsigned long long)p->rows.row[i].at.start);
    return st;
}

pmapdb_status pm_put_descend(pm_put *p, size_t i, const pm_descent *descent, pmapdb_error *err)
{
    pm_row *row = &p->rows.row[i];
    pm_ruling ruling;
    pmapdb_status st;

    row->reason = descent->reason;
    row->at.lineage = descent->lineage;
    row->at.kept = descent->kept;
    if (row->at.lineage != PM_NO_LINEAGE)
        return PMAPDB_OK;
    st = pm_refine_row(&p->refine, &p->rows, i, &ruling, err);
    if (st != PMAPDB_OK)
        return st;
    row->at.kept = ruling.kept;
    return pm_lineage_new(p->sql, p->process_id, p->snapshot_id, row, ruling.rule, err);
}

/* ---- rows of tables capture and snapshots ---- */

pmapdb_status pm_put_capture(pm_put *p, pmapdb_error *err)
{
    const pm_capture *c = p->capture;

    if (p->capture_id)
        return PMAPDB_OK;
    return pm_origin_capture(p->sql, pm_text_of(c->source_dir), pm_text_of(c->source_name),
                             &p->capture_id, err);
}

static pm_arg total_arg(const pm_capture *c, enum pm_total total)
{
    int64_t v = c->block.totals.v[total];

    return PM_I(v < 0 ? PMAPDB_UNKNOWN : v);
}

pmapdb_status pm_put_snapshot(pm_put *p, int64_t epoch_id, int64_t off, pmapdb_error *err)
{
    const pm_capture *c = p->capture;
    const pm_block *b = &c->block;
    pmapdb_status st = pm_sql_run(
        p->sql,
        "INSERT INTO snapshot (process_id, capture_id, epoch_id, off, taken_ms, behind_ms, "
        "ordinal, preferred, time_source_code, dialect_code, state_code, checked_code, missing, "
        "hash, import_log_id, mappings, size_kib, rss_kib, pss_kib, private_kib, "
        "private_dirty_kib, "
        "swap_kib, tool_size_kib, "
        "tool_rss_kib) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 1, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
        "?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)",
        PM_ARGS(PM_I(p->process_id), PM_I(p->capture_id), PM_I(epoch_id), PM_I(off),
                PM_I(c->taken_ms), PM_I(c->ordinal), PM_I(c->time_source), PM_I(b->dialect),
                PM_I(b->state), PM_I(b->checked),
                PM_T((b->missing.len ? b->missing : (pm_text){NULL, 0})), PM_I((int64_t)b->hash),
                PM_I(c->log_id ? (int64_t)c->log_id : PMAPDB_UNKNOWN),
                total_arg(c, PM_TOTAL_MAPPINGS), total_arg(c, PM_TOTAL_SIZE),
                total_arg(c, PM_TOTAL_RSS), total_arg(c, PM_TOTAL_PSS),
                total_arg(c, PM_TOTAL_PRIVATE), total_arg(c, PM_TOTAL_PRIVATE_DIRTY),
                total_arg(c, PM_TOTAL_SWAP), PM_I(b->tool_size_kib), PM_I(b->tool_rss_kib)),
        err);

    p->snapshot_id = pm_sql_last_id(p->sql);
    return st;
}

pm_beat_item pm_put_item(const pm_put *p)
{
    return (pm_beat_item){.snapshot_id = p->snapshot_id,
                          .taken_ms = p->capture->taken_ms,
                          .ordinal = p->capture->ordinal,
                          .hash = (int64_t)p->capture->block.hash,
                          .dialect = p->capture->block.dialect,
                          .state = p->capture->block.state};
}
