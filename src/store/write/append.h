/* append: writes the next capture of a process, in order, as its difference to the newest stored
 * capture. */
#ifndef PM_STORE_APPEND_H
#define PM_STORE_APPEND_H

#include "base/record/capture.h"
#include "store/file/store.h"
#include "store/rules/refine.h"
#include "store/write/newest.h"

/* One capture that is being stored. */
typedef struct pm_put {
    pm_sql *sql;
    pm_objects *objects;
    pm_refine *refine;
    const pm_capture *capture; /* NULL: the capture is put back (rewind.h); the row snapshot_id
                                  exists, with a place below zero until the capture is appended */
    int64_t sweep_ms;
    int64_t process_id, capture_id, snapshot_id;
    pm_map *again; /* process_id -> PM_AGAIN_RULES, PM_AGAIN_LABELS or PM_AGAIN_BOTH */
    pm_order order;
    uint64_t fields;
    pm_rows rows;     /* sorted by place; empty if the state is totals */
    pm_totals totals; /* if the state is totals */
    /* a capture that is put back: */
    int64_t base_was; /* the snapshot that gave it its lineages before, or 0 */
    pm_map renamed;   /* lineage before -> lineage that took its place */
} pm_put;

/* Inserts the row of the capture into table snapshot; sets snapshot_id. */
void pm_put_snapshot(pm_put *p, int64_t epoch_id, int64_t off);

/* Fills p->rows with the rows of the capture, classified in its context. Copies the rows of
 * mappings that have not changed since the capture with the rows `like`. A live capture keeps its
 * pool from beat to beat, and most mappings stay. */
void pm_put_rows(pm_put *p, const pm_rows *like, const pm_classify_context *context);

/* Notes that the categories of the process must be decided again before the commit: by the rules,
 * by its labels, or by both. */
enum { PM_AGAIN_RULES = 1, PM_AGAIN_LABELS = 2, PM_AGAIN_BOTH = 3 };
void pm_put_again(pm_put *p, int64_t what);

/* True if the capture is older than the newest one of its process, or becomes the leader of the
 * newest sitting. */
bool pm_is_late(pm_put *p, pm_newest *n);

/* Appends a capture that is not late; its sitting has begun. */
void pm_append(pm_put *p, pm_newest *n);

#endif
