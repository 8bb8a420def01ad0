/* one_file: a path that must name a single file, not a folder or an archive with members. */
#ifndef PM_API_ONE_FILE_H
#define PM_API_ONE_FILE_H

#include "base/buf.h"
#include "parse/files/csv_table.h"
#include "source/source.h"

/* Opens a file, compressed or not, or standard input ("-"), for pm_source_read; *path must outlive
 * the source. PMAPDB_USAGE, with the message "'PATH' is OTHERWISE", for a folder or an archive. */
pmapdb_status pm_one_file_open(const char *const *path, const char *otherwise, pm_source **out,
                               pmapdb_error *err);

/* Adds the bytes of a file to `out`; stops soon after `max` bytes. */
pmapdb_status pm_one_file_read(const char *path, size_t max, pm_buf *out, pmapdb_error *err);

/* Reads the rows of a CSV file. */
pmapdb_status pm_one_file_csv(const char *path, const pm_csv_options *options, pmapdb_error *err);

#endif
