/* terminal: text of unknown origin made fit for a terminal, whatever the locale. */
#ifndef PM_RENDER_TERMINAL_H
#define PM_RENDER_TERMINAL_H

#include "base/buf.h"

/* Adds t to out, with \xNN for the bytes of every character that a terminal would obey, reorder by
 * or not show (controls, "Trojan Source" marks of direction: CVE-2021-42574, fillers, places of
 * Unicode without a character), and for malformed bytes. */
pmapdb_status pm_terminal_escape(pm_text t, pm_buf *out, pmapdb_error *err);

/* Columns of the terminal that t takes: 0 for a combining mark, 2 for an East Asian wide character
 * or an emoji. */
size_t pm_terminal_width(pm_text t);

/* The first line of t in lines of this many columns, cut between words if possible. A line has at
 * least one character. */
pm_text pm_terminal_line(pm_text t, size_t columns);
/* The longest prefix that has at most this many columns. */
pm_text pm_terminal_head(pm_text t, size_t columns);

#endif
