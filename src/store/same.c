/* same: a capture most of whose mappings are those of the one before in its stream. */
#include "store/same.h"

#include "base/buf.h"
#include "store/region.h"
#include <stdlib.h>
#include <xxhash.h>

void pm_same_free(pm_same *same)
{
    free(same->edit);
    *same = (pm_same){0};
}

/* ---- finding ---- */

/* Both are in the order of addresses, so a row that is in both is met at one time. */
static void skip_edit(const pm_stream *s, const pm_capture *c, pm_edit *e)
{
    while (e->to < s->rows.n || e->new_to < c->n_rows) {
        const pm_place *old = e->to < s->rows.n ? &s->rows.row[e->to].at : NULL;
        const pm_mapping *new = e->new_to < c->n_rows ? pm_capture_row(c, e->new_to) : NULL;

        if (old && new && s->ids[e->to] == c->rows[e->new_to])
            return;
        e->to += old && (!new || old->start <= new->start);
        e->new_to += new && (!old || new->start <= old->start);
    }
}

/* The new rows are in order, too, and share no addresses, the unchanged ones around them included.
 */
static bool is_in_order(const pm_capture *c, const pm_edit *e)
{
    size_t to = e->new_to < c->n_rows ? e->new_to + 1 : e->new_to;

    for (size_t i = e->new_from ? e->new_from : 1; i < to; i++)
        if (pm_capture_row(c, i)->start < pm_capture_row(c, i - 1)->end)
            return false;
    return true;
}

static pmapdb_status find_edits(pm_stream *s, const pm_capture *c, pm_same *out, pmapdb_error *err)
{
    size_t i = 0, j = 0;
    bool sound = true;
    pmapdb_status st = PMAPDB_OK;

    while (st == PMAPDB_OK && sound) {
        pm_edit e;

        while (i < s->rows.n && j < c->n_rows && s->ids[i] == c->rows[j])
            i++, j++;
        if (i == s->rows.n && j == c->n_rows)
            break;
        e = (pm_edit){i, i, j, j};
        skip_edit(s, c, &e);
        st = pm_grow(&out->edit, &out->cap, out->n, sizeof *out->edit, err);
        if (st != PMAPDB_OK)
            return st;
        out->edit[out->n++] = e;
        out->n_old += e.to - e.from;
        out->n_new += e.new_to - e.new_from;
        sound = is_in_order(c, &e);
        i = e.to;
        j = e.new_to;
    }
    out->stream = sound ? s : NULL;
    return st;
}

static bool comes_from_one_pool(const pm_stream *s, const pm_capture *c)
{
    return s && s->pool && s->pool == pm_pool_serial(c->pool) && c->block.state != PM_STATE_TOTALS;
}

uint64_t pm_same_context(const pm_classify_context *context)
{
    const uint64_t parts[] = {
        context->program.len,
        XXH3_64bits(context->program.data ? context->program.data : "", context->program.len),
        context->pseudo_hidden,
        context->heap_inferred,
        context->heap_inferred ? context->heap_start : 0,
        context->heap_inferred ? context->heap_end : 0};
    uint64_t hash = XXH3_64bits(parts, sizeof parts);

    return hash ? hash : 1;
}

pmapdb_status pm_same_find(pm_stream *s, const pm_capture *c, const pm_classify_context *context,
                           pm_same *out, pmapdb_error *err)
{
    if (!comes_from_one_pool(s, c) || pm_same_context(&s->context) != pm_same_context(context))
        return PMAPDB_OK;
    return find_edits(s, c, out, err);
}

/* ---- between programs ---- */

#define NO_MAPPING UINT32_MAX /* no pool gives this id */

/* By place, both; of a capture that is in no order fewer are found. */
static void find_ids(const pm_stream *s, const pm_capture *c, uint32_t *ids)
{
    size_t j = 0;

    for (size_t i = 0; i < s->rows.n; i++) {
        uint64_t start = s->rows.row[i].at.start;

        while (j < c->n_rows && pm_capture_row(c, j)->start < start)
            j++;
        ids[i] = s->marks[i] && j < c->n_rows && pm_capture_row(c, j)->start == start &&
                         pm_pool_mark(c->pool, c->rows[j]) == s->marks[i]
                     ? c->rows[j]
                     : NO_MAPPING;
    }
}

pmapdb_status pm_same_recognise(pm_stream *s, const pm_capture *c,
                                const pm_classify_context *context, pmapdb_error *err)
{
    uint32_t *ids;
    pmapdb_status st;

    if (!s->marks || s->marked_in != pm_same_context(context))
        return PMAPDB_OK;
    ids = malloc((s->rows.n + 1) * sizeof *ids);
    if (!ids)
        return pm_fail_nomem(err);
    find_ids(s, c, ids);
    st = pm_stream_know(s, c->pool, ids, s->rows.n, context, err);
    free(ids);
    return st;
}

/* ---- without a context ---- */

/* Only what has a name is program, library or anchor; a heap and what prctl named is none. */
static bool may_matter(pm_text path)
{
    return path.len && !pm_text_equal(path, PM_TEXT("[heap]")) &&
           !pm_text_starts(path, PM_TEXT("[anon:"));
}

/* Of a stack only the end is an anchor. */
static bool stands_where_it_stood(const pm_row *old, const pm_mapping *m)
{
    return old->at.start + old->at.length == m->end &&
           (old->at.start == m->start || pm_text_equal(m->path, PM_TEXT("[stack]"))) &&
           memcmp(old->at.object->perms, m->perms, sizeof m->perms) == 0 &&
           pm_text_equal(old->at.object->path, m->path);
}

static bool leaves_evidence(const pm_stream *s, const pm_capture *c, const pm_edit *e)
{
    size_t i = e->from, j = e->new_from;

    while (i < e->to && j < e->new_to) {
        const pm_row *old = &s->rows.row[i];
        const pm_mapping *new = pm_capture_row(c, j);
        bool stands = stands_where_it_stood(old, new);
        bool first = old->at.start + old->at.length <= new->end; /* the old one is the lower */

        if (!stands && may_matter(first ? old->at.object->path : new->path))
            return false;
        i += stands || first;
        j += stands || !first;
    }
    for (; i < e->to; i++)
        if (may_matter(s->rows.row[i].at.object->path))
            return false;
    for (; j < e->new_to; j++)
        if (may_matter(pm_capture_row(c, j)->path))
            return false;
    return true;
}

pmapdb_status pm_same_find_alone(pm_stream *s, const pm_capture *c, pm_same *out, pmapdb_error *err)
{
    pmapdb_status st;

    /* A heap that is inferred may end elsewhere by any row. */
    if (!comes_from_one_pool(s, c) || s->context.pseudo_hidden)
        return PMAPDB_OK;
    st = find_edits(s, c, out, err);
    for (size_t i = 0; i < out->n && out->stream; i++)
        if (!leaves_evidence(s, c, &out->edit[i]))
            out->stream = NULL;
    return st;
}

/* ---- appending ---- */

/* The rows of the capture before that are in edits. */
static pmapdb_status old_rows(const pm_same *same, pm_rows *out, pmapdb_error *err)
{
    out->row = malloc((same->n_old + 1) * sizeof *out->row);
    if (!out->row)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < same->n; i++) {
        size_t n = same->edit[i].to - same->edit[i].from;

        memcpy(&out->row[out->n], &same->stream->rows.row[same->edit[i].from],
               n * sizeof *out->row);
        out->n += n;
    }
    return PMAPDB_OK;
}

/* Moves the rows between edit i and the next to their new places. */
static void move_behind(const pm_same *same, size_t i, bool up)
{
    pm_row *row = same->stream->rows.row;
    const pm_edit *e = &same->edit[i];
    size_t end = i + 1 < same->n ? same->edit[i + 1].from : same->stream->rows.n;

    if (up ? e->new_to > e->to : e->new_to < e->to)
        memmove(&row[e->new_to], &row[e->to], (end - e->to) * sizeof *row);
}

/* What moves down goes first to last and what moves up last to first: so nothing is overwritten
 * that is still to be moved. */
static pmapdb_status splice(const pm_same *same, const pm_rows *new, pmapdb_error *err)
{
    pm_rows *rows = &same->stream->rows;
    size_t n = rows->n + same->n_new - same->n_old, at = 0;

    if (n > rows->cap) {
        pm_row *grown = realloc(rows->row, (n + n / 8) * sizeof *grown);

        if (!grown)
            return pm_fail_nomem(err);
        rows->row = grown;
        rows->cap = n + n / 8;
    }
    for (size_t i = 0; i < same->n; i++)
        move_behind(same, i, false);
    for (size_t i = same->n; i > 0; i--)
        move_behind(same, i - 1, true);
    rows->n = n;
    for (size_t i = 0; i < same->n; i++) {
        const pm_edit *e = &same->edit[i];

        memcpy(&rows->row[e->new_from], &new->row[at],
               (e->new_to - e->new_from) * sizeof *new->row);
        at += e->new_to - e->new_from;
    }
    return PMAPDB_OK;
}

/* Lineages of the rows in edits, which stand in their places by now. */
static pmapdb_status settle_lineages(pm_put *p, const pm_same *same, const pm_descent *descent,
                                     pmapdb_error *err)
{
    pm_rows *rows = &same->stream->rows;
    pm_bulk lineages;
    pmapdb_status st = PMAPDB_OK;

    pm_bulk_begin(&lineages, p->sql, &pm_lineage_table);
    for (size_t i = 0; i < same->n; i++)
        for (size_t j = same->edit[i].new_from; j < same->edit[i].new_to && st == PMAPDB_OK; j++)
            st = pm_put_descend(p, &lineages, rows, j, descent++, err);
    return st == PMAPDB_OK ? pm_bulk_end(&lineages, err) : st;
}

static void totals_of(const pm_row *row, uint64_t fields, pm_totals *out)
{
    pm_row_decode(&row->m, fields, pm_row_size_kib(row), out);
}

/* p->rollup: the sums of the newest rows, from those before. */
static pmapdb_status sum_up(pm_put *p, const pm_same *same, const pm_rows *old, pmapdb_error *err)
{
    const pm_stream *s = same->stream;
    bool known = true;
    pm_totals totals;
    pmapdb_status st = pm_rollup_copy(&s->rollup, &p->rollup, err);

    for (size_t i = 0; i < old->n && st == PMAPDB_OK; i++) {
        totals_of(&old->row[i], p->fields, &totals);
        known &= pm_rollup_remove(&p->rollup, pm_row_category(&old->row[i]), &totals);
    }
    for (size_t i = 0; i < same->n; i++)
        for (size_t j = same->edit[i].new_from; j < same->edit[i].new_to && st == PMAPDB_OK; j++) {
            totals_of(&s->rows.row[j], p->fields, &totals);
            st = pm_rollup_add(&p->rollup, pm_row_category(&s->rows.row[j]), &totals, err);
        }
    return st == PMAPDB_OK && !known ? pm_rollup_rows(&p->rollup, &s->rows, p->fields, err) : st;
}

static pmapdb_status write_edits(pm_put *p, const pm_same *same, int64_t off, const pm_rows *old,
                                 pmapdb_error *err)
{
    pm_stream *s = same->stream;
    const pm_row *was = old->row;
    pm_stream_rows out;
    pmapdb_status st = PMAPDB_OK;

    pm_stream_begin_rows(&out, p->sql, s, off);
    for (size_t i = 0; i < same->n && st == PMAPDB_OK; i++) {
        const pm_edit *e = &same->edit[i];

        st = pm_stream_write_rows(&out, was, e->to - e->from, &s->rows.row[e->new_from],
                                  e->new_to - e->new_from, err);
        was += e->to - e->from;
    }
    if (st == PMAPDB_OK)
        st = pm_stream_end_rows(&out, err);
    return st == PMAPDB_OK ? pm_stream_write_sums(p->sql, s, off, &p->rollup, err) : st;
}

pmapdb_status pm_same_append(pm_put *p, pm_same *same, int64_t off, pmapdb_error *err)
{
    pm_stream *s = same->stream;
    pm_rows old = {0};
    pm_descent *descent = NULL;
    pmapdb_status st = old_rows(same, &old, err);

    for (size_t i = 0; i < same->n && st == PMAPDB_OK; i++)
        st = pm_put_some_rows(p, same->edit[i].new_from, same->edit[i].new_to, err);
    if (st == PMAPDB_OK)
        st = pm_rows_descent(&old, &p->rows, &descent, err);
    if (st == PMAPDB_OK)
        st = splice(same, &p->rows, err);
    if (st == PMAPDB_OK)
        st = settle_lineages(p, same, descent, err);
    if (st == PMAPDB_OK)
        st = sum_up(p, same, &old, err);
    if (st == PMAPDB_OK)
        st = write_edits(p, same, off, &old, err);
    free(descent);
    pm_rows_free(&old);
    return st == PMAPDB_OK ? pm_stream_remember(s, p->capture, NULL, err) : st;
}
