/* utf8: the one UTF-8 decoder of the program.
 *
 * Names in memory maps are bytes: most are UTF-8, but this is not guaranteed. Nothing here depends
 * on the locale, because cron runs with LC_ALL=C.
 */
#ifndef PM_BASE_UTF8_H
#define PM_BASE_UTF8_H

#include "base/buf.h"

#define PM_UTF8_BAD UINT32_MAX

/* Reads the character at the start of t, which is not empty, and returns its length in bytes.
 * Malformed bytes give PM_UTF8_BAD and, as Unicode recommends, the length of the longest run that
 * could have begun a character: each such run stands for one U+FFFD. */
size_t pm_utf8_next(pm_text t, uint32_t *cp);

bool pm_utf8_valid(pm_text t);

/* Adds t to out, with U+FFFD for each malformed run. */
pmapdb_status pm_utf8_repair(pm_text t, pm_buf *out, pmapdb_error *err);

/* Returns the longest prefix of t that has at most `max` bytes and does not end inside a character.
 */
pm_text pm_utf8_head(pm_text t, size_t max);

#endif
