/* number: numbers as text. */
#include "render/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces the decimal mark of the locale, which snprintf writes (in ps_AF it has two bytes). */
static void restore_point(char *out)
{
    char *mark = out + strspn(out, "+-0123456789");
    size_t n = strcspn(mark, "+-0123456789e %");

    if (n == 0)
        return;
    *mark = '.';
    memmove(mark + 1, mark + n, strlen(mark + n) + 1);
}

void pm_number_exact(double v, char out[PM_NUMBER_TEXT])
{
    if (!isfinite(v)) {
        pm_number_brief(v, out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, PM_NUMBER_TEXT, "%.*g", digits, v);
        if (strtod(out, NULL) == v)
            break;
    }
    restore_point(out);
}

/* Writes `digits` significant digits, and all digits before the point, where %g would write an
 * exponent. */
static void write_digits(double v, int digits, const char *unit, char *out)
{
    bool whole = fabs(v) >= pow(10, digits) - .5 && fabs(v) < 1e15;

    snprintf(out, PM_NUMBER_TEXT, whole ? "%.*f%s" : "%.*g%s", whole ? 0 : digits, v, unit);
    restore_point(out);
}

void pm_number_brief(double v, char out[PM_NUMBER_TEXT])
{
    if (!isfinite(v))
        snprintf(out, PM_NUMBER_TEXT, "%s", isnan(v) ? "?" : v > 0 ? "inf" : "-inf");
    else
        write_digits(v, 6, "", out);
}

void pm_number_size(double kib, char out[PM_NUMBER_TEXT])
{
    static const char *const units[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB", " ZiB"};
    size_t unit = 0, last = sizeof units / sizeof units[0] - 1;

    /* No unit makes a larger number readable, and it would not fit. */
    if (!(fabs(kib) < 1e21)) {
        pm_number_brief(kib, out);
        return;
    }
    /* 1023.5 rounds to 1024, which is 1 of the next unit. */
    for (; fabs(kib) >= 1023.5 && unit < last; unit++)
        kib /= 1024;
    write_digits(kib, 3, units[unit], out);
}

void pm_number_percent(double ratio, char out[PM_NUMBER_TEXT])
{
    if (!(fabs(ratio) < 1e15))
        pm_number_brief(ratio, out);
    else
        write_digits(ratio * 100, 3, "%", out);
}

/* Each unit is rounded before it is chosen: 59.96 s is 1m00s and not 60s. */
void pm_number_span(double ms, char out[PM_NUMBER_TEXT])
{
    const char *sign = ms < 0 ? "-" : "";
    int64_t v, tenths, seconds, minutes, hours;

    if (!(fabs(ms) < 9e15)) {
        pm_number_brief(ms, out);
        return;
    }
    v = llabs(llround(ms));
    tenths = (v + 50) / 100;
    seconds = (v + 500) / 1000;
    minutes = (v + 30000) / 60000;
    hours = (v + 1800000) / 3600000;
    if (v < 1000)
        snprintf(out, PM_NUMBER_TEXT, "%s%dms", sign, (int)v);
    else if (tenths < 100 && tenths % 10)
        snprintf(out, PM_NUMBER_TEXT, "%s%d.%ds", sign, (int)(tenths / 10), (int)(tenths % 10));
    else if (seconds < 60)
        snprintf(out, PM_NUMBER_TEXT, "%s%ds", sign, (int)seconds);
    else if (seconds < 3600)
        snprintf(out, PM_NUMBER_TEXT, "%s%dm%02ds", sign, (int)(seconds / 60), (int)(seconds % 60));
    else if (minutes < 1440)
        snprintf(out, PM_NUMBER_TEXT, "%s%dh%02dm", sign, (int)(minutes / 60), (int)(minutes % 60));
    else
        snprintf(out, PM_NUMBER_TEXT, "%s%lldd%02dh", sign, (long long)(hours / 24),
                 (int)(hours % 24));
}
