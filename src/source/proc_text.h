/* proc_text: the small files of /proc, read whole and cut into lines and words. */
#ifndef PM_SOURCE_PROC_TEXT_H
#define PM_SOURCE_PROC_TEXT_H

#include "base/buf.h"
#include <stdint.h>

/* Adds what the file `name` below `dir` holds to `out`, at most `max` bytes of it. 0, or why not:
 * an errno. What was read before a failure stays. */
int pm_proc_slurp(int dir, const char *name, size_t max, pm_buf *out);

/* The same for a file that is short by nature; false where it cannot be read. */
bool pm_proc_peek(int dir, const char *name, char *block, size_t size, pm_text *out);

/* Cuts the text up to the next `stop` off `t`, and that with it. */
pm_text pm_proc_cut(pm_text *t, char stop);

/* So much of cmdline and of a variable is stored, "..." at its end where that is not all: else
 * whoever may start a program fills the store of whoever captures it. */
#define PM_PROC_KEPT_MAX ((size_t)4096)
/* How much of it stands before "..."; all, where it fits. */
size_t pm_proc_kept(pm_text t);

/* The next word, whatever blanks and tabs stand before it. */
pm_text pm_proc_word(pm_text *t);

/* A decimal number with a sign; PMAPDB_UNKNOWN for anything else. */
int64_t pm_proc_number(pm_text word);

#endif
