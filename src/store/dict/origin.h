/* origin: the files in which captures were found: tables origin and capture. */
#ifndef PM_STORE_ORIGIN_H
#define PM_STORE_ORIGIN_H

#include "base/buf.h"
#include "store/file/sql.h"

/* Inserts a row into table capture, and its row in table origin if that is missing. */
pmapdb_status pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file, int64_t *capture_id,
                                pmapdb_error *err);

/* Reads the file of a capture. *has = false: the capture does not exist. Both texts are empty if
 * the row in table origin was removed. */
pmapdb_status pm_origin_read(pm_sql *sql, int64_t capture_id, pm_buf *folder, pm_buf *file,
                             bool *has, pmapdb_error *err);

#endif
