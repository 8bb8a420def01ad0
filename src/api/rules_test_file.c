/* rules_test_file: mappings and the categories that a set of rules must give them. */
#include "api/rules_test_file.h"

#include "api/categorize.h"
#include "base/num.h"
#include <stdlib.h>

enum column { CASE, START, SIZE, PERMS, DEVICE, INODE, PATH, FLAGS, CATEGORY, COLUMNS };

static const pm_csv_column columns[COLUMNS] = {
    {"case", true},   {"start", true}, {"size_kib", true}, {"perms", true},   {"device", false},
    {"inode", false}, {"path", true},  {"flags", false},   {"category", true}};

typedef struct wanted {
    uint64_t line;
    uint32_t name, category; /* texts of the pool */
    uint32_t mapping;
    size_t order; /* of the case: its first row */
} wanted;

typedef struct testing {
    const pm_rules_test *test;
    pm_rules_test_result *result;
    pm_pool *pool;
    wanted *row;
    size_t n, cap;
} testing;

/* ---- reading ---- */

static bool read_device(pm_text t, pm_mapping *m)
{
    uint64_t major, minor;
    size_t n = pm_num_hex(t.data, t.data + t.len, &major), rest;

    if (n == 0 || n >= t.len || t.data[n] != ':')
        return false;
    rest = t.len - n - 1;
    if (pm_num_hex(t.data + n + 1, t.data + t.len, &minor) != rest || (major | minor) >> 32)
        return false;
    m->dev_major = (uint32_t)major;
    m->dev_minor = (uint32_t)minor;
    m->present |= PM_HAS_DEVICE;
    return true;
}

static bool read_perms(pm_text t, pm_mapping *m)
{
    static const char *const may[] = {"r-", "w-", "x-", "ps-"};

    for (size_t i = 0; i < 4; i++)
        if (t.len != 4 || !pm_char_in(t.data[i], may[i]))
            return false;
    memcpy(m->perms, t.data, 4);
    return true;
}

static bool read_place(pm_text start, pm_text size, pm_mapping *m)
{
    uint64_t kib;

    if (pm_text_starts(start, PM_TEXT("0x")))
        start = pm_text_from(start, 2);
    if (!start.len || pm_num_hex(start.data, start.data + start.len, &m->start) != start.len ||
        !pm_num_all(size, &kib) || kib == 0 || kib > (UINT64_MAX - m->start) >> 10)
        return false;
    m->end = m->start + kib * 1024;
    return true;
}

static pmapdb_status read_mapping(const pm_text *field, pm_mapping *m, pmapdb_error *err)
{
    if (!read_place(field[START], field[SIZE], m))
        return pm_fail(err, PMAPDB_INPUT, "start in hex and size_kib are no place in memory");
    if (!read_perms(field[PERMS], m))
        return pm_fail(err, PMAPDB_INPUT, "perms: not of four places, as rw-p");
    if (field[DEVICE].len && !read_device(field[DEVICE], m))
        return pm_fail(err, PMAPDB_INPUT, "device: not of the form 08:01");
    if (field[INODE].len) {
        if (!pm_num_all(field[INODE], &m->inode))
            return pm_fail(err, PMAPDB_INPUT, "inode: no number");
        m->present |= PM_HAS_INODE;
    }
    if (field[FLAGS].len) {
        m->present |= PM_HAS_FLAGS;
        m->flags = field[FLAGS];
    }
    m->path = field[PATH];
    return PMAPDB_OK;
}

static pmapdb_status take_row(void *ctx, uint64_t line, const pm_text *field, pmapdb_error *err)
{
    testing *t = ctx;
    wanted row = {.line = line, .order = t->n};
    pm_mapping m = {0};
    pmapdb_status st = read_mapping(field, &m, err);

    if (st == PMAPDB_OK && field[CATEGORY].len == 0)
        return pm_fail(err, PMAPDB_INPUT, "category: there is none");
    PM_STEP(st, pm_grow(&t->row, &t->cap, t->n, sizeof *t->row, err));
    PM_STEP(st, pm_pool_text(t->pool, field[CASE], &row.name, err));
    PM_STEP(st, pm_pool_text(t->pool, field[CATEGORY], &row.category, err));
    PM_STEP(st, pm_pool_mapping(t->pool, &m, &row.mapping, err));
    for (size_t i = 0; i < t->n && st == PMAPDB_OK && row.order == t->n; i++)
        if (t->row[i].name == row.name)
            row.order = t->row[i].order;
    if (st == PMAPDB_OK)
        t->row[t->n++] = row;
    return st;
}

/* ---- a case ---- */

/* By case and address; the pool is in the first. */
static int compare(const void *a, const void *b, void *ctx)
{
    const wanted *x = a, *y = b;
    const pm_mapping *m = pm_pool_get(ctx, x->mapping), *n = pm_pool_get(ctx, y->mapping);

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (m->start != n->start)
        return m->start < n->start ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static pmapdb_status judge(testing *t, const wanted *row, const pm_categorize *rows, pm_buf *got,
                           pmapdb_error *err)
{
    const pm_mapping *m = pm_pool_get(t->pool, row->mapping);
    pm_text expected = pm_pool_text_get(t->pool, row->category);
    pm_rules_difference difference = {.line = row->line,
                                      .start = m->start,
                                      .name = pm_pool_text_get(t->pool, row->name).data,
                                      .expected = expected.data};
    pmapdb_status st;

    pm_buf_clear(got);
    st = pm_categorize_row(rows, m, &difference.rule, got, err);
    if (st != PMAPDB_OK)
        return st;
    if (difference.rule != PM_NO_RULE && t->test->won)
        t->test->won[difference.rule]++;
    t->result->mappings++;
    if (!pm_text_equal(pm_buf_text(got), expected)) {
        difference.got = pm_buf_text(got).data;
        t->result->differ++;
        t->test->on_difference(t->test->ctx, &difference);
    }
    return PMAPDB_OK;
}

/* Rows [from, to) are one capture. */
static pmapdb_status run_case(testing *t, size_t from, size_t to, pm_buf *got, pmapdb_error *err)
{
    pm_capture capture = {.block = {.dialect = PM_DIALECT_SMAPS}, .pool = t->pool};
    pm_categorize rows = {0};
    pmapdb_status st;

    capture.rows = calloc(to - from, sizeof *capture.rows);
    if (!capture.rows)
        return pm_fail_nomem(err);
    for (size_t i = from; i < to; i++)
        capture.rows[capture.n_rows++] = t->row[i].mapping;
    st = pm_categorize_begin(&rows, t->test->set, &capture, err);
    for (size_t i = from; i < to && st == PMAPDB_OK; i++)
        st = judge(t, &t->row[i], &rows, got, err);
    pm_categorize_end(&rows);
    free(capture.rows);
    return st;
}

static pmapdb_status run_cases(testing *t, pmapdb_error *err)
{
    pm_buf got = {0};
    pmapdb_status st = PMAPDB_OK;

    if (t->n)
        qsort_r(t->row, t->n, sizeof *t->row, compare, t->pool);
    for (size_t from = 0, to; from < t->n && st == PMAPDB_OK; from = to) {
        for (to = from; to < t->n && t->row[to].order == t->row[from].order;)
            to++;
        st = run_case(t, from, to, &got, err);
    }
    pm_buf_free(&got);
    return st;
}

pmapdb_status pm_rules_test_run(const pm_rules_test *test, pm_rules_report *report,
                                pm_rules_test_result *result, pmapdb_error *err)
{
    testing t = {.test = test, .result = result};
    const pm_rules_csv csv = {.label = test->label,
                              .text = test->text,
                              .columns = columns,
                              .n_columns = COLUMNS,
                              .ctx = &t,
                              .row = take_row};
    pmapdb_status st = pm_pool_new(&t.pool, err);

    *result = (pm_rules_test_result){0};
    PM_STEP(st, pm_rules_csv_read(&csv, report, err));
    PM_STEP(st, run_cases(&t, err));
    pm_pool_free(t.pool);
    free(t.row);
    return st;
}
