/* copy: a /proc: the live one, a copy in a folder, or a copy in an archive, such as snap.py of
 * linux-mem and capture --archive write. Of an archive, the files that are needed are unpacked into
 * a private folder below TMPDIR, page maps as sparse files. A compressed archive is unpacked up to
 * 16 GiB; the rest counts as damage. */
#ifndef PM_SOURCE_COPY_H
#define PM_SOURCE_COPY_H

#include "base/err.h"

typedef struct pm_copy {
    int root;         /* a handle on the /proc */
    char folder[256]; /* of unpacked files; empty: there are none */
    char damage[512]; /* the message about its damage; empty: the archive is whole */
} pm_copy;

/* environments: also unpack the environments of the processes. Of a damaged archive, the files
 * before the damage are unpacked; a page map that is cut is left out. */
pmapdb_status pm_copy_open(const char *path, bool environments, pm_copy *out, pmapdb_error *err);
/* Removes the unpacked files. */
void pm_copy_close(pm_copy *c);

#endif
