/* map_cache: the newest map of a process in one piece. */
#include "store/map_cache.h"

#include "store/ids.h"
#include "store/map_pack.h"
#include "store/process.h"
#include "store/recall_row.h"
#include "store/region.h"
#include "store/same.h"
#include <stdlib.h>
#include <xxhash.h>

/* One row in so many may have changed before the piece is written again. */
#define STALE_PART 16
#define STALE_LEAST 8
#define ENDED_MS "86400000" /* what nobody captured for a day is taken to have ended */

/* The capture that a piece shows, and the program that wrote it: another may take the same text for
 * something else. */
static uint64_t name_of(int64_t epoch_id, int64_t off)
{
    const int64_t of[] = {epoch_id, off};

    return XXH3_64bits_withSeed(of, sizeof of, XXH3_64bits(PMAPDB_VERSION, sizeof PMAPDB_VERSION));
}

/* ---- reading ---- */

static pmapdb_status take_map(pm_sql *sql, sqlite3_stmt *stmt, pm_cached_map *out,
                              pmapdb_error *err)
{
    bool has = false;
    pm_text bytes;
    pmapdb_status st = pm_sql_step(sql, stmt, &has, err);

    if (st != PMAPDB_OK || !has)
        return st;
    out->process_id = pm_col_int(stmt, 0);
    out->epoch_id = pm_col_int(stmt, 1);
    out->off = pm_col_int(stmt, 2);
    bytes = pm_col_blob(stmt, 3);
    st = pm_buf_add(&out->bytes, bytes.data, bytes.len, err);
    pm_sql_done(stmt);
    return st;
}

pmapdb_status pm_map_cache_find(pm_sql *sql, const char *host, const char *boot_id, int64_t pid,
                                int64_t start_time, pm_cached_map *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    pmapdb_status st =
        pm_sql_rows(sql,
                    "SELECT m.process_id, m.epoch_id, m.off, m.map FROM process p "
                    "JOIN map_cache m ON m.process_id = p.process_id WHERE " PM_IS_LIVE_PROCESS,
                    PM_ARGS(PM_I(pid), PM_S(host), PM_S(boot_id), PM_I(start_time)), &stmt, err);

    *out = (pm_cached_map){0};
    return st == PMAPDB_OK ? take_map(sql, stmt, out, err) : st;
}

/* What is read back, on its way. */
typedef struct reading {
    pm_sql *sql;
    pm_objects *objects;
    pm_stream *s;
    pm_unpacker in;
    pm_ids ended;         /* regions whose versions ended since */
    pm_rows begun;        /* versions that began since and go on, by place */
    size_t n_begun;       /* all that began, those that ended again too */
    pm_rows rows;         /* of the newest capture, by place */
    pm_again_mark *marks; /* of rows */
} reading;

static void reading_free(reading *r)
{
    pm_ids_free(&r->ended);
    pm_rows_free(&r->begun);
    pm_rows_free(&r->rows);
    free(r->marks);
}

static pmapdb_status add_begun(reading *r, sqlite3_stmt *stmt, pmapdb_error *err)
{
    pm_rows *begun = &r->begun;
    pmapdb_status st = pm_grow(&begun->row, &begun->cap, begun->n, sizeof *begun->row, err);
    pm_row *row;

    if (st != PMAPDB_OK)
        return st;
    row = &begun->row[begun->n++];
    *row = (pm_row){.region_id = pm_col_int(stmt, 0), .first = (int32_t)pm_col_int(stmt, 1)};
    for (int i = 0; i < PM_VER_READ; i++)
        row->m.v[i] = pm_col_int(stmt, i + 3);
    return pm_region_get(r->sql, r->objects, row, err);
}

/* Versions that began or ended behind the capture that the piece shows. */
static pmapdb_status look_up_since(reading *r, int64_t off, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(r->sql,
                                   "SELECT v.region_id, v.first, v.last, " PM_VER_SELECT
                                   " FROM ver v WHERE v.epoch_id = ?1 "
                                   "AND (v.first > ?2 OR v.last >= ?2)",
                                   PM_ARGS(PM_I(r->s->epoch_id), PM_I(off)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(r->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        bool begun = pm_col_int(stmt, 1) > off, goes_on = pm_col_int(stmt, 2) == PMAPDB_UNKNOWN;

        r->n_begun += begun;
        if (begun && goes_on)
            st = add_begun(r, stmt, err);
        else if (!begun)
            st = pm_ids_add(&r->ended, pm_col_int(stmt, 0), err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    pm_ids_sort(&r->ended);
    pm_rows_sort(&r->begun);
    return st;
}

/* Those that began since and lie below `end`; nobody knows what their text is told by. */
static void take_begun(reading *r, size_t *next, uint64_t end)
{
    for (; *next < r->begun.n && r->begun.row[*next].at.start < end; ++*next) {
        r->marks[r->rows.n] = (pm_again_mark){0};
        r->rows.row[r->rows.n++] = r->begun.row[*next];
    }
}

static pmapdb_status unpack(reading *r, pmapdb_error *err)
{
    size_t n = r->in.n + r->begun.n, next = 0;
    pmapdb_status st = PMAPDB_OK;

    r->rows = (pm_rows){.row = malloc((n + 1) * sizeof(pm_row)), .cap = n + 1};
    r->marks = malloc((n + 1) * sizeof *r->marks);
    if (!r->rows.row || !r->marks)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < r->in.n && st == PMAPDB_OK; i++) {
        int64_t object_id;
        pm_again_mark mark;
        pm_row row;

        if (!pm_unpack_row(&r->in, &row, &object_id, &mark))
            return pm_fail(err, PMAPDB_INPUT, "a row that cannot be");
        if (pm_ids_has(&r->ended, row.region_id))
            continue;
        take_begun(r, &next, row.at.start);
        st = pm_objects_of_map(r->objects, object_id, &row.at.object, err);
        r->marks[r->rows.n] = mark;
        r->rows.row[r->rows.n++] = row;
    }
    take_begun(r, &next, UINT64_MAX);
    return st;
}

/* The rows as the mappings that they were made of. */
static pmapdb_status hand_over(reading *r, pm_again *again, pmapdb_error *err)
{
    pm_capture c = {.n_rows = r->rows.n, .pool = pm_again_pool(again)};
    const pm_again_mark unknown = {0};
    pm_classify_context context;
    pm_buf extra = {0};
    pm_mapping m;
    pmapdb_status st = PMAPDB_OK;

    c.rows = malloc((c.n_rows + 1) * sizeof *c.rows);
    if (!c.rows)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < c.n_rows && st == PMAPDB_OK; i++) {
        st = pm_recall_row(r->sql, &r->rows.row[i], r->s->fields, &extra, &m, err);
        if (st == PMAPDB_OK)
            st = pm_again_know(again, &m, r->in.context ? unknown : r->marks[i], &c.rows[i], err);
    }
    if (st == PMAPDB_OK) {
        r->s->rows = r->rows;
        r->rows = (pm_rows){0};
        pm_classify_prepare(&c, &context);
        st = pm_stream_remember(r->s, &c, &context, err);
    }
    pm_buf_free(&extra);
    free(c.rows);
    return st;
}

/* For pm_same_recognise. */
static pmapdb_status hand_over_marks(reading *r, pmapdb_error *err)
{
    pm_stream *s = r->s;

    s->rows = r->rows;
    r->rows = (pm_rows){0};
    if (!r->in.context)
        return PMAPDB_OK;
    s->marks = malloc((s->rows.n + 1) * sizeof *s->marks);
    if (!s->marks)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < s->rows.n; i++)
        s->marks[i] = r->marks[i].hash;
    s->marked_in = r->in.context;
    return PMAPDB_OK;
}

static pmapdb_status read_all(reading *r, int64_t off, pm_again *again, pmapdb_error *err)
{
    pmapdb_status st = look_up_since(r, off, err);

    if (st == PMAPDB_OK)
        st = unpack(r, err);
    if (st == PMAPDB_OK && again)
        st = hand_over(r, again, err);
    if (st == PMAPDB_OK && !again)
        st = hand_over_marks(r, err);
    if (st == PMAPDB_OK)
        st = pm_stream_load_sums(r->sql, r->s, err);
    r->s->versions = r->in.versions + r->n_begun;
    r->s->first_rows = r->in.first_rows;
    return st;
}

pmapdb_status pm_map_cache_read(pm_sql *sql, pm_objects *objects, const pm_cached_map *map,
                                pm_stream *s, pm_again *again, bool *out, pmapdb_error *err)
{
    reading r = {.sql = sql, .objects = objects, .s = s};
    pmapdb_status st;

    *out = false;
    if (s->epoch_id != map->epoch_id || map->off < 0 || map->off >= (int64_t)s->n ||
        !pm_unpack_begin(&r.in, pm_buf_text(&map->bytes), name_of(map->epoch_id, map->off)))
        return PMAPDB_OK;
    st = read_all(&r, map->off, again, err);
    reading_free(&r);
    *out = st == PMAPDB_OK;
    s->cached_epoch_id = map->epoch_id;
    s->cached_off = map->off;
    return st == PMAPDB_INPUT ? PMAPDB_OK : st;
}

pmapdb_status pm_map_cache_rows(pm_sql *sql, pm_objects *objects, int64_t process_id, pm_stream *s,
                                bool *out, pmapdb_error *err)
{
    pm_cached_map map = {0};
    sqlite3_stmt *stmt;
    pmapdb_status st = pm_sql_rows(
        sql, "SELECT process_id, epoch_id, off, map FROM map_cache WHERE process_id = ?1",
        PM_ARGS(PM_I(process_id)), &stmt, err);

    *out = false;
    if (st == PMAPDB_OK)
        st = take_map(sql, stmt, &map, err);
    if (st == PMAPDB_OK && map.process_id)
        st = pm_map_cache_read(sql, objects, &map, s, NULL, out, err);
    pm_buf_free(&map.bytes);
    return st;
}

/* ---- writing ---- */

/* A piece has no room for mappings that share addresses, which no kernel prints. */
static bool is_packable(const pm_rows *rows)
{
    for (size_t i = 1; i < rows->n; i++)
        if (rows->row[i].at.start < rows->row[i - 1].at.start + rows->row[i - 1].at.length)
            return false;
    return rows->n > 0;
}

static bool is_stale(const pm_stream *s)
{
    size_t changed = 0;

    if (s->cached_epoch_id != s->epoch_id)
        return true;
    for (size_t i = 0; i < s->rows.n; i++)
        changed += s->rows.row[i].first > s->cached_off;
    return changed > s->rows.n / STALE_PART + STALE_LEAST;
}

static pmapdb_status pack(const pm_stream *s, const pm_again *again, const pm_pool *pool,
                          pm_packer *p, pmapdb_error *err)
{
    pm_again_mark mark = {0};
    pmapdb_status st;

    p->context = pool ? pm_same_context(&s->context) : 0;
    st = pm_pack_begin(p, s->versions, s->first_rows, s->rows.n, err);
    for (size_t i = 0; i < s->rows.n && st == PMAPDB_OK; i++) {
        if (again)
            mark = pm_again_mark_of(again, i);
        else if (pool)
            mark = (pm_again_mark){pm_pool_mark(pool, s->ids[i]), 1};
        st = pm_pack_row(p, &s->rows.row[i], mark, err);
    }
    if (st != PMAPDB_OK)
        return st;
    return pm_pack_end(p, name_of(s->epoch_id, (int64_t)s->n - 1), err);
}

/* Processes that ended leave theirs behind. */
static pmapdb_status drop_ended(pm_sql *sql, int64_t process_id, pmapdb_error *err)
{
    return pm_sql_run(sql,
                      "DELETE FROM map_cache WHERE (SELECT max(taken_ms) FROM snapshots s "
                      "WHERE s.process_id = map_cache.process_id) < "
                      "(SELECT max(taken_ms) FROM snapshots s WHERE s.process_id = ?1) - " ENDED_MS,
                      PM_ARGS(PM_I(process_id)), err);
}

pmapdb_status pm_map_cache_write(pm_sql *sql, int64_t process_id, pm_stream *s,
                                 const pm_again *again, const pm_pool *pool, pmapdb_error *err)
{
    pm_packer p = {0};
    pmapdb_status st = PMAPDB_OK;

    if (!s || (again && s->pool != pm_pool_serial(pm_again_pool(again))) || !is_stale(s) ||
        !is_packable(&s->rows))
        return PMAPDB_OK;
    if (!s->cached_epoch_id)
        st = drop_ended(sql, process_id, err);
    if (st == PMAPDB_OK)
        st = pack(s, again, !again && s->pool == pm_pool_serial(pool) ? pool : NULL, &p, err);
    if (st == PMAPDB_OK)
        st = pm_sql_run(sql,
                        "INSERT OR REPLACE INTO map_cache (process_id, epoch_id, off, map) "
                        "VALUES (?1, ?2, ?3, ?4)",
                        PM_ARGS(PM_I(process_id), PM_I(s->epoch_id), PM_I((int64_t)s->n - 1),
                                PM_B(pm_buf_text(&p.bytes))),
                        err);
    pm_buf_free(&p.bytes);
    s->cached_epoch_id = s->epoch_id;
    s->cached_off = (int64_t)s->n - 1;
    return st;
}
