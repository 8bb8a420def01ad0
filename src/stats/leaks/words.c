/* words: writes the reasons of verdicts. */
#include "stats/leaks/work.h"

#include "base/utf8.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(pm_leak *row, const char *text)
{
    size_t n = strlen(row->reason), room = sizeof row->reason - n;
    pm_text whole = pm_utf8_head(pm_text_of(text), room - 1 - (n > 0 ? 2 : 0));

    snprintf(row->reason + n, room, "%s%.*s", n > 0 ? "; " : "", (int)whole.len, whole.data);
}

void pm_leaks_say(pm_leak *row, const char *format, ...)
{
    char text[sizeof row->reason];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    add(row, text);
}

void pm_leaks_say_first(pm_leak *row, const char *format, ...)
{
    char text[sizeof row->reason], before[sizeof row->reason];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(before, row->reason, sizeof before);
    row->reason[0] = '\0';
    add(row, text);
    if (before[0] != '\0')
        add(row, before);
}

pm_leak_name pm_leaks_name(const char *key)
{
    pm_leak_name name;
    pm_text whole = pm_utf8_head(pm_text_of(key), sizeof name.text - 1);

    snprintf(name.text, sizeof name.text, "%.*s", (int)whole.len, whole.data);
    return name;
}

static pm_leak_size size_text(const char *sign, double kib)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    pm_leak_size out;
    size_t unit = 0;
    long long tenths;

    for (; kib >= 1024 && unit < 3; unit++)
        kib /= 1024;
    tenths = (long long)(fmin(kib, 1e12) * 10 + 0.5);
    if (unit == 0 || tenths >= 100 || tenths % 10 == 0)
        snprintf(out.text, sizeof out.text, "%s%lld %s", sign, (tenths + 5) / 10, units[unit]);
    else
        snprintf(out.text, sizeof out.text, "%s%lld.%lld %s", sign, tenths / 10, tenths % 10,
                 units[unit]);
    return out;
}

pm_leak_size pm_leaks_size(double kib)
{
    if (isnan(kib))
        return (pm_leak_size){"?"};
    return size_text(kib < 0 ? "-" : "", fabs(kib));
}

pm_leak_size pm_leaks_more(double kib)
{
    if (isnan(kib))
        return (pm_leak_size){"?"};
    if (kib == 0)
        return (pm_leak_size){"flat"};
    return size_text(kib < 0 ? "-" : "+", fabs(kib));
}

pm_leak_size pm_leaks_pieces(double more)
{
    pm_leak_size out;

    if (isnan(more))
        return (pm_leak_size){"? mappings"};
    if (more == 0)
        return (pm_leak_size){"no new mappings"};
    snprintf(out.text, sizeof out.text, "%+.0f mapping%s", more, fabs(more) == 1 ? "" : "s");
    return out;
}

pm_leak_size pm_leaks_span(double hours)
{
    static const struct {
        double from, of; /* hours */
        const char *unit;
    } units[] = {
        {48, 24, "day"}, {2, 1, "hour"}, {2 / 60.0, 1 / 60.0, "minute"}, {0, 1 / 3600.0, "second"}};
    pm_leak_size out;
    size_t unit = 0;
    double n;

    while (hours < units[unit].from)
        unit++;
    n = fmax(1, floor(hours / units[unit].of + 0.5));
    snprintf(out.text, sizeof out.text, "%.0f %s%s", n, units[unit].unit, n == 1 ? "" : "s");
    return out;
}
