/* clock_scan: reads a moment at the beginning of a text, as far as it goes. What may stand behind
 * it is the caller's business: nothing, or the text of a log line. For the clock files only.
 *
 * Every function returns how many characters it took, 0 where there is no moment. c must be zeroed;
 * whether there is such a day is for pm_civil_to_ms to say. A zone that stays PM_ZONE_LOCAL was not
 * given. */
#ifndef PM_BASE_CLOCK_SCAN_H
#define PM_BASE_CLOCK_SCAN_H

#include "base/civil.h"

/* YYYY-MM-DD, YYYY/MM/DD, YYYYMMDD; *compact for the last. */
size_t pm_clock_scan_date(pm_text t, pm_civil *c, bool *compact);

/* A date and, where one follows, a time of day, written as numbers. */
size_t pm_clock_scan_iso(pm_text t, pm_civil *c, bool *has_time);

/* A date with the names of its parts, as `date` and people write it, in any order; with a time of
 * day always. The year may stand in a date of numbers: "Sat 2026-11-21 02:05:32 PM". */
size_t pm_clock_scan_words(pm_text t, pm_civil *c);

/* "2:05" stands in the first 80 bytes. */
bool pm_clock_has_time_of_day(pm_text t);

/* Seconds ("@0", "1795226732.25"), milliseconds, or what date +%s%N prints. */
size_t pm_clock_scan_unix(pm_text t, int64_t *ms);

/* "Z", "CET", "+0100", "+01:00", "-03", "GMT+0100"; where it stands apart from the time of day, a
 * number with a unit behind it is none. */
size_t pm_clock_scan_zone(pm_text t, bool apart, pm_zone *out);

/* The fraction of a second, behind a dot or ISO 8601's comma. What is finer than a millisecond is
 * dropped. 0 where it is none: a comma may also part the fields of a CSV line. */
size_t pm_clock_scan_fraction(pm_text t, int *ms);

#endif
