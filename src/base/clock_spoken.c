/* clock_spoken: dates with the names of months and days, in whatever language and order. */
#include "base/clock_scan.h"

#include "base/clock_words.h"

#define DATE_MAX 80 /* no date is longer */
#define MAX_WORDS 8 /* "sob," "21" "lis" "2026," "02:05:32" "AM" "CET" is the longest form */

typedef enum half_day { WHOLE_DAY, FORENOON, AFTERNOON } half_day;

/* What the words of a line have told so far. */
typedef struct spoken {
    pm_civil c;
    half_day half;
    bool has_time;
    bool after_time; /* the word before was the time of day */
    bool month_may_be_weekday;
} spoken;

static bool is_complete(const spoken *w)
{
    return w->c.year && w->c.month && w->c.day && w->has_time;
}

/* "02:05:32", "2:05", "02:05:32.123" */
static size_t take_time(spoken *w, pm_text t)
{
    const char *end = t.data + t.len, *p = t.data;
    size_t digits = pm_civil_run(p, end);

    if (w->has_time || !pm_civil_digits(p, end, (int)digits, &w->c.hour))
        return 0;
    p += digits + 1;
    if (pm_civil_run(p, end) != 2 || !pm_civil_digits(p, end, 2, &w->c.minute))
        return 0;
    p += 2;
    if (end - p >= 2 && *p == ':' && pm_civil_run(p + 1, end)) {
        if (pm_civil_run(p + 1, end) != 2)
            return 0;
        pm_civil_digits(p + 1, end, 2, &w->c.second);
        p += 3;
        p += pm_clock_scan_fraction((pm_text){p, (size_t)(end - p)}, &w->c.ms);
    }
    w->has_time = w->after_time = true;
    return (size_t)(p - t.data);
}

/* A year, a whole date, a day ("21", German "21."), a time of day. */
static size_t take_number(spoken *w, pm_text t)
{
    const char *end = t.data + t.len;
    size_t digits = pm_civil_run(t.data, end);
    const char *next = digits < t.len ? t.data + digits : " ";
    bool compact;

    if (digits == 4 && !w->c.year) {
        if ((*next == '-' || *next == '/') && !w->c.month && !w->c.day)
            return pm_clock_scan_date(t, &w->c, &compact);
        pm_civil_digits(t.data, end, 4, &w->c.year);
        return 4;
    }
    if (digits > 2)
        return 0;
    if (*next == ':')
        return take_time(w, t);
    if (w->c.day || !pm_civil_digits(t.data, end, (int)digits, &w->c.day))
        return 0;
    return digits + (*next == '.' && !pm_civil_run(t.data + digits + 1, end));
}

static size_t take_zone(spoken *w, pm_text t)
{
    return w->has_time && w->c.zone.kind == PM_ZONE_LOCAL ? pm_clock_scan_zone(t, true, &w->c.zone)
                                                          : 0;
}

/* "mar" is March, and Tuesday in French, Spanish and Italian: a second month's name settles it. */
static bool take_month(spoken *w, pm_text word)
{
    int month = pm_clock_word(PM_WORD_MONTH, word) + 1;

    if (!month || (w->c.month && !w->month_may_be_weekday))
        return false;
    w->month_may_be_weekday = !w->c.month && pm_clock_word(PM_WORD_WEEKDAY, word) >= 0;
    w->c.month = month;
    return true;
}

/* Text may follow a date that is complete, and some languages' weekdays are short words ("so",
 * "do", "di"). A number of four digits before the weekday is a PID (ps -o pid,lstart). */
static bool takes_weekday(const spoken *w, pm_text word, bool is_last)
{
    return (is_complete(w) ? is_last : w->c.month || !w->c.year) &&
           pm_clock_word(PM_WORD_WEEKDAY, word) >= 0;
}

static size_t take_word(spoken *w, pm_text t)
{
    bool after_time = w->after_time;
    pm_text word;
    int half;

    w->after_time = false;
    if (*t.data >= '0' && *t.data <= '9')
        return take_number(w, t);
    word = (pm_text){t.data, pm_clock_word_run(t.data, t.data + t.len)};
    half = after_time ? pm_clock_word(PM_WORD_HALF, word) : -1;
    if (half >= 0) {
        w->half = half ? AFTERNOON : FORENOON;
        return word.len;
    }
    if ((!is_complete(w) && take_month(w, word)) || takes_weekday(w, word, word.len == t.len))
        return word.len;
    return take_zone(w, t);
}

/* Twelve-hour clocks count 12, 1, 2 ... 11. */
static bool settle_half(spoken *w)
{
    if (w->half == WHOLE_DAY)
        return true;
    if (w->c.hour < 1 || w->c.hour > 12)
        return false;
    w->c.hour = w->c.hour % 12 + (w->half == AFTERNOON ? 12 : 0);
    return true;
}

static bool is_gap(pm_text t, size_t i)
{
    return i < t.len && (t.data[i] == ' ' || t.data[i] == ',' || t.data[i] == '\t');
}

bool pm_clock_has_time_of_day(pm_text t)
{
    const char *p = t.data, *end = t.data + (t.len < DATE_MAX ? t.len : DATE_MAX);

    while (p < end && (p = memchr(p, ':', (size_t)(end - p)))) {
        if (p > t.data && pm_civil_run(p - 1, p) && pm_civil_run(p + 1, end))
            return true;
        p++;
    }
    return false;
}

size_t pm_clock_scan_words(pm_text t, pm_civil *c)
{
    spoken w = {0};
    size_t i = 0, end = 0;

    /* most lines have none and need no search in the tables */
    if (!pm_clock_has_time_of_day(t))
        return 0;

    for (int n = 0; n < MAX_WORDS && i < t.len; n++) {
        spoken next = w;
        size_t used = take_word(&next, pm_text_from(t, i));

        if (!used)
            break;
        w = next;
        end = i + used;
        if (!is_gap(t, end))
            break;
        for (i = end; is_gap(t, i);)
            i++;
    }
    if (!is_complete(&w) || !settle_half(&w))
        return 0;
    *c = w.c;
    return end;
}
