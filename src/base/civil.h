/* civil: dates and times of day <-> milliseconds since 1970 UTC; the zones that they stand in. */
#ifndef PM_BASE_CIVIL_H
#define PM_BASE_CIVIL_H

#include "base/text.h"
#include <stdint.h>

/* Zeroed: local time. Standard and summer are the two halves of the local zone, so that the hour
 * that the clock shows twice in autumn is read right. */
typedef enum pm_zone_kind {
    PM_ZONE_LOCAL,
    PM_ZONE_LOCAL_STANDARD,
    PM_ZONE_LOCAL_SUMMER,
    PM_ZONE_OFFSET
} pm_zone_kind;

typedef struct pm_zone {
    pm_zone_kind kind;
    int minutes; /* east of UTC; PM_ZONE_OFFSET only */
} pm_zone;

typedef struct pm_civil {
    int year, month, day; /* month and day from 1 */
    int hour, minute, second, ms;
    pm_zone zone;
} pm_civil;

/* False where there is no such day or time of day; years from 1970 to 9999. */
bool pm_civil_to_ms(const pm_civil *c, int64_t *ms);

/* In UTC; any ms. The year may have more than four digits. */
void pm_civil_from_ms(int64_t ms, pm_civil *c);

/* 1990 up to 2100: what may be guessed to be a moment when nobody said that it is one. */
bool pm_civil_plausible(int64_t ms);

/* A zone's abbreviation: the process's own zone, or one that means the same everywhere. */
bool pm_civil_zone(pm_text abbreviation, pm_zone *out);

/* "+01:00", "-0500", "+01" at p; returns how many characters were used, 0 for none. */
size_t pm_civil_offset(const char *p, const char *end, pm_zone *out);

/* Exactly `width` digits at p; more may follow. */
bool pm_civil_digits(const char *p, const char *end, int width, int *out);

/* How many digits stand at p. */
size_t pm_civil_run(const char *p, const char *end);

#endif
