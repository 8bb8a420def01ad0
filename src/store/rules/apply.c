/* apply: other rules over all that a store has. */
#include "store/rules/apply_work.h"

#include "base/clock.h"
#include "store/dict/ids.h"

/* ---- one process ---- */

static pmapdb_status ask_and_write(pm_applying *a, pm_apply_changes *changes, pmapdb_error *err)
{
    pmapdb_status st = pm_applying_read(a, err);

    if (st == PMAPDB_OK)
        st = pm_applying_ask(a, err);
    if (st == PMAPDB_OK && changes)
        st = pm_apply_changes_add(changes, a, err);
    return st == PMAPDB_OK ? pm_applying_write(a, err) : st;
}

pmapdb_status pm_apply_process(const pm_apply_within *within, int64_t snapshot_id,
                               pmapdb_error *err)
{
    pm_applying a = {.in = *within, .since = snapshot_id, .sums = true};
    pmapdb_status st = ask_and_write(&a, NULL, err);

    pm_applying_free(&a);
    return st;
}

static pmapdb_status find_lineage(const pm_applying *a, int64_t lineage_id, pm_apply_lineage **out,
                                  pmapdb_error *err)
{
    *out = pm_applying_lineage(a, lineage_id);
    return *out ? PMAPDB_OK
                : pm_fail(err, PMAPDB_DATABASE, "lineage %lld is missing; the store is damaged",
                          (long long)lineage_id);
}

pmapdb_status pm_apply_ask(const pm_apply_within *within, const int64_t *lineage_id, size_t n,
                           pmapdb_error *err)
{
    pm_applying a = {.in = *within, .which = PM_ASK_CHOSEN};
    pm_apply_lineage *l;
    pmapdb_status st = pm_applying_read(&a, err);

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        st = find_lineage(&a, lineage_id[i], &l, err);
        if (st == PMAPDB_OK)
            l->asked = true;
    }
    if (st == PMAPDB_OK)
        st = pm_applying_ask(&a, err);
    if (st == PMAPDB_OK)
        st = pm_applying_write(&a, err);
    pm_applying_free(&a);
    return st;
}

pmapdb_status pm_apply_lineages(const pm_apply_within *within, const pm_apply_ruling *ruling,
                                size_t n, pmapdb_error *err)
{
    pm_applying a = {.in = *within};
    pm_apply_lineage *l;
    pmapdb_status st = pm_applying_read(&a, err);

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        st = find_lineage(&a, ruling[i].lineage_id, &l, err);
        if (st == PMAPDB_OK)
            l->now = ruling[i].ruling;
    }
    if (st == PMAPDB_OK)
        st = pm_applying_write(&a, err);
    pm_applying_free(&a);
    return st;
}

/* ---- the store ---- */

typedef struct run {
    pmapdb_store *s;
    const pm_apply *apply;
    pm_apply_result *out;
    pm_apply_changes changes;
    pm_category_ids *categories;
    pm_rule_set *rules;
    pm_ids processes;
    bool same; /* the rules are those of the store */
} run;

static pmapdb_status find_processes(run *r, pmapdb_error *err)
{
    pm_sql *sql = r->s->sql;
    int64_t only = r->apply->process_id;
    sqlite3_stmt *stmt;
    bool has;
    pmapdb_status st = pm_sql_rows(
        sql, "SELECT process_id FROM process WHERE process_id = ?1 OR ?1 IS NULL ORDER BY 1",
        PM_ARGS(PM_I(only ? only : PMAPDB_UNKNOWN)), &stmt, err);

    if (st != PMAPDB_OK)
        return st;
    while ((st = pm_sql_step(sql, stmt, &has, err)) == PMAPDB_OK && has) {
        st = pm_ids_add(&r->processes, pm_col_int(stmt, 0), err);
        if (st != PMAPDB_OK) {
            pm_sql_done(stmt);
            return st;
        }
    }
    return st;
}

/* Where the rules are the store's own, what they gave stays: see is_same. */
static pm_apply_asked which_ask(const run *r)
{
    if (!r->apply->forget_labels)
        return PM_ASK_RULED;
    return r->same ? PM_ASK_LABELLED : PM_ASK_ALL;
}

/* What it shows is in memory as long as its turn: a store may have more than fits. */
static pmapdb_status one_process(run *r, int64_t process_id, pmapdb_error *err)
{
    pm_applying a = {.in = {.sql = r->s->sql,
                            .refine = {.categories = r->categories, .rules = r->rules},
                            .process_id = process_id},
                     .which = which_ask(r)};
    pmapdb_status st = pm_objects_new(a.in.sql, &a.in.objects, err);

    if (st == PMAPDB_OK)
        st = ask_and_write(&a, &r->changes, err);
    r->out->processes++;
    r->out->lineages += (int64_t)a.n_lineages;
    r->out->changed_lineages += (int64_t)a.changed_lineages;
    r->out->snapshots += (int64_t)a.line.n;
    r->out->changed_snapshots += (int64_t)a.changed_snapshots;
    r->out->unnamed += (int64_t)a.in.refine.unnamed;
    pm_applying_free(&a);
    pm_objects_free(a.in.objects);
    return st;
}

static pmapdb_status check_regexes(const run *r, uint64_t before, pmapdb_error *err)
{
    const pm_rules *rules = r->apply->rules;
    size_t rule;
    uint64_t n = pm_rules_gave_up(rules, &rule) - before;

    if (n == 0)
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_INPUT,
                   "rule '%s': its regex takes too long on a path in this store and gave up (%llu "
                   "times); nothing was changed",
                   pm_rules_name(rules, rule), (unsigned long long)n);
}

static pmapdb_status all_processes(run *r, pmapdb_error *err)
{
    size_t rule;
    uint64_t gave_up = pm_rules_gave_up(r->apply->rules, &rule);
    pmapdb_status st = find_processes(r, err);

    for (size_t i = 0; i < r->processes.n && st == PMAPDB_OK; i++) {
        st = one_process(r, r->processes.id[i], err);
        if (st == PMAPDB_OK)
            st = check_regexes(r, gave_up, err);
        if (st == PMAPDB_OK && r->apply->on_process)
            st = r->apply->on_process(r->apply->ctx, i + 1, r->processes.n, err);
    }
    return st;
}

/* They may be the store's own already: each of its lineages was decided by them then, some in
 * captures that were pruned since. */
static pmapdb_status is_same(run *r, pmapdb_error *err)
{
    const pm_rule_text *text = r->apply->text;
    pm_rule_text own = {0};
    pmapdb_status st = pm_rule_text_load(r->s->sql, &own, err);

    r->same = st == PMAPDB_OK && own.hash == pm_rule_text_hash(pm_buf_text(&text->text),
                                                               pm_buf_text(&text->application));
    r->out->same = r->same && !r->apply->forget_labels;
    pm_rule_text_free(&own);
    return st;
}

static pmapdb_status forget_labels(run *r, pmapdb_error *err)
{
    pm_arg only = PM_I(r->apply->process_id ? r->apply->process_id : PMAPDB_UNKNOWN);
    pmapdb_status st = pm_sql_int(r->s->sql,
                                  "SELECT count(*) FROM (SELECT DISTINCT process_id, taken_ms, "
                                  "source FROM label WHERE process_id = ?1 OR ?1 IS NULL)",
                                  PM_ARGS(only), 0, &r->out->reports, err);

    return st == PMAPDB_OK
               ? pm_sql_run(r->s->sql, "DELETE FROM label WHERE process_id = ?1 OR ?1 IS NULL",
                            PM_ARGS(only), err)
               : st;
}

/* Of the rules that were before. */
static pmapdb_status remove_unused(pm_sql *sql, pmapdb_error *err)
{
    return pm_sql_run(sql, "DELETE FROM category WHERE category_id IN (" PM_CATEGORIES_UNUSED ")",
                      PM_NO_ARGS, err);
}

static pmapdb_status store_text(run *r, pmapdb_error *err)
{
    pm_rule_text text = *r->apply->text;

    text.applied_ms = pm_clock_now();
    return pm_rule_text_store(r->s->sql, &text, err);
}

static pmapdb_status apply_all(run *r, pmapdb_error *err)
{
    pmapdb_status st = is_same(r, err);

    if (st == PMAPDB_OK && !r->out->same)
        st = r->same ? pm_category_ids_new(r->s->sql, &r->categories, err)
                     : pm_category_ids_anew(r->s->sql, &r->categories, err);
    if (st == PMAPDB_OK && !r->out->same)
        st = pm_rule_set_of(r->apply->rules, &r->rules, err);
    if (st == PMAPDB_OK && !r->out->same)
        st = all_processes(r, err);
    if (st == PMAPDB_OK && r->apply->forget_labels)
        st = forget_labels(r, err);
    if (st == PMAPDB_OK)
        st = pm_apply_changes_finish(&r->changes, r->s->sql, err);
    if (st == PMAPDB_OK && r->apply->keep && !r->out->same)
        st = remove_unused(r->s->sql, err);
    return st == PMAPDB_OK && r->apply->keep ? store_text(r, err) : st;
}

static pmapdb_status tell(const run *r, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; r->apply->on_change && i < r->changes.n && st == PMAPDB_OK; i++) {
        const struct pm_apply_step *step = &r->changes.step[i];
        pm_apply_change change = {.from = step->from_text,
                                  .to = step->to_text,
                                  .rule = step->rule,
                                  .lineages = step->lineages,
                                  .mappings = step->mappings,
                                  .size_kib = step->size_kib,
                                  .rss_kib = step->rss_kib};

        st = r->apply->on_change(r->apply->ctx, &change, err);
    }
    return st;
}

/* Foreign keys are off as around a prune: to remove a category SQLite would read all that could
 * refer to it. */
static pmapdb_status in_transaction(run *r, pmapdb_error *err)
{
    pmapdb_status st = pm_store_begin_tidying(r->s, err);

    if (st != PMAPDB_OK)
        return st;
    st = pm_store_begin(r->s, err);
    if (st == PMAPDB_OK)
        st = apply_all(r, err);
    if (st == PMAPDB_OK && r->apply->keep)
        st = pm_store_commit(r->s, err);
    if (st != PMAPDB_OK || !r->apply->keep)
        pm_store_rollback(r->s);
    pm_store_end_tidying(r->s);
    return st;
}

pmapdb_status pm_apply_rules(pmapdb_store *s, const pm_apply *apply, pm_apply_result *out,
                             pmapdb_error *err)
{
    run r = {.s = s, .apply = apply, .out = out};
    pmapdb_status st;

    *out = (pm_apply_result){0};
    if (apply->keep && apply->process_id)
        return pm_fail(err, PMAPDB_USAGE, "rules are those of all processes of a store");
    st = in_transaction(&r, err);
    if (st == PMAPDB_OK)
        st = tell(&r, err);
    pm_apply_changes_free(&r.changes);
    pm_category_ids_free(r.categories);
    pm_rule_set_free(r.rules);
    pm_ids_free(&r.processes);
    return st;
}
