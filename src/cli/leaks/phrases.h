/* phrases: prints the numbers of a leak in words. `human` chooses a suitable unit; otherwise the
 * unit is KiB. Unknown numbers are "?". */
#ifndef PM_CLI_LEAK_PHRASES_H
#define PM_CLI_LEAK_PHRASES_H

#include "cli/leaks/rows.h"
#include <stdio.h>

/* Prints "rss 41.2 -> 80.3 MiB over 6h42m, 240 snapshots, 1 life, as of 2026-11-14 03:10:02 UTC".
 */
void pm_leak_print_course(FILE *out, const pm_leak_row *r, bool human);
/* Prints "+212 KiB/h [198, 227]". */
void pm_leak_print_rate(FILE *out, const pm_leak_row *r, bool human);
/* Prints the smallest growth that would have been detected: "0.4 KiB/h". */
void pm_leak_print_detectable(FILE *out, const pm_leak_row *r, bool human);
/* Prints "linear since 2026-11-14 03:10 UTC, 94 % sure". */
void pm_leak_print_shape(FILE *out, const pm_leak_row *r, bool human);
/* Returns the hours until the limit is reached: from now if the captures are of the last day, else
 * from the newest. *at_ms is that time, or PMAPDB_UNKNOWN. */
double pm_leak_left(const pm_leak_row *row, int64_t *at_ms);
/* Prints " in 24m, at 03:14 UTC". */
void pm_leak_print_left(FILE *out, const pm_leak_row *row);

/* Prints "4 GiB in 18h42m, at 2026-11-14 21:52 UTC [17h30m, 20h06m]", or that no limit is known. */
void pm_leak_print_limit(FILE *out, const pm_leak_row *r, bool human);

/* Returns the origin of the limit if the kernel sets it, like "cgroup limit "; else "". */
const char *pm_leak_limit_words(const pm_leak_row *row);

/* Prints ", as of 2026-11-14 03:10:02 UTC": when the newest number was read. */
void pm_leak_print_as_of(FILE *out, const pm_leak_row *r, bool human);

#endif
