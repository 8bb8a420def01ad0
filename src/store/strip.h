/* strip: one of an epoch's version tables (ver or catver) taken apart: a list of cells per capture.
 * Pure; the SQL is in epoch.c. */
#ifndef PM_STORE_STRIP_H
#define PM_STORE_STRIP_H

#include "store/dict/row.h"

/* A key (region or category) with its numbers, unchanged over one or more captures. */
typedef struct pm_cell {
    int64_t key;
    pm_metrics m;
} pm_cell;

/* A stretch of one cell, first..last; last PMAPDB_UNKNOWN: to the end of the epoch. */
typedef struct pm_version {
    pm_cell cell;
    int64_t first, last;
} pm_version;

typedef struct pm_strip_capture {
    uint32_t *cell; /* in the order of their keys */
    size_t n, cap;
} pm_strip_capture;

typedef struct pm_strip {
    pm_cell *cells;
    size_t n_cells, cap_cells;
    pm_strip_capture *captures;
    pm_version *saved; /* as in the file, in the order of (key, first) */
    size_t n_saved, cap_saved;
} pm_strip;

/* n: captures. */
void pm_strip_free(pm_strip *s, size_t n);
pmapdb_status pm_strip_init(pm_strip *s, size_t n, pmapdb_error *err);

/* A version as read from the file: kept in saved, and in the captures that it covers. */
pmapdb_status pm_strip_add(pm_strip *s, size_t n, const pm_version *v, pmapdb_error *err);

/* Memory for one capture more; and its place, k, among the n. */
pmapdb_status pm_strip_make_room(pm_strip *s, size_t n, pmapdb_error *err);
void pm_strip_open_gap(pm_strip *s, size_t n, size_t k);

/* What capture k holds, from now on; sorts `cells`. Keys must differ. */
pmapdb_status pm_strip_set(pm_strip *s, size_t k, pm_cell *cells, size_t n, pmapdb_error *err);

/* True where capture k has that key. */
bool pm_strip_has_key(const pm_strip *s, size_t k, int64_t key);

/* The versions that the captures make, into out->saved. Equal neighbours are one. */
pmapdb_status pm_strip_versions(const pm_strip *s, size_t n, pm_strip *out, pmapdb_error *err);

/* Of versions alone (in saved, as read with 0 captures). Captures that are not in the `n` rising
 * places `kept` go, those behind move up; of *out only saved is filled, and is the caller's. */
pmapdb_status pm_strip_thin(const pm_strip *s, const int64_t *kept, size_t n, pm_strip *out,
                            pmapdb_error *err);

/* The same for an epoch of n captures and the one behind it in time. */
pmapdb_status pm_strip_join(const pm_strip *a, size_t n, const pm_strip *b, pm_strip *out,
                            pmapdb_error *err);

int pm_version_compare(const pm_version *a, const pm_version *b);

/* Captures k.. of `from` become captures 0.. of `to`, which shares no memory with it. */
pmapdb_status pm_strip_split(pm_strip *from, pm_strip *to, size_t n, size_t k, pmapdb_error *err);

#endif
