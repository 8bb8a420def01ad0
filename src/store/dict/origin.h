/* origin: the files in which captures were found: tables origin and capture. */
#ifndef PM_STORE_ORIGIN_H
#define PM_STORE_ORIGIN_H

#include "store/file/sql.h"

/* Inserts a row into table capture, and its row in table origin if that is missing. Returns its
 * capture_id. */
int64_t pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file);

#endif
