/* copy: a /proc: the live one, a copy in a folder, or a copy in an archive, such as snap.py of
 * linux-mem and capture --archive write. Of an archive, the files that are needed are unpacked into
 * a private folder below TMPDIR, page maps as sparse files. The largest one that is read unpacks to
 * 16 GiB. */
#ifndef PM_SOURCE_COPY_H
#define PM_SOURCE_COPY_H

#include "base/err.h"

typedef struct pm_copy {
    int root;         /* a handle on it */
    char folder[256]; /* of unpacked files; empty: there are none */
    char damage[512]; /* what is missing of the archive; empty: it is whole */
} pm_copy;

/* environments: also unpack the environments of the processes. A damaged archive gives what was
 * read before the damage; a process whose page map is cut has none. */
pmapdb_status pm_copy_open(const char *path, bool environments, pm_copy *out, pmapdb_error *err);
/* Removes what was unpacked. */
void pm_copy_close(pm_copy *c);

#endif
