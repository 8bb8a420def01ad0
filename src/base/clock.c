/* clock: a text that is a moment and nothing else; moments as text. */
#include "base/clock.h"

#include "base/clock_scan.h"
#include <stdio.h>
#include <time.h>

bool pm_clock_parse(pm_text t, int64_t *ms)
{
    pm_civil c = {0};
    bool has_time;
    int64_t found;

    if (t.len == 0)
        return false;
    if (pm_clock_scan_iso(t, &c, &has_time) == t.len && pm_civil_to_ms(&c, ms))
        return true;
    if (pm_clock_scan_unix(t, &found) != t.len)
        return false;
    *ms = found;
    return true;
}

void pm_clock_format(int64_t ms, char out[PM_CLOCK_TEXT])
{
    pm_civil c;
    int n;

    pm_civil_from_ms(ms, &c);
    n = snprintf(out, PM_CLOCK_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d", c.year, c.month, c.day,
                 c.hour, c.minute, c.second);
    if (c.ms)
        n += snprintf(out + n, PM_CLOCK_TEXT - (size_t)n, ".%03d", c.ms);
    snprintf(out + n, PM_CLOCK_TEXT - (size_t)n, "Z");
}

int64_t pm_clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
