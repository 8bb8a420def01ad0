/* origin: what captures were read from, and their rows in table capture.
 *
 * The files of a series have names that differ in their digits alone. So a name is stored as a
 * format of printf, which the series shares (table origin), and as its digits, a number of the
 * capture's own. queries/snapshots.sql spells it again, byte by byte, as pm_origin_read does. */
#ifndef PM_STORE_ORIGIN_H
#define PM_STORE_ORIGIN_H

#include "base/buf.h"
#include "store/file/sql.h"

typedef struct pm_origin {
    int64_t origin_id, digits;
} pm_origin;

/* The format is added to `format`: of the last 14 digits of the name or fewer each two, or an odd
 * one, are one argument; the first argument is the lowest two places of *digits. */
pmapdb_status pm_origin_split(pm_text file, pm_buf *format, int64_t *digits, pmapdb_error *err);

/* Found, or made. */
pmapdb_status pm_origin_of(pm_sql *sql, pm_text folder, pm_text file, pm_origin *out,
                           pmapdb_error *err);

/* A new row of table capture. */
pmapdb_status pm_origin_capture(pm_sql *sql, pm_text folder, pm_text file, int64_t *capture_id,
                                pmapdb_error *err);

/* What the capture was read from. *has = false: there is no such capture. Where somebody took the
 * row of origin away, both are empty. */
pmapdb_status pm_origin_read(pm_sql *sql, int64_t capture_id, pm_buf *folder, pm_buf *file,
                             bool *has, pmapdb_error *err);

#endif
