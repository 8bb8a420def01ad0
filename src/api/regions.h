/* regions: reads address ranges from a CSV file, for a query about the mappings in each of them.
 *
 * A row is START,END in hexadecimal, with or without 0x before the digits, with or without WinDbg's
 * backtick between digits. A first line that begins with "start" is a header. END is the first
 * address after the region or, if it ends in fff, the last address in the region: some debuggers
 * print the one, some the other, and a mapping begins and ends with a page. */
#ifndef PM_API_REGIONS_H
#define PM_API_REGIONS_H

#include "base/buf.h"

#define PM_REGIONS_MAX 10000

/* Adds the regions of a text to `json`: [[FIRST,LAST],...]; LAST is inside the region; decimal and
 * signed as SQLite stores addresses. PMAPDB_INPUT: a row is not a region, or there is no row; the
 * message begins with NAME:LINE. */
pmapdb_status pm_regions_parse(const char *name, pm_text text, pm_buf *json, pmapdb_error *err);

/* The same for a file, compressed or not, or for standard input, "-". */
pmapdb_status pm_regions_read(const char *path, pm_buf *json, pmapdb_error *err);

#endif
