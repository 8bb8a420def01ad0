/* clock_kit: a line that is a moment alone, and one that begins with a moment. */
#ifndef TESTS_BASE_CLOCK_KIT_H
#define TESTS_BASE_CLOCK_KIT_H

#include "base/clock/clock.h"

static inline bool is_moment(pm_text line, int64_t *ms)
{
    pm_clock_line at;

    if (pm_clock_read_line(line, &at) != PM_CLOCK_MOMENT || at.rest.len)
        return false;
    *ms = at.ms;
    return true;
}

static inline bool begins_with_moment(pm_text line, int64_t *ms, pm_text *rest)
{
    pm_clock_line at;

    if (pm_clock_read_line(line, &at) != PM_CLOCK_MOMENT || !at.rest.len)
        return false;
    *ms = at.ms;
    *rest = at.rest;
    return true;
}

static inline bool is_second(pm_text line, int64_t *ms)
{
    pm_clock_line at;

    if (pm_clock_read_line(line, &at) != PM_CLOCK_MOMENT || at.second_ms == at.ms)
        return false;
    *ms = at.second_ms;
    return true;
}

static inline bool is_no_date(pm_text line)
{
    pm_clock_line at;

    return pm_clock_read_line(line, &at) == PM_CLOCK_NO_DATE;
}

#endif
