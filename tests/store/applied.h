/* applied: rules of a test, given to a new store or applied to an existing one. */
#ifndef TESTS_STORE_APPLIED_H
#define TESTS_STORE_APPLIED_H

#include "kit.h"

#include "store/rules/apply.h"
#include "store/rules/rules_file.h"

/* Rules with every condition, new categories, categories from file names, and base slugs. */
#define APPLIED_OTHERS                                                               \
    "rule,category,base,path,perms,flags,size,below,above,with\n"                    \
    "library,Library %b,shared-library,,,,,,,\n"                                     \
    "ring,reserve/ring,reserve,,,,,,,path=*ring\n"                                   \
    "big,anonymous/big,anonymous,,,,512..,,,\n"                                      \
    "beside,anonymous/beside,anonymous,,,,,base=reserve,,\n"                         \
    "seen,anonymous/seen,anonymous,,,mr,,,,\n"                                       \
    "blind,anonymous/blind,anonymous,,,?,,,base=anonymous,!base=reserve size=1M..\n" \
    "near,heap,heap,,,,,,base=anonymous,\n"                                          \
    "heap,heap/far,heap,,,,128..,,,\n"                                               \
    "under,reserve/under,reserve,,,,,,base=anonymous perms=rw?p size=..512,\n"

/* Later captures follow these rules; stored captures keep their categories. */
static inline void applied_use(const kit *k, const char *text)
{
    pm_rule_text rules = {.applied_ms = PMAPDB_UNKNOWN};

    kit_ok(pm_buf_add(&rules.name, "test", 4, NULL), NULL);
    kit_ok(pm_buf_add(&rules.text, text, strlen(text), NULL), NULL);
    pm_rule_text_store(k->store->sql, &rules);
    kit_steps(k);
    pm_rule_text_free(&rules);
    pm_store_forget(k->store);
}

typedef struct applied {
    pm_buf *changes;           /* text of the changes, or NULL */
    size_t stop_at;            /* the number of the process to stop at; 0: never */
    bool parted;               /* each epoch is a transaction */
    bool forgets;              /* names that programs gave */
    void (*meanwhile)(void *); /* called while the rules are matched; may be NULL */
    void *ctx;
} applied;

static inline void applied_change(void *ctx, const pmapdb_rules_change *c)
{
    applied *a = ctx;

    if (a->changes)
        pm_buf_addf(a->changes, NULL, "%s > %s %s %lld: %lld %lld %lld\n", c->from, c->to,
                    c->rule ? c->rule : "-", (long long)c->lineages, (long long)c->mappings,
                    (long long)c->size_kib,
                    c->rss_kib == PMAPDB_UNKNOWN ? -1 : (long long)c->rss_kib);
}

static inline bool applied_process(void *ctx, const pmapdb_progress *progress)
{
    const applied *a = ctx;

    assert_true(progress->done <= progress->of);
    if (a->meanwhile)
        a->meanwhile(a->ctx);
    return progress->done != a->stop_at;
}

static inline pmapdb_status applied_try(const kit *k, const char *text, bool keep, applied *how,
                                        pmapdb_rules_result *out, pmapdb_error *err)
{
    pm_rule_text rules = {0};
    pm_rules *compiled = NULL;
    const pmapdb_rules_options options = {.dry_run = !keep,
                                          .forget_labels = how->forgets,
                                          .ctx = how,
                                          .on_change = applied_change,
                                          .on_progress = applied_process};
    pm_apply apply = {.text = &rules, .options = &options, .versions = how->parted};
    pmapdb_status st;

    kit_ok(pm_buf_add(&rules.name, "test", 4, NULL), NULL);
    kit_ok(pm_buf_add(&rules.text, text, strlen(text), NULL), NULL);
    kit_ok(pm_rules_read(pm_text_of(text), "test", &compiled, err), err);
    apply.rules = compiled;
    st = pm_apply_rules(k->store, &apply, out, err);
    pm_rules_free(compiled);
    pm_rule_text_free(&rules);
    return st;
}

static inline pmapdb_rules_result applied_to(const kit *k, const char *text, bool keep,
                                             pm_buf *changes)
{
    applied how = {.changes = changes};
    pmapdb_rules_result result;
    pmapdb_error err = {0};

    kit_ok(applied_try(k, text, keep, &how, &result, &err), &err);
    return result;
}

/* The sums of the categories, with the texts of the categories. */
#define APPLIED_SUMS                                                                          \
    "SELECT v.epoch_id, c.category, v.first, v.last, v.mappings, v.size_kib, v.rss_kib, "     \
    "v.pss_kib, v.private_kib, v.private_dirty_kib, v.swap_kib FROM category_version v JOIN " \
    "category c ON c.category_id = v.category_id ORDER BY 1, 2, 3"
#define APPLIED_UNUSED                                                                      \
    "SELECT category FROM category WHERE category_id > 14 AND category_id NOT IN (SELECT "  \
    "category_id FROM lineage UNION SELECT category_id FROM category_version UNION SELECT " \
    "category_id "                                                                          \
    "FROM region WHERE category_id IS NOT NULL)"

#endif
