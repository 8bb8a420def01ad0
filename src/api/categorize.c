/* categorize: the categories of a capture that is not in a store. */
#include "api/categorize.h"

#include <stdlib.h>

static pm_rule_row row_of(const pm_categorize *c, const pm_mapping *m)
{
    return (pm_rule_row){.start = m->start,
                         .length = m->end - m->start,
                         .path = m->path,
                         .flags = m->flags,
                         .perms = m->perms,
                         .base = pm_classify_mapping(&c->context, m),
                         .has_flags = pm_has(m, PM_HAS_FLAGS)};
}

static int by_start(const void *a, const void *b)
{
    const pm_mapping *x = *(const pm_mapping *const *)a, *y = *(const pm_mapping *const *)b;

    return x->start < y->start ? -1 : x->start > y->start;
}

pmapdb_status pm_categorize_begin(pm_categorize *c, const pm_rules *rules,
                                  const pm_capture *capture, pmapdb_error *err)
{
    *c = (pm_categorize){.rules = rules, .n = capture->n_rows};
    c->row = calloc(c->n + 1, sizeof *c->row);
    if (!c->row)
        return pm_fail_nomem(err);
    pm_classify_prepare(capture, &c->context);
    for (size_t i = 0; i < c->n; i++)
        c->row[i] = pm_capture_row(capture, i);
    qsort(c->row, c->n, sizeof *c->row, by_start);
    for (size_t i = 0; i < c->n; i++) {
        pm_rule_row row = row_of(c, c->row[i]);

        c->facts |= pm_rules_facts(rules, PM_RULES_ALL_TERMS, &row);
    }
    return PMAPDB_OK;
}

void pm_categorize_end(pm_categorize *c)
{
    free(c->row);
    *c = (pm_categorize){0};
}

pmapdb_status pm_categorize_row(const pm_categorize *c, const pm_mapping *m, size_t *rule,
                                pm_buf *category, pmapdb_error *err)
{
    const pm_mapping **found = bsearch(&m, c->row, c->n, sizeof *c->row, by_start);
    size_t at = (size_t)(found - c->row);
    pm_rule_row row = row_of(c, m), below = {0}, above = {0};
    pmapdb_status st;

    if (at > 0)
        below = row_of(c, c->row[at - 1]);
    if (at + 1 < c->n)
        above = row_of(c, c->row[at + 1]);
    *rule = pm_rules_match(c->rules, c->facts, at > 0 ? &below : NULL, &row,
                           at + 1 < c->n ? &above : NULL);
    st = pm_rules_check(c->rules, err);
    return st == PMAPDB_OK ? pm_rules_category(c->rules, *rule, &row, category, err) : st;
}
