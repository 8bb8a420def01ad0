/* clock: reads the clocks, dates by strptime in the forms of a table, and Unix times. */
#include "base/clock/clock.h"

#include "base/clock/clock_read.h"
#include "base/num.h"
#include <locale.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define DATE_MAX 80            /* bytes; no date is longer */
#define LAST_SECOND 9000000000 /* in the year 2255 */

/* Forms of dates for strptime. The name of the day may precede a form. In the forms for text, a
 * blank also matches a tab or a comma, "T" also matches "t" and "_", and "-" also matches "/". In
 * the forms for names, "-" matches every separator. A fraction, AM or PM, and a zone may follow the
 * time of day; in YEAR_LAST, the year follows them. */
#define YEAR_LAST "%b %d %H:%M:%S"
static const char *const in_text[] = {
    /* date -Iseconds, --rfc-3339, +%F_%T, -I; systemd, with the day */
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d",
    "%Y%m%dT%H%M%S", "%Y%m%d-%H%M%S", "%Y%m%d%H%M%S", "%Y%m%d",
    /* date: Sat Nov 21 02:05:32 UTC 2026; Java, with the zone last */
    YEAR_LAST,
    /* date -R; date in en_US: Sat 21 Nov 2026 02:05:32 AM UTC */
    "%d %b %Y %H:%M:%S",
    /* JavaScript: Sat Nov 21 2026 03:05:32 GMT+0100 */
    "%b %d %Y %H:%M:%S", "%Y %b %d %H:%M:%S", NULL};
static const char *const in_names[] = {"%Y-%m-%d-%H-%M-%S", "%Y-%m-%d-%H-%M", "%Y-%m-%d-%H%M%S",
                                       "%Y-%m-%d-%H%M",     "%Y-%m-%d",       "%Y%m%d-%H-%M-%S",
                                       "%Y%m%d-%H%M%S",     "%Y%m%d-%H%M",    "%Y%m%d%H%M%S",
                                       "%Y%m%d%H%M",        "%Y%m%d",         NULL};

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
    const char *zone_at;
    bool in_name;
} date;

static size_t digits_at(const char *p)
{
    return strspn(p, "0123456789");
}

bool pm_clock_is_word_of(pm_text t, const char *list)
{
    pm_text rest = pm_text_of(list), word;
    size_t n = 0;

    while (n < t.len && pm_is_letter(t.data[n]))
        n++;
    while ((word = pm_text_word(&rest, " ")).len)
        if (word.len == n && strncasecmp(word.data, t.data, n) == 0)
            return true;
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
             !find_zone((pm_text){p, name}, d->tm.tm_year, &z))
        return 0;
    else if (name == 3 && (strncmp(p, "GMT", 3) == 0 || strncmp(p, "UTC", 3) == 0))
        name += read_offset(p + name, false, &z);
    if (!z.known)
        return 0;
    d->zone = z;
    return blanks + name;
}

/* ---- dates ---- */

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

/* Reads a fraction, AM or PM, and a zone. In a name, a fraction without a zone is usually a
 * counter, and a minus without a colon is usually the dash before a PID. Returns the number of
 * bytes read. */
static size_t read_tail(const char *p, date *d)
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
    d->zone_at = p;
    n = read_zone(p, d);
    if (d->in_name && (!n || (*p == '-' && !memchr(p, ':', n)))) {
        d->zone = (zone){.is_dst = -1};
        d->ms = 0;
        return 0;
    }
    return (size_t)(p - begin) + n;
}

/* Replaces each separator by the one that stands for it in the forms. */
static void replace_separators(char *text, bool in_name)
{
    bool digit_before = false;

    for (char *p = text; *p; digit_before = pm_is_digit(*p), p++) {
        bool between = digit_before && pm_is_digit(p[1]);

        if (in_name)
            *p = between && pm_char_in(*p, "Tt_-.@,+ :h") ? '-' : *p;
        else if (pm_char_in(*p, ",\t"))
            *p = ' ';
        else if (between && pm_char_in(*p, "t_"))
            *p = 'T';
        else if (between && *p == '/')
            *p = '-';
    }
}

/* Returns the length that a text must have to match a form of numbers in full, because strptime
 * also accepts "2026-1-5". */
static size_t form_length(const char *form)
{
    size_t n = 0;

    for (; *form; form++, n++)
        if (*form == '%')
            n += *++form == 'Y' ? 3 : 1;
    return n;
}

/* Reads a form at `plain`, which is `text` with its separators replaced. Returns the number of
 * bytes read, or 0. */
static size_t read_form(const char *form, locale_t c, const char *plain, const char *text, date *d)
{
    const char *end = strptime_l(plain, form, &d->tm, c);
    size_t n = end ? (size_t)(end - plain) : 0;

    if (!n || pm_is_digit(*end) || (!strstr(form, "%b") && n != form_length(form)))
        return 0;
    if (!strstr(form, "%H"))
        return n;
    if (!d->in_name && *end == ':' && pm_is_digit(end[1]))
        return 0;
    n += read_tail(text + n, d);
    if (strcmp(form, YEAR_LAST) == 0) {
        end = plain[n] == ' ' ? strptime_l(plain + n, " %Y", &d->tm, c) : NULL;
        if (!end || pm_is_digit(*end))
            return 0;
        n = (size_t)(end - plain);
        if (d->zone.known) /* the name of a zone may mean another offset in another year */
            read_zone(d->zone_at, d);
        else
            n += read_zone(text + n, d);
    }
    return n;
}

/* True if the text begins with the shape, in which 9 stands for a digit and a blank for a blank or
 * "T". */
static bool has_shape(const char *p, const char *shape)
{
    for (; *shape; p++, shape++)
        if (*shape == '9' ? !pm_is_digit(*p) : *p != *shape && (*shape != ' ' || *p != 'T'))
            return false;
    return true;
}

/* True for a date with a time of day, whether or not there is such a date. */
static bool looks_like_date(const char *p, bool after_day)
{
    if (!after_day || pm_is_digit(*p))
        return has_shape(p, "9999-99-99 99:99");
    while (pm_is_letter(*p))
        p++;
    p += strspn(p, " ");
    p += digits_at(p);
    p += strspn(p, " ");
    return has_shape(p, "99:99:99");
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

    tm.tm_sec = 0; /* second 60 is the first second of the next minute */
    tm.tm_isdst = d->zone.is_dst;
    utc = tm;
    t = second = timegm(&utc) - (time_t)d->zone.minutes * 60;
    if (utc.tm_mon != tm.tm_mon || utc.tm_mday != tm.tm_mday || utc.tm_hour != tm.tm_hour ||
        utc.tm_min != tm.tm_min || d->tm.tm_sec > 60 || tm.tm_year < 70)
        return false;
    if (!d->zone.fixed)
        t = local_time(&tm, &second);
    m->ms = ((int64_t)t + d->tm.tm_sec) * 1000 + d->ms;
    m->second_ms = ((int64_t)second + d->tm.tm_sec) * 1000 + d->ms;
    return true;
}

bool pm_clock_read_date(pm_text t, bool in_name, pm_moment *m)
{
    char text[DATE_MAX + 2] = "", plain[DATE_MAX + 2];
    const char *const *form = in_name ? in_names : in_text, *begin;
    locale_t c;
    bool found = false;

    *m = (pm_moment){0};
    if (!t.len || (!pm_is_digit(*t.data) && !pm_is_letter(*t.data)))
        return false;
    memcpy(text, t.data, t.len < DATE_MAX ? t.len : DATE_MAX);
    memcpy(plain, text, sizeof plain);
    replace_separators(plain, in_name);
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    begin = in_name ? NULL : strptime_l(plain, "%a ", &(struct tm){0}, c);
    begin = begin ? begin : plain;
    for (; *form && !found; form++) {
        date d = {.zone.is_dst = -1, .in_name = in_name};
        size_t n = read_form(*form, c, begin, text + (begin - plain), &d);

        found = n && to_ms(&d, m);
        if (found) {
            m->len = (size_t)(begin - plain) + n;
            m->has_time = strstr(*form, "%H");
            m->has_zone = d.zone.known;
        }
    }
    m->is_no_date = !in_name && !m->has_time && looks_like_date(begin, begin > plain);
    freelocale(c);
    return found;
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
    m->second_ms = m->ms;
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

/* ---- now ---- */

int64_t pm_now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (t.tv_sec < LAST_SECOND ? t.tv_sec : LAST_SECOND) * INT64_C(1000000000) + t.tv_nsec;
}

int64_t pm_clock_now(void)
{
    return pm_now_ns(CLOCK_REALTIME) / 1000000;
}
