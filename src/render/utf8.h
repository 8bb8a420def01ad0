/* utf8: text of unknown origin made fit for JSON and for a terminal.
 *
 * Names in memory maps are bytes; most are UTF-8, nothing promises it. Nothing here depends on the
 * locale: cron runs with LC_ALL=C, and wcwidth() then knows ASCII only.
 */
#ifndef PM_RENDER_UTF8_H
#define PM_RENDER_UTF8_H

#include "base/buf.h"
#include <stdint.h>

#define PM_UTF8_BAD UINT32_MAX

/* Reads one character at the start of t (not empty) and returns its bytes. Malformed bytes give
 * PM_UTF8_BAD and, as Unicode recommends, the longest run that could have begun a character: each
 * such run is one U+FFFD. */
size_t pm_utf8_next(pm_text t, uint32_t *cp);

bool pm_utf8_valid(pm_text t);

/* Adds t to out, with U+FFFD for what is malformed. */
pmapdb_status pm_utf8_repair(pm_text t, pm_buf *out, pmapdb_error *err);

/* Adds t to out, with bytes that a terminal would obey, reorder by, choke on or not show as \xNN.
 */
pmapdb_status pm_utf8_escape(pm_text t, pm_buf *out, pmapdb_error *err);

/* Columns of a terminal: 0 for combining marks, 2 for East Asian wide ones and most emoji. */
int pm_utf8_char_width(uint32_t cp);
size_t pm_utf8_width(pm_text t);

/* A name with one of these looks like the name without it: formatting, separators of lines, what
 * turns their direction ("Trojan Source", CVE-2021-42574), selectors and fillers. */
bool pm_utf8_is_invisible(uint32_t cp);

/* Adds t to out, its middle replaced by an ellipsis so that it takes at most `width` columns. The
 * end gets two thirds of the room: a path's end tells most. */
pmapdb_status pm_utf8_shorten(pm_text t, size_t width, pm_buf *out, pmapdb_error *err);

#endif
