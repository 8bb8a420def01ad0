/* apply: applies other rules to everything that a store contains.
 *
 * The rules are matched once for each lineage, in the deciding one of its remaining captures
 * (apply-judge.sql). If the category of a lineage changes, its regions and the sums by category of
 * the epochs that show it are written again. The rules are matched without a lock. Then each
 * process is a transaction; if it has many versions of mappings, the sums of its later epochs
 * follow in further transactions. In each of them, the sums of every capture that added up to its
 * totals must still do so. The report lists the changes, even if nothing is stored.
 *
 * A lineage whose rule is PM_RULE_LABEL has its name from the process itself (label.h): no rule is
 * matched for it, unless labels are to be forgotten.
 */
#ifndef PM_STORE_APPLY_H
#define PM_STORE_APPLY_H

#include "store/file/store.h"
#include "store/rules/refine.h"
#include "store/rules/rule_set.h"

typedef struct pm_apply {
    const pm_rule_text *text; /* for table rule_set; hash and applied_ms are computed here */
    const pm_rules *rules;    /* the same rules, compiled */
    /* forget_labels: deletes table label; the rules then decide the lineages that programs named,
     * too. on_change: at the end, after the commit; a change of the rule alone is not reported.
     * on_progress is not asked any more once something is stored. */
    const pmapdb_rules_options *options;
    int64_t versions; /* 0: PM_APPLY_VERSIONS */
} pm_apply;

/* Versions of mappings whose sums one transaction writes; other writers wait meanwhile. */
#define PM_APPLY_VERSIONS 32768

/* Applies the rules in its own transactions. PMAPDB_INPUT if a regex of the rules gave up on a
 * path: after many of these the limit is lower, so results would depend on the order of the paths.
 * PMAPDB_BUSY if another program has begun to apply other rules: those hold then. */
pmapdb_status pm_apply_rules(pmapdb_store *s, const pm_apply *apply, pmapdb_rules_result *out,
                             pmapdb_error *err);

/* ---- parts, in the caller's transaction; `sql` keeps errors; the state that a writer keeps is out
 * of date afterwards ---- */

/* Fills temp table apply_judge with the lineages of a process (0: of all processes) whose category
 * comes from rules, from labels of the program, or from both. */
void pm_apply_judge(pm_sql *sql, int64_t process_id, bool ruled, bool labelled);

/* Matches the rules of `refine` for all lineages in apply_judge. apply may be NULL. */
void pm_apply_ask(pm_sql *sql, pm_refine *refine, const pm_apply *apply);

/* Writes the categories in apply_judge, whose ids are those of the store, to the processes that
 * were judged. */
void pm_apply_write(pm_sql *sql);

/* All three for one process, with the rules of the store. */
void pm_apply_again(pm_sql *sql, int64_t process_id);

#endif
