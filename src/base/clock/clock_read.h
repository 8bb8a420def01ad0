/* clock_read: reads a moment at the beginning of a text. Only for the clock files. */
#ifndef PM_BASE_CLOCK_READ_H
#define PM_BASE_CLOCK_READ_H

#include "base/text.h"
#include <stdint.h>

typedef struct pm_moment {
    int64_t ms;
    int64_t second_ms; /* if local clocks showed the time twice, the second one; otherwise ms */
    size_t len;        /* bytes read; the caller judges the text after them */
    bool has_time, has_zone;
    bool is_no_date; /* the text is a date with a time of day, but no such time exists */
} pm_moment;

/* Reads a date, with or without a time of day. In the name of a file, the separators may be any
 * that names use. False if there is no date, or no such day. */
bool pm_clock_read_date(pm_text t, bool in_name, pm_moment *m);

/* Reads seconds ("@0", "1795226732.25"), milliseconds, microseconds (systemd-coredump) or
 * nanoseconds (date +%s%N) since 1970. */
bool pm_clock_read_unix(pm_text t, bool in_name, pm_moment *m);

/* True from 1990 up to 2100: the range in which a number or date may be guessed to be a moment. */
static inline bool pm_clock_plausible(int64_t ms)
{
    return ms >= INT64_C(631152000000) && ms < INT64_C(4102444800000);
}

/* True if the number before t is a quantity: t begins with a word like "kB" or "seconds". */
bool pm_clock_is_unit(pm_text t);

/* True if the first word of t is in `list`, whose words are separated by blanks. Ignores case. */
bool pm_clock_is_word_of(pm_text t, const char *list);

#endif
