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
    pm_rollup rollup;            /* with first */
} pm_stream;

void pm_stream_free(pm_stream *s);

/* Which epoch is the newest of this stream, and how long; epoch_id stays 0 where there is none. */
pmapdb_status pm_stream_load_head(pm_sql *sql, int64_t process_id, pm_dialect dialect,
                                  pm_state state, pm_stream *out, pmapdb_error *err);
/* Then its newest rows and their sums. */
pmapdb_status pm_stream_load_rows(pm_sql *sql, pm_objects *objects, pm_stream *s,
                                  pmapdb_error *err);

/* The next capture begins a new epoch: its fields differ or this one is full. */
bool pm_stream_is_due(const pm_stream *s, uint64_t fields);

/* Where the next capture goes: begins a new epoch where that is due. */
pmapdb_status pm_stream_place(pm_sql *sql, pm_stream *s, int64_t process_id, pm_dialect dialect,
                              pm_state state, uint64_t fields, int64_t *off, pmapdb_error *err);

/* Writes what differs from the newest capture; `rows` (with lineages decided) and its sums become
 * the state, and *rows and *rollup what the state was. */
pmapdb_status pm_stream_append(pm_sql *sql, pm_stream *s, int64_t off, pm_rows *rows,
                               pm_rollup *rollup, pmapdb_error *err);

#endif
