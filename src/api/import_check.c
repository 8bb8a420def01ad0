/* import_check: whether an import can be what its options ask for. */
#include "api/import_check.h"

#include "parse/known.h"
#include <string.h>

#define EVERY_MAX_MS 31622400000 /* no count of blocks makes it overflow */
#define SWEEP_MAX_MS 3600000     /* the queries look no further for what belongs to a moment */

pmapdb_status pm_import_check(const pmapdb_import_options *o, pmapdb_error *err)
{
    pm_dialect dialect;

    if (o->sweep_ms < 0 || o->sweep_ms >= SWEEP_MAX_MS)
        return pm_fail(err, PMAPDB_USAGE, "--sweep must be below one hour");
    if (o->every_ms != PMAPDB_UNKNOWN && o->every_ms <= 0)
        return pm_fail(err, PMAPDB_USAGE, "--every must be above zero");
    if (o->every_ms > EVERY_MAX_MS)
        return pm_fail(err, PMAPDB_USAGE, "--every must be at most one year");
    if (o->first_ms != PMAPDB_UNKNOWN && o->every_ms == PMAPDB_UNKNOWN)
        return pm_fail(err, PMAPDB_USAGE, "--first needs --every");
    if (o->time_from && strcmp(o->time_from, "name") != 0 && strcmp(o->time_from, "mtime") != 0)
        return pm_fail(err, PMAPDB_USAGE, "--time-from is name or mtime, not '%s'", o->time_from);
    return pm_known_find(o->dialect, &dialect, err);
}
