/* pack: writes a small copy of /proc with the pages of some processes: a tar in zstd, which
 * pm_copy_open() and import read.
 *
 * Of a process: maps, status, stat, comm, cgroup, limits, the program, the parts of its command
 * line and environment that may be kept, and the list of its pages (pages/book.h). */
#ifndef PM_SOURCE_PACK_H
#define PM_SOURCE_PACK_H

#include "base/record/live.h"
#include "source/pages/pagemap.h"

typedef struct pm_copy_writer pm_copy_writer;

/* The file appears when it is whole. root: a handle on /proc. After a failure, too, *out must be
 * closed; it is unchanged without memory. */
pmapdb_status pm_copy_writer_open(const char *path, int root, pm_pagemap *map, pm_copy_writer **out,
                                  pmapdb_error *err);
/* Reads the pages of a process again and adds it. `work` are its ranges. */
pmapdb_status pm_copy_writer_add(pm_copy_writer *writer, const pm_proc *p,
                                 const pm_standing *standing, pm_page_ranges *work,
                                 pm_proc_fate *fate, pmapdb_error *err);
/* Writes the rest and gives the file its name. */
pmapdb_status pm_copy_writer_end(pm_copy_writer *writer, pmapdb_error *err);
/* Without pm_copy_writer_end(), there is no file. */
void pm_copy_writer_close(pm_copy_writer *writer);

#endif
