/* stream: the newest capture of one process, dialect and state, to append against. */
#ifndef PM_STORE_STREAM_H
#define PM_STORE_STREAM_H

#include "store/epoch.h"

typedef struct pm_stream {
    int64_t epoch_id; /* 0: none yet */
    uint64_t fields;
    size_t n;                    /* captures in the epoch */
    size_t versions, first_rows; /* of the epoch, for its adaptive end */
    pm_rows rows;                /* of the newest capture, by place, with region_id and first */
    pm_rollup rollup;
    int32_t rollup_first[PM_CATEGORY_COUNT];
} pm_stream;

void pm_stream_free(pm_stream *s);

/* From the newest epoch of this stream; epoch_id stays 0 where there is none. */
pmapdb_status pm_stream_load(pm_sql *sql, pm_objects *objects, int64_t process_id,
                             pm_dialect dialect, pm_state state, pm_stream *out, pmapdb_error *err);

/* Where the next capture goes: begins a new epoch when the fields differ or this one is full. */
pmapdb_status pm_stream_place(pm_sql *sql, pm_stream *s, int64_t process_id, pm_dialect dialect,
                              pm_state state, uint64_t fields, int64_t *off, pmapdb_error *err);

/* Writes what differs from the newest capture; `rows` (with lineages decided) becomes the state,
 * and *rows what the state was. */
pmapdb_status pm_stream_append(pm_sql *sql, pm_stream *s, int64_t off, pm_rows *rows,
                               const pm_rollup *rollup, pmapdb_error *err);

#endif
