/* doctor_proof: every snapshot is read whole, and its stored sums are held against its mappings and
 * its categories. */
#include "store/health/doctor.h"

#include <stdio.h>
#include <stdlib.h>

#define SUMS(table)                                                                           \
    "(SELECT coalesce(sum(" table "), 0),"                                                    \
    " CASE WHEN count(*) = count(size_kib) THEN coalesce(sum(size_kib), 0) END,"              \
    " CASE WHEN count(*) = count(rss_kib) THEN coalesce(sum(rss_kib), 0) END,"                \
    " CASE WHEN count(*) = count(pss_kib) THEN coalesce(sum(pss_kib), 0) END,"                \
    " CASE WHEN count(*) = count(private_kib) THEN coalesce(sum(private_kib), 0) END,"        \
    " CASE WHEN count(*) = count(private_dirty_kib) THEN coalesce(sum(private_dirty_kib), 0)" \
    " END, CASE WHEN count(*) = count(swap_kib) THEN coalesce(sum(swap_kib), 0) END FROM "

#define STORED                                                                            \
    "(s.mappings, s.size_kib, s.rss_kib, s.pss_kib, s.private_kib, s.private_dirty_kib, " \
    "s.swap_kib)"

/* 1 and 1 where all is equal. Captures with sums only have no mappings, and one category whose
 * number of mappings is not known. */
static const char proof_of_one[] = "SELECT s.state = 'totals' OR " STORED " IS " SUMS(
    "1") "mappings m"
         " WHERE m.snapshot_id = s.snapshot_id), "
         "CASE s.state WHEN 'totals' THEN (s.size_kib, s.rss_kib, s.pss_kib) IS (SELECT c.size_kib,"
         " c.rss_kib, c.pss_kib FROM categories c WHERE c.snapshot_id = s.snapshot_id)"
         " ELSE " STORED " IS " SUMS("c.mappings") "categories c"
                                                   " WHERE c.snapshot_id = s.snapshot_id) END "
                                                   "FROM snapshot s WHERE s.snapshot_id = ?1";

typedef struct id_list {
    int64_t *id;
    size_t n, cap;
    bool whole; /* the list itself could be read to its end */
} id_list;

/* "@17, @20 to @23" */
typedef struct marks {
    size_t n;
    int64_t first, last; /* of the run at hand */
    pm_buf words;
} marks;

static void add_run(marks *m)
{
    if (!m->n || m->words.len > 400)
        return;
    pm_buf_addf(&m->words, NULL, "%s@%lld", m->words.len ? ", " : "", (long long)m->first);
    if (m->last > m->first)
        pm_buf_addf(&m->words, NULL, " to @%lld", (long long)m->last);
    if (m->words.len > 400)
        pm_buf_addf(&m->words, NULL, ", ...");
}

static void mark(marks *m, int64_t id)
{
    if (m->n && m->last < INT64_MAX && id == m->last + 1) {
        m->last = id;
    } else {
        add_run(m);
        m->first = m->last = id;
    }
    m->n++;
}

static const char *words_of(marks *m)
{
    add_run(m);
    return m->words.data ? m->words.data : "";
}

/* ---- which there are ---- */

static pmapdb_status list(const pm_doctor *d, const char *sql, id_list *out, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(d->store->sql, sql, PM_NO_ARGS, &stmt, err);

    out->n = 0;
    while (st == PMAPDB_OK && (st = pm_sql_step(d->store->sql, stmt, &has, err)) == PMAPDB_OK &&
           has) {
        st = pm_grow(&out->id, &out->cap, out->n, sizeof *out->id, err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
        out->id[out->n++] = pm_col_int(stmt, 0);
    }
    return st;
}

static int compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Where pages of the table are damaged, an index may still know its rows. */
static pmapdb_status list_all(const pm_doctor *d, id_list *out, pmapdb_error *err)
{
    id_list by_index = {0};
    pmapdb_status st =
        list(d, "SELECT snapshot_id FROM snapshot NOT INDEXED ORDER BY snapshot_id", out, err);

    out->whole = st == PMAPDB_OK;
    if (out->whole)
        return st;
    out->whole = list(d,
                      "SELECT snapshot_id FROM snapshot INDEXED BY snapshot_process "
                      "ORDER BY process_id, taken_ms",
                      &by_index, err) == PMAPDB_OK;
    if (by_index.n > out->n) {
        free(out->id);
        out->id = by_index.id;
        out->n = by_index.n;
        qsort(out->id, out->n, sizeof *out->id, compare);
    } else {
        free(by_index.id);
    }
    return st == PMAPDB_NOMEM ? st : PMAPDB_OK;
}

/* ---- each of them ---- */

typedef struct proof {
    size_t read;
    marks lost, wrong, wrong_categories;
} proof;

/* A statement that failed on damage is no reason to stop: the next snapshot may lie elsewhere. */
static void prove(pm_doctor *d, int64_t id, proof *p)
{
    sqlite3_stmt *stmt;
    bool has = false;
    pmapdb_error err;
    pmapdb_status st = pm_sql_rows(d->store->sql, proof_of_one, PM_ARGS(PM_I(id)), &stmt, &err);

    if (st == PMAPDB_OK)
        st = pm_sql_step(d->store->sql, stmt, &has, &err);
    if (st != PMAPDB_OK) {
        d->nomem |= st == PMAPDB_NOMEM;
        if (st != PMAPDB_NOMEM)
            mark(&p->lost, id);
        return;
    }
    if (!has)
        return; /* pruned meanwhile */
    p->read++;
    if (!sqlite3_column_int(stmt, 0))
        mark(&p->wrong, id);
    if (!sqlite3_column_int(stmt, 1))
        mark(&p->wrong_categories, id);
    pm_sql_done(stmt);
}

static void tell_sums(pm_doctor *d, const char *check, marks *wrong, size_t of, const char *what)
{
    if (!of)
        return;
    if (wrong->n)
        pm_doctor_tell(d, check, PMAPDB_HEALTH_TROUBLE, (double)wrong->n, "snapshots",
                       "have other sums than their %s: %s", what, words_of(wrong));
    else
        pm_doctor_tell(d, check, PMAPDB_HEALTH_OK, (double)of, "snapshots",
                       "have the sums of their %s", what);
}

static void tell_all(pm_doctor *d, const id_list *ids, proof *p)
{
    bool bad = p->lost.n || !ids->whole;

    pm_doctor_tell(d, "readable", bad ? PMAPDB_HEALTH_TROUBLE : PMAPDB_HEALTH_OK, (double)p->read,
                   "snapshots", "of %s%zu%s%s", ids->whole ? "" : "at least ", ids->n,
                   p->lost.n ? "; damaged: " : "", p->lost.n ? words_of(&p->lost) : "");
    tell_sums(d, "sums", &p->wrong, p->read, "mappings");
    tell_sums(d, "categories", &p->wrong_categories, p->read, "categories");
}

/* What is asked of a stretch of time relies on it. */
static void check_order(pm_doctor *d)
{
    sqlite3_stmt *stmt;
    bool has;
    marks back = {0};
    pmapdb_error err;
    pmapdb_status st = pm_sql_rows(
        d->store->sql,
        "SELECT snapshot_id FROM (SELECT snapshot_id, taken_ms < lag(taken_ms) OVER (PARTITION BY "
        "epoch_id ORDER BY off) AS back FROM snapshot) WHERE back ORDER BY snapshot_id",
        PM_NO_ARGS, &stmt, &err);

    while (st == PMAPDB_OK && (st = pm_sql_step(d->store->sql, stmt, &has, &err)) == PMAPDB_OK &&
           has)
        mark(&back, pm_col_int(stmt, 0));
    if (st != PMAPDB_OK)
        pm_doctor_lost(d, "order", &err);
    else if (back.n)
        pm_doctor_tell(d, "order", PMAPDB_HEALTH_TROUBLE, (double)back.n, "snapshots",
                       "stand behind later ones: a time was changed by hand: %s", words_of(&back));
    pm_buf_free(&back.words);
}

void pm_doctor_proof(pm_doctor *d)
{
    id_list ids = {0};
    proof p = {0};
    pmapdb_error err;
    pmapdb_status st = list_all(d, &ids, &err);

    for (size_t i = 0; i < ids.n && st == PMAPDB_OK; i++)
        prove(d, ids.id[i], &p);
    if (st == PMAPDB_OK)
        tell_all(d, &ids, &p);
    else
        pm_doctor_lost(d, "readable", &err);
    check_order(d);
    pm_buf_free(&p.lost.words);
    pm_buf_free(&p.wrong.words);
    pm_buf_free(&p.wrong_categories.words);
    free(ids.id);
}
