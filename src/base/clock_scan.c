/* clock_scan: dates, times of day, zones and Unix times that are written as numbers. */
#include "base/clock_scan.h"

#include "base/clock_words.h"
#include "base/num.h"

typedef struct cursor {
    const char *p, *end;
} cursor;

static pm_text left(const cursor *c)
{
    return (pm_text){c->p, (size_t)(c->end - c->p)};
}

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

size_t pm_clock_scan_date(pm_text t, pm_civil *out, bool *compact)
{
    cursor c = {t.data, t.data + t.len};
    char sep = '\0';

    if (!pm_civil_digits(c.p, c.end, 4, &out->year))
        return 0;
    c.p += 4;
    if (at(&c, '-') || at(&c, '/'))
        sep = *c.p;
    *compact = !sep;
    if ((sep && !take(&c, sep)) || !two(&c, &out->month) || (sep && !take(&c, sep)) ||
        !two(&c, &out->day))
        return 0;
    return (size_t)(c.p - t.data);
}

size_t pm_clock_scan_fraction(pm_text t, int *ms)
{
    const char *end = t.data + t.len, *p = t.data + 1;
    size_t digits;

    if (t.len < 2 || (*t.data != '.' && *t.data != ','))
        return 0;
    digits = pm_civil_run(p, end);
    p += digits;
    if (!digits || (*t.data == ',' && p < end && (*p == ',' || (digits % 3 && !strchr("+-Z", *p)))))
        return 0;
    *ms = 0;
    for (size_t i = 1, scale = 100; i <= 3 && i <= digits; i++, scale /= 10)
        *ms += (int)scale * (t.data[i] - '0');
    return digits + 1;
}

/* HH:MM, HH:MM:SS, HHMM, HHMMSS, those with seconds with a fraction. */
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
    if (colon ? at(c, ':') && pm_civil_run(c->p + 1, c->end) : pm_civil_run(c->p, c->end) > 0) {
        c->p += colon;
        if (!two(c, &out->second))
            return false;
        c->p += pm_clock_scan_fraction(left(c), &out->ms);
    }
    return true;
}

/* "+12 kB", "+12.5", "+12%": what stands behind a number makes it something else than a zone. A
 * zero before it or a colon in it does the contrary. */
static bool is_quantity(pm_text number, pm_text behind)
{
    if (number.len < 2 || number.data[1] == '0' || memchr(number.data, ':', number.len))
        return false;
    return (behind.len && (*behind.data == '%' || pm_clock_is_word_byte(*behind.data))) ||
           pm_clock_unit_follows(behind);
}

size_t pm_clock_scan_zone(pm_text t, bool apart, pm_zone *out)
{
    size_t name = 0, offset;

    /* other words are not looked up: that would ask the C library for its zone each time */
    while (name < t.len && t.data[name] >= 'A' && t.data[name] <= 'Z')
        name++;
    if (name && ((name < t.len && t.data[name] >= 'a' && t.data[name] <= 'z') ||
                 !pm_civil_zone((pm_text){t.data, name}, out)))
        return 0;
    if (name && (name != 3 || (memcmp(t.data, "GMT", 3) != 0 && memcmp(t.data, "UTC", 3) != 0)))
        return name;
    offset = pm_civil_offset(t.data + name, t.data + t.len, out);
    if (!name && apart && is_quantity((pm_text){t.data, offset}, pm_text_from(t, offset)))
        return 0;
    return name + offset;
}

size_t pm_clock_scan_iso(pm_text t, pm_civil *out, bool *has_time)
{
    bool compact, iso, apart;
    size_t date = pm_clock_scan_date(t, out, &compact), zone;
    cursor c = {t.data + date, t.data + t.len};
    pm_civil day = *out;

    *has_time = false;
    if (date == 0 || c.p == c.end)
        return date;
    iso = at(&c, 'T') || at(&c, 't');
    if (iso || at(&c, ' ') || at(&c, '_') || (compact && at(&c, '-')))
        c.p++;
    else if (!compact)
        return date;
    if (!scan_time(&c, out, iso)) {
        *out = day;
        return date;
    }
    *has_time = true;
    apart = at(&c, ' ');
    zone = pm_clock_scan_zone(pm_text_from(left(&c), apart), apart, &out->zone);
    c.p += zone ? zone + apart : 0;
    return (size_t)(c.p - t.data);
}

size_t pm_clock_scan_unix(pm_text t, int64_t *ms)
{
    size_t marked = t.len && *t.data == '@';
    uint64_t v;
    int fraction = 0;
    size_t digits = pm_num_dec(t.data + marked, t.data + t.len, &v), more;

    t = pm_text_from(t, marked + digits);
    if (digits == 19) {
        *ms = (int64_t)(v / 1000000);
    } else if (digits == 12 || digits == 13) {
        *ms = (int64_t)v;
    } else if (digits > 0 && digits <= 10 && (marked || digits >= 9)) {
        more = pm_clock_scan_fraction(t, &fraction);
        if (more < t.len && *t.data == ',') /* rather the next field of a CSV line */
            more = 0;
        digits += more;
        *ms = (int64_t)v * 1000 + (more ? fraction : 0);
    } else {
        return 0;
    }
    return marked + digits;
}
