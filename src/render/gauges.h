/* gauges: the rows that Prometheus gets: the newest ones, no two with the same labels. Private to
 * src/render. */
#ifndef PM_RENDER_GAUGES_H
#define PM_RENDER_GAUGES_H

#include "render/family.h"

typedef struct pm_gauge_line {
    pm_value *values;
    pm_buf key;     /* what it is sorted by; after the merge its labels */
    int64_t moment; /* or PMAPDB_UNKNOWN */
    size_t order;
} pm_gauge_line;

typedef struct pm_gauges {
    const pm_column *columns;
    size_t n_columns;
    const pm_label *labels; /* of every row */
    size_t n_labels;
    pm_family *families;         /* one per column; filled in between add and merge */
    bool *has_text, *has_number; /* likewise: what the rows held */
    size_t moment;               /* the column that says when, or n_columns */
    pm_gauge_line *lines;
    size_t n, cap, tidy_at, order;
} pm_gauges;

/* The columns must outlive it; pm_gauges_close also after a failed open. */
pmapdb_status pm_gauges_open(pm_gauges *g, const pm_column *columns, size_t n, pmapdb_error *err);
void pm_gauges_close(pm_gauges *g);

pmapdb_status pm_gauges_add(pm_gauges *g, const pm_value *values, pmapdb_error *err);

/* Where rows carry the moment that they were taken at: drops what is not the newest of its
 * process. Otherwise nothing. */
pmapdb_status pm_gauges_keep_newest(pm_gauges *g, pmapdb_error *err);

/* Rows that differ in no label become one: KiB and counts are added up, of rows of one moment the
 * newest of the other times is taken, the rest must be equal. */
pmapdb_status pm_gauges_merge(pm_gauges *g, pmapdb_error *err);

/* Keeps the first n of them. */
void pm_gauges_cut(pm_gauges *g, size_t n);

#endif
