/* push: sends batch after batch to a target; only one run at a time sends to it. */
#include "api/push/push.h"

#include "api/capture/lock.h"
#include "api/push/send.h"
#include "base/clock/clock.h"
#include <unistd.h>

typedef struct push_run {
    pmapdb_store *store;
    const pm_push_to *to;
    pm_push *push;
    pm_batch batch;
    pm_sender sender;
} push_run;

static pmapdb_status lock(const pmapdb_store *store, const pm_push_to *to, int *fd,
                          pmapdb_error *err)
{
    pmapdb_status st =
        pm_capture_lock(store->path, "push", to->push.target, 0, NULL, NULL, fd, err);

    return st == PMAPDB_BUSY
               ? pm_fail(err, st, "another push of this store to '%s' runs", to->push.target)
               : st;
}

/* Refuses to run while the target is paused. */
static pmapdb_status check_pause(const push_run *run, pmapdb_error *err)
{
    int64_t paused = pm_push_look(run->push)->paused_ms;
    char at[PM_CLOCK_TEXT];

    if (paused <= run->to->push.now_ms || run->to->now)
        return PMAPDB_OK;
    run->sender.result->later = true;
    pm_clock_format(paused, at);
    return pm_fail(err, PMAPDB_IO,
                   "no attempt before %s, because earlier runs failed (pmapdb doctor says why); "
                   "--now tries at once",
                   at);
}

/* Asks the server for its newest rows: the server may have lost rows, or it may have newer rows
 * from another copy of this store. */
static pmapdb_status meet(push_run *run, pmapdb_error *err)
{
    int64_t seq, ours = pm_push_look(run->push)->seq - 1;
    pmapdb_status st = pm_send_meet(&run->sender, &seq, err);

    if (st != PMAPDB_OK)
        return st;
    if (seq != PMAPDB_UNKNOWN && seq > ours)
        pm_push_raise(run->push, seq + 1);
    if ((seq == PMAPDB_UNKNOWN ? 0 : seq) < ours && run->to->push.from_ms == PMAPDB_UNKNOWN &&
        run->to->on_warning)
        run->to->on_warning(run->to->ctx,
                            "the server lacks rows that it had (restored from a backup?): "
                            "--rewind TIME sends again what was captured since TIME");
    return PMAPDB_OK;
}

static pmapdb_status send_one(push_run *run, bool *some, pmapdb_error *err)
{
    const pm_push_sink sink = pm_batch_begin(&run->batch);
    pm_push_result *r = run->sender.result;
    pmapdb_status st = pm_push_batch(run->push, &sink, some, err);

    PM_STEP(st, pm_batch_end(&run->batch, err));
    if (st != PMAPDB_OK || !*some)
        return st;
    run->sender.seq = pm_push_look(run->push)->seq;
    st = run->to->http ? pm_send_batch(&run->sender, &run->batch, err)
                       : pm_send_files(&run->sender, &run->batch, err);
    PM_STEP(st, pm_push_done(run->push, err));
    if (st != PMAPDB_OK)
        return st;
    r->batches++;
    for (int i = 0; i < run->batch.n; i++)
        r->rows += run->batch.table[i].rows;
    return PMAPDB_OK;
}

static pmapdb_status send_all(push_run *run, pmapdb_error *err)
{
    pm_push_result *r = run->sender.result;
    pmapdb_status st = check_pause(run, err);
    bool some = st == PMAPDB_OK;

    if (st != PMAPDB_OK)
        return st;
    if (run->to->http)
        st = meet(run, err);
    PM_STEP(st, pm_push_make_verdicts(run->store, run->push, err));
    while (st == PMAPDB_OK && some) {
        const pmapdb_progress progress = {
            .what = "sending", .unit = "rows", .done = (uint64_t)r->rows};

        st = run->to->on_progress && !run->to->on_progress(run->to->ctx, &progress)
                 ? pm_fail(err, PMAPDB_STOPPED, "stopped")
                 : send_one(run, &some, err);
    }
    r->through_ms = pm_push_look(run->push)->through_ms;
    if (st == PMAPDB_IO && err)
        (void)pm_push_failed(run->push, r->later, err->text, NULL);
    return st;
}

pmapdb_status pm_push_run(pmapdb_store *store, const pm_push_to *to, pm_push_result *result,
                          pmapdb_error *err)
{
    push_run run = {.store = store,
                    .to = to,
                    .batch = {.format = to->format},
                    .sender = {.to = to, .result = result}};
    pmapdb_error own = {0};
    pmapdb_status st;
    int fd = -1;

    *result = (pm_push_result){.through_ms = PMAPDB_UNKNOWN};
    st = lock(store, to, &fd, err);
    PM_STEP(st, pm_push_open(store, &to->push, &run.push, err));
    if (st == PMAPDB_OK) {
        run.sender.store = pm_push_look(run.push)->store;
        st = send_all(&run, err ? err : &own);
        pm_push_close(run.push);
    }
    pm_batch_free(&run.batch);
    pm_buf_free(&run.sender.reply.body);
    if (fd >= 0)
        close(fd);
    return st;
}
