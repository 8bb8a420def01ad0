/* capture_check: whether a run can be what its options ask for. */
#include "api/capture_check.h"

#include "api/capture_select.h"

#define EVERY_MIN_MS 100
#define EVERY_MAX_MS 31622400000 /* a year */

static pmapdb_status check_numbers(const pmapdb_capture_options *o, pmapdb_error *err)
{
    for (size_t i = 0; i < o->n_pids; i++)
        if (o->pids[i] < 1 || o->pids[i] > INT32_MAX)
            return pm_fail(err, PMAPDB_USAGE, "a pid is a number from 1 on");
    if (o->every_ms != PMAPDB_UNKNOWN && (o->every_ms < EVERY_MIN_MS || o->every_ms > EVERY_MAX_MS))
        return pm_fail(err, PMAPDB_USAGE, "--every must be at least 100ms and at most one year");
    if (o->count != PMAPDB_UNKNOWN && o->every_ms == PMAPDB_UNKNOWN)
        return pm_fail(err, PMAPDB_USAGE, "--count needs --every");
    if (o->count != PMAPDB_UNKNOWN && o->count < 1)
        return pm_fail(err, PMAPDB_USAGE, "--count must be above zero");
    if (o->max_stall_us < 0 || o->lock_wait_ms < 0)
        return pm_fail(err, PMAPDB_USAGE, "--max-stall and --lock-wait cannot be below zero");
    return PMAPDB_OK;
}

/* An expression is right if it can be read. */
static pmapdb_status check_selection(const pmapdb_capture_options *o, pmapdb_error *err)
{
    pm_selection s;
    pmapdb_status st = pm_select_init(&s, o, err);

    pm_select_free(&s);
    return st;
}

static pmapdb_status check_regexes(const pmapdb_capture_options *o, pmapdb_error *err)
{
    pm_keep_cmdline *keep = NULL;
    pmapdb_status st = pm_keep_cmdline_new(o->keep_cmdline, o->n_keep_cmdline, &keep, err);

    pm_keep_cmdline_free(keep);
    return st;
}

pmapdb_status pm_capture_check(const pmapdb_capture_options *o, pmapdb_error *err)
{
    pmapdb_status st;

    if ((o->n_pids > 0) + (o->match != NULL) + o->all != 1)
        return pm_fail(err, PMAPDB_USAGE, "capture wants one of: pids, --match, --all");
    if ((o->name && !*o->name) || (o->host && !*o->host))
        return pm_fail(err, PMAPDB_USAGE, "--name and --host cannot be empty");
    if (o->all && o->name)
        return pm_fail(err, PMAPDB_USAGE, "--name is for processes of one kind, not for --all");
    st = check_numbers(o, err);
    if (st == PMAPDB_OK)
        st = check_regexes(o, err);
    return st == PMAPDB_OK ? check_selection(o, err) : st;
}
