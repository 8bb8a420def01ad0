/* one_file: a path that stands for one file and not for the members of a folder or an archive. */
#ifndef PM_API_ONE_FILE_H
#define PM_API_ONE_FILE_H

#include "base/buf.h"
#include "source/source.h"

/* Opens a file, compressed or not, or standard input ("-"), for pm_source_read. PMAPDB_USAGE, with
 * the words "'PATH' is OTHERWISE", for a folder or an archive. */
pmapdb_status pm_one_file_open(const char *path, const char *otherwise, pm_source **out,
                               pmapdb_error *err);

/* Adds the bytes of a file of CSV to `out`; stops soon after `max` of them. */
pmapdb_status pm_one_file_read(const char *path, size_t max, pm_buf *out, pmapdb_error *err);

#endif
