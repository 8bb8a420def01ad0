/* prune_plan: the series of the store, their moments, and what is to become of each. */
#ifndef PM_STORE_PRUNE_PLAN_H
#define PM_STORE_PRUNE_PLAN_H

#include "store/prune/prune_rules.h"
#include "store/store.h"

typedef enum pm_fate {
    PM_FATE_KEPT,
    PM_FATE_NO_RULE,  /* to be removed, because no rule keeps it */
    PM_FATE_DROPPED,  /* ... because everything is */
    PM_FATE_MAX_SIZE, /* ... because the store is too large */
    PM_FATE_GONE      /* removed */
} pm_fate;

typedef struct pm_plan_moment {
    int64_t moment_ms;
    size_t first, n; /* its snapshots: plan->id[first..] */
    unsigned why;    /* kept: see prune_rules.h */
    pm_fate fate;
    bool pinned;
    bool
        leaves; /* in the transaction that is about to remove it; its fate when that is committed */
} pm_plan_moment;

typedef struct pm_plan_series {
    int64_t name_id, process_id; /* process_id: of a process without a name; else PMAPDB_UNKNOWN */
    char *host, *name;           /* host NULL: unknown */
    size_t first, n;             /* its moments: plan->moment[first..], the newest first */
} pm_plan_series;

typedef struct pm_plan {
    pm_plan_series *series;
    pm_plan_moment *moment;
    int64_t *id;
    size_t n_series, n_moments, n_ids, cap_series, cap_moments, cap_ids;
    int64_t last_id; /* snapshots above it came later */
} pm_plan;

/* Reads the series that the options select; every moment has its fate by their rules. A series
 * that would vanish without `force` is PMAPDB_USAGE. */
pmapdb_status pm_plan_read(pmapdb_store *s, const pmapdb_prune_options *options, int64_t now_ms,
                           pm_plan *out, pmapdb_error *err);
void pm_plan_free(pm_plan *plan);

/* The `n` oldest snapshots of all that are kept, by whole moments, at least one moment. Never
 * pinned ones, and without `force` never the newest of a series. Returns how many moments that
 * are. */
size_t pm_plan_shrink(pm_plan *plan, size_t n, bool force);

/* "no rule keeps it", ... */
const char *pm_fate_text(pm_fate fate);

static inline bool pm_plan_is_kept(const pm_plan_moment *m)
{
    return m->fate == PM_FATE_KEPT;
}

#endif
