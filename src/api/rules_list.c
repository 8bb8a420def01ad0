/* rules_list: the rules of a set, and how many lineages of the store each decided. */
#include "api/rules.h"

#include <stdlib.h>

typedef struct counts {
    const pm_rules *rules;
    int64_t *lineages; /* of each rule; NULL: not known */
} counts;

static void add_count(counts *c, pm_text name, int64_t lineages)
{
    for (size_t i = 0; i < pm_rules_count(c->rules); i++)
        if (pm_text_equal(name, pm_text_of(pm_rules_name(c->rules, i)))) {
            c->lineages[i] = lineages;
            return;
        }
}

static pmapdb_status count_lineages(pmapdb_store *store, counts *c, pmapdb_error *err)
{
    sqlite3_stmt *stmt;
    bool has = true;
    pmapdb_status st;

    c->lineages = calloc(pm_rules_count(c->rules), sizeof *c->lineages);
    if (!c->lineages)
        return pm_fail_nomem(err);
    st = pm_sql_rows(store->sql, "SELECT rule, count(*) FROM lineage GROUP BY rule", PM_NO_ARGS,
                     &stmt, err);
    while (st == PMAPDB_OK && (st = pm_sql_step(store->sql, stmt, &has, err)) == PMAPDB_OK && has)
        add_count(c, pm_col_text(stmt, 0), pm_col_int(stmt, 1));
    return st;
}

static pmapdb_status tell_rule(const counts *c, size_t i, const pmapdb_rules_options *options,
                               pmapdb_error *err)
{
    pm_buf words = {0};
    pmapdb_status st = pm_rules_words(c->rules, i, &words, err);

    if (st == PMAPDB_OK)
        options->on_rule(options->ctx,
                         &(pmapdb_rule){
                             .position = (int64_t)i + 1,
                             .name = pm_rules_name(c->rules, i),
                             .category = pm_rules_template(c->rules, i),
                             .conditions = words.data,
                             .note = pm_rules_note(c->rules, i),
                             .of_object = pm_rules_of_object(c->rules, i),
                             .lineages = c->lineages ? c->lineages[i] : PMAPDB_UNKNOWN,
                         });
    pm_buf_free(&words);
    return st;
}

static pmapdb_status tell_all(pmapdb_store *store, const pm_rules_choice *c,
                              const pmapdb_rules_options *options, pmapdb_error *err)
{
    counts known = {.rules = c->rules};
    pmapdb_rule_set set = pm_rules_choice_about(c);
    pmapdb_status st = PMAPDB_OK;

    if (options->on_set)
        options->on_set(options->ctx, &set);
    if (!options->on_rule)
        return PMAPDB_OK;
    if (c->stored)
        st = count_lineages(store, &known, err);
    for (size_t i = 0; i < pm_rules_count(c->rules) && st == PMAPDB_OK; i++)
        st = tell_rule(&known, i, options, err);
    free(known.lineages);
    return st;
}

pmapdb_status pmapdb_rules(pmapdb_store *store, const pmapdb_rules_options *options,
                           pmapdb_error *err)
{
    pm_rules_choice c = {0};
    pmapdb_status st = pm_rules_choose(store, options->rules, options->application, &c, err);

    PM_STEP(st, pm_rules_choice_read(&c, options->on_note, options->ctx, err));
    PM_STEP(st, tell_all(store, &c, options, err));
    pm_rules_choice_free(&c);
    return st;
}
