/* check: whether a capture can do what its options ask for. */
#include "api/check.h"

#include "api/capture/run.h"
#include "classify/keep_cmdline.h"

#define EVERY_MIN_MS 100

static const char *wrong_option(const pmapdb_capture_options *o)
{
    for (size_t i = 0; i < o->n_pids; i++)
        if (o->pids[i] < 1 || o->pids[i] > INT32_MAX)
            return "a pid must be 1 or more";
    if ((o->n_pids > 0) + (o->match != NULL) + o->all != 1)
        return "capture wants one of: pids, --match, --all";
    if ((o->name && !*o->name) || (o->host && !*o->host))
        return "--name and --host cannot be empty";
    if (o->all && o->name)
        return "--name is for processes of one kind, not for --all";
    if (o->every_ms != PMAPDB_UNKNOWN &&
        (o->every_ms < EVERY_MIN_MS || o->every_ms > PM_EVERY_MAX_MS))
        return "--every must be at least 100ms and at most one year";
    if (o->touched_ms != PMAPDB_UNKNOWN && o->touched_ms < 0)
        return "--touched cannot be below zero";
    if (o->touched_ms != PMAPDB_UNKNOWN && o->measure != PMAPDB_MEASURE_AUTO &&
        o->measure != PMAPDB_MEASURE_SMAPS)
        return "--touched needs smaps, which tells Referenced";
    if (o->count != PMAPDB_UNKNOWN && o->every_ms == PMAPDB_UNKNOWN)
        return "--count needs --every";
    if (o->count != PMAPDB_UNKNOWN && o->count < 1)
        return "--count must be above zero";
    if (o->max_stall_us < 0 || o->lock_wait_ms < 0)
        return "--max-stall and --lock-wait cannot be below zero";
    return NULL;
}

/* Expressions and regexes are right if they parse. */
pmapdb_status pm_capture_check(const pmapdb_capture_options *o, pmapdb_error *err)
{
    const char *wrong = wrong_option(o);
    pm_keep_cmdline keep = {0};
    pm_selection s = {0};
    pmapdb_status st;

    if (wrong)
        return pm_fail(err, PMAPDB_USAGE, "%s", wrong);
    st = pm_keep_cmdline_init(o->keep_cmdline, o->n_keep_cmdline, &keep, err);
    PM_STEP(st, pm_select_init(&s, o, err));
    pm_keep_cmdline_free(&keep);
    pm_select_free(&s);
    return st;
}
