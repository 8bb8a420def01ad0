/* apply: applies other rules to everything that a store contains.
 *
 * The rules are matched once for each lineage, in the deciding one of its remaining captures
 * (apply-judge.sql). If the category of a lineage changes, its regions and the sums by category of
 * the epochs that show it are written again. What would change is found first, without a lock; then
 * each process is a transaction, in which the sums of every capture that added up to its totals
 * must still do so. The report lists the changes, even if nothing is stored.
 *
 * The program itself named a lineage whose rule is PM_RULE_LABEL: no rule is matched for it, unless
 * labels are to be forgotten.
 */
#ifndef PM_STORE_APPLY_H
#define PM_STORE_APPLY_H

#include "store/file/steps.h"
#include "store/file/store.h"
#include "store/rules/rule_set.h"
#include "store/write/refine.h"

/* Lineages that change from one category to another. A change of the rule alone is not reported. */
typedef struct pm_apply_change {
    const char *from, *to; /* categories */
    const char *rule;      /* the rule that gives `to`; NULL: no rule, `to` is the base slug */
    int64_t lineages;
    /* Sums of the lineages in the newest preferred snapshot of each process that has mappings;
     * PMAPDB_UNKNOWN if one of the mappings does not show the value. */
    int64_t mappings, size_kib, rss_kib;
} pm_apply_change;

typedef struct pm_apply {
    const pm_rule_text *text; /* for table rule_set; hash and applied_ms are computed here */
    const pm_rules *rules;    /* the same rules, compiled */
    bool keep;                /* false: nothing is stored */
    bool forget_labels; /* deletes the labels that programs gave their own memory: see label.h */
    pm_steps steps;     /* if its receiver stops the run, nothing is stored; not asked once it is */
    void *ctx;
    /* May be NULL. Called at the end, largest rss first, after the commit; its status does not undo
     * the changes. Texts are valid during the call. */
    pmapdb_status (*on_change)(void *ctx, const pm_apply_change *change, pmapdb_error *err);
} pm_apply;

typedef struct pm_apply_result {
    bool same; /* the rules are the store's own and no labels are forgotten: nothing was done */
    int64_t reports; /* forgotten reports of programs about their own memory */
    int64_t processes, lineages, changed_lineages;
    int64_t snapshots, changed_snapshots; /* snapshots whose sums by category were written again */
    int64_t
        unnamed; /* mappings whose category is one too many for the store: they keep their slug */
} pm_apply_result;

/* Applies the rules in its own transaction. PMAPDB_INPUT if a regex of the rules gave up on a path:
 * its result would depend on the moment. */
pmapdb_status pm_apply_rules(pmapdb_store *s, const pm_apply *apply, pm_apply_result *out,
                             pmapdb_error *err);

/* ---- parts, in the caller's transaction; `sql` keeps errors; the state that a writer keeps is out
 * of date afterwards ---- */

/* Fills temp table apply_judge with the lineages of a process (0: of all processes) whose category
 * comes from rules, from labels of the program, or from both. */
void pm_apply_judge(pm_sql *sql, int64_t process_id, bool ruled, bool labelled);

/* Matches the rules of `refine` for all lineages in apply_judge. apply may be NULL. */
void pm_apply_ask(pm_sql *sql, pm_refine *refine, const pm_apply *apply);

/* Writes the categories in apply_judge to the store. */
void pm_apply_write(pm_sql *sql);

#endif
