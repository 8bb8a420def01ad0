/* clock: ISO 8601 and Unix times, read and written. */
#include "base/clock.h"

#include "base/civil.h"
#include "base/num.h"
#include <stdio.h>
#include <time.h>

typedef struct cursor {
    const char *p, *end;
} cursor;

static bool at(const cursor *c, char wanted)
{
    return c->p < c->end && *c->p == wanted;
}

static bool take(cursor *c, char wanted)
{
    if (!at(c, wanted))
        return false;
    c->p++;
    return true;
}

static bool two(cursor *c, int *out)
{
    if (!pm_civil_digits(c->p, c->end, 2, out))
        return false;
    c->p += 2;
    return true;
}

/* YYYY-MM-DD, YYYY/MM/DD, YYYYMMDD; *compact for the last. */
static bool scan_date(cursor *c, pm_civil *out, bool *compact)
{
    char sep = '\0';

    if (!pm_civil_digits(c->p, c->end, 4, &out->year))
        return false;
    c->p += 4;
    if (at(c, '-') || at(c, '/'))
        sep = *c->p;
    *compact = !sep;
    return (!sep || take(c, sep)) && two(c, &out->month) && (!sep || take(c, sep)) &&
           two(c, &out->day);
}

/* ".123456789", or ISO 8601's comma; what is finer than a millisecond is dropped. */
static bool scan_fraction(cursor *c, int *ms)
{
    size_t digits;

    if (!at(c, '.') && !at(c, ','))
        return true;
    c->p++;
    digits = pm_civil_run(c->p, c->end);
    for (size_t i = 0, scale = 100; i < 3 && i < digits; i++, scale /= 10)
        *ms += (int)scale * (c->p[i] - '0');
    c->p += digits;
    return digits > 0;
}

/* HH:MM, HH:MM:SS, HHMM, HHMMSS, the last of each with a fraction. */
static bool scan_time(cursor *c, pm_civil *out, bool may_stop_at_hour)
{
    bool colon;

    if (!two(c, &out->hour))
        return false;
    if (may_stop_at_hour && (at(c, '+') || at(c, '-')))
        return true; /* date -Ihours */
    colon = take(c, ':');
    if (!two(c, &out->minute))
        return false;
    if (colon ? take(c, ':') : pm_civil_run(c->p, c->end) > 0)
        return two(c, &out->second) && scan_fraction(c, &out->ms);
    return true;
}

/* Nothing, or a zone after at most one blank; the text ends with it. */
static bool scan_zone(cursor *c, pm_zone *out)
{
    pm_text rest;

    if (c->p == c->end)
        return true;
    take(c, ' ');
    rest = (pm_text){c->p, (size_t)(c->end - c->p)};
    return (rest.len && pm_civil_offset(c->p, c->end, out) == rest.len) || pm_civil_zone(rest, out);
}

static bool parse_iso(pm_text t, int64_t *ms)
{
    cursor c = {t.data, t.data + t.len};
    pm_civil out = {0};
    bool compact, iso;

    if (!scan_date(&c, &out, &compact))
        return false;
    if (c.p == c.end)
        return pm_civil_to_ms(&out, ms);
    iso = at(&c, 'T') || at(&c, 't');
    if (iso || at(&c, ' ') || at(&c, '_') || (compact && at(&c, '-')))
        c.p++;
    else if (!compact)
        return false;
    return scan_time(&c, &out, iso) && scan_zone(&c, &out.zone) && pm_civil_to_ms(&out, ms);
}

/* Seconds with an optional fraction, milliseconds, or what date +%s%N prints. */
static bool parse_unix(pm_text t, int64_t *ms)
{
    bool marked = t.len && *t.data == '@';
    cursor c = {t.data + marked, t.data + t.len};
    uint64_t v;
    int fraction = 0;
    size_t digits = pm_num_dec(c.p, c.end, &v);

    c.p += digits;
    if (digits == 19 && c.p == c.end)
        *ms = (int64_t)(v / 1000000);
    else if ((digits == 12 || digits == 13) && c.p == c.end)
        *ms = (int64_t)v;
    else if (digits > 0 && digits <= 10 && (marked || digits >= 9) &&
             scan_fraction(&c, &fraction) && c.p == c.end)
        *ms = (int64_t)v * 1000 + fraction;
    else
        return false;
    return true;
}

bool pm_clock_parse(pm_text t, int64_t *ms)
{
    return parse_iso(t, ms) || parse_unix(t, ms);
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
