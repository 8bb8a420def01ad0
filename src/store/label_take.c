/* label_take: what a JVM said to another store. */
#include "store/label.h"

typedef struct taking {
    pm_sql *into;
    int64_t here;
} taking;

static pmapdb_status take_report(void *ctx, const pm_label_key *there, pm_labels *l,
                                 pmapdb_error *err)
{
    const taking *t = ctx;
    pm_label_put put = {.labels = l, .taken_ms = there->taken_ms, .since = INT64_MAX};
    pm_label_stored stored = {0};
    pmapdb_status st = PMAPDB_OK;

    if (l->n) /* the other store is a file from somewhere */
        st = pm_label_nearest(t->into, t->here, there->taken_ms, &stored, err);
    if (st == PMAPDB_OK && stored.process_id)
        st = pm_label_settle(t->into, &put, &stored, err);
    return st;
}

pmapdb_status pm_label_take(pm_sql *from, int64_t there, pm_sql *into, int64_t here,
                            pmapdb_error *err)
{
    taking t = {into, here};

    return pm_label_each(from, there, take_report, &t, err);
}
