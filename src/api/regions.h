/* regions: address ranges out of a CSV file, for what lies in each of them.
 *
 * A row is START,END in hexadecimal, 0x before the digits or not, with WinDbg's backtick between
 * digits or not. The first line may name the columns: start, end and any others. END is the first
 * address after the region or, where it ends in fff, the last one in it: debuggers print either,
 * and a mapping begins and ends with a page.
 */
#ifndef PM_API_REGIONS_H
#define PM_API_REGIONS_H

#include "base/buf.h"

#define PM_REGIONS_MAX 10000

/* Adds the regions of a text to `json`: [[FIRST,LAST],...], both in the region, decimal and signed
 * as SQLite holds addresses. PMAPDB_INPUT: a row is not a region, or there is no row; the message
 * begins with NAME:LINE. */
pmapdb_status pm_regions_parse(const char *name, pm_text text, pm_buf *json, pmapdb_error *err);

/* The same of a file, compressed or not, or of standard input, "-". */
pmapdb_status pm_regions_read(const char *path, pm_buf *json, pmapdb_error *err);

#endif
