/* leak_row: rows of the leaks queries, held. */
#include "cli/leak_row.h"

#include "base/buf.h"
#include "stats/leaks/leaks.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum kind { TEXT, INT, REAL } kind;

#define AT(member) offsetof(pm_leak_row, member)

static const struct {
    const char *column;
    kind kind;
    size_t at;
} fields[] = {
    {"name", TEXT, AT(name)},
    {"key", TEXT, AT(key)},
    {"category", TEXT, AT(category)},
    {"metric", TEXT, AT(metric)},
    {"unit", TEXT, AT(unit)},
    {"shape", TEXT, AT(shape)},
    {"since", TEXT, AT(since)},
    {"reason", TEXT, AT(reason)},
    {"dialect", TEXT, AT(dialect)},
    {"path", TEXT, AT(path)},
    {"limit_by", TEXT, AT(limit_by)},
    {"rss_from", TEXT, AT(rss_from)},
    {"pid", INT, AT(pid)},
    {"process_id", INT, AT(process_id)},
    {"snapshots", INT, AT(snapshots)},
    {"lives", INT, AT(lives)},
    {"span_h", REAL, AT(span_h)},
    {"first", REAL, AT(first)},
    {"last", REAL, AT(last)},
    {"rate_per_h", REAL, AT(rate)},
    {"rate_low", REAL, AT(low)},
    {"rate_high", REAL, AT(high)},
    {"confidence", REAL, AT(confidence)},
    {"detectable_per_h", REAL, AT(detectable)},
    {"limit", REAL, AT(limit)},
    {"eta_h", REAL, AT(eta_h)},
    {"mappings_per_h", REAL, AT(mappings)},
};

#define N_FIELDS (sizeof fields / sizeof *fields)

/* -1 where there is none. */
static int column_of(const pmapdb_rows *rows, const char *name)
{
    for (int i = 0; i < pmapdb_rows_columns(rows); i++)
        if (strcmp(pmapdb_rows_name(rows, i), name) == 0)
            return i;
    return -1;
}

static pmapdb_status read_text(pm_pool *texts, const pmapdb_rows *rows, int column, pm_text *out,
                               pmapdb_error *err)
{
    pm_text t = {"", 0};
    uint32_t id;
    pmapdb_status st;

    if (column >= 0 && pmapdb_rows_type(rows, column) == PMAPDB_TEXT)
        t.data = pmapdb_rows_text(rows, column, &t.len);
    st = pm_pool_text(texts, t, &id, err);
    if (st == PMAPDB_OK)
        *out = pm_pool_text_get(texts, id);
    return st;
}

static double read_real(const pmapdb_rows *rows, int column)
{
    pmapdb_type type = column < 0 ? PMAPDB_NULL : pmapdb_rows_type(rows, column);

    return type == PMAPDB_INT    ? (double)pmapdb_rows_int(rows, column)
           : type == PMAPDB_REAL ? pmapdb_rows_real(rows, column)
                                 : NAN;
}

static int64_t read_int(const pmapdb_rows *rows, int column)
{
    return column >= 0 && pmapdb_rows_type(rows, column) == PMAPDB_INT
               ? pmapdb_rows_int(rows, column)
               : PMAPDB_UNKNOWN;
}

static pm_verdict verdict_of(pm_text name)
{
    pm_verdict v = PM_VERDICT_LEAK;

    while (v > PM_VERDICT_TOO_FEW && !pm_text_equal(name, pm_text_of(pm_verdict_name(v))))
        v--;
    return v;
}

static pmapdb_status read_row(pm_leak_rows *out, const pmapdb_rows *rows, pmapdb_error *err)
{
    pm_leak_row row = {.whole = false};
    const pm_leak_row *before;
    int path = column_of(rows, "path");
    pm_text verdict;
    pmapdb_status st = pm_grow(&out->row, &out->cap, out->n, sizeof *out->row, err);

    for (size_t i = 0; i < N_FIELDS && st == PMAPDB_OK; i++) {
        int column = column_of(rows, fields[i].column);
        void *to = (char *)&row + fields[i].at;

        if (fields[i].kind == TEXT)
            st = read_text(out->texts, rows, column, to, err);
        else if (fields[i].kind == INT)
            *(int64_t *)to = read_int(rows, column);
        else
            *(double *)to = read_real(rows, column);
    }
    if (st == PMAPDB_OK)
        st = read_text(out->texts, rows, column_of(rows, "verdict"), &verdict, err);
    if (st != PMAPDB_OK)
        return st;
    row.verdict = verdict_of(verdict);
    before = out->n ? &out->row[out->n - 1] : NULL;
    row.is_lineage = path >= 0 && pmapdb_rows_type(rows, path) == PMAPDB_TEXT;
    row.whole = pm_text_equal(row.key, PM_TEXT("total")) &&
                (!before || before->process_id != row.process_id);
    out->row[out->n++] = row;
    return PMAPDB_OK;
}

pmapdb_status pm_leak_rows_read(pm_leak_rows *out, pmapdb_rows *rows, pmapdb_error *err)
{
    bool has;
    pmapdb_status st = pm_pool_new(&out->texts, err);

    if (st == PMAPDB_OK && (column_of(rows, "key") < 0 || column_of(rows, "verdict") < 0))
        return pm_fail(err, PMAPDB_USAGE, "the query has no column 'key' or 'verdict'");
    while (st == PMAPDB_OK && (st = pmapdb_next(rows, &has, err)) == PMAPDB_OK && has)
        st = read_row(out, rows, err);
    return st;
}

void pm_leak_rows_free(pm_leak_rows *rows)
{
    free(rows->row);
    pm_pool_free(rows->texts);
}

void pm_leak_row_who(const pm_leak_row *row, char *out, size_t size)
{
    int n = row->name.len < 128 ? (int)row->name.len : 128;

    if (row->pid == PMAPDB_UNKNOWN)
        snprintf(out, size, "%.*s", n, row->name.data);
    else
        snprintf(out, size, "%.*s/%lld", n, row->name.data, (long long)row->pid);
}

bool pm_leak_row_blind(const pm_leak_row *row)
{
    return pm_text_equal(row->rss_from, pm_text_of(pm_leak_rss_name(PM_RSS_UNKNOWN)));
}
