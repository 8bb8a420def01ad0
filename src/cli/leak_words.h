/* leak_words: what a finding of pmapdb leaks is in words: amounts, rates, shapes, what to do next.
 */
#ifndef PM_CLI_LEAK_WORDS_H
#define PM_CLI_LEAK_WORDS_H

#include "base/buf.h"
#include "cli/leak_row.h"

/* Each adds to `out`. `human`: in the unit that suits; else exact KiB. Unknown is "?". */

/* "rss 41.2 -> 80.3 MiB over 6h42m, 240 snapshots, 1 life" */
pmapdb_status pm_leak_add_course(pm_buf *out, const pm_leak_row *row, bool human,
                                 pmapdb_error *err);
/* "+212 KiB/h [198, 227]" */
pmapdb_status pm_leak_add_rate(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err);
/* The least growth that would have shown: "0.4 KiB/h" */
pmapdb_status pm_leak_add_detectable(pm_buf *out, const pm_leak_row *row, bool human,
                                     pmapdb_error *err);
/* "linear since 2026-11-14 03:10 UTC, 94 % sure" */
pmapdb_status pm_leak_add_shape(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err);
/* What stands before it where it is no one's guess: "cgroup limit "; else "". */
const char *pm_leak_limit_words(const pm_leak_row *row);
/* "4 GiB in 18h42m [17h30m, 20h06m]", or that no limit is known. */
pmapdb_status pm_leak_add_limit(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err);
/* Commands that can be typed, of pmapdb and others, by what it is that grows. */
pmapdb_status pm_leak_add_next(pm_buf *out, const pm_leak_row *row, bool human, pmapdb_error *err);

#endif
