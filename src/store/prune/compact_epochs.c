/* compact_epochs: the epochs of one process's streams, without holes and as few as may be.
 *
 * A stream (dialect, state) is walked in the order of time. What looks as if it could be made
 * smaller is looked at again in a transaction of its own and written, an epoch or a row of
 * neighbours at a time.
 */
#include "store/prune/compact.h"

#include "base/buf.h"
#include "store/epoch.h"
#include "store/space.h"
#include <stdlib.h>

/* A capture's place in the order of its stream. */
typedef struct position {
    int64_t taken_ms, ordinal, hash;
} position;

static bool is_behind(const position *a, const position *b)
{
    if (a->taken_ms != b->taken_ms)
        return a->taken_ms > b->taken_ms;
    if (a->ordinal != b->ordinal)
        return a->ordinal > b->ordinal;
    return a->hash > b->hash;
}

typedef struct stream {
    pm_sql *sql;
    int64_t process_id;
    const char *dialect, *state; /* by name */
    position at;                 /* everything up to here is done */
    pm_pace pace;                /* epochs that one takes in, in one transaction */
} stream;

/* An epoch on its way into the one before it. */
typedef struct piece {
    int64_t epoch_id, fields;
    int64_t *off; /* of its captures, rising */
    size_t n, cap;
    pm_strip was[2]; /* versions as in the file: rows, sums */
    pm_strip now[2]; /* without holes */
    position end;    /* of its last capture */
} piece;

static void free_strips(pm_strip strip[2])
{
    pm_strip_free(&strip[0], 0);
    pm_strip_free(&strip[1], 0);
}

static void piece_free(piece *p)
{
    free(p->off);
    free_strips(p->was);
    free_strips(p->now);
    *p = (piece){0};
}

static bool has_holes(const piece *p)
{
    return p->n && p->off[p->n - 1] != (int64_t)p->n - 1;
}

/* ---- reading ---- */

/* The epoch behind a position, or 0. */
static pmapdb_status epoch_behind(const stream *s, const position *at, int64_t *epoch_id,
                                  pmapdb_error *err)
{
    return pm_sql_int(s->sql,
                      "SELECT epoch_id FROM snapshot WHERE process_id = ?1 AND dialect = ?5 "
                      "AND state = ?6 AND taken_ms >= ?2 AND (taken_ms, ordinal, hash) > "
                      "(?2, ?3, ?4) ORDER BY taken_ms, ordinal, hash LIMIT 1",
                      PM_ARGS(PM_I(s->process_id), PM_BITS(at->taken_ms), PM_BITS(at->ordinal),
                              PM_BITS(at->hash), PM_S(s->dialect), PM_S(s->state)),
                      0, epoch_id, err);
}

static pmapdb_status read_captures(const stream *s, piece *p, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_int(s->sql, "SELECT fields FROM epoch WHERE epoch_id = ?1",
                                  PM_ARGS(PM_I(p->epoch_id)), 0, &p->fields, err);

    if (st == PMAPDB_OK)
        st = pm_sql_rows(s->sql,
                         "SELECT off, taken_ms, ordinal, hash FROM snapshot WHERE epoch_id = ?1 "
                         "ORDER BY off",
                         PM_ARGS(PM_I(p->epoch_id)), &stmt, err);
    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(s->sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_grow(&p->off, &p->cap, p->n, sizeof *p->off, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        p->off[p->n++] = pm_col_int(stmt, 0);
        p->end = (position){pm_col_int(stmt, 1), pm_col_int(stmt, 2), pm_col_int(stmt, 3)};
    }
    return st;
}

static pmapdb_status read_piece(const stream *s, int64_t epoch_id, piece *p, pmapdb_error *err)
{
    pmapdb_status st;

    *p = (piece){.epoch_id = epoch_id};
    st = read_captures(s, p, err);
    if (st == PMAPDB_OK)
        st = pm_epoch_read(s->sql, epoch_id, &p->was[0], &p->was[1], err);
    for (int i = 0; i < 2 && st == PMAPDB_OK; i++)
        st = pm_strip_thin(&p->was[i], p->off, p->n, &p->now[i], err);
    return st;
}

/* ---- may they be one ---- */

typedef struct weight {
    int64_t fields, n, versions, first_rows, last_rows;
} weight;

static weight weigh(const piece *p)
{
    weight w = {.fields = p->fields, .n = (int64_t)p->n, .versions = (int64_t)p->now[0].n_saved};

    for (size_t i = 0; i < p->now[0].n_saved; i++) {
        w.first_rows += p->now[0].saved[i].first == 0;
        w.last_rows += p->now[0].saved[i].last == PMAPDB_UNKNOWN;
    }
    return w;
}

/* As when captures are appended one by one. `versions` is of both together, or the least that it
 * can be. */
static bool may_be_one(const weight *a, const weight *b, int64_t versions)
{
    return a->fields == b->fields && a->n + b->n <= (int64_t)PM_EPOCH_CAPTURES &&
           versions - a->first_rows <= (int64_t)PM_EPOCH_ALPHA * (b->last_rows + 1);
}

/* All rows of the later epoch's first capture may go on from the earlier one. */
static int64_t least_versions(const weight *a, const weight *b)
{
    return a->versions + b->versions - b->first_rows;
}

/* Puts `next` behind `p`; *fits: together they are no larger than an epoch may be, else nothing
 * changes. */
static pmapdb_status append_piece(piece *p, const piece *next, bool *fits, pmapdb_error *err)
{
    pm_strip joined[2] = {{0}, {0}};
    weight a = weigh(p), b = weigh(next);
    pmapdb_status st = PMAPDB_OK;

    *fits = may_be_one(&a, &b, least_versions(&a, &b));
    for (int i = 0; i < 2 && *fits && st == PMAPDB_OK; i++)
        st = pm_strip_join(&p->now[i], p->n, &next->now[i], &joined[i], err);
    *fits = *fits && st == PMAPDB_OK && may_be_one(&a, &b, (int64_t)joined[0].n_saved);
    if (!*fits) {
        free_strips(joined);
        return st;
    }
    free_strips(p->now);
    memcpy(p->now, joined, sizeof joined);
    p->n += next->n;
    p->end = next->end;
    return st;
}

/* ---- writing ---- */

/* The captures of `from` become number `base` and on of epoch `to`; each gets a lower place than it
 * has, or another epoch: none is in the way of another. */
static pmapdb_status move_captures(const stream *s, const piece *from, int64_t to, size_t base,
                                   size_t n, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        if (from->epoch_id != to || from->off[i] != (int64_t)(base + i))
            st = pm_sql_run(
                s->sql,
                "UPDATE snapshot SET epoch_id = ?3, off = ?4 WHERE epoch_id = ?1 "
                "AND off = ?2",
                PM_ARGS(PM_I(from->epoch_id), PM_I(from->off[i]), PM_I(to), PM_I(base + i)), err);
    return st;
}

static pmapdb_status remove_epoch(pm_sql *sql, int64_t epoch_id, pmapdb_error *err)
{
    pmapdb_status st = pm_sql_run(sql, "DELETE FROM mapping_version WHERE epoch_id = ?1",
                                  PM_ARGS(PM_I(epoch_id)), err);

    if (st == PMAPDB_OK)
        st = pm_sql_run(sql, "DELETE FROM category_version WHERE epoch_id = ?1",
                        PM_ARGS(PM_I(epoch_id)), err);
    return st == PMAPDB_OK ? pm_sql_run(sql, "DELETE FROM epoch WHERE epoch_id = ?1",
                                        PM_ARGS(PM_I(epoch_id)), err)
                           : st;
}

/* To go on would be to put an epoch behind itself. */
static pmapdb_status out_of_order(int64_t epoch_id, pmapdb_error *err)
{
    return pm_fail(err, PMAPDB_DATABASE,
                   "the captures of epoch %lld are not in the order of time; the store is damaged",
                   (long long)epoch_id);
}

/* Takes the neighbours behind `p` into it, as long as they fit; *taken: how many. */
static pmapdb_status take_neighbours(stream *s, piece *p, size_t *taken, pmapdb_error *err)
{
    bool fits = true;
    pmapdb_status st = PMAPDB_OK;

    for (*taken = 0; fits && *taken < s->pace.now && st == PMAPDB_OK; *taken += fits) {
        piece next = {0};
        size_t base = p->n;
        int64_t id;

        st = epoch_behind(s, &p->end, &id, err);
        if (st != PMAPDB_OK || id == 0)
            return st;
        st = read_piece(s, id, &next, err);
        if (st == PMAPDB_OK && id == p->epoch_id)
            st = out_of_order(id, err);
        if (st == PMAPDB_OK)
            st = append_piece(p, &next, &fits, err);
        if (st == PMAPDB_OK && fits)
            st = move_captures(s, &next, p->epoch_id, base, next.n, err);
        if (st == PMAPDB_OK && fits)
            st = remove_epoch(s->sql, id, err);
        piece_free(&next);
    }
    return st;
}

/* The epoch behind s->at, with its neighbours; where they are more than are taken at a time, it is
 * the next as well. *end: there is none. */
static pmapdb_status write_next(stream *s, bool *end, pmapdb_error *err)
{
    piece p = {0};
    size_t taken = 0;
    int64_t id;
    pmapdb_status st = epoch_behind(s, &s->at, &id, err);

    *end = id == 0;
    if (st != PMAPDB_OK || *end)
        return st;
    st = read_piece(s, id, &p, err);
    if (st == PMAPDB_OK)
        st = move_captures(s, &p, id, 0, p.n, err);
    if (st == PMAPDB_OK)
        st = take_neighbours(s, &p, &taken, err);
    if (st == PMAPDB_OK && (taken || has_holes(&p)))
        st = pm_epoch_rewrite(s->sql, id, p.was, p.now, err);
    if (st == PMAPDB_OK && !is_behind(&p.end, &s->at))
        st = out_of_order(id, err);
    if (st == PMAPDB_OK && taken < s->pace.now)
        s->at = p.end;
    piece_free(&p);
    return st;
}

/* ---- is there anything to do ---- */

/* From counts alone, which is quick. */
static pmapdb_status weigh_stored(const stream *s, int64_t epoch_id, weight *w, bool *holes,
                                  position *end, pmapdb_error *err)
{
    piece p = {.epoch_id = epoch_id};
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_status st = read_captures(s, &p, err);

    *w = (weight){.fields = p.fields, .n = (int64_t)p.n};
    *holes = has_holes(&p);
    *end = p.end;
    piece_free(&p);
    if (st == PMAPDB_OK)
        st = pm_sql_rows(s->sql,
                         "SELECT count(*), coalesce(sum(first = 0), 0), "
                         "coalesce(sum(last IS NULL), 0) FROM mapping_version WHERE epoch_id = ?1",
                         PM_ARGS(PM_I(epoch_id)), &stmt, err);
    if (st == PMAPDB_OK)
        st = pm_sql_step(s->sql, stmt, &has, err);
    if (st != PMAPDB_OK || !has)
        return st;
    w->versions = pm_col_int(stmt, 0);
    w->first_rows = pm_col_int(stmt, 1);
    w->last_rows = pm_col_int(stmt, 2);
    pm_sql_done(stmt);
    return PMAPDB_OK;
}

/* Moves s->at before the next epoch that has holes or perhaps joins its neighbour. */
static pmapdb_status find_work(stream *s, bool *found, pmapdb_error *err)
{
    position end, last_end;
    weight last, w;
    bool holes;
    int64_t id;
    pmapdb_status st = epoch_behind(s, &s->at, &id, err);

    *found = false;
    if (st == PMAPDB_OK && id)
        st = weigh_stored(s, id, &last, found, &last_end, err);
    while (st == PMAPDB_OK && id && !*found) {
        st = epoch_behind(s, &last_end, &id, err);
        if (st != PMAPDB_OK || !id)
            return st;
        st = weigh_stored(s, id, &w, &holes, &end, err);
        *found = holes ? last.fields == w.fields : may_be_one(&last, &w, least_versions(&last, &w));
        if (st != PMAPDB_OK || *found)
            return st;
        s->at = last_end;
        *found = holes;
        last = w;
        last_end = end;
    }
    return st;
}

/* One transaction; where it does not fit on the disk, s->at stays for a smaller one. */
static pmapdb_status write_part(pmapdb_store *store, stream *s, bool *end, pmapdb_error *err)
{
    const position at = s->at;
    pmapdb_status st = pm_store_begin(store, err);

    if (st == PMAPDB_OK)
        st = write_next(s, end, err);
    if (st == PMAPDB_OK)
        st = pm_store_commit(store, err);
    if (st == PMAPDB_OK) {
        pm_pace_fitted(&s->pace);
        return st;
    }
    pm_store_rollback(store);
    s->at = at;
    return pm_space_try_again(store, &s->pace, st, err) ? PMAPDB_OK : st;
}

static pmapdb_status tidy_stream(pmapdb_store *store, stream *s, pmapdb_error *err)
{
    bool found = true, end = false;
    pmapdb_status st = PMAPDB_OK;

    while (found && !end && st == PMAPDB_OK) {
        st = find_work(s, &found, err);
        if (st == PMAPDB_OK && found)
            st = write_part(store, s, &end, err);
    }
    return st;
}

pmapdb_status pm_tidy_epochs(pmapdb_store *s, int64_t process_id, pmapdb_error *err)
{
    static const position before_all = {INT64_MIN, INT64_MIN, INT64_MIN};
    pmapdb_status st = PMAPDB_OK;

    for (int dialect = 0; dialect < PM_DIALECT_COUNT; dialect++)
        for (int state = 0; state <= PM_STATE_TOTALS && st == PMAPDB_OK; state++) {
            stream one = {s->sql,
                          process_id,
                          pm_dialect_name((pm_dialect)dialect),
                          pm_state_name((pm_state)state),
                          before_all,
                          pm_pace_of(PM_EPOCH_CAPTURES, 1)};

            st = tidy_stream(s, &one, err);
        }
    return st;
}
