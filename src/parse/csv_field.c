/* csv_field: numbers and moments as CSV files of other programs write them. */
#include "parse/csv_table.h"

#include "base/clock.h"
#include "base/num.h"
#include <math.h>
#include <stdlib.h>

#define DIGITS_MAX 40
#define MOST 9007199254740992.0  /* 2^53: no memory has so many KiB, and squares stay finite */
#define LAST_SECOND 253402300799 /* of the year 9999: what is more are milliseconds */

static size_t span_digits(pm_text t, size_t at)
{
    while (at < t.len && t.data[at] >= '0' && t.data[at] <= '9')
        at++;
    return at;
}

/* Digits, perhaps a point and digits, perhaps an exponent; no blank, no sign, no "inf". */
static bool has_shape(pm_text t)
{
    size_t whole = span_digits(t, 0), at = whole, digits;

    if (at < t.len && t.data[at] == '.') {
        at = span_digits(t, whole + 1);
        if (at == whole + 1)
            return false;
    }
    if (whole == 0)
        return false;
    if (at < t.len && (t.data[at] == 'e' || t.data[at] == 'E')) {
        at++;
        if (at < t.len && pm_char_in(t.data[at], "+-"))
            at++;
        digits = at;
        at = span_digits(t, at);
        if (at == digits)
            return false;
    }
    return at == t.len;
}

bool pm_csv_number(pm_text t, double *out)
{
    char text[DIGITS_MAX + 1];

    if (t.len > DIGITS_MAX || !has_shape(t))
        return false;
    memcpy(text, t.data, t.len);
    text[t.len] = '\0';
    *out = strtod(text, NULL);
    return *out <= MOST;
}

bool pm_csv_moment(pm_text t, int64_t *ms)
{
    double seconds;
    uint64_t whole;

    if (pm_num_all(t, &whole)) { /* exactly, and by far the most */
        *ms = whole <= LAST_SECOND ? (int64_t)whole * 1000 : 0;
        return whole <= LAST_SECOND;
    }
    if (!pm_csv_number(t, &seconds))
        return pm_clock_parse(t, ms);
    if (seconds > LAST_SECOND)
        return false;
    *ms = llround(seconds * 1000);
    return true;
}
