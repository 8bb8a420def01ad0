/* clock_read: reads a moment at the beginning of a text. For the clock files only. */
#ifndef PM_BASE_CLOCK_READ_H
#define PM_BASE_CLOCK_READ_H

#include "base/text.h"
#include <stdint.h>
#include <time.h>

typedef struct pm_moment {
    int64_t ms;
    size_t len; /* bytes that were read; the caller judges what follows */
    bool has_time, has_zone;
} pm_moment;

/* A date, with or without a time of day. In a file's name, separators are whatever may stand in a
 * name. False: no date, or no such day. */
bool pm_clock_read_date(pm_text t, bool in_name, pm_moment *m);

/* Seconds ("@0", "1795226732.25"), milliseconds, microseconds (systemd-coredump) or nanoseconds
 * (date +%s%N) since 1970. */
bool pm_clock_read_unix(pm_text t, bool in_name, pm_moment *m);

/* "2:0" stands in the first 80 bytes. */
bool pm_clock_has_time_of_day(pm_text t);

/* 1990 up to 2100: what may be guessed to be a moment when nobody said that it is one. */
static inline bool pm_clock_plausible(int64_t ms)
{
    return ms >= INT64_C(631152000000) && ms < INT64_C(4102444800000);
}

typedef struct pm_zone {
    bool known;  /* else local time */
    bool fixed;  /* else a half of the local zone */
    int minutes; /* of a fixed one, east of UTC */
    int is_dst;  /* of local time, as mktime takes it: -1 lets it decide */
} pm_zone;

/* "Z", "CET", "+0100", "GMT+0100" at p, which ends in a NUL; returns the bytes read, 0 for none. An
 * offset apart from the time of day is not taken if it is a quantity ("+12 kB"). */
size_t pm_clock_read_zone(const char *p, bool apart, pm_zone *z);

/* The number before t is a quantity: t begins with a word like "kB" or "seconds". */
bool pm_clock_is_unit(pm_text t);

/* The first word of t is one of `list`, which has blanks between; case makes no difference. */
bool pm_clock_is_word_of(pm_text t, const char *list);

static inline bool pm_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool pm_is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static inline size_t pm_digits(pm_text t)
{
    size_t n = 0;

    while (n < t.len && pm_is_digit(t.data[n]))
        n++;
    return n;
}

#endif
