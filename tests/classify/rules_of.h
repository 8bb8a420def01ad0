/* rules_of: applies a set of rules to every mapping in a file of captures, through the reader. */
#ifndef TESTS_CLASSIFY_RULES_OF_H
#define TESTS_CLASSIFY_RULES_OF_H

#include "api/categorize.h"
#include "parse/reader.h"

#include <stdio.h>

typedef struct judging {
    const pm_rules *set;
    void (*on_row)(void *ctx, const pm_mapping *m, pm_category base, size_t rule, pm_text category);
    void *ctx;
    pm_pool *pool;
} judging;

static inline pmapdb_status judge_block(void *ctx, const pm_block *block, uint32_t *rows, size_t n,
                                        pmapdb_error *err)
{
    judging *j = ctx;
    pm_capture c = {.block = *block, .pool = j->pool, .rows = rows, .n_rows = n};
    pm_categorize all;
    pm_buf category = {0};
    pmapdb_status st = pm_categorize_begin(&all, j->set, &c, err);

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        size_t rule;

        pm_buf_clear(&category);
        st = pm_categorize_row(&all, all.row[i], &rule, &category, err);
        if (st == PMAPDB_OK)
            j->on_row(j->ctx, all.row[i], pm_classify_mapping(&all.context, all.row[i]), rule,
                      pm_buf_text(&category));
    }
    pm_categorize_end(&all);
    pm_buf_free(&category);
    return st;
}

/* Calls j->on_row for each mapping of each capture in the file, by address. */
static inline pmapdb_status judge_file(judging *j, const char *path)
{
    pm_reader *reader = NULL;
    char bytes[16384];
    size_t n;
    FILE *file = fopen(path, "re");
    pmapdb_status st = file ? pm_pool_new(&j->pool, NULL) : PMAPDB_IO;

    if (st == PMAPDB_OK)
        st = pm_reader_new(PM_DIALECT_COUNT, j->pool, judge_block, j, &reader, NULL);
    while (st == PMAPDB_OK && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
        st = pm_reader_feed(reader, bytes, n, NULL);
    if (st == PMAPDB_OK)
        st = pm_reader_finish(reader, NULL);
    pm_reader_free(reader);
    pm_pool_free(j->pool);
    if (file)
        fclose(file);
    return st;
}

#endif
