/* stream: appends a capture as its difference to the newest one. */
#include "store/write/stream.h"

#include "base/buf.h"
#include "store/dict/categories.h"
#include <stdlib.h>

/* ---- sums by category ---- */

/* Finds the sums of a category; 0 each if it is new. NULL after a failure. */
static pm_category_sums *sums_of(pm_sql *sql, pm_rollup *r, int64_t category_id)
{
    size_t at = 0; /* a capture has few categories */

    while (at < r->n && r->item[at].category_id < category_id)
        at++;
    if (at < r->n && r->item[at].category_id == category_id)
        return &r->item[at];
    PM_SQL_STEP(sql, pm_grow(&r->item, &r->cap, r->n, sizeof *r->item, &err));
    if (!pm_sql_ok(sql))
        return NULL;
    memmove(&r->item[at + 1], &r->item[at], (r->n - at) * sizeof *r->item);
    r->item[at] = (pm_category_sums){.category_id = category_id};
    r->n++;
    return &r->item[at];
}

/* Adds up the rows. Looks up the sums only when the category changes: mappings of one category are
 * neighbours. */
static void sum_up(pm_sql *sql, const pm_rows *rows, uint64_t fields, pm_rollup *r)
{
    pm_category_sums *s = NULL;

    for (size_t i = 0; i < rows->n; i++) {
        const pm_row *row = &rows->row[i];
        int64_t category_id = pm_row_category(row);
        pm_totals t;

        if (!s || s->category_id != category_id)
            s = sums_of(sql, r, category_id);
        if (!s)
            return;
        pm_row_decode(row, fields, &t);
        for (int k = 0; k < PM_TOTAL_COUNT; k++)
            s->v[k] = s->v[k] == PMAPDB_UNKNOWN || t.v[k] < 0 ? PMAPDB_UNKNOWN : s->v[k] + t.v[k];
    }
}

/* For a capture with sums only: they become the one category total, with an unknown number of
 * mappings. */
static void take_totals(pm_sql *sql, const pm_totals *totals, pm_rollup *r)
{
    pm_category_sums *s = sums_of(sql, r, PM_CATEGORY_TOTAL + 1);

    for (int i = 0; i < PM_TOTAL_COUNT && s; i++)
        s->v[i] = totals->v[i] < 0 || i == PM_TOTAL_MAPPINGS ? PMAPDB_UNKNOWN : totals->v[i];
}

/* ---- reading ---- */

sqlite3_stmt *pm_captures_back(pm_sql *sql, int64_t process_id)
{
    return pm_sql_ask(sql,
                      "SELECT taken_ms, dialect, state_code, ordinal, hash, snapshot_id, epoch_id, "
                      "off FROM snapshot WHERE process_id = ?1 AND off >= 0 ORDER BY taken_ms DESC",
                      PM_ARGS(PM_I(process_id)));
}

static void load_newest(pm_sql *sql, pm_stream *s)
{
    const pm_text dialect = pm_text_of(pm_dialect_names[s->dialect]);
    sqlite3_stmt *row = pm_captures_back(sql, s->process_id);

    while (pm_sql_next(sql, row)) {
        pm_order next = pm_order_read(row);

        if (s->epoch_id && next.taken_ms < s->newest.taken_ms) {
            pm_sql_done(row);
            break;
        }
        /* compares texts, because next.dialect is the weakest dialect for an unknown text */
        if (!pm_text_equal(pm_col_text(row, 1), dialect) || next.state != s->state ||
            (s->epoch_id && pm_order_compare(&next, &s->newest) < 0))
            continue;
        s->newest = next;
        s->snapshot_id = pm_col_int(row, 5);
        s->epoch_id = pm_col_int(row, 6);
        s->n = (size_t)pm_col_int(row, 7) + 1;
    }
    row = pm_sql_ask(sql,
                     "SELECT fields, (SELECT count(*) FROM mapping_version WHERE epoch_id = ?1) "
                     "FROM epoch WHERE epoch_id = ?1",
                     PM_ARGS(PM_I(s->epoch_id)));
    if (pm_sql_next(sql, row)) {
        s->fields = (uint64_t)pm_col_int(row, 0);
        s->versions = (size_t)pm_col_int(row, 1);
        pm_sql_done(row);
    }
}

static void load_sums(pm_sql *sql, pm_stream *s)
{
    sqlite3_stmt *stmt = pm_sql_ask(
        sql,
        "SELECT category_id, first, mappings, size_kib, rss_kib, pss_kib, private_kib, "
        "private_dirty_kib, swap_kib FROM category_version WHERE epoch_id = ?1 AND last IS NULL",
        PM_ARGS(PM_I(s->epoch_id)));

    while (pm_sql_next(sql, stmt)) {
        pm_category_sums *sums = sums_of(sql, &s->rollup, pm_col_int(stmt, 0));

        if (!sums)
            continue;
        sums->first = (int32_t)pm_col_int(stmt, 1);
        for (int i = 0; i < PM_TOTAL_COUNT; i++)
            sums->v[i] = pm_col_kib(stmt, i + 2);
    }
}

void pm_stream_load(pm_sql *sql, pm_objects *objects, pm_stream *s)
{
    load_newest(sql, s);
    if (!s->epoch_id)
        return;
    pm_versions_load(sql, objects, s->epoch_id, (int64_t)s->n - 1, &s->rows);
    load_sums(sql, s);
}

/* ---- epochs ---- */

static bool is_full(const pm_stream *s)
{
    return s->n >= PM_EPOCH_CAPTURES || s->versions > PM_EPOCH_ALPHA * (s->rows.n + 1);
}

void pm_stream_place(pm_sql *sql, pm_stream *s, uint64_t fields)
{
    if (s->epoch_id == 0 || s->fields != fields || is_full(s)) {
        const char *dialect = pm_dialect_names[s->dialect];

        if (!pm_sql_value(sql, "SELECT 1 FROM dialect WHERE name = ?1", PM_ARGS(PM_S(dialect)), 0))
            pm_dialects_add(sql); /* the store is older than the dialect */
        s->epoch_id = pm_sql_do(
            sql, "INSERT INTO epoch (process_id, dialect, state, fields) VALUES (?1, ?2, ?3, ?4)",
            PM_ARGS(PM_I(s->process_id), PM_S(dialect), PM_S(pm_state_names[s->state]),
                    PM_I((int64_t)fields)));
        s->fields = fields;
        s->n = s->versions = 0;
    }
}

/* ---- rows ---- */

/* A capture that is being written at place `off` in the epoch of its stream. */
typedef struct writing {
    pm_sql *sql;
    pm_stream *s;
    int64_t off;
} writing;

static pm_arg offset_of(const pm_place *at)
{
    return PM_I(at->has_offset ? (int64_t)at->offset : PMAPDB_UNKNOWN);
}

/* Finds the region of row->at (including its lineage); inserts a new one with row->reason. An
 * existing region keeps its reason: that of its first appearance in time. Sets row->region_id. */
static void find_region(pm_sql *sql, pm_row *row, bool new_lineage)
{
    const pm_place *at = &row->at;

    row->region_id = 0;
    if (!new_lineage)
        row->region_id = pm_sql_value(
            sql,
            "SELECT region_id FROM region WHERE lineage_id = ?1 AND length = ?2 AND start = ?3 "
            "AND object_id = ?4 AND offset IS ?5 AND size_kib IS ?6",
            PM_ARGS(PM_I(at->lineage), PM_BITS(at->length), PM_BITS(at->start),
                    PM_I(at->object->id), offset_of(at), PM_I(row->size_kib)),
            0);
    if (row->region_id)
        return;
    row->region_id =
        pm_sql_do(sql, "INSERT INTO region VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
                  PM_ARGS(PM_I(at->lineage), PM_I(at->object->id), PM_BITS(at->start),
                          PM_BITS(at->length), offset_of(at), PM_I(row->size_kib),
                          PM_I(at->kept ? at->kept : PMAPDB_UNKNOWN), PM_I(row->reason)));
}

/* Inserts a version that begins with this capture and has the `n` numbers v, by the statement
 * `text`. Returns the place of the capture. */
static int32_t open_version(const writing *w, const char *text, int64_t id, const int64_t *v,
                            size_t n)
{
    pm_arg args[3 + PM_VER_COUNT] = {PM_I(w->s->epoch_id), PM_I(id), PM_I(w->off)};

    for (size_t i = 0; i < n; i++)
        args[3 + i] = PM_I(v[i]);
    pm_sql_do(w->sql, text, args, 3 + n);
    return (int32_t)w->off;
}

/* Writes the difference of two rows at the same address range; one of them may be NULL. */
static void step(const writing *w, const pm_row *old, pm_row *new)
{
    /* the same object at the same place in the same lineage */
    bool stays = old && new && old->at.object == new->at.object &&
                 old->at.lineage == new->at.lineage && old->at.has_offset == new->at.has_offset &&
                 old->at.offset == new->at.offset && old->size_kib == new->size_kib;

    if (stays)
        new->region_id = old->region_id;
    if (stays && w->off > 0 && memcmp(&old->m, &new->m, sizeof old->m) == 0) {
        new->first = old->first;
        return;
    }
    if (old && w->off > 0)
        pm_sql_do(w->sql,
                  "UPDATE mapping_version SET last = ?4 WHERE epoch_id = ?1 AND region_id = ?2 AND "
                  "first = ?3",
                  PM_ARGS(PM_I(w->s->epoch_id), PM_I(old->region_id), PM_I(old->first),
                          PM_I(w->off - 1)));
    if (new && !stays)
        find_region(w->sql, new, new->reason == PM_REASON_NEW);
    if (!new)
        return;
    new->first = open_version(
        w, "INSERT INTO mapping_version VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
        new->region_id, new->m.v, PM_VER_COUNT);
    w->s->versions++;
}

static void write_rows(const writing *w, const pm_rows *was, pm_rows *rows)
{
    size_t i = 0, j = 0;

    while ((i < was->n || j < rows->n) && pm_sql_ok(w->sql)) {
        int order = i == was->n    ? 1
                    : j == rows->n ? -1
                                   : pm_place_compare(&was->row[i].at, &rows->row[j].at);

        step(w, order <= 0 ? &was->row[i] : NULL, order >= 0 ? &rows->row[j] : NULL);
        i += order <= 0;
        j += order >= 0;
    }
}

/* ---- sums ---- */

/* Writes the difference of two sums of the same category; one of them may be NULL. */
static void step_sums(const writing *w, const pm_category_sums *old, pm_category_sums *new)
{
    if (old && new && w->off > 0 && memcmp(old->v, new->v, sizeof old->v) == 0) {
        new->first = old->first;
        return;
    }
    if (old && w->off > 0)
        pm_sql_do(w->sql,
                  "UPDATE category_version SET last = ?4 WHERE epoch_id = ?1 AND category_id = ?2 "
                  "AND first = ?3",
                  PM_ARGS(PM_I(w->s->epoch_id), PM_I(old->category_id), PM_I(old->first),
                          PM_I(w->off - 1)));
    if (new)
        new->first = open_version(
            w, "INSERT INTO category_version VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?)",
            new->category_id, new->v, PM_TOTAL_COUNT);
}

static void write_sums(const writing *w, const pm_rollup *was, const pm_rollup *rollup)
{
    size_t i = 0, j = 0;

    while (i < was->n || j < rollup->n) {
        int64_t old = i < was->n ? was->item[i].category_id : INT64_MAX;
        int64_t new = j < rollup->n ? rollup->item[j].category_id : INT64_MAX;

        step_sums(w, old <= new ? &was->item[i] : NULL, new <= old ? &rollup->item[j] : NULL);
        i += old <= new;
        j += new <= old;
    }
}

void pm_stream_append(pm_sql *sql, pm_stream *s, pm_rows *rows, const pm_totals *totals)
{
    const writing w = {sql, s, (int64_t)s->n};
    pm_rows was = s->rows;
    pm_rollup sums = {0};

    if (totals)
        take_totals(sql, totals, &sums);
    else
        sum_up(sql, rows, s->fields, &sums);
    write_rows(&w, &was, rows);
    write_sums(&w, &s->rollup, &sums);
    s->rows = *rows;
    *rows = was;
    free(s->rollup.item);
    s->rollup = sums;
    s->n++;
}
