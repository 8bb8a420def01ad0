/* stream: the captures of one process, dialect and state, and the state of the newest one, to which
 * the next one is appended. The file stores a stream as epochs: the first capture of each in full,
 * the rest as differences. */
#ifndef PM_STORE_STREAM_H
#define PM_STORE_STREAM_H

#include "store/dict/row.h"
#include "store/write/sitting.h"

/* After this many captures a new epoch begins, whatever its size: the limit bounds what a prune can
 * cut. */
#define PM_EPOCH_CAPTURES ((size_t)1024)
/* The number of versions that an epoch may hold, as a multiple of the rows of its newest capture.
 * With 3, stores take up to 9 % more space; with 5, at most 2 % less, but reading a capture takes
 * longer. */
#define PM_EPOCH_ALPHA ((size_t)4)

typedef struct pm_category_sums {
    int64_t category_id;
    int64_t
        v[PM_TOTAL_COUNT]; /* columns of category_version after `last`; PMAPDB_UNKNOWN is NULL */
    int32_t first;         /* place of the capture at which the version began */
} pm_category_sums;

/* The sums of each category of one capture. */
typedef struct pm_rollup {
    pm_category_sums *item; /* sorted by category_id */
    size_t n, cap;
} pm_rollup;

typedef struct pm_stream {
    int64_t process_id;
    pm_dialect dialect;
    pm_state state;
    int64_t epoch_id; /* epoch of the newest capture; 0 if the stream is empty */
    int64_t snapshot_id;
    pm_order newest;
    uint64_t fields;
    size_t n;         /* the place of the next capture; a prune may have left fewer captures */
    size_t versions;  /* of the epoch: decide when it is full */
    pm_rows rows;     /* rows of the newest capture, by place, with region_id and first */
    pm_rollup rollup; /* its sums, with first */
} pm_stream;

/* Gives the captures of a process, the latest time first. The columns: those of pm_order_read,
 * snapshot_id, epoch_id, off. */
sqlite3_stmt *pm_captures_back(pm_sql *sql, int64_t process_id);
/* Reads the first columns of a row: taken_ms, dialect, state_code, ordinal, hash. Any other dialect
 * or state becomes the weakest, which has the highest code. */
static inline pm_order pm_order_read(sqlite3_stmt *row)
{
    return (pm_order){
        pm_col_ms(row, 0),
        (pm_dialect)pm_text_index(pm_col_text(row, 1), pm_dialect_names, PM_DIALECT_COUNT - 1),
        (pm_state)pm_col_code(row, 2, PM_STATE_TOTALS), pm_col_int(row, 3), pm_col_int(row, 4)};
}

/* Loads a stream whose process, dialect and state are set. */
void pm_stream_load(pm_sql *sql, pm_objects *objects, pm_stream *s);

/* Makes room for the next capture: begins a new epoch if the fields differ or the epoch is full. */
void pm_stream_place(pm_sql *sql, pm_stream *s, uint64_t fields);

/* Writes the difference to the newest capture: of rows, whose lineages are decided, or, if the
 * capture has only sums, of `totals`. The rows become the state; *rows receives the previous ones.
 */
void pm_stream_append(pm_sql *sql, pm_stream *s, pm_rows *rows, const pm_totals *totals);

#endif
