/* stream: the captures of one process, dialect and state, and the state of the newest one, to
 * append against. In the file they are epochs: the first capture of each is written whole, the rest
 * as differences. */
#ifndef PM_STORE_STREAM_H
#define PM_STORE_STREAM_H

#include "store/dict/rollup.h"
#include "store/write/beat.h"

/* More captures than this begin a new epoch, whatever their size: it bounds what a prune can cut.
 */
#define PM_EPOCH_CAPTURES ((size_t)1024)
/* Versions beyond the first capture's rows, as a multiple of those, that an epoch may hold. Space
 * is flat between 2 and 4, reading time grows with it. */
#define PM_EPOCH_ALPHA ((size_t)3)

typedef struct pm_stream {
    int64_t process_id;
    pm_dialect dialect;
    pm_state state;
    int64_t epoch_id; /* of the newest capture; 0 if the stream is empty */
    int64_t snapshot_id;
    pm_order newest;
    uint64_t fields;
    size_t n;                    /* captures in the epoch */
    size_t versions, first_rows; /* of the epoch, for its adaptive end */
    pm_rows rows;                /* of the newest capture, by place, with region_id and first */
    pm_rollup rollup;            /* with first */
} pm_stream;

void pm_stream_free(pm_stream *s);

/* Fills the state of a stream whose process, dialect and state are set. */
void pm_stream_load(pm_sql *sql, pm_objects *objects, pm_stream *s);

/* The sums of the newest capture once more, which have changed in the file. */
void pm_stream_load_sums(pm_sql *sql, pm_stream *s);

/* Where the next capture goes: begins a new epoch where its fields differ or the epoch is full. */
void pm_stream_place(pm_sql *sql, pm_stream *s, uint64_t fields, int64_t *off);

/* Writes what differs from the newest capture; `rows` (with lineages decided) and its sums become
 * the state, and *rows and *rollup what the state was. */
void pm_stream_append(pm_sql *sql, pm_stream *s, int64_t off, pm_rows *rows, pm_rollup *rollup);

/* The sums by category of an epoch's captures once more, from their rows: lineages changed their
 * category. */
void pm_stream_recount(pm_sql *sql, pm_objects *objects, int64_t epoch_id);

#endif
