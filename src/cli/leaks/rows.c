/* rows: keeps the rows of the query leaks, grouped by process. */
#include "cli/leaks/rows.h"

#include "base/num.h"
#include "cli/run.h"
#include "stats/leaks/leaks.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define AT(member) offsetof(pm_leak_row, member)

static const struct field {
    const char *column;
    enum kind { TEXT, INT, REAL } kind;
    size_t at;
} fields[] = {
    {"key", TEXT, AT(key)},
    {"verdict", TEXT, AT(verdict_name)},
    {"name", TEXT, AT(name)},
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
    {"last_at", TEXT, AT(last_at)},
    {"touched", TEXT, AT(touched)},
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
#define N_NEEDED \
    2 /* so many of `fields` are required: a query without them is not a query of leaks */

static pm_text text_of(pm_pool *texts, const pmapdb_rows *rows, int column)
{
    pm_text t = {"", 0};
    uint32_t id;
    pmapdb_error err;

    t.data = pmapdb_rows_text(rows, column, &t.len);
    pm_cli_must(pm_pool_text(texts, t, &id, &err), &err);
    return pm_pool_text_get(texts, id);
}

/* Reads a column; sets the field to unknown if the query has no such column. */
static void read_field(pm_leak_rows *out, const pmapdb_rows *rows, int column, enum kind kind,
                       void *to)
{
    pmapdb_type type = column < 0 ? PMAPDB_NULL : pmapdb_rows_type(rows, column);

    if (kind == TEXT)
        *(pm_text *)to = type == PMAPDB_TEXT ? text_of(out->texts, rows, column) : PM_TEXT("");
    else if (kind == INT)
        *(int64_t *)to = type == PMAPDB_INT ? pmapdb_rows_int(rows, column) : PMAPDB_UNKNOWN;
    else
        *(double *)to = type == PMAPDB_NULL ? NAN : pmapdb_rows_real(rows, column);
}

pm_verdict pm_leak_verdict_of(pm_text name)
{
    pm_verdict v = PM_VERDICT_LEAK;

    while (v > PM_VERDICT_TOO_FEW && !pm_text_equal(name, pm_text_of(pm_verdict_name(v))))
        v--;
    return v;
}

/* Sets the fields that depend on several columns. `before` is the previous row, or NULL. */
static void conclude(pm_leak_row *row, const pm_leak_row *before, bool has_path)
{
    uint64_t lineage;

    row->verdict = pm_leak_verdict_of(row->verdict_name);
    row->whole = pm_text_equal(row->key, PM_TEXT("total")) &&
                 (!before || before->process_id != row->process_id);
    row->lineage = has_path && !row->whole && pm_num_all(row->key, &lineage) ? (int64_t)lineage
                                                                             : PMAPDB_UNKNOWN;
}

void pm_leak_rows_read(pm_leak_rows *out, pmapdb_rows *rows)
{
    int column[N_FIELDS], path = pm_answer_column(rows, "path");
    pmapdb_error err;

    pm_cli_must(pm_pool_new(&out->texts, &err), &err);
    for (size_t i = 0; i < N_FIELDS; i++) {
        column[i] = pm_answer_column(rows, fields[i].column);
        if (i < N_NEEDED && column[i] < 0)
            pm_cli_die("the query has no column 'key' or 'verdict'");
    }
    while (pm_run_next(rows)) {
        pm_leak_row *row;

        pm_cli_must(pm_grow(&out->row, &out->cap, out->n, sizeof *out->row, &err), &err);
        row = &out->row[out->n];
        for (size_t i = 0; i < N_FIELDS; i++)
            read_field(out, rows, column[i], fields[i].kind, (char *)row + fields[i].at);
        conclude(row, out->n ? row - 1 : NULL,
                 path >= 0 && pmapdb_rows_type(rows, path) == PMAPDB_TEXT);
        out->n++;
    }
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

bool pm_leak_row_is_kib(const pm_leak_row *row)
{
    return pm_text_equal(row->unit, PM_TEXT("KiB"));
}

/* ---- processes ---- */

size_t pm_leak_group_found(const pm_leak_group *g)
{
    return g->n[PM_VERDICT_LEAK] + g->n[PM_VERDICT_SUSPECT];
}

size_t pm_leak_group_healthy(const pm_leak_group *g)
{
    return g->n[PM_VERDICT_STEADY] + g->n[PM_VERDICT_PLATEAU] + g->n[PM_VERDICT_SHRINKING];
}

pm_leak_group pm_leak_group_at(const pm_leak_rows *rows, const pm_leak_row *begin)
{
    pm_leak_group g = {.begin = begin, .end = begin};
    pm_verdict worst = PM_VERDICT_TOO_FEW;
    bool parts = false;

    for (; g.end < rows->row + rows->n && g.end->process_id == begin->process_id; g.end++)
        if (!g.end->whole) {
            g.n[g.end->verdict]++;
            worst = !parts || g.end->verdict > worst ? g.end->verdict : worst;
            parts = true;
        }
    /* A process row that only sums up its parts is not a separate finding. */
    g.alone =
        begin->whole && begin->verdict >= PM_VERDICT_SUSPECT && (!parts || begin->verdict > worst);
    if (!parts || g.alone)
        g.n[begin->verdict]++;
    return g;
}

/* Orders by verdict, then growth in KiB before growth in number, then by rate. */
static bool is_worse(const pm_leak_row *a, const pm_leak_row *than)
{
    bool kib = pm_leak_row_is_kib(a), than_kib = pm_leak_row_is_kib(than);

    if (a->verdict != than->verdict)
        return a->verdict > than->verdict;
    return kib != than_kib ? kib : a->rate > than->rate;
}

const pm_leak_row *pm_leak_group_worst(const pm_leak_group *g)
{
    const pm_leak_row *worst = NULL;

    for (const pm_leak_row *r = g->begin; r < g->end; r++)
        if (r->verdict >= PM_VERDICT_SUSPECT && (!r->whole || g->alone) &&
            (!worst || is_worse(r, worst)))
            worst = r;
    return worst;
}

static int compare_groups(const void *x, const void *y)
{
    const pm_leak_group *a = x, *b = y;
    const pm_leak_row *worst = pm_leak_group_worst(a), *other = pm_leak_group_worst(b);
    double last = isnan(a->begin->last) ? -1 : a->begin->last;
    double other_last = isnan(b->begin->last) ? -1 : b->begin->last;

    if (!worst != !other)
        return worst ? -1 : 1;
    if (worst && is_worse(worst, other))
        return -1;
    if (worst && is_worse(other, worst))
        return 1;
    if (last != other_last)
        return last > other_last ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

pm_leak_group *pm_leak_groups(const pm_leak_rows *rows, size_t *n)
{
    pm_leak_group *groups = calloc(rows->n + 1, sizeof *groups);

    if (!groups)
        pm_cli_no_memory();
    *n = 0;
    for (const pm_leak_row *r = rows->row; r < rows->row + rows->n; r = groups[(*n)++].end)
        groups[*n] = pm_leak_group_at(rows, r);
    qsort(groups, *n, sizeof *groups, compare_groups);
    return groups;
}

pmapdb_status pm_leak_row_write(const pm_leak_row *row, const pm_sink *sink, pmapdb_error *err)
{
    pm_pair pairs[N_FIELDS + 2];

    for (size_t i = 0; i < N_FIELDS; i++) {
        const void *from = (const char *)row + fields[i].at;
        pm_value *v = &pairs[i].value;

        pairs[i] = (pm_pair){.key = fields[i].column};
        if (fields[i].kind == INT)
            *v = pm_value_int(*(const int64_t *)from);
        else if (fields[i].kind == REAL)
            *v = (pm_value){isnan(*(const double *)from) ? PM_VALUE_NULL : PM_VALUE_REAL,
                            .r = *(const double *)from};
        else
            *v = (pm_value){((const pm_text *)from)->len ? PM_VALUE_TEXT : PM_VALUE_NULL,
                            .t = *(const pm_text *)from};
    }
    pairs[N_FIELDS] = (pm_pair){.key = "whole", .value = pm_value_int(row->whole), .boolean = true};
    pairs[N_FIELDS + 1] = (pm_pair){.key = "lineage", .value = pm_value_int(row->lineage)};
    return pm_render_object(sink, pairs, N_FIELDS + 2, err);
}

static pmapdb_status add(void *ctx, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_buf_add(ctx, bytes, n, err);
}

void pm_leak_rows_json(const pm_leak_row *begin, const pm_leak_row *end, pm_buf *out)
{
    const pm_sink sink = {out, add};
    pmapdb_error err;

    for (const pm_leak_row *row = begin; row < end; row++) {
        pm_buf_add(out, row > begin ? "," : "[", 1, NULL);
        pm_cli_must(pm_leak_row_write(row, &sink, &err), &err);
    }
    pm_buf_addf(out, NULL, begin < end ? "]" : "[]");
    pm_cli_must(pm_buf_status(out, &err), &err);
}

const char *pm_leak_limit_words(const pm_leak_row *row)
{
    static const struct {
        pm_leak_limit by;
        const char *words;
    } known[] = {{PM_LIMIT_CGROUP, "cgroup limit "},
                 {PM_LIMIT_ADDRESS, "address space limit (ulimit -v) "},
                 {PM_LIMIT_STACK, "stack limit (ulimit -s) "},
                 {PM_LIMIT_MAP_COUNT, "vm.max_map_count "}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (pm_text_equal(row->limit_by, pm_text_of(pm_leak_limit_name(known[i].by))))
            return known[i].words;
    return "";
}
