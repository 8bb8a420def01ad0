/* rules_apply: other rules over all that a store has. */
#include "api/rules.h"

#include "store/dict/categories.h"
#include "store/rules/apply.h"
#include <stdio.h>

static pmapdb_status on_process(void *ctx, size_t done, size_t of, pmapdb_error *err)
{
    const pmapdb_rules_options *o = ctx;

    if (o->on_progress && !o->on_progress(o->ctx, done, of))
        return pm_fail(err, PMAPDB_STOPPED, "stopped while rules were applied");
    return PMAPDB_OK;
}

static pmapdb_status on_change(void *ctx, const pm_apply_change *c, pmapdb_error *err)
{
    const pmapdb_rules_options *o = ctx;

    (void)err;
    if (o->on_change)
        o->on_change(o->ctx, &(pmapdb_rules_change){.from = c->from,
                                                    .to = c->to,
                                                    .rule = c->rule,
                                                    .lineages = c->lineages,
                                                    .mappings = c->mappings,
                                                    .size_kib = c->size_kib,
                                                    .rss_kib = c->rss_kib});
    return PMAPDB_OK;
}

static void say_unnamed(const pmapdb_rules_options *o, int64_t unnamed)
{
    char note[160];

    snprintf(note, sizeof note,
             "%lld mappings have the category of their slug alone: a store has room for %d such "
             "names",
             (long long)unnamed, PM_CATEGORIES_MAX - PM_CATEGORIES_KEPT);
    if (unnamed && o->on_note)
        o->on_note(o->ctx, false, note);
}

static pmapdb_status apply(pmapdb_store *store, const pm_rules_choice *c,
                           const pmapdb_rules_options *o, pmapdb_rules_result *out,
                           pmapdb_error *err)
{
    pm_apply_result result = {0};
    const pm_apply how = {.text = &c->text,
                          .rules = c->rules,
                          .keep = !o->dry_run,
                          .forget_labels = o->forget_labels,
                          .ctx = (void *)o,
                          .on_progress = on_process,
                          .on_change = on_change};
    pmapdb_status st = pm_apply_rules(store, &how, &result, err);

    if (st == PMAPDB_OK)
        say_unnamed(o, result.unnamed);
    if (st == PMAPDB_OK)
        *out = (pmapdb_rules_result){.same = result.same,
                                     .reports = result.reports,
                                     .processes = result.processes,
                                     .lineages = result.lineages,
                                     .changed_lineages = result.changed_lineages,
                                     .snapshots = result.snapshots,
                                     .changed_snapshots = result.changed_snapshots};
    return st;
}

pmapdb_status pmapdb_rules_apply(pmapdb_store *store, const pmapdb_rules_options *options,
                                 pmapdb_rules_result *result, pmapdb_error *err)
{
    pm_rules_choice c = {0};
    pmapdb_rule_set set;
    pmapdb_status st;

    if (!store->writes)
        return pm_fail(err, PMAPDB_USAGE, "rules are applied to a store that is open for writing");
    st = pm_rules_choose(store, options->rules, options->application, &c, err);
    PM_STEP(st, pm_rules_choice_read(&c, options->on_note, options->ctx, err));
    set = pm_rules_choice_about(&c);
    if (st == PMAPDB_OK && options->on_set)
        options->on_set(options->ctx, &set);
    PM_STEP(st, apply(store, &c, options, result, err));
    pm_rules_choice_free(&c);
    return st;
}
