/* rules_of: prints the result of a set of rules for every mapping in captures:
 *     rules_of NAME|FILE CAPTURE...
 * For each capture, prints "= " and its path, then a line per mapping, ordered by address:
 *     START KIB RSS RULE BASE CATEGORY          RSS "?" if unknown, RULE "-" for none */
#include "api/categorize.h"
#include "api/rules.h"
#include "parse/reader.h"
#include "store/rules/rules_file.h"

#include <stdio.h>

typedef struct judging {
    const pm_rules *set;
    pm_pool *pool;
} judging;

static void print_row(const judging *j, const pm_mapping *m, pm_category base, size_t rule,
                      pm_text category)
{
    printf("%lx %lu ", (unsigned long)m->start, (unsigned long)(m->end - m->start) / 1024);
    if (pm_has(m, PM_BIT(PM_RSS)))
        printf("%lu", (unsigned long)m->value[PM_RSS]);
    else
        printf("?");
    printf(" %s %s %.*s\n", rule == PM_NO_RULE ? "-" : pm_rules_texts(j->set, rule)->name,
           pm_categories[base].slug, (int)category.len, category.data);
}

static pmapdb_status judge_block(void *ctx, const pm_block *block, uint32_t *rows, size_t n,
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
            print_row(j, all.row[i], pm_classify_mapping(&all.context, all.row[i]), rule,
                      pm_buf_text(&category));
    }
    pm_categorize_end(&all);
    pm_buf_free(&category);
    return st;
}

static pmapdb_status judge_file(judging *j, const char *path)
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

int main(int argc, char **argv)
{
    pm_rules *set = NULL;
    pm_buf text = {0};
    pmapdb_error err = {0};
    pmapdb_status st = pm_rules_find(argc > 1 ? argv[1] : "default", &text, &err);

    if (st == PMAPDB_OK)
        st = pm_rules_read(pm_buf_text(&text), argc > 1 ? argv[1] : "default", &set, &err);
    for (int i = 2; i < argc && st == PMAPDB_OK; i++) {
        judging j = {.set = set};

        printf("= %s\n", argv[i]);
        st = judge_file(&j, argv[i]);
        if (st != PMAPDB_OK)
            snprintf(err.text, sizeof err.text, "cannot read '%s'", argv[i]);
    }
    if (st != PMAPDB_OK)
        fprintf(stderr, "%s\n", err.text);
    pm_rules_free(set);
    pm_buf_free(&text);
    return st == PMAPDB_OK ? 0 : 2;
}
