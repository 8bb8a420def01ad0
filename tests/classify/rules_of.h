/* rules_of: applies a set of rules to every mapping in a file of captures, through the reader. */
#ifndef TESTS_CLASSIFY_RULES_OF_H
#define TESTS_CLASSIFY_RULES_OF_H

#include "base/buf.h"
#include "classify/rules.h"
#include "parse/reader.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct judged {
    const pm_mapping *m;
    pm_rule_row row;
} judged;

typedef struct judging {
    const pm_rules *set;
    void (*on_row)(void *ctx, const pm_mapping *m, pm_category base, size_t rule, pm_text category);
    void *ctx;
    pm_pool *pool;
    pm_capture capture;
    size_t cap;
} judging;

static inline pmapdb_status judge_mapping(void *ctx, const pm_mapping *m, pmapdb_error *err)
{
    judging *j = ctx;
    pm_capture *c = &j->capture;
    pmapdb_status st = pm_grow(&c->rows, &j->cap, c->n_rows, sizeof *c->rows, err);

    return st == PMAPDB_OK ? pm_pool_mapping(j->pool, m, &c->rows[c->n_rows++], err) : st;
}

static inline int judged_by_place(const void *a, const void *b)
{
    const judged *x = a, *y = b;

    return x->row.start < y->row.start ? -1 : x->row.start > y->row.start;
}

static inline judged judge_row(const pm_mapping *m, const pm_classify_context *context)
{
    judged j = {.m = m,
                .row = {.start = m->start,
                        .length = m->end - m->start,
                        .base = pm_classify_mapping(context, m),
                        .perms = m->perms,
                        .has_flags = pm_has(m, PM_HAS_FLAGS),
                        .path = m->path,
                        .flags = m->flags}};

    return j;
}

static inline void judge_all(judging *j, judged *rows, size_t n, pm_buf *category)
{
    uint64_t facts = 0;

    for (size_t i = 0; i < n; i++) {
        facts |= pm_rules_facts(j->set, &rows[i].row);
    }
    for (size_t i = 0; i < n; i++) {
        size_t rule = pm_rules_match(j->set, facts, i ? &rows[i - 1].row : NULL, &rows[i].row,
                                     i + 1 < n ? &rows[i + 1].row : NULL);

        pm_buf_clear(category);
        if (pm_rules_category(j->set, rule, &rows[i].row, category, NULL) == PMAPDB_OK)
            j->on_row(j->ctx, rows[i].m, rows[i].row.base, rule, pm_buf_text(category));
    }
}

static inline pmapdb_status judge_block(void *ctx, const pm_block *block, pmapdb_error *err)
{
    judging *j = ctx;
    pm_capture *c = &j->capture;
    judged *rows = calloc(c->n_rows + 1, sizeof *rows);
    pm_classify_context context;
    pm_buf category = {0};

    (void)err;
    if (!rows)
        return PMAPDB_NOMEM;
    c->block.dialect = block->dialect;
    pm_classify_prepare(c, &context);
    for (size_t i = 0; i < c->n_rows; i++)
        rows[i] = judge_row(pm_capture_row(c, i), &context);
    qsort(rows, c->n_rows, sizeof *rows, judged_by_place);
    judge_all(j, rows, c->n_rows, &category);
    pm_buf_free(&category);
    free(rows);
    c->n_rows = 0;
    return PMAPDB_OK;
}

/* Calls j->on_row for each mapping of each capture in the file, by address. */
static inline pmapdb_status judge_file(judging *j, const char *path)
{
    const pm_reader_events events = {j, judge_mapping, judge_block};
    pm_reader *reader = NULL;
    char bytes[16384];
    size_t n;
    FILE *file = fopen(path, "re");
    pmapdb_status st = file ? pm_pool_new(&j->pool, NULL) : PMAPDB_IO;

    if (st == PMAPDB_OK)
        st = pm_reader_new(&events, PM_DIALECT_COUNT, &reader, NULL);
    j->capture.pool = j->pool;
    while (st == PMAPDB_OK && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
        st = pm_reader_feed(reader, bytes, n, NULL);
    if (st == PMAPDB_OK)
        st = pm_reader_finish(reader, NULL);
    pm_reader_free(reader);
    pm_pool_free(j->pool);
    free(j->capture.rows);
    j->capture = (pm_capture){0};
    j->cap = 0;
    if (file)
        fclose(file);
    return st;
}

#endif
