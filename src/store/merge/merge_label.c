/* merge_label: what a JVM said of the process at hand (store/label.h). */
#include "store/merge/merge_run.h"

#include "store/label.h"

/* The process here that the captures of the one at hand are in; 0: none is. */
static pmapdb_status process_here(pm_merge *m, int64_t *out, pmapdb_error *err)
{
    size_t n;
    const pm_recall_item *items = pm_recall_items(m->recall, &n);
    pmapdb_status st = PMAPDB_OK;

    *out = 0;
    for (size_t i = 0; i < n && !*out && st == PMAPDB_OK; i++)
        if (items[i].known > 0)
            st = pm_sql_int(m->into->sql, "SELECT process_id FROM snapshot WHERE snapshot_id = ?1",
                            PM_ARGS(PM_I(items[i].known)), 0, out, err);
    return st;
}

pmapdb_status pm_merge_labels(pm_merge *m, pmapdb_error *err)
{
    int64_t there = pm_recall_who(m->recall)->process_id, here, any;
    pmapdb_status st = pm_merge_theirs(
        m, pm_sql_int(m->from->sql, "SELECT EXISTS (SELECT 1 FROM label WHERE process_id = ?1)",
                      PM_ARGS(PM_I(there)), 0, &any, err));

    if (st != PMAPDB_OK || !any)
        return st;
    if (!m->in_transaction)
        st = pm_merge_begin(m, err);
    if (st == PMAPDB_OK)
        st = process_here(m, &here, err);
    if (st != PMAPDB_OK || !here)
        return st;
    st = pm_label_take(m->from->sql, there, m->into->sql, here, err);
    pm_merge_forget(m);
    return st;
}
