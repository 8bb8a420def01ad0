/* stream: the newest capture of one process, dialect and state, to append against. */
#ifndef PM_STORE_STREAM_H
#define PM_STORE_STREAM_H

#include "base/capture.h"
#include "classify/classify.h"
#include "store/bulk.h"
#include "store/epoch.h"

typedef struct pm_stream {
    int64_t epoch_id; /* 0: none yet */
    uint64_t fields;
    size_t n;                    /* captures in the epoch */
    size_t versions, first_rows; /* of the epoch, for its adaptive end */
    pm_rows rows;                /* of the newest capture, by place, with region_id and first */
    pm_rollup rollup;            /* with first */
    uint64_t pool;               /* serial of the pool of ids; 0: not known */
    uint32_t *ids;               /* of the mappings that rows were made of, in their order */
    size_t cap_ids;
    pm_classify_context context; /* in which they were; once pool is set */
    char *program;               /* that the context points into */
    uint64_t *marks; /* of rows that table map_cache gave, as pm_pool_mark has them, 0: not known;
                        NULL: of none, or others came behind */
    uint64_t marked_in;      /* pm_same_context of the context in which they were */
    int64_t cached_epoch_id; /* of which table map_cache shows the capture at cached_off; 0: none */
    int64_t cached_off;
    bool loaded; /* from the tables, row by row */
} pm_stream;

void pm_stream_free(pm_stream *s);

/* Which epoch is the newest of this stream, and how long; epoch_id stays 0 where there is none. */
pmapdb_status pm_stream_load_head(pm_sql *sql, int64_t process_id, pm_dialect dialect,
                                  pm_state state, pm_stream *out, pmapdb_error *err);
/* Then its newest rows and their sums; or the sums alone, where the rows come from elsewhere. */
pmapdb_status pm_stream_load_rows(pm_sql *sql, pm_objects *objects, pm_stream *s,
                                  pmapdb_error *err);
pmapdb_status pm_stream_load_sums(pm_sql *sql, pm_stream *s, pmapdb_error *err);

/* The next capture begins a new epoch: its fields differ or this one is full. */
bool pm_stream_is_due(const pm_stream *s, uint64_t fields);

/* Where the next capture goes: begins a new epoch where that is due. */
pmapdb_status pm_stream_place(pm_sql *sql, pm_stream *s, int64_t process_id, pm_dialect dialect,
                              pm_state state, uint64_t fields, int64_t *off, pmapdb_error *err);

/* Writes what differs from the newest capture; `rows` (with lineages decided) and its sums become
 * the state, and *rows and *rollup what the state was. */
pmapdb_status pm_stream_append(pm_sql *sql, pm_stream *s, int64_t off, pm_rows *rows,
                               pm_rollup *rollup, pmapdb_error *err);

/* The same in parts, each of them addresses with the rows of both captures there. */
typedef struct pm_stream_rows {
    pm_sql *sql;
    pm_stream *s;
    int64_t off;
    pm_bulk regions, versions;
} pm_stream_rows;

void pm_stream_begin_rows(pm_stream_rows *out, pm_sql *sql, pm_stream *s, int64_t off);
pmapdb_status pm_stream_write_rows(pm_stream_rows *out, const pm_row *old, size_t n_old,
                                   pm_row *new, size_t n_new, pmapdb_error *err);
pmapdb_status pm_stream_end_rows(pm_stream_rows *out, pmapdb_error *err);
pmapdb_status pm_stream_write_sums(pm_sql *sql, pm_stream *s, int64_t off, pm_rollup *rollup,
                                   pmapdb_error *err);

/* What its newest rows, just appended, were made of: see same.h. context NULL: as it was, and the
 * rows are known to be in order. */
pmapdb_status pm_stream_remember(pm_stream *s, const pm_capture *c,
                                 const pm_classify_context *context, pmapdb_error *err);
/* The same of its rows, which are in order, by their ids. */
pmapdb_status pm_stream_know(pm_stream *s, const pm_pool *pool, const uint32_t *ids, size_t n,
                             const pm_classify_context *context, pmapdb_error *err);

#endif
