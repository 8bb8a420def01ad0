/* report: the data of a report, as JSON texts that queries make: src/store/report/NAME.sql. The
 * page (src/report) reads them. */
#ifndef PM_STORE_REPORT_H
#define PM_STORE_REPORT_H

#include "base/buf.h"
#include "store/file/store.h"

/* The part of a process that is shown. */
typedef struct pm_report_scope {
    int64_t process_id; /* of the newest life; PMAPDB_UNKNOWN: every process of the store */
    int64_t from_ms, to_ms;
    pm_text dialect;   /* only its captures; data NULL: of each moment the one with most fields */
    int64_t snapshots; /* at most this many */
    int64_t with_mappings; /* at most this many of these with their mappings */
    int64_t stretches;     /* of mappings shown one by one */
} pm_report_scope;

/* Appends the series of one process: an object; report-data.sql says what is in it. */
pmapdb_status pm_report_process(pmapdb_store *store, const pm_report_scope *scope, pm_buf *out,
                                pmapdb_error *err);

/* Appends the curves of the processes of its name, or of all processes: an array. */
pmapdb_status pm_report_fleet(pmapdb_store *store, const pm_report_scope *scope, pm_buf *out,
                              pmapdb_error *err);

#endif
