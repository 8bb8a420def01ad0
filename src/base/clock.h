/* clock: moments as people and cron write them. Milliseconds since 1970 UTC everywhere.
 *
 * A moment without a zone is local time by the process's TZ (the command line sets TZ from --tz).
 */
#ifndef PM_BASE_CLOCK_H
#define PM_BASE_CLOCK_H

#include "base/text.h"
#include <stdint.h>

/* The whole text is a moment: ISO 8601 ("2026-11-21T02:05:32Z", "2026-11-21 02:05", with or without
 * fraction, zone "Z", "+01:00", "+0100", "UTC"), date only, "@SECONDS" or plain Unix seconds (9 to
 * 10 digits) or milliseconds (12 to 13). */
bool pm_clock_parse(pm_text t, int64_t *ms);

/* A whole line is what `date` prints, in the C locale and the common others: "Sat Nov 21 02:05:32
 * UTC 2026", "Sat 21 Nov 2026 02:05:32 AM UTC", -R, -I, --iso-8601, --rfc-3339, +%s, +%F_%T; with
 * decoration that loops add before or after it ("=== ... ===", "# ...", a trailing colon). */
bool pm_clock_parse_line(pm_text t, int64_t *ms);

/* The line begins with a moment (after decoration and labels as above) and says more behind it.
 * *rest is what follows, to the end of the line, without the blanks, colons, dashes, closing
 * brackets between. Not for lines that are a moment and nothing else, nor for lines that only
 * contain one further in.
 *
 * No moment: a time of day without its date, a date without its year, a number that is a quantity,
 * a row or a header of a memory map. A day alone counts as its midnight where no digits that might
 * be its time of day follow. */
bool pm_clock_parse_prefix(pm_text line, int64_t *ms, pm_text *rest);

/* A moment inside a file's name: Unix seconds or milliseconds, "20261121-020532",
 * "2026-11-21T02:05:32Z", "2026-11-21_02-05-32", "20261121T0205". Digits that do not make a
 * plausible moment (1990..2100) are not one. A PID beside it does not confuse it. A date alone is
 * its midnight, and loses against a moment with a time of day. *where becomes the part of the name
 * that was read: whoever looks for a PID skips it. */
bool pm_clock_find_in_name(pm_text name, int64_t *ms, pm_text *where);

static inline bool pm_clock_in_name(pm_text name, int64_t *ms)
{
    pm_text where;

    return pm_clock_find_in_name(name, ms, &where);
}

/* ISO 8601 UTC, "2026-11-21T02:05:32Z"; with ".mmm" where the milliseconds are not 0. */
#define PM_CLOCK_TEXT 32
void pm_clock_format(int64_t ms, char out[PM_CLOCK_TEXT]);

int64_t pm_clock_now(void);

/* A time zone as TZ takes it: the name of a file of the tz database, a file's path, or a rule like
 * "CET-1CEST,M3.5.0,M10.5.0/3". The C library takes anything else for UTC and says nothing. */
bool pm_clock_is_zone(const char *zone);

#endif
