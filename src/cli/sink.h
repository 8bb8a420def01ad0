/* sink: where a command's output goes: standard output, or the file after -o.
 *
 * A file appears whole or not at all: it is written beside its place as FILE.XXXXXX and renamed by
 * the commit. What is there and is no regular file (/dev/null, a FIFO, a terminal) is written
 * directly. Bytes are held back up to 64 KiB. SIGPIPE must be ignored: a reader that went away is
 * PMAPDB_STOPPED, which is no failure to report. After a failure every call gives it again.
 */
#ifndef PM_CLI_SINK_H
#define PM_CLI_SINK_H

#include "render/render.h"

typedef struct pm_cli_out pm_cli_out;

/* path NULL: standard output. */
pmapdb_status pm_cli_out_open(const char *path, pm_cli_out **out, pmapdb_error *err);

pmapdb_status pm_cli_out_write(pm_cli_out *o, const char *bytes, size_t n, pmapdb_error *err);

/* Lasts as long as o. */
pm_sink pm_cli_out_sink(pm_cli_out *o);

/* Writes what is held back: for output that somebody follows while it grows. A file still becomes
 * visible only by the commit. */
pmapdb_status pm_cli_out_flush(pm_cli_out *o, pmapdb_error *err);

/* Flushes and puts the file in its place. Nothing may be written afterwards. */
pmapdb_status pm_cli_out_commit(pm_cli_out *o, pmapdb_error *err);

/* Without a commit: an old file stays as it was, what is held back is dropped. */
void pm_cli_out_close(pm_cli_out *o);

#endif
