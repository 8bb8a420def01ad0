/* clock_name: finds the moment that a cron job wrote into a file's name. */
#include "base/clock.h"

#include "base/civil.h"
#include "base/num.h"

/* A moment that was found; the more it says, the higher its rank. */
typedef enum rank { NOTHING, DATE, DATE_AND_TIME } rank;

static bool is_hex(char c)
{
    return pm_char_in(c, "0123456789abcdefABCDEF");
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Digits that run on in hex letters up to the word's edge are part of an id: "3f1795219566ab". */
static bool in_hex_id(pm_text name, size_t from, size_t to)
{
    size_t left = from, right = to;

    while (left > 0 && is_hex(name.data[left - 1]))
        left--;
    while (right < name.len && is_hex(name.data[right]))
        right++;
    return (left < from && (left == 0 || !is_word(name.data[left - 1]))) ||
           (right > to && (right == name.len || !is_word(name.data[right])));
}

/* `width` digits and no more at *p, which moves behind them. */
static bool take(const char **p, const char *end, int width, int *out)
{
    if (pm_civil_run(*p, end) != (size_t)width || !pm_civil_digits(*p, end, width, out))
        return false;
    *p += width;
    return true;
}

/* The digits of "20261121", "20261121020532" or "202611210205". */
static rank read_compact(const char **p, const char *end, pm_civil *c)
{
    size_t digits = pm_civil_run(*p, end);

    if (digits != 8 && digits != 12 && digits != 14)
        return NOTHING;
    pm_civil_digits(*p, end, 4, &c->year);
    pm_civil_digits(*p + 4, end, 2, &c->month);
    pm_civil_digits(*p + 6, end, 2, &c->day);
    if (digits >= 12) {
        pm_civil_digits(*p + 8, end, 2, &c->hour);
        pm_civil_digits(*p + 10, end, 2, &c->minute);
    }
    if (digits == 14)
        pm_civil_digits(*p + 12, end, 2, &c->second);
    *p += digits;
    return digits == 8 ? DATE : DATE_AND_TIME;
}

/* "2026-11-21", with any of -_. twice. */
static rank read_spaced(const char **p, const char *end, pm_civil *c)
{
    const char *at = *p;
    char sep;

    if (!take(&at, end, 4, &c->year) || at == end || !pm_char_in(*at, "-_."))
        return NOTHING;
    sep = *at++;
    if (!take(&at, end, 2, &c->month) || at == end || *at != sep)
        return NOTHING;
    at++;
    if (!take(&at, end, 2, &c->day))
        return NOTHING;
    *p = at;
    return DATE;
}

static bool is_time(const pm_civil *c)
{
    return c->hour < 24 && c->minute < 60 && c->second < 60;
}

/* "020532", "0205", "02-05-32", "02:05" behind the date. What is no time of day is a PID or a
 * counter, and stays where it is. */
static bool read_time(const char **p, const char *end, pm_civil *c)
{
    const char *at = *p;
    size_t digits = pm_civil_run(at, end);
    pm_civil t = *c;

    if (digits == 6 || digits == 4) {
        pm_civil_digits(at, end, 2, &t.hour);
        pm_civil_digits(at + 2, end, 2, &t.minute);
        if (digits == 6)
            pm_civil_digits(at + 4, end, 2, &t.second);
        at += digits;
    } else {
        char sep;

        if (!take(&at, end, 2, &t.hour) || at == end || !pm_char_in(*at, ":-_.h"))
            return false;
        sep = *at++;
        if (!take(&at, end, 2, &t.minute))
            return false;
        if (end - at >= 3 && *at == sep && pm_civil_run(at + 1, end) == 2) {
            pm_civil_digits(at + 1, end, 2, &t.second);
            at += 3;
        }
    }
    if (!is_time(&t))
        return false;
    *c = t;
    *p = at;
    return true;
}

/* "Z", "UTC", "_CET", "+0100", "-05:00", the last two with a fraction of a second before them. A
 * minus without a colon is rather the dash before a PID. */
static void read_zone(const char **p, const char *end, pm_civil *c)
{
    const char *at = *p;
    size_t digits, n = 0;
    int ms = 0;

    if (at < end && *at == '.' && (digits = pm_civil_run(at + 1, end)) % 3 == 0 && digits) {
        pm_civil_digits(at + 1, end, 3, &ms);
        at += 1 + digits;
    }
    n = pm_civil_offset(at, end, &c->zone);
    if (n && *at == '-' && !memchr(at, ':', n)) {
        c->zone = (pm_zone){0};
        n = 0;
    }
    if (!n) {
        if (at == *p && at < end && pm_char_in(*at, "-_"))
            at++;
        while (at + n < end && at[n] >= 'A' && at[n] <= 'Z')
            n++;
        if ((at + n < end && is_word(at[n])) || !pm_civil_zone((pm_text){at, n}, &c->zone))
            return;
    }
    c->ms = ms;
    *p = at + n;
}

static rank read_civil(const char **p, const char *end, int64_t *ms)
{
    const char *at = *p, *time;
    pm_civil c = {0};
    rank found = read_compact(&at, end, &c);

    if (found == NOTHING)
        found = read_spaced(&at, end, &c);
    if (found == DATE) {
        time = at + (at < end && pm_char_in(*at, "Tt_-.@,+ "));
        if (time > at && read_time(&time, end, &c)) {
            at = time;
            found = DATE_AND_TIME;
        }
    }
    if (found == DATE_AND_TIME)
        read_zone(&at, end, &c);
    if (found == NOTHING || !pm_civil_to_ms(&c, ms) || !pm_civil_plausible(*ms))
        return NOTHING;
    *p = at;
    return found;
}

/* Seconds, milliseconds, microseconds (systemd-coredump), nanoseconds (date +%s%N). */
static rank read_unix(const char **p, const char *end, int64_t *ms)
{
    uint64_t v;

    switch (pm_num_dec(*p, end, &v)) {
    case 9:
    case 10:
        v *= 1000;
        break;
    case 12:
    case 13:
        break;
    case 16:
        v /= 1000;
        break;
    case 19:
        v /= 1000000;
        break;
    default:
        return NOTHING;
    }
    *ms = (int64_t)v;
    *p += pm_civil_run(*p, end);
    return DATE_AND_TIME;
}

bool pm_clock_find_in_name(pm_text name, int64_t *ms, pm_text *where)
{
    rank best = NOTHING;
    size_t i = 0;

    while (i < name.len && best < DATE_AND_TIME) {
        const char *p = name.data + i, *end = name.data + name.len;
        int64_t found_ms;
        rank found;

        if (!pm_civil_run(p, end)) {
            i++;
            continue;
        }
        found = read_civil(&p, end, &found_ms);
        if (found == NOTHING)
            found = read_unix(&p, end, &found_ms);
        if (found > best && pm_civil_plausible(found_ms) &&
            !in_hex_id(name, i, (size_t)(p - name.data))) {
            best = found;
            *ms = found_ms;
            *where = (pm_text){name.data + i, (size_t)(p - name.data) - i};
        }
        i += found != NOTHING ? (size_t)(p - name.data) - i : pm_civil_run(p, end);
    }
    return best != NOTHING;
}
