/* regions: address ranges out of a CSV file, for what lies in each of them.
 *
 * A row is START,END in hexadecimal, 0x before it or not, with WinDbg's backtick between digits or
 * not. A first line with the names start and end may say otherwise; more columns need one. END is
 * the first address behind the region or, where it ends in fff, the last one in it: debuggers print
 * either, and a mapping begins and ends with a page.
 */
#ifndef PM_API_REGIONS_H
#define PM_API_REGIONS_H

#include "base/buf.h"
#include <stdint.h>

#define PM_REGIONS_MAX 10000

typedef struct pm_region {
    uint64_t start, last; /* both of them are in it */
} pm_region;

typedef struct pm_regions {
    pm_region *region;
    size_t n, cap;
} pm_regions;

/* Adds those of a text to *out. PMAPDB_INPUT: a row is none, or there are none; the message begins
 * with NAME:LINE. */
pmapdb_status pm_regions_parse(const char *name, pm_text text, pm_regions *out, pmapdb_error *err);

/* The same of a file, compressed or not, or of standard input, "-". */
pmapdb_status pm_regions_read(const char *path, pm_regions *out, pmapdb_error *err);

/* Adds "[[START,LAST],...]", decimal and signed as SQLite holds addresses. */
pmapdb_status pm_regions_json(const pm_regions *regions, pm_buf *out, pmapdb_error *err);

void pm_regions_free(pm_regions *regions);

#endif
