/* import_check: whether an import can be what its options ask for. */
#include "api/import_check.h"

#include "classify/keep_cmdline.h"
#include "parse/formats.h"
#include <string.h>

#define EVERY_MAX_MS 31622400000 /* no count of blocks makes it overflow */
#define SWEEP_MAX_MS 3600000     /* the queries look no further for what belongs to a moment */

/* What a calendar can say: years 1 to 9999. */
static bool is_moment(int64_t ms)
{
    return ms == PMAPDB_UNKNOWN || (ms >= -62135596800000 && ms <= 253402300799999);
}

pmapdb_status pm_import_check(const pmapdb_import_options *o, pmapdb_error *err)
{
    pm_dialect dialect;
    pm_keep_cmdline *keep = NULL;
    pmapdb_status st;

    if (o->sweep_ms < 0 || o->sweep_ms >= SWEEP_MAX_MS)
        return pm_fail(err, PMAPDB_USAGE, "--sweep must be below one hour");
    if (o->every_ms != PMAPDB_UNKNOWN && o->every_ms <= 0)
        return pm_fail(err, PMAPDB_USAGE, "--every must be above zero");
    if (o->every_ms > EVERY_MAX_MS)
        return pm_fail(err, PMAPDB_USAGE, "--every must be at most one year");
    if (!is_moment(o->at_ms) || !is_moment(o->first_ms))
        return pm_fail(err, PMAPDB_USAGE, "%s must be in the years 1 to 9999",
                       is_moment(o->at_ms) ? "--first" : "--at");
    if (o->first_ms != PMAPDB_UNKNOWN && o->every_ms == PMAPDB_UNKNOWN)
        return pm_fail(err, PMAPDB_USAGE, "--first needs --every");
    if (o->time_from && strcmp(o->time_from, "name") != 0 && strcmp(o->time_from, "mtime") != 0)
        return pm_fail(err, PMAPDB_USAGE, "--time-from is name or mtime, not '%s'", o->time_from);
    st = pm_keep_cmdline_new(o->keep_cmdline, o->n_keep_cmdline, &keep, err);
    pm_keep_cmdline_free(keep);
    return st == PMAPDB_OK ? pm_form_find(o->dialect, &dialect, err) : st;
}
