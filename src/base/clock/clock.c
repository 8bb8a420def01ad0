/* clock: reads dates in the forms of a table, and Unix times. */
#include "base/clock/clock.h"

#include "base/clock/clock_read.h"
#include "base/num.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define DATE_MAX 80 /* bytes; no date is longer */

/* Forms of dates. Y, m, d, H, M: numbers with all their digits; e: a day with one digit or two; a:
 * the name of a day, which may be missing; b: the name of a month; S: seconds, Z: a fraction, AM
 * or PM, a zone, each of which may be missing; z: a zone, which may be missing. The others are
 * separators. */
static const struct {
    const char *form;
    bool in_names_only;
} forms[] = {
    {"aY-m-dTH:MSZ", false},  /* date -Iseconds, --rfc-3339, +%F_%T; systemd, with the day */
    {"Y-m-dTHMSZ", true},     /* 2026-11-21_020532 */
    {"Y-m-d", false},         /* date -I */
    {"YmdTHMSZ", false},      /* 20261121-020532 */
    {"YmdTH:MSZ", true},      /* 20261121_02-05-32 */
    {"YmdHMSZ", false},       /* 20261121020532 */
    {"Ymd", false},           /* 20261121 */
    {"ab e H:MSZ Yz", false}, /* date: Sat Nov 21 02:05:32 UTC 2026; Java, with the zone last */
    {"ae b Y H:MSZ", false},  /* date -R; date in en_US: Sat 21 Nov 2026 02:05:32 AM UTC */
    {"ab e Y H:MSZ", false},  /* JavaScript: Sat Nov 21 2026 03:05:32 GMT+0100 */
    {"Y b e H:MSZ", false},   /* 2026 Nov 21 02:05:32 */
};

typedef struct zone {
    bool known;  /* otherwise local time */
    bool fixed;  /* otherwise summer or winter time of the local zone */
    int minutes; /* east of UTC, if fixed */
    int is_dst;  /* for local time, as in mktime, which decides if -1 */
} zone;

typedef struct date {
    struct tm tm;
    int ms;
    zone zone;
    bool unknown_zone, in_name;
} date;

static size_t digits_at(const char *p)
{
    return strspn(p, "0123456789");
}

bool pm_clock_is_word_of(pm_text t, const char *list)
{
    size_t n = 0;

    while (n < t.len && pm_is_letter(t.data[n]))
        n++;
    for (; n && *list; list += strspn(list, " ")) {
        size_t len = strcspn(list, " ");

        if (len == n && strncasecmp(list, t.data, n) == 0)
            return true;
        list += len;
    }
    return false;
}

bool pm_clock_is_unit(pm_text t)
{
    return pm_clock_is_word_of(pm_text_skip(t, " "), "k kb kib mb mib gb gib byte bytes page pages "
                                                     "ns us ms sec secs second seconds times");
}

/* ---- zones ---- */

static const struct {
    const char *name;
    int minutes;
} zones[] = {
#define PM_ZONE(name, minutes) {name, minutes},
#include "base/clock/zones.def"
#undef PM_ZONE
};

/* Searches the local zone's names in winter and summer of the year, then the table. tzname contains
 * the local names too, but localtime in another thread changes tzname temporarily. */
static bool find_zone(pm_text name, int year, zone *z)
{
    for (int month = 0; month <= 6; month += 6) {
        struct tm tm = {.tm_year = year, .tm_mon = month, .tm_mday = 15};
        time_t t = timegm(&tm);

        if (localtime_r(&t, &tm) && pm_text_equal(name, pm_text_of(tm.tm_zone))) {
            *z = (zone){.known = true, .is_dst = tm.tm_isdst > 0};
            return true;
        }
    }
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (pm_text_equal(name, pm_text_of(zones[i].name))) {
            *z = (zone){.known = true, .fixed = true, .minutes = zones[i].minutes};
            return true;
        }
    return false;
}

/* Reads "+01:00", "-0500", "+01". Returns the number of bytes read, or 0. With `apart`, blanks
 * separate the offset from the time of day: "+12 kB", "+12.5" and "+12%" are quantities. */
static size_t read_offset(const char *p, bool apart, zone *z)
{
    struct tm tm = {0};
    const char *end = *p == '+' || *p == '-' ? strptime(p, "%z", &tm) : NULL;

    if (!end || pm_is_digit(*end) || labs(tm.tm_gmtoff) >= 16L * 3600 ||
        (apart && p[1] != '0' && !memchr(p, ':', (size_t)(end - p)) &&
         (pm_char_in(*end, "%.") || pm_is_letter(*end) || pm_clock_is_unit(pm_text_of(end)))))
        return 0;
    *z = (zone){.known = true, .fixed = true, .minutes = (int)(tm.tm_gmtoff / 60)};
    return (size_t)(end - p);
}

/* Reads "Z", "CET", "+0100" or "GMT+0100", which blanks may precede. Returns the number of bytes
 * read, or 0. */
static size_t read_zone(const char *p, date *d)
{
    size_t blanks = strspn(p, " "), name;
    zone z = {.known = false};

    p += blanks;
    name = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (!name)
        name = read_offset(p, blanks > 0, &z);
    else if (pm_is_letter(p[name]) || pm_is_digit(p[name]) ||
             !find_zone((pm_text){p, name}, d->tm.tm_year - 1900, &z))
        return 0;
    else if (name == 3 && (strncmp(p, "GMT", 3) == 0 || strncmp(p, "UTC", 3) == 0))
        name += read_offset(p + name, false, &z);
    if (!z.known)
        return 0;
    d->zone = z;
    return blanks + name;
}

/* ---- dates ---- */

/* Reads a name that begins with three of these letters. Returns its index, or -1. */
static int read_name(const char **p, const char *names)
{
    for (int i = 0; names[3 * i]; i++)
        if (strncmp(*p, names + 3 * i, 3) == 0) {
            while (pm_is_letter(**p))
                ++*p;
            return i;
        }
    return -1;
}

/* Reads a number of this many digits; more digits may follow. */
static const char *read_number(const char *p, size_t digits, int *out)
{
    if (digits_at(p) < digits)
        return NULL;
    for (*out = 0; digits > 0; digits--)
        *out = *out * 10 + *p++ - '0';
    return p;
}

/* Reads a fraction of a second after a dot or after the comma of ISO 8601. Digits after the
 * milliseconds are dropped. A comma may also separate the fields of a CSV line. Returns the number
 * of bytes read, or 0. */
static size_t read_fraction(const char *p, int *ms)
{
    size_t digits = *p == '.' || *p == ',' ? digits_at(p + 1) : 0;

    if (!digits || (*p == ',' && (p[digits + 1] == ',' || digits % 3)))
        return 0;
    *ms = 0;
    for (size_t i = 1, scale = 100; i <= 3 && i <= digits; i++, scale /= 10)
        *ms += (int)scale * (p[i] - '0');
    return digits + 1;
}

/* Reads ":32" after "02:05", or "32" after "0205". Returns p if there are no seconds. */
static const char *read_seconds(const char *p, date *d)
{
    size_t separator = !pm_is_digit(p[-3]), n = digits_at(p + separator);

    if (n == 0 || (separator && *p != p[-3]) || (n != 2 && p[-3] != ':'))
        return p;
    p = read_number(p + separator, n < 2 ? n : 2, &d->tm.tm_sec);
    d->tm.tm_sec = n == 2 ? d->tm.tm_sec : 99;
    return p + (n < 2 ? 0 : n - 2);
}

/* Reads a fraction, AM or PM, and a zone. In a name, a fraction without a zone is usually a
 * counter, and a minus without a colon is usually the dash before a PID. */
static const char *read_tail(const char *p, date *d)
{
    const char *begin = p;
    size_t n;

    p += read_fraction(p, &d->ms);
    n = strspn(p, " ");
    if (!d->in_name && pm_clock_is_word_of(pm_text_of(p + n), "am pm")) {
        bool is_hour = d->tm.tm_hour >= 1 && d->tm.tm_hour <= 12;

        d->tm.tm_hour = is_hour ? d->tm.tm_hour % 12 + ((p[n] | 32) == 'p' ? 12 : 0) : 99;
        p += n + 2;
    }
    n = read_zone(p, d);
    if (d->in_name && (!n || (*p == '-' && !memchr(p, ':', n)))) {
        d->zone = (zone){.is_dst = -1};
        d->ms = 0;
        return begin;
    }
    return p + n;
}

/* Reads one item of a form. NULL if the text differs. */
static const char *read_item(char item, const char *p, date *d)
{
    struct tm *tm = &d->tm;
    const char *set;

    switch (item) {
    case 'Y':
        return read_number(p, 4, &tm->tm_year);
    case 'm':
        return read_number(p, 2, &tm->tm_mon);
    case 'd':
        return read_number(p, 2, &tm->tm_mday);
    case 'e':
        return read_number(p, digits_at(p) == 1 ? 1 : 2, &tm->tm_mday);
    case 'H':
        return read_number(p, 2, &tm->tm_hour);
    case 'M':
        return read_number(p, 2, &tm->tm_min);
    case 'a':
        return read_name(&p, "MonTueWedThuFriSatSun") >= 0 ? p + strspn(p, ", \t") : p;
    case 'b':
        tm->tm_mon = 1 + read_name(&p, "JanFebMarAprMayJunJulAugSepOctNovDec");
        return tm->tm_mon > 0 ? p : NULL;
    case 'S':
        return read_seconds(p, d);
    case 'Z':
        return read_tail(p, d);
    case 'z':
        return d->zone.known ? p : p + read_zone(p, d);
    case ' ':
        return pm_char_in(*p, ", \t") ? p + strspn(p, ", \t") : NULL;
    case 'T':
        set = d->in_name ? "Tt_-.@,+ " : pm_is_digit(p[-3]) ? "Tt_-" : "Tt_ \t";
        break;
    case '-':
        set = d->in_name ? "-_." : "-/";
        break;
    default:
        set = d->in_name ? ":-_.h" : ":";
    }
    return pm_char_in(*p, set) ? p + 1 : NULL;
}

static const char *read_form(const char *p, const char *form, date *d)
{
    for (; p && *form; form++) {
        p = read_item(*form, p, d);
        if (p && *form == 'Z' && form[1] && pm_is_letter(p[strspn(p, " ")])) {
            p += strspn(p, " ");
            p += strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            d->unknown_zone = true;
        }
    }
    return p && !pm_is_digit(*p) ? p : NULL;
}

static bool shows(time_t t, const struct tm *tm)
{
    struct tm local;

    return localtime_r(&t, &local) && local.tm_hour == tm->tm_hour && local.tm_min == tm->tm_min;
}

/* Converts a local time. Clocks that were set back by an hour show it twice: *second is the later
 * moment, otherwise the result. */
static time_t local_time(const struct tm *tm, time_t *second)
{
    struct tm local = *tm;
    time_t t = mktime(&local);

    *second = t;
    if (tm->tm_isdst < 0 && shows(t, tm) && shows(t + 3600, tm))
        *second = t + 3600;
    else if (tm->tm_isdst < 0 && shows(t, tm) && shows(t - 3600, tm))
        t -= 3600;
    return t;
}

/* Converts to milliseconds since 1970. False if there is no such day or time. */
static bool to_ms(const date *d, pm_moment *m)
{
    struct tm tm = d->tm, utc;
    time_t t, second;

    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    tm.tm_sec = 0; /* second 60 is the first second of the next minute */
    tm.tm_isdst = d->zone.is_dst;
    utc = tm;
    t = second = timegm(&utc) - (time_t)d->zone.minutes * 60;
    if (utc.tm_mon != tm.tm_mon || utc.tm_mday != tm.tm_mday || utc.tm_hour != tm.tm_hour ||
        utc.tm_min != tm.tm_min || d->tm.tm_sec > 60 || tm.tm_year < 70 || d->unknown_zone)
        return false;
    if (!d->zone.fixed)
        t = local_time(&tm, &second);
    m->ms = ((int64_t)t + d->tm.tm_sec) * 1000 + d->ms;
    m->second_ms = ((int64_t)second + d->tm.tm_sec) * 1000 + d->ms;
    return true;
}

bool pm_clock_read_date(pm_text t, bool in_name, pm_moment *m)
{
    char copy[DATE_MAX + 2] = "";

    *m = (pm_moment){0};
    if (!t.len || (!pm_is_digit(*t.data) && !pm_is_letter(*t.data)))
        return false;
    memcpy(copy, t.data, t.len < DATE_MAX ? t.len : DATE_MAX);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        date d = {.tm.tm_mday = 0, .zone.is_dst = -1, .in_name = in_name};
        const char *form = forms[i].form, *end;

        end = forms[i].in_names_only && !in_name ? NULL : read_form(copy, form, &d);
        if (end && to_ms(&d, m)) {
            m->len = (size_t)(end - copy);
            m->has_time = strchr(form, 'H');
            m->has_zone = d.zone.known;
            m->is_no_date &= !m->has_time;
            return true;
        }
        m->is_no_date |= end && strchr(form, ':');
    }
    return false;
}

bool pm_clock_read_unix(pm_text t, bool in_name, pm_moment *m)
{
    size_t marked = t.len && *t.data == '@', digits;
    char fraction[DATE_MAX] = "";
    uint64_t v = 0;
    int ms = 0;

    digits = pm_num_dec(t.data + marked, t.data + t.len, &v);
    *m = (pm_moment){.len = marked + digits, .has_time = true, .has_zone = true};
    if (digits == 19 || digits == 16) {
        m->ms = (int64_t)(v / (digits == 19 ? 1000000 : 1000));
    } else if (digits == 12 || digits == 13) {
        m->ms = (int64_t)v;
    } else if (digits > 0 && digits <= 10 && (marked || digits >= 9)) {
        t = pm_text_from(t, m->len);
        memcpy(fraction, t.data, t.len < DATE_MAX ? t.len : DATE_MAX - 1);
        if (*fraction == '.' && !in_name)
            m->len += read_fraction(fraction, &ms);
        m->ms = (int64_t)v * 1000 + ms;
    } else {
        return false;
    }
    return true;
}

bool pm_clock_parse(pm_text t, int64_t *ms)
{
    pm_moment m;

    if ((!pm_clock_read_date(t, false, &m) || m.len != t.len) &&
        (!pm_clock_read_unix(t, false, &m) || m.len != t.len))
        return false;
    *ms = m.ms;
    return true;
}
