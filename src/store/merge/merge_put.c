/* merge_put: adds captures to a process that this store has a part of, one by one, as if they were
 * imported. */
#include "store/merge/merge_run.h"

#include "base/clock.h"
#include "store/write.h"

/* ---- transactions ---- */

#define ROWS_MAX 256 /* captures, sweeps ... in one */
#define LONG_MS 250  /* other writers wait so long */

pmapdb_status pm_merge_begin(pm_merge *m, pmapdb_error *err)
{
    int64_t version;
    pmapdb_status st = pm_store_begin(m->into, err);

    if (st != PMAPDB_OK)
        return st;
    m->in_transaction = true;
    m->rows = 0;
    m->stored = 0;
    m->began_ms = pm_clock_now();
    st = pm_store_version(m->into, &version, err);
    return st != PMAPDB_OK || version == m->version ? st : pm_merge_known(m, err);
}

pmapdb_status pm_merge_commit(pm_merge *m, pmapdb_error *err)
{
    pmapdb_status st = pm_store_commit(m->into, err);

    if (st != PMAPDB_OK)
        return st;
    m->in_transaction = false;
    pm_recall_forget(m->recall);
    m->counts->new += m->stored;
    if (m->options->keep_going && !m->options->keep_going(m->options->ctx, m->counts))
        return pm_fail(err, PMAPDB_STOPPED, "stopped");
    return PMAPDB_OK;
}

void pm_merge_forget(pm_merge *m)
{
    pm_store_forget(m->into);
}

bool pm_merge_is_long(pm_merge *m)
{
    return ++m->rows >= ROWS_MAX || pm_clock_now() - m->began_ms > LONG_MS;
}

/* ---- captures ---- */

/* The process that all of them went to. */
typedef struct went {
    int64_t process_id; /* 0: none yet */
    bool several;
} went;

static pmapdb_status put_capture(pm_merge *m, pm_recall_item *item, pm_capture *c, went *to,
                                 pmapdb_error *err)
{
    pm_stored stored;
    int64_t capture_id, log_id;
    pmapdb_status st = pm_merge_capture(m, item->capture_id, &capture_id, err);

    if (st == PMAPDB_OK)
        st = pm_merge_log(m, item->log_id, &log_id, err);
    if (st != PMAPDB_OK)
        return st;
    c->log_id = (uint64_t)log_id;
    c->host = pm_merge_host(m);
    st = pm_store_put_within(m->into, c, m->options->sweep_ms, &capture_id, &stored, err);
    if (st == PMAPDB_INPUT)
        m->theirs = true;
    if (st != PMAPDB_OK)
        return st;
    item->known = stored.pruned ? PM_MERGE_PRUNED : stored.snapshot_id;
    m->stored += !stored.duplicate;
    if (stored.pruned)
        return PMAPDB_OK;
    to->several |= to->process_id && to->process_id != stored.process_id;
    to->process_id = stored.process_id;
    return PMAPDB_OK;
}

static pmapdb_status put_item(pm_merge *m, pm_recall_item *item, went *to, pmapdb_error *err)
{
    pm_capture *c = NULL;
    pmapdb_status st = PMAPDB_OK;

    if (!m->in_transaction)
        st = pm_merge_begin(m, err);
    if (st != PMAPDB_OK || item->known) /* another writer had it too */
        return st;
    st = pm_merge_theirs(m, pm_recall_capture(m->recall, item, &c, err));
    if (st == PMAPDB_OK)
        st = put_capture(m, item, c, to, err);
    pm_capture_free(c);
    return st == PMAPDB_OK && pm_merge_is_long(m) ? pm_merge_commit(m, err) : st;
}

pmapdb_status pm_merge_put(pm_merge *m, pmapdb_error *err)
{
    size_t n;
    pm_recall_item *items = pm_recall_items(m->recall, &n);
    went to = {0};
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++)
        if (!items[i].known)
            st = put_item(m, &items[i], &to, err);
    if (st == PMAPDB_OK && to.process_id && !to.several && !m->in_transaction)
        st = pm_merge_begin(m, err);
    return st == PMAPDB_OK && to.process_id && !to.several ? pm_merge_facts(m, to.process_id, err)
                                                           : st;
}
