/* clock: moments as people, loops and cron write them, in English; in milliseconds since 1970 UTC.
 *
 * A moment without a zone is local time by TZ (the command line sets TZ from --tz). The user's
 * locale plays no part: strptime_l and strftime_l are called with the C locale, so a program that
 * links the library may call setlocale.
 */
#ifndef PM_BASE_CLOCK_H
#define PM_BASE_CLOCK_H

#include "base/text.h"
#include <stdint.h>

/* The whole text is a moment: ISO 8601 ("2026-11-21T02:05:32Z", "2026-11-21 02:05", with or without
 * fraction, zone "Z", "+01:00", "+0100", "UTC"), date only, what `date` prints, "@SECONDS", or
 * plain Unix seconds (9 or 10 digits), milliseconds (12 or 13) or nanoseconds (19). */
bool pm_clock_parse(pm_text t, int64_t *ms);

/* The whole line is a moment between 1990 and 2100, with what loops print around it: "=== ... ===",
 * "# ...", "timestamp: ...", a trailing colon. */
bool pm_clock_parse_line(pm_text t, int64_t *ms);

/* The line begins with such a moment and more text follows. *rest is that text, to the end of the
 * line, without the blanks, colons, dashes and closing brackets between.
 *
 * Not a moment: a time of day without its date, a date without its year, a number that is a
 * quantity, a row or a header of a memory map. A day alone is its midnight, unless digits follow
 * that might be its time of day. */
bool pm_clock_parse_prefix(pm_text line, int64_t *ms, pm_text *rest);

/* A moment inside a file's name, between 1990 and 2100: Unix seconds to nanoseconds,
 * "20261121-020532", "2026-11-21T02:05:32Z", "2026-11-21_02-05-32", "20261121T0205". A PID beside
 * it does not confuse it. A date alone is its midnight, and loses against a moment with a time of
 * day. *where becomes the part of the name that was read, so that nobody looks for a PID in it. */
bool pm_clock_find_in_name(pm_text name, int64_t *ms, pm_text *where);

static inline bool pm_clock_in_name(pm_text name, int64_t *ms)
{
    pm_text where;

    return pm_clock_find_in_name(name, ms, &where);
}

/* ISO 8601 UTC, "2026-11-21T02:05:32Z"; with ".mmm" unless the milliseconds are 0. */
#define PM_CLOCK_TEXT 32
void pm_clock_format(int64_t ms, char out[PM_CLOCK_TEXT]);

int64_t pm_clock_now(void);

/* A time zone as TZ takes it: the name of a file of the tz database, a file's path, or a rule like
 * "CET-1CEST,M3.5.0,M10.5.0/3". The C library silently takes anything else for UTC. */
bool pm_clock_is_zone(const char *zone);

#endif
