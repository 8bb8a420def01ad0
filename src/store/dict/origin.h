/* origin: where captures were found: tables origin and capture. */
#ifndef PM_STORE_ORIGIN_H
#define PM_STORE_ORIGIN_H

#include "base/buf.h"
#include "store/file/sql.h"

/* A new row of table capture; its row in table origin is made when it is missing. */
pmapdb_status pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file, int64_t *capture_id,
                                pmapdb_error *err);

/* Where the capture was found. *has = false: there is no such capture. Both are empty where
 * somebody removed the row of its origin. */
pmapdb_status pm_origin_read(pm_sql *sql, int64_t capture_id, pm_buf *folder, pm_buf *file,
                             bool *has, pmapdb_error *err);

#endif
