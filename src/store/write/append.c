/* append: writes the next capture of a process, in order, as its difference to the stored one. */
#include "store/write/append.h"

#include "store/write/lineage.h"
#include <stdlib.h>

/* ---- rows of the capture ---- */

static bool is_inferred(const pm_classify_context *context, pm_category category)
{
    return context->heap_inferred && category == PM_CATEGORY_HEAP;
}

static void make_row(pm_put *p, const pm_classify_context *context, const pm_mapping *m,
                     pm_row *row)
{
    pm_category category = pm_classify_mapping(context, m);
    uint64_t length = m->end - m->start;
    pm_rare_fields rare;

    *row = (pm_row){
        .at = {.start = m->start,
               .length = length,
               .offset = m->offset,
               .has_offset = pm_has(m, PM_HAS_OFFSET)},
        .size_kib = pm_has(m, PM_BIT(PM_SIZE)) && m->value[PM_SIZE] != length / 1024
                        ? (int64_t)m->value[PM_SIZE]
                        : PMAPDB_UNKNOWN,
    };
    row->at.object = pm_objects_of(p->sql, p->objects, m, category, is_inferred(context, category));
    if (pm_row_encode(m, p->fields, &row->m, &rare))
        pm_rare_put(p->sql, &rare, &row->m);
}

/* True if every mapping has the same category in both contexts. This is unknown if the tool hides
 * the names of the kernel: a heap without a name may have grown over other mappings. */
static bool are_alike(const pm_classify_context *a, const pm_classify_context *b)
{
    return !a->pseudo_hidden && !b->pseudo_hidden && pm_text_equal(a->program, b->program);
}

/* True if the mapping has the category of its old row in this context, too. */
static bool keeps_category(const pm_row *row, const pm_classify_context *context,
                           const pm_mapping *m)
{
    pm_category category = pm_classify_mapping(context, m);

    return row->at.object->category_id == (int64_t)category + 1 &&
           row->at.object->inferred == is_inferred(context, category);
}

void pm_put_rows(pm_put *p, const pm_rows *like, const pm_classify_context *context)
{
    const pm_capture *c = p->capture;
    bool comparable = like->pool == c->pool->number && like->fields == p->fields;
    bool alike = comparable && are_alike(&like->context, context);
    const pm_row *old = like->row, *end = comparable ? old + like->n : old;

    PM_SQL_STEP(p->sql, pm_rows_reserve(&p->rows, c->n_rows, &err));
    for (size_t i = 0; i < c->n_rows && pm_sql_ok(p->sql); i++) {
        const pm_mapping *m = pm_capture_row(c, i);
        pm_row *row = &p->rows.row[p->rows.n++];

        while (old < end && old->mapping != c->rows[i] && old->at.start < m->start)
            old++;
        if (old < end && old->mapping == c->rows[i] && (alike || keeps_category(old, context, m))) {
            *row = *old++;
            row->at.lineage = PM_NO_LINEAGE;
            continue;
        }
        make_row(p, context, m, row);
        row->mapping = c->rows[i];
    }
    p->rows.pool = c->pool->number;
    p->rows.fields = p->fields;
    p->rows.context = *context;
    pm_rows_sort(&p->rows);
}

/* ---- the row in table snapshot ---- */

void pm_put_snapshot(pm_put *p, int64_t epoch_id, int64_t off)
{
    const pm_capture *c = p->capture;
    const pm_block *b = &c->block;

    p->snapshot_id = pm_sql_do(
        p->sql, /* columns in the order of the table; a moment of its own at first */
        "INSERT INTO snapshot VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?5, ?6, 1, ?8, ?7, ?9, ?10, ?11, "
        "?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)",
        PM_ARGS(PM_I(p->process_id), PM_I(p->capture_id), PM_I(epoch_id), PM_I(off),
                PM_I(c->taken_ms), PM_I(c->ordinal), PM_I(c->time_source),
                PM_S(pm_dialect_names[b->dialect]), PM_I(b->state), PM_I(b->checked),
                PM_WORD(b->missing), PM_I((int64_t)b->hash),
                PM_I(c->log_id ? (int64_t)c->log_id : PMAPDB_UNKNOWN),
                PM_I(b->totals.v[PM_TOTAL_MAPPINGS]), PM_I(b->totals.v[PM_TOTAL_SIZE]),
                PM_I(b->totals.v[PM_TOTAL_RSS]), PM_I(b->totals.v[PM_TOTAL_PSS]),
                PM_I(b->totals.v[PM_TOTAL_PRIVATE]), PM_I(b->totals.v[PM_TOTAL_PRIVATE_DIRTY]),
                PM_I(b->totals.v[PM_TOTAL_SWAP]), PM_I(b->tool_size_kib), PM_I(b->tool_rss_kib)));
}

static void take_place(pm_put *p, pm_stream *s)
{
    pm_stream_place(p->sql, s, p->fields);
    if (p->capture)
        pm_put_snapshot(p, s->epoch_id, (int64_t)s->n);
    else
        pm_sql_do(p->sql, "UPDATE snapshot SET epoch_id = ?2, off = ?3 WHERE snapshot_id = ?1",
                  PM_ARGS(PM_I(p->snapshot_id), PM_I(s->epoch_id), PM_I(s->n)));
    s->snapshot_id = p->snapshot_id;
    s->newest = p->order;
}

/* ---- lineages ---- */

/* Returns the lineage that row i had before its capture was taken off, by its current id. */
static int64_t lineage_before(const pm_put *p, size_t i)
{
    int64_t lineage = p->rows.row[i].at.lineage;

    while (pm_map_get(&p->renamed, (uint64_t)lineage, &lineage))
        continue;
    return lineage;
}

/* Gives a row without a lineage the lineage that it had before, if the base capture shows that
 * lineage. A prune may have removed the captures in which the mapping moved. The caller checks that
 * the base capture is the same as before. */
static void keep_lineages(pm_put *p, const pm_rows *base, pm_descent *descent)
{
    pm_map shown = {0}; /* a lineage that some row had -> its first row in base, or -1 */
    int64_t at;

    for (size_t i = 0; i < p->rows.n; i++)
        if (descent[i].lineage == PM_NO_LINEAGE)
            PM_SQL_STEP(p->sql, pm_map_put(&shown, (uint64_t)lineage_before(p, i), -1, &err));
    for (size_t k = 0; k < base->n; k++)
        if (pm_map_get(&shown, (uint64_t)base->row[k].at.lineage, &at) && at < 0)
            PM_SQL_STEP(p->sql,
                        pm_map_put(&shown, (uint64_t)base->row[k].at.lineage, (int64_t)k, &err));
    for (size_t i = 0; i < p->rows.n; i++)
        if (descent[i].lineage == PM_NO_LINEAGE &&
            pm_map_get(&shown, (uint64_t)lineage_before(p, i), &at) && at >= 0)
            descent[i] = (pm_descent){base->row[at].at.lineage, base->row[at].at.kept,
                                      p->rows.row[i].reason};
    pm_map_free(&shown);
}

/* Begins a lineage at row i. The rules give its category. */
static void begin_lineage(pm_put *p, size_t i)
{
    pm_row *row = &p->rows.row[i];
    uint64_t was = (uint64_t)row->at.lineage;
    pm_ruling ruling = pm_refine_row(p->sql, p->refine, &p->rows, i);

    row->at.kept = ruling.kept;
    row->at.lineage = pm_sql_do(p->sql, "INSERT INTO lineage VALUES (NULL, ?, ?, ?, ?)",
                                PM_ARGS(PM_I(p->process_id), PM_I(p->snapshot_id),
                                        PM_I(pm_row_category(row)), PM_S(ruling.rule)));
    if (was != PM_NO_LINEAGE)
        PM_SQL_STEP(p->sql, pm_map_put(&p->renamed, was, row->at.lineage, &err));
}

static void descend(pm_put *p, const pm_descent *descent)
{
    for (size_t i = 0; i < p->rows.n && pm_sql_ok(p->sql); i++) {
        pm_row *row = &p->rows.row[i];

        row->reason = descent[i].reason;
        if (descent[i].lineage == PM_NO_LINEAGE) {
            begin_lineage(p, i);
            continue;
        }
        row->at.lineage = descent[i].lineage;
        row->at.kept = descent[i].kept;
    }
}

/* For a capture that is earlier than the leader of its sitting: lineages that begin at the leader
 * begin at this capture. */
static void show_first(pm_put *p, int64_t leader)
{
    int64_t n = pm_sql_value(
        p->sql, "SELECT count(*) FROM lineage WHERE process_id = ?1 AND first_snapshot_id = ?2",
        PM_ARGS(PM_I(p->process_id), PM_I(leader)), 0);

    for (size_t i = 0; i < p->rows.n && n > 0 && pm_sql_ok(p->sql); i++) {
        const pm_place *at = &p->rows.row[i].at;

        pm_sql_do(p->sql,
                  "UPDATE lineage SET first_snapshot_id = ?2, category_id = CASE WHEN rule IS NULL "
                  "THEN ?3 ELSE category_id END WHERE lineage_id = ?1 AND first_snapshot_id = ?4",
                  PM_ARGS(PM_I(at->lineage), PM_I(p->snapshot_id), PM_I(at->object->category_id),
                          PM_I(leader)));
    }
}

void pm_put_again(pm_put *p, int64_t what)
{
    int64_t before = 0;

    pm_map_get(p->again, (uint64_t)p->process_id, &before);
    PM_SQL_STEP(p->sql, pm_map_put(p->again, (uint64_t)p->process_id, before | what, &err));
}

/* True if the capture shows an older lineage that the newest capture of its own stream does not
 * show: perhaps no capture of its kind has shown the lineage. */
static bool shows_more(pm_put *p, const pm_stream *own, const pm_descent *descent)
{
    pm_map known = {0};
    bool more = false;

    for (size_t i = 0; i < own->rows.n; i++)
        PM_SQL_STEP(p->sql, pm_map_put(&known, (uint64_t)own->rows.row[i].at.lineage, 1, &err));
    for (size_t i = 0; i < p->rows.n && !more; i++) {
        int64_t seen;

        more = descent[i].lineage != PM_NO_LINEAGE &&
               !pm_map_get(&known, (uint64_t)descent[i].lineage, &seen);
    }
    pm_map_free(&known);
    return more;
}

/* ---- appending ---- */

/* Finds the lineages of the rows. Returns the stream whose newest capture gives them, or NULL. */
static const pm_stream *find_lineages(pm_put *p, pm_newest *n, const pm_stream *own,
                                      pm_descent **descent)
{
    static const pm_rows none = {0};
    int dialect = pm_sitting_base(&n->sitting);
    const pm_stream *from = p->order.state == PM_STATE_COMPLETE ? NULL : own;
    const pm_rows *base;

    if (dialect != PM_NO_LEADER)
        from = pm_newest_stream(p->sql, p->objects, n, (pm_dialect)dialect, PM_STATE_COMPLETE);
    base = from ? &from->rows : &none;
    PM_SQL_STEP(p->sql, pm_rows_descent(base, &p->rows, descent, &err));
    if (!pm_sql_ok(p->sql))
        return NULL;
    if (p->base_was && from && from->snapshot_id == p->base_was)
        keep_lineages(p, base, *descent);
    if (from && pm_order_compare_worth(&from->newest, &p->order) > 0 &&
        shows_more(p, own, *descent))
        pm_put_again(p, PM_AGAIN_RULES);
    return from;
}

void pm_append(pm_put *p, pm_newest *n)
{
    bool has_rows = p->order.state != PM_STATE_TOTALS;
    pm_stream *own = pm_newest_stream(p->sql, p->objects, n, p->order.dialect, p->order.state);
    const pm_stream *from = NULL;
    pm_descent *descent = NULL;

    if (own && has_rows)
        from = find_lineages(p, n, own, &descent);
    if (pm_sql_ok(p->sql))
        take_place(p, own);
    if (pm_sql_ok(p->sql) && has_rows)
        descend(p, descent);
    if (from && from != own && pm_order_compare(&p->order, &from->newest) < 0)
        show_first(p, from->snapshot_id);
    free(descent);
    if (!pm_sql_ok(p->sql))
        return;
    pm_stream_append(p->sql, own, &p->rows, has_rows ? NULL : &p->totals);
    if (has_rows)
        pm_sitting_add(&n->sitting, &p->order);
}

/* ---- the next capture, or a late one ---- */

bool pm_is_late(pm_put *p, pm_newest *n)
{
    if (p->order.state == PM_STATE_TOTALS) {
        const pm_stream *s =
            pm_newest_stream(p->sql, p->objects, n, p->order.dialect, p->order.state);

        return s && s->epoch_id && pm_order_compare(&p->order, &s->newest) < 0;
    }
    return pm_newest_sitting(p->sql, n, p->sweep_ms) && n->sitting.seen &&
           (pm_order_compare(&p->order, &n->sitting.last) < 0 ||
            pm_sitting_displaces(&n->sitting, &p->order, p->sweep_ms));
}
