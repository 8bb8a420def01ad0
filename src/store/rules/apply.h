/* apply: other rules over all that a store has.
 *
 * Each lineage is asked once, in the capture that decides among those that are left
 * (apply-judge.sql); where its category changes, its regions and the sums by category of the epochs
 * that show it are written again. All of it is one transaction: the sums of every capture that
 * added up to its totals must do so again before anything is kept. The report says what changes,
 * also where nothing is kept.
 *
 * A lineage whose rule is PM_RULE_LABEL has its name from the program itself: no rule is asked,
 * unless what programs said is to be forgotten.
 */
#ifndef PM_STORE_APPLY_H
#define PM_STORE_APPLY_H

#include "store/file/steps.h"
#include "store/file/store.h"
#include "store/rules/rule_set.h"
#include "store/write/refine.h"

/* Lineages that go from one category to another; where only the rule is another there is none. */
typedef struct pm_apply_change {
    const char *from, *to; /* categories */
    const char *rule;      /* that gives `to`; NULL: none does, it is the base slug */
    int64_t lineages;
    int64_t mappings, size_kib, rss_kib; /* of them in the newest preferred snapshot of each process
                                            that has mappings; PMAPDB_UNKNOWN where one of those
                                            does not show it */
} pm_apply_change;

typedef struct pm_apply {
    const pm_rule_text *text; /* for table rule_set; hash and applied_ms are found here */
    const pm_rules *rules;    /* the same, compiled */
    bool keep;                /* else all is as it was */
    bool forget_labels;       /* what programs say of their own memory goes: see label.h */
    pm_steps steps;           /* if it is told to stop, nothing is kept */
    void *ctx;
    /* Or NULL: at the end, largest rss first, when others may write again: what was kept stays,
     * whatever this says. Texts last for the call. */
    pmapdb_status (*on_change)(void *ctx, const pm_apply_change *change, pmapdb_error *err);
} pm_apply;

typedef struct pm_apply_result {
    bool same; /* they are the store's own rules, and no labels are forgotten: nothing was asked */
    int64_t reports; /* of programs on their own memory, that are forgotten */
    int64_t processes, lineages, changed_lineages;
    int64_t snapshots, changed_snapshots; /* whose sums by category were written again */
    int64_t unnamed; /* mappings that asked for one category too many: they have their slug's */
} pm_apply_result;

/* In a transaction of its own. PMAPDB_INPUT where a regex of the rules gave up on some path: they
 * would say another thing at another time. */
pmapdb_status pm_apply_rules(pmapdb_store *s, const pm_apply *apply, pm_apply_result *out,
                             pmapdb_error *err);

/* ---- parts, in the caller's transaction; errors are kept in `sql`; afterwards what a writer
 * remembers is out of date ---- */

/* Fills temp table apply_judge with the lineages of a process (0: of all) whose category rules
 * gave, whose category a program's own words gave, or both. */
void pm_apply_judge(pm_sql *sql, int64_t process_id, bool ruled, bool labelled);

/* Asks the rules of `refine` of all that apply_judge has. apply may be NULL. */
void pm_apply_ask(pm_sql *sql, pm_refine *refine, const pm_apply *apply);

/* What apply_judge says is written. */
void pm_apply_write(pm_sql *sql);

#endif
