/* proc_text: the small files of /proc, read whole and cut into lines and words. */
#ifndef PM_SOURCE_PROC_TEXT_H
#define PM_SOURCE_PROC_TEXT_H

#include "base/buf.h"
#include <stdint.h>

/* Adds the file `name` below `dir` to `out`, at most `max` bytes of it. 0, or why not: an errno.
 * What was read before a failure stays. */
int pm_proc_slurp(int dir, const char *name, size_t max, pm_buf *out);

/* One read of a file that is short by nature; false where it cannot be read. */
bool pm_proc_peek(int dir, const char *name, char *block, size_t size, pm_text *out);

/* The next word, whatever blanks and tabs stand before it. */
pm_text pm_proc_word(pm_text *t);

/* A decimal number with a sign; PMAPDB_UNKNOWN for anything else. */
int64_t pm_proc_number(pm_text word);

/* A limit in bytes as KiB; PM_NO_LIMIT for "max", "unlimited" and the largest count of pages. */
int64_t pm_proc_limit_kib(pm_text word);

/* The rest of the line that begins with `key`; empty where there is none. */
pm_text pm_proc_after(pm_text text, const char *key);

#endif
