/* row: one mapping of one capture as the store keeps it: its place, its lineage, and its numbers in
 * the encoding of tables mapping_version and rare_fields (NULL is the usual value). */
#ifndef PM_STORE_ROW_H
#define PM_STORE_ROW_H

#include "store/dict/object.h"

/* Stored in region.reason; the view lineage_history names them. */
typedef enum pm_reason {
    PM_REASON_NEW,
    PM_REASON_SAME,
    PM_REASON_SAME_START,
    PM_REASON_SAME_END,
    PM_REASON_OVERLAP,
    PM_REASON_FILE_OFFSET
} pm_reason;

#define PM_NO_LINEAGE 0

typedef struct pm_place {
    uint64_t start, length, offset;
    bool has_offset;
    const pm_object *object;
    int64_t lineage; /* lineage of a mapping of the older capture */
    int64_t kept;    /* category_id that a rule gave the lineage, or 0 */
} pm_place;

/* Compares two places, or two things that begin with one, by (start, length): for qsort, too. */
int pm_place_compare(const void *place, const void *other);

/* The columns of mapping_version after `last`, in order; then two columns of its row in table
 * rare_fields, which are read with it. */
enum pm_ver_column {
    PM_VER_PRIVATE_DIRTY,
    PM_VER_PRIVATE_CLEAN,
    PM_VER_SHARED_CLEAN,
    PM_VER_SHARED_DIRTY,
    PM_VER_SWAP,
    PM_VER_PSS,
    PM_VER_REFERENCED,
    PM_VER_RARE,
    PM_VER_COUNT,
    PM_VER_RSS = PM_VER_COUNT,
    PM_VER_FIELDS, /* the subset of the epoch's fields that the row has; NULL: all */
    PM_VER_READ
};

#define PM_VER_PARTS 4 /* the first four columns are the parts of Rss */

/* PMAPDB_UNKNOWN is NULL. */
typedef struct pm_metrics {
    int64_t v[PM_VER_READ];
} pm_metrics;

typedef struct pm_row {
    pm_place at;      /* at.lineage is the lineage of the row itself */
    int64_t size_kib; /* PMAPDB_UNKNOWN: length / 1024 */
    int64_t region_id;
    pm_reason
        reason; /* why the row belongs to its lineage; valid if the region begins with this row */
    int32_t first;    /* place of the capture at which the version began; for rows of the store */
    int32_t last;     /* the last place; INT32_MAX: to the end; only from pm_versions_load */
    uint32_t mapping; /* its id in the pool, if pm_rows.pool is known */
    pm_metrics m;
} pm_row;

/* A growable array of rows. */
typedef struct pm_rows {
    pm_row *row;
    size_t n, cap;
    uint64_t pool;               /* pm_pool.number of the pool of their mappings; 0: unknown */
    uint64_t fields;             /* of their epoch; only with a known pool */
    pm_classify_context context; /* of their capture; only with a known pool, which has its texts */
} pm_rows;

/* Returns the category_id of the row: the category of its lineage, or else of its object. */
static inline int64_t pm_row_category(const pm_row *row)
{
    return row->at.kept ? row->at.kept : row->at.object->category_id;
}

/* Returns the fields of the epoch that the row has. */
static inline uint64_t pm_metrics_fields(const pm_metrics *m, uint64_t fields)
{
    int64_t own = m->v[PM_VER_FIELDS];

    return own == PMAPDB_UNKNOWN ? fields : fields & (uint64_t)own;
}

/* Computes what a row adds to the sums of its capture, as the view mappings shows it. */
void pm_row_decode(const pm_row *row, uint64_t fields, pm_totals *out);

/* Sorts by place. */
void pm_rows_sort(pm_rows *rows);

/* Reserves room for n rows in total. */
pmapdb_status pm_rows_reserve(pm_rows *rows, size_t n, pmapdb_error *err);

/* ---- rare fields: numbers that nearly always have their usual value, and unknown keys; many
 * mappings of many captures share one row of their table ---- */

/* The columns of table rare_fields, in order: numbers of a mapping, then the set of its fields. */
#define PM_RARE_VALUES 13
#define PM_RARE_FIELDS PM_RARE_VALUES
#define PM_RARE_NUMBERS (PM_RARE_VALUES + 1)
extern const enum pm_field pm_rare_columns[PM_RARE_VALUES];

typedef struct pm_rare_fields {
    int64_t number[PM_RARE_NUMBERS]; /* PMAPDB_UNKNOWN (NULL): the usual value, or unknown */
    pm_text extra;                   /* unknown keys; empty: none */
} pm_rare_fields;

/* Encodes the numbers of a mapping, in an epoch that has `fields`: those of table mapping_version
 * as *out, which refers to no row of table rare_fields, and the rare ones as *rare. Returns false
 * if all rare ones are usual. Its text belongs to the mapping. */
bool pm_row_encode(const pm_mapping *m, uint64_t fields, pm_metrics *out, pm_rare_fields *rare);

/* Finds or inserts the row of table rare_fields with these fields, and stores its id in *row. */
void pm_rare_put(pm_sql *sql, const pm_rare_fields *d, pm_metrics *row);

/* ---- versions: the rows of the captures of one epoch. Each version is read once, however many
 * captures show it; PM_EPOCH_ALPHA (write/stream.h) limits the versions of an epoch ---- */

/* Loads the versions of the captures of the epoch from place `from` on, each with `last`, by place,
 * into *out, which has no rows. */
void pm_versions_load(pm_sql *sql, pm_objects *objects, int64_t epoch_id, int64_t from,
                      pm_rows *out);

/* Copies the rows of the capture at `off`, by place, to *out. */
void pm_versions_rows(pm_sql *sql, const pm_rows *versions, int64_t off, pm_rows *out);

#endif
