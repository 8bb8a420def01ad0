/* steps: reports the progress of a long operation, which the receiver may stop. */
#ifndef PM_STORE_STEPS_H
#define PM_STORE_STEPS_H

#include "base/err.h"

typedef struct pm_steps {
    void *ctx;
    pmapdb_progress_fn on_progress; /* may be NULL */
} pm_steps;

/* Reports progress between two transactions. Returns PMAPDB_STOPPED if the operation is to end. */
static inline pmapdb_status pm_steps_tell(const pm_steps *s, const char *what, const char *unit,
                                          uint64_t done, uint64_t of, pmapdb_error *err)
{
    const pmapdb_progress progress = {.what = what, .unit = unit, .done = done, .of = of};

    if (s->on_progress && !s->on_progress(s->ctx, &progress))
        return pm_fail(err, PMAPDB_STOPPED, "stopped");
    return PMAPDB_OK;
}

#endif
