/* clock: moments in the English forms that people, loops and cron write. Values are milliseconds
 * since 1970 UTC.
 *
 * A moment without a zone is local time according to TZ (the command line sets TZ from --tz). The
 * locale of the user has no effect: strptime_l is called with the C locale, so a program that links
 * the library may call setlocale.
 */
#ifndef PM_BASE_CLOCK_H
#define PM_BASE_CLOCK_H

#include "base/text.h"
#include <stdint.h>
#include <time.h>

/* True if the whole text is a moment: ISO 8601 ("2026-11-21T02:05:32Z", "2026-11-21 02:05", with or
 * without a fraction, zone "Z", "+01:00", "+0100", "UTC"), date only, what `date` prints,
 * "@SECONDS", or plain Unix seconds (9 or 10 digits), milliseconds (12 or 13), microseconds (16) or
 * nanoseconds (19).
 */
bool pm_clock_parse(pm_text t, int64_t *ms);

/* True if the whole text is a moment as pm_clock_parse() reads it, or in words that count from
 * `now`: "now", "now-2h", "1 hour ago", "today" and "yesterday" (midnight), "yesterday 14:00",
 * "02:00" (the last one that has passed). Days are those of the local zone. */
bool pm_clock_parse_words(pm_text t, int64_t now, int64_t *ms);

typedef enum pm_clock_kind {
    PM_CLOCK_NONE,
    PM_CLOCK_MOMENT,
    PM_CLOCK_NO_DATE /* like a date with a time of day, but no such date exists: "2026-02-30 10:00",
                        "2026-11-21 25:61", or its zone is unknown */
} pm_clock_kind;

typedef struct pm_clock_line {
    int64_t ms;        /* between 1990 and 2100 */
    int64_t second_ms; /* the second time at which local clocks showed the moment, if it has no zone
                          and clocks were set back; otherwise ms */
    pm_text rest;      /* the text after the moment, without the blanks, colons, dashes and closing
                          brackets between them; empty if there is only decoration */
} pm_clock_line;

/* Reads the moment at the start of a line, with the decoration that loops print around it: "=== ...
 * ===", "# ...", "timestamp: ...", a trailing colon.
 *
 * These are not moments: a time of day without a date, a date without a year, a quantity, a row or
 * a header of a memory map. A date without a time means midnight, unless digits follow that might
 * be a time of day. */
pm_clock_kind pm_clock_read_line(pm_text line, pm_clock_line *out);

/* Finds a moment inside the name of a file, between 1990 and 2100: Unix seconds to nanoseconds,
 * "20261121-020532", "2026-11-21T02:05:32Z", "2026-11-21_02-05-32", "20261121T0205". A PID beside
 * the moment is not mistaken for a part of it. A date alone means midnight; a moment with a time of
 * day is preferred. *where becomes the part of the name that was read, so that the caller does not
 * look for a PID there. */
bool pm_clock_in_name(pm_text name, int64_t *ms, pm_text *where);

/* Writes ISO 8601 in UTC, "2026-11-21T02:05:32Z"; with ".mmm" unless the milliseconds are 0. */
#define PM_CLOCK_TEXT 32
void pm_clock_format(int64_t ms, char out[PM_CLOCK_TEXT]);

int64_t pm_clock_now(void);

/* Returns what a clock of the system shows, in ns. A clock after the year 2255 is wrong, and its ns
 * would overflow: then 2255. */
int64_t pm_now_ns(clockid_t clock);

/* True for a valid value of TZ: a name in the tz database, the path of a file, or a rule like
 * "CET-1CEST,M3.5.0,M10.5.0/3". The C library silently treats anything else as UTC. */
bool pm_clock_is_zone(const char *zone);

#endif
