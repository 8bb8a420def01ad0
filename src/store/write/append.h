/* append: the next capture of a process, in its order, as its difference to what is stored. */
#ifndef PM_STORE_APPEND_H
#define PM_STORE_APPEND_H

#include "base/capture.h"
#include "store/dict/rare_fields.h"
#include "store/write/newest.h"
#include "store/write/refine.h"

/* One capture on its way into the tables. */
typedef struct pm_put {
    pm_sql *sql;
    pm_objects *objects;
    pm_refine refine;
    const pm_capture *capture; /* NULL: it was stored before, as snapshot_id, and is put back */
    int64_t sweep_ms;
    int64_t process_id, capture_id, snapshot_id;
    pm_ids *left; /* categories that lineages lost, and perhaps nothing has any more */
    pm_order order;
    uint64_t fields;
    pm_rows rows; /* by place; empty if the state is totals */
    pm_rollup rollup;
    struct pm_rewind *rewind; /* of one that is put back, and the snapshot from which it took its */
    int64_t base_was;         /* lineages before, or 0 */
} pm_put;

/* PMAPDB_INPUT: two of its mappings are at one address. */
pmapdb_status pm_put_check(const pm_capture *c, pmapdb_error *err);

/* Fills p->rows with the rows of the capture, in its context. */
void pm_put_rows(pm_put *p, pm_made *made, const pm_classify_context *context);

/* Where p->order says partial or complete, the beat that it belongs to has begun. The row in table
 * snapshots is written, too; sets snapshot_id. */
void pm_append(pm_put *p, pm_newest *n);

#endif
