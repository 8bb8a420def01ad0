/* append: writes the next capture of a process, in order, as its difference to the stored one. */
#ifndef PM_STORE_APPEND_H
#define PM_STORE_APPEND_H

#include "base/record/capture.h"
#include "store/dict/rare_fields.h"
#include "store/file/store.h"
#include "store/rules/refine.h"
#include "store/write/newest.h"

/* One capture that is being stored. */
typedef struct pm_put {
    pm_sql *sql;
    pm_objects *objects;
    pm_refine refine;
    const pm_capture *capture; /* NULL: put back; it is already stored as snapshot_id */
    int64_t sweep_ms;
    int64_t process_id, capture_id, snapshot_id;
    pm_map *again; /* process -> PM_AGAIN_RULES, or another */
    pm_order order;
    uint64_t fields;
    pm_rows rows; /* sorted by place; empty if the state is totals */
    pm_rollup rollup;
    struct pm_rewind *rewind; /* set while a capture is put back */
    int64_t base_was;         /* put back: the snapshot that gave it its lineages before, or 0 */
} pm_put;

/* Returns PMAPDB_INPUT if two mappings of the capture have the same address. */
pmapdb_status pm_put_check(const pm_capture *c, pmapdb_error *err);

/* Fills p->rows with the rows of the capture, classified in its context. */
void pm_put_rows(pm_put *p, pm_made *made, const pm_classify_context *context);

/* Decides the categories of the process again before the commit: by the rules, by its labels. */
enum { PM_AGAIN_RULES = 1, PM_AGAIN_LABELS = 2, PM_AGAIN_BOTH = 3 };
void pm_put_again(pm_put *p, int64_t what);

/* Appends the capture and writes its row in table snapshot; sets snapshot_id. For a partial or
 * complete capture, its sitting must have begun. */
void pm_append(pm_put *p, pm_newest *n);

#endif
