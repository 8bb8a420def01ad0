/* put: one capture on its way into the tables; shared by write.c (in order) and late.c (not). */
#ifndef PM_STORE_PUT_H
#define PM_STORE_PUT_H

#include "base/capture.h"
#include "store/categories.h"
#include "store/detail.h"
#include "store/rules/rule_set.h"
#include "store/stream.h"
#include "store/timeline.h"

/* What refine.h needs besides the rows of one capture, whose facts it finds when it is first asked.
 */
typedef struct pm_refine {
    pm_category_ids *categories;
    pm_rule_set *rules;
    uint64_t facts; /* see classify/rules.h; once has_facts */
    bool has_facts;
    /* What could not be said: */
    size_t unnamed;        /* rows whose category is one too many for the store */
    const char *slow_rule; /* whose regex gave up on a path, or NULL */
} pm_refine;

/* What the rules say of a row. */
typedef struct pm_ruling {
    int64_t kept;     /* category_id; 0: nothing */
    const char *rule; /* that gives it; as long as the rule set */
} pm_ruling;

typedef struct pm_put {
    pm_sql *sql;
    pm_objects *objects;
    pm_refine refine;
    const pm_capture *capture;
    const pm_classify_context *context;
    int64_t sweep_ms;
    int64_t process_id, capture_id, snapshot_id;
    uint64_t fields;
    pm_detail_memo details;
    pm_rows rows;     /* by place; lineages are decided by append or late */
    pm_rollup rollup; /* once they are */
} pm_put;

/* Fills rows from the capture, in its context. */
pmapdb_status pm_put_rows(pm_put *p, pmapdb_error *err);

/* Row i of p->rows continues what `descent` says, or begins a lineage, whose category the rules
 * give. */
pmapdb_status pm_put_descend(pm_put *p, size_t i, const pm_descent *descent, pmapdb_error *err);

/* The row in table capture, unless capture_id is set already. */
pmapdb_status pm_put_capture(pm_put *p, pmapdb_error *err);

/* The row in table snapshots; sets snapshot_id. */
pmapdb_status pm_put_snapshot(pm_put *p, int64_t epoch_id, int64_t off, pmapdb_error *err);

pm_beat_item pm_put_item(const pm_put *p);

/* Stores a capture that is not the newest of its process, or that takes the lead of its beat. */
pmapdb_status pm_late_put(pm_put *p, pmapdb_error *err);

#endif
