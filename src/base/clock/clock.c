/* clock: reads dates with strptime and a table of formats, reads Unix times, and formats moments as
 * text. */
#include "base/clock/clock.h"

#include "base/clock/clock_read.h"
#include "base/num.h"
#include <locale.h>
#include <stdio.h>

#define DATE_MAX 80 /* bytes; no date is longer */

static size_t digits_at(const char *p)
{
    return strspn(p, "0123456789");
}

/* Formats of strptime. %Z stands for parts that strptime cannot read: seconds with a fraction, AM
 * or PM, a zone; each may be missing. prepare() changes the separators to those of ISO 8601 first.
 */
static const struct {
    const char *format;
    bool in_names_only;
} formats[] = {
    {"%Y-%m-%dT%H:%M%Z", false},    /* date -Iseconds, --rfc-3339, +%F_%T */
    {"%Y-%m-%dT%H%Z", false},       /* date -Ihours */
    {"%Y-%m-%dT%H%M%Z", true},      /* 2026-11-21_020532 */
    {"%Y-%m-%d", false},            /* date -I */
    {"%Y%m%dT%H%M%Z", false},       /* 20261121-020532 */
    {"%Y%m%dT%H:%M%Z", false},      /* 20261121_02-05-32 */
    {"%Y%m%d%H%M%Z", false},        /* 20261121020532 */
    {"%Y%m%d", false},              /* 20261121 */
    {"%a %b %e %H:%M%Z %Y", false}, /* date: Sat Nov 21 02:05:32 UTC 2026 */
    {"%a %e %b %Y %H:%M%Z", false}, /* date -R; date in en_US: Sat 21 Nov 2026 02:05:32 AM UTC */
    {"%a %b %e %Y %H:%M%Z", false}, /* JavaScript: Sat Nov 21 2026 03:05:32 GMT+0100 */
    {"%a %Y-%m-%d %H:%M%Z", false}, /* systemd: Sat 2026-11-21 02:05:32 UTC */
    {"%e %b %Y %H:%M%Z", false},    /* 21 Nov 2026 02:05:32 */
    {"%b %e %Y %H:%M%Z", false},    /* Nov 21 2026 02:05:32 */
    {"%b %e %H:%M%Z %Y", false},    /* Nov 21 02:05:32 2026 */
    {"%Y %b %e %H:%M%Z", false},    /* 2026 Nov 21 02:05:32 */
};

static bool is_date(const char *p, const char *separators)
{
    return digits_at(p) == 4 && pm_char_in(p[4], separators) && digits_at(p + 5) == 2 &&
           p[7] == p[4] && digits_at(p + 8) == 2;
}

/* Changes the separators of a numeric date to those of ISO 8601. */
static void prepare(char *p, bool in_name)
{
    bool dashed = is_date(p, in_name ? "-_." : "-/");
    char *time = p + (dashed ? 10 : 8);

    for (char *q = p; *q; q++)
        if (*q == '\t' || (*q == ',' && q[1] == ' '))
            *q = ' ';
    if (dashed)
        p[4] = p[7] = '-';
    else if (digits_at(p) != 8)
        return;
    if (!pm_char_in(*time, in_name  ? "Tt_-.@,+ "
                           : dashed ? "Tt_ "
                                    : "Tt_-") ||
        !pm_is_digit(time[1]))
        return;
    *time++ = 'T';
    if (in_name && digits_at(time) == 2 && pm_char_in(time[2], "-_.h") &&
        digits_at(time + 3) == 2) {
        if (time[5] == time[2] && digits_at(time + 6) == 2)
            time[5] = ':';
        time[2] = ':';
    }
}

/* Reads a date by strptime, but requires all digits of every number except the day of the month,
 * which may have one digit. strptime alone accepts "2:5" for "%H:%M", and blanks between the digits
 * of "%Y%m". */
static const char *read_strictly(const char *p, const char *format, struct tm *tm)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const char *end = c ? strptime_l(p, format, tm, c) : NULL;
    size_t wanted = 0, digits = 0;

    if (c)
        freelocale(c);
    if (!end)
        return NULL;
    for (const char *f = format; (f = strchr(f, '%')); f++)
        wanted += f[1] == 'Y' ? 4 : pm_char_in(f[1], "mdeHM") ? 2 : 0;
    for (const char *q = p; q < end; q++)
        digits += pm_is_digit(*q);
    if (strncmp(format, "%Y%m", 4) == 0 && memchr(p, ' ', (size_t)(end - p)))
        return NULL;
    return digits == wanted || (digits + 1 == wanted && strstr(format, "%e")) ? end : NULL;
}

/* Reads a fraction of a second after a dot or after the comma of ISO 8601. Digits after the
 * milliseconds are dropped. A comma may also separate the fields of a CSV line. Returns the number
 * of bytes read, or 0. */
static size_t read_fraction(const char *p, int *ms)
{
    size_t digits = *p == '.' || *p == ',' ? digits_at(p + 1) : 0;
    char after = p[digits ? digits + 1 : 0];

    if (!digits || (*p == ',' && (after == ',' || (digits % 3 && !pm_char_in(after, "+-Z")))))
        return 0;
    *ms = 0;
    for (size_t i = 1, scale = 100; i <= 3 && i <= digits; i++, scale /= 10)
        *ms += (int)scale * (p[i] - '0');
    return digits + 1;
}

/* Reads ":32" after "02:05", or "32" after "0205". NULL if there is no such second. */
static const char *read_seconds(const char *p, struct tm *tm)
{
    bool colon = p[-3] == ':';

    if (colon ? *p != ':' || !pm_is_digit(p[1]) : !pm_is_digit(*p))
        return p;
    p += colon;
    if (digits_at(p) != 2)
        return NULL;
    tm->tm_sec = (p[0] - '0') * 10 + p[1] - '0';
    return tm->tm_sec <= 60 ? p + 2 : NULL;
}

/* Reads a fraction and a zone in a name. There, a fraction without a zone is usually a counter, and
 * a minus without a colon is usually the dash before a PID. */
static const char *read_tail_in_name(const char *p, int *ms, pm_zone *z)
{
    const char *q = p + read_fraction(p, ms);
    size_t apart = q == p && pm_char_in(*q, "-_") && !pm_is_digit(q[1]);
    size_t n = pm_clock_read_zone(q + apart, false, z);

    if (n && (*q != '-' || apart || memchr(q, ':', n)))
        return q + apart + n;
    *z = (pm_zone){.is_dst = -1};
    *ms = 0;
    return p;
}

/* Reads the part that %Z stands for in a format. NULL if there is no such second, or no such hour
 * with AM or PM. */
static const char *read_tail(const char *p, bool in_name, struct tm *tm, int *ms, pm_zone *z)
{
    size_t blanks, n;

    p = read_seconds(p, tm);
    if (!p || in_name)
        return p ? read_tail_in_name(p, ms, z) : NULL;
    p += read_fraction(p, ms);
    blanks = strspn(p, " ");
    if (pm_clock_is_word_of(pm_text_of(p + blanks), "am pm")) {
        if (tm->tm_hour < 1 || tm->tm_hour > 12)
            return NULL;
        tm->tm_hour = tm->tm_hour % 12 + ((p[blanks] | 32) == 'p' ? 12 : 0);
        p += blanks + 2;
        blanks = strspn(p, " ");
    }
    n = pm_clock_read_zone(p + blanks, blanks > 0, z);
    return n ? p + blanks + n : p;
}

static const char *read_format(const char *p, const char *format, bool in_name, struct tm *tm,
                               int *ms, pm_zone *z)
{
    const char *tail = strstr(format, "%Z");
    char before[32];

    snprintf(before, sizeof before, "%.*s", (int)(tail ? tail - format : 31), format);
    p = read_strictly(p, before, tm);
    if (!p || !tail)
        return p;
    if (tail[-1] == 'H' && !pm_char_in(*p, "+-"))
        return NULL; /* an hour without minutes must have a zone */
    p = read_tail(p, in_name, tm, ms, z);
    if (!p || !tail[2])
        return p;
    p = read_strictly(p, tail + 2, tm);
    if (p && *p == ' ' && !z->known) /* Java: Sat Nov 21 02:05:32 2026 CET */
        p += pm_clock_read_zone(p + 1, true, z) + z->known;
    return p;
}

/* Converts a local time. *second is the later moment if local clocks showed the time twice, which
 * summer and winter time tell apart; otherwise it is the result. */
static time_t local_time(const struct tm *tm, time_t *second)
{
    struct tm any = *tm;
    time_t first = mktime(&any);

    *second = first;
    for (int is_dst = 0; is_dst <= 1 && tm->tm_isdst < 0; is_dst++) {
        struct tm side = *tm;
        time_t t;

        side.tm_isdst = is_dst;
        t = mktime(&side);
        if (side.tm_isdst != is_dst || side.tm_hour != tm->tm_hour || side.tm_min != tm->tm_min)
            continue;
        first = t < first ? t : first;
        *second = t > *second ? t : *second;
    }
    return first;
}

/* Converts to milliseconds since 1970. False if there is no such day. */
static bool to_ms(struct tm tm, const pm_zone *z, pm_moment *m)
{
    int day = tm.tm_mday, seconds = tm.tm_sec;
    struct tm local;
    time_t t, second;

    tm.tm_sec = 0; /* second 60 is the first second of the next minute */
    tm.tm_isdst = z->is_dst;
    local = tm;
    t = timegm(&tm);
    if (tm.tm_mday != day || tm.tm_year < 70)
        return false;
    if (z->fixed)
        t = second = t - (time_t)z->minutes * 60;
    else
        t = local_time(&local, &second);
    m->ms = ((int64_t)t + seconds) * 1000;
    m->second_ms = ((int64_t)second + seconds) * 1000;
    return z->fixed || t != (time_t)-1;
}

bool pm_clock_has_time_of_day(pm_text t)
{
    for (size_t i = 1; i + 1 < t.len && i < DATE_MAX; i++)
        if (t.data[i] == ':' && pm_is_digit(t.data[i - 1]) && pm_is_digit(t.data[i + 1]))
            return true;
    return false;
}

bool pm_clock_read_date(pm_text t, bool in_name, pm_moment *m)
{
    char copy[DATE_MAX + 1] = "";
    bool named; /* names of days and months come with a time of day, which most lines lack */

    if (!t.len || (!pm_is_digit(*t.data) && !pm_is_letter(*t.data)))
        return false;
    named = pm_clock_has_time_of_day(t);
    if (!named && !pm_is_digit(*t.data))
        return false;
    memcpy(copy, t.data, t.len < DATE_MAX ? t.len : DATE_MAX);
    prepare(copy, in_name);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        pm_zone z = {.is_dst = -1};
        struct tm tm = {0};
        const char *end;
        int ms = 0;

        if ((formats[i].in_names_only && !in_name) || (!named && strstr(formats[i].format, "%b")))
            continue;
        end = read_format(copy, formats[i].format, in_name, &tm, &ms, &z);
        if (!end || pm_is_digit(*end) || !to_ms(tm, &z, m))
            continue;
        m->ms += ms;
        m->second_ms += ms;
        m->len = (size_t)(end - copy);
        m->has_time = strstr(formats[i].format, "%H");
        m->has_zone = z.known;
        return true;
    }
    return false;
}

bool pm_clock_is_date_like(pm_text t)
{
    char copy[DATE_MAX + 1] = "";
    struct tm tm;

    if (!pm_clock_has_time_of_day(t))
        return false;
    memcpy(copy, t.data, t.len < DATE_MAX ? t.len : DATE_MAX);
    if (is_date(copy, "-/"))
        return pm_char_in(copy[10], "Tt_ ") && digits_at(copy + 11) == 2;
    return strstr(copy, " 20") && read_strictly(copy, "%a %b %e ", &tm);
}

bool pm_clock_read_unix(pm_text t, bool in_name, pm_moment *m)
{
    size_t marked = t.len && *t.data == '@', digits;
    char fraction[DATE_MAX] = "";
    uint64_t v = 0;
    int ms = 0;

    digits = pm_num_dec(t.data + marked, t.data + t.len, &v);
    m->len = marked + digits;
    m->has_time = m->has_zone = true;
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

/* ---- file names ---- */

static bool is_hex(char c)
{
    return pm_char_in(c, "0123456789abcdefABCDEF");
}

static bool is_word(char c)
{
    return pm_is_digit(c) || pm_is_letter(c);
}

/* True if the digits continue as hex letters up to the edge of the word, and so are part of an id:
 * "3f1795219566ab". */
static bool is_in_hex_id(pm_text name, size_t from, size_t to)
{
    size_t left = from, right = to;

    while (left > 0 && is_hex(name.data[left - 1]))
        left--;
    while (right < name.len && is_hex(name.data[right]))
        right++;
    return (left < from && (left == 0 || !is_word(name.data[left - 1]))) ||
           (right > to && (right == name.len || !is_word(name.data[right])));
}

bool pm_clock_find_in_name(pm_text name, int64_t *ms, pm_text *where)
{
    bool found = false, has_time = false;
    size_t i = 0;

    while (i < name.len && !has_time) {
        pm_text t = pm_text_from(name, i);
        size_t digits = pm_digits(t);
        pm_moment m;

        if (!digits) {
            i++;
            continue;
        }
        if ((!pm_clock_read_date(t, true, &m) || !pm_clock_plausible(m.ms)) &&
            !pm_clock_read_unix(t, true, &m)) {
            i += digits;
            continue;
        }
        if ((m.has_time || !found) && pm_clock_plausible(m.ms) &&
            !is_in_hex_id(name, i, i + m.len)) {
            found = true;
            has_time = m.has_time;
            *ms = m.ms;
            *where = (pm_text){t.data, m.len};
        }
        i += m.len;
    }
    return found;
}

/* ---- moments as text ---- */

void pm_clock_format(int64_t ms, char out[PM_CLOCK_TEXT])
{
    time_t t = (time_t)(ms / 1000 - (ms % 1000 < 0));
    int part = (int)((ms % 1000 + 1000) % 1000), n;
    struct tm tm = {0};

    gmtime_r(&t, &tm);
    n = snprintf(out, PM_CLOCK_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900,
                 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (part)
        n += snprintf(out + n, PM_CLOCK_TEXT - (size_t)n, ".%03d", part);
    snprintf(out + n, PM_CLOCK_TEXT - (size_t)n, "Z");
}

int64_t pm_clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
