/* push: sends what a store has gathered to a server of ClickHouse, or writes it into a folder. */
#ifndef PM_API_PUSH_H
#define PM_API_PUSH_H

#include "http/http.h"
#include "store/push/push.h"

typedef enum pm_push_format { PM_PUSH_TSV, PM_PUSH_CSV, PM_PUSH_NDJSON } pm_push_format;

typedef struct pm_push_to {
    pm_push_options push;
    pm_http *http; /* NULL: into the folder */
    const char *database;
    const char *folder; /* gets files TABLE/HOST-STORE-SEQ.tsv; must exist */
    pm_push_format format;
    bool gzip; /* files end with .gz */
    bool now;  /* send even while the target is paused after failures */
    void *ctx;
    void (*on_warning)(void *ctx, const char *warning);
    pmapdb_progress_fn on_progress; /* false ends the run between two requests */
} pm_push_to;

typedef struct pm_push_result {
    int64_t batches, rows;
    int64_t through_ms; /* PMAPDB_UNKNOWN: nothing was sent yet */
    bool later;         /* failed, but the next run may succeed */
} pm_push_result;

/* Sends batch after batch. PMAPDB_BUSY: another push to this target runs. PMAPDB_IO: the rest was
 * not sent; nothing is lost. */
pmapdb_status pm_push_run(pmapdb_store *store, const pm_push_to *to, pm_push_result *result,
                          pmapdb_error *err);

#endif
