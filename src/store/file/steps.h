/* steps: how a long piece of work tells how far it is, and is told to stop. */
#ifndef PM_STORE_STEPS_H
#define PM_STORE_STEPS_H

#include "base/err.h"

typedef struct pm_steps {
    void *ctx;
    bool (*on_progress)(void *ctx, const char *step, uint64_t done, uint64_t of); /* or NULL */
} pm_steps;

/* Between two transactions. PMAPDB_STOPPED where the work is to end. */
static inline pmapdb_status pm_steps_tell(const pm_steps *s, const char *step, uint64_t done,
                                          uint64_t of, pmapdb_error *err)
{
    if (s->on_progress && !s->on_progress(s->ctx, step, done, of))
        return pm_fail(err, PMAPDB_STOPPED, "stopped");
    return PMAPDB_OK;
}

#endif
