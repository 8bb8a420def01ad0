/* versions: the rows of the captures of one epoch. Each version is read once, however many captures
 * show it; an epoch has at most four times as many versions as its first capture has rows. */
#ifndef PM_STORE_VERSIONS_H
#define PM_STORE_VERSIONS_H

#include "store/dict/row.h"
#include "store/file/sql.h"

typedef struct pm_version {
    pm_row row;
    int64_t first, last; /* places of captures in the epoch; last INT64_MAX: to the end */
} pm_version;

typedef struct pm_versions {
    pm_version *item; /* sorted by place */
    size_t n, cap;
} pm_versions;

void pm_versions_free(pm_versions *v);

/* Loads the captures of the epoch from place `from` on into a zeroed *out. */
void pm_versions_load(pm_sql *sql, pm_objects *objects, int64_t epoch_id, int64_t from,
                      pm_versions *out);

/* Copies the rows of the capture at `off`, by place, to *out. */
void pm_versions_rows(pm_sql *sql, const pm_versions *v, int64_t off, pm_rows *out);

#endif
