/* origin: where captures were found: tables folder and capture. */
#ifndef PM_STORE_ORIGIN_H
#define PM_STORE_ORIGIN_H

#include "base/buf.h"
#include "store/file/sql.h"

/* The folder's id; its row is made when it is missing. 0 after a failure. */
int64_t pm_folder_of(pm_sql *sql, pm_text folder);

/* A new row of table capture. */
pmapdb_status pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file, int64_t *capture_id,
                                pmapdb_error *err);

/* Where the capture was found. *has = false: there is no such capture. A folder whose row somebody
 * removed is empty. */
pmapdb_status pm_origin_read(pm_sql *sql, int64_t capture_id, pm_buf *folder, pm_buf *file,
                             bool *has, pmapdb_error *err);

#endif
