/* civil: the arithmetic of the calendar, and the table of zone abbreviations. */
#include "base/civil.h"

#include "base/num.h"
#include <time.h>

#define DAY_MS INT64_C(86400000)

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap(year));
}

static bool is_valid(const pm_civil *c)
{
    return c->year >= 1970 && c->year <= 9999 && c->month >= 1 && c->month <= 12 && c->day >= 1 &&
           c->day <= days_in(c->year, c->month) && c->hour >= 0 && c->hour < 24 && c->minute >= 0 &&
           c->minute < 60 && c->second >= 0 &&
           c->second <= 60; /* a leap second is the next minute's first */
}

/* Years begin in March here, so that the leap day is the last of its year. */
static int64_t days_from_civil(int year, int month, int day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t march = (month + 9) % 12;

    return y * 365 + y / 4 - y / 100 + y / 400 + (march * 306 + 5) / 10 + day - 1 - 719468;
}

static bool local_seconds(const pm_civil *c, int64_t *seconds)
{
    struct tm tm = {.tm_year = c->year - 1900,
                    .tm_mon = c->month - 1,
                    .tm_mday = c->day,
                    .tm_hour = c->hour,
                    .tm_min = c->minute,
                    .tm_sec = c->second,
                    .tm_isdst = c->zone.kind == PM_ZONE_LOCAL_STANDARD ? 0
                                : c->zone.kind == PM_ZONE_LOCAL_SUMMER ? 1
                                                                       : -1};
    time_t t = mktime(&tm);

    *seconds = (int64_t)t;
    return t != (time_t)-1;
}

bool pm_civil_to_ms(const pm_civil *c, int64_t *ms)
{
    int64_t seconds;

    if (!is_valid(c))
        return false;
    if (c->zone.kind == PM_ZONE_OFFSET)
        seconds = ((days_from_civil(c->year, c->month, c->day) * 24 + c->hour) * 60 + c->minute -
                   c->zone.minutes) *
                      60 +
                  c->second;
    else if (!local_seconds(c, &seconds))
        return false;
    *ms = seconds * 1000 + c->ms;
    return true;
}

void pm_civil_from_ms(int64_t ms, pm_civil *c)
{
    int64_t day = ms / DAY_MS - (ms % DAY_MS < 0);
    int rest = (int)((ms % DAY_MS + DAY_MS) % DAY_MS);
    int64_t since = day + 719468;                                 /* days since 0000-03-01 */
    int64_t era = (since >= 0 ? since : since - 146096) / 146097; /* of 400 years */
    int64_t of_era = since - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int march = (int)((5 * of_year + 2) / 153);

    c->month = march < 10 ? march + 3 : march - 9;
    c->year = (int)(year + era * 400 + (c->month <= 2));
    c->day = (int)(of_year - (153 * march + 2) / 5 + 1);
    c->hour = rest / 3600000;
    c->minute = rest / 60000 % 60;
    c->second = rest / 1000 % 60;
    c->ms = rest % 1000;
    c->zone = (pm_zone){PM_ZONE_OFFSET, 0};
}

bool pm_civil_plausible(int64_t ms)
{
    return ms >= INT64_C(631152000000) && ms < INT64_C(4102444800000);
}

/* Where one abbreviation has several meanings (CST, IST, BST), the one that most hosts have; a
 * host of the others is right by its own zone, which is asked first. */
static const struct {
    const char *name;
    int minutes;
} zones[] = {
    {"UTC", 0},    {"GMT", 0},    {"Z", 0},      {"UCT", 0},     {"WET", 0},     {"WEST", 60},
    {"BST", 60},   {"CET", 60},   {"MET", 60},   {"WAT", 60},    {"CEST", 120},  {"MEST", 120},
    {"EET", 120},  {"CAT", 120},  {"SAST", 120}, {"EEST", 180},  {"EAT", 180},   {"IDT", 180},
    {"MSK", 180},  {"PKT", 300},  {"IST", 330},  {"WIB", 420},   {"AWST", 480},  {"HKT", 480},
    {"SGT", 480},  {"JST", 540},  {"KST", 540},  {"ACST", 570},  {"AEST", 600},  {"ACDT", 630},
    {"AEDT", 660}, {"NZST", 720}, {"NZDT", 780}, {"NDT", -150},  {"ADT", -180},  {"NST", -210},
    {"AST", -240}, {"EDT", -240}, {"EST", -300}, {"CDT", -300},  {"CST", -360},  {"MDT", -360},
    {"MST", -420}, {"PDT", -420}, {"PST", -480}, {"AKDT", -480}, {"AKST", -540}, {"HST", -600},
};

/* What local time is called in winter and in summer, and was. The C library has the two names as
 * tzname, but every other thread that asks for local time takes them away for a moment. */
static bool is_local(pm_text abbreviation, pm_zone *out)
{
    static const int years[] = {2025, 2015, 2005, 1995};

    tzset();
    for (size_t i = 0; i < 2 * sizeof years / sizeof *years && abbreviation.len; i++) {
        time_t t = (time_t)days_from_civil(years[i / 2], i % 2 ? 7 : 1, 15) * 86400;
        struct tm tm;

        if (localtime_r(&t, &tm) && pm_text_equal(abbreviation, pm_text_of(tm.tm_zone))) {
            *out = (pm_zone){tm.tm_isdst > 0 ? PM_ZONE_LOCAL_SUMMER : PM_ZONE_LOCAL_STANDARD, 0};
            return true;
        }
    }
    return false;
}

bool pm_civil_zone(pm_text abbreviation, pm_zone *out)
{
    if (is_local(abbreviation, out))
        return true;
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (pm_text_equal(abbreviation, pm_text_of(zones[i].name))) {
            *out = (pm_zone){PM_ZONE_OFFSET, zones[i].minutes};
            return true;
        }
    return false;
}

size_t pm_civil_offset(const char *p, const char *end, pm_zone *out)
{
    const char *from = p;
    int hours, minutes = 0;

    if (p == end || (*p != '+' && *p != '-') || !pm_civil_digits(p + 1, end, 2, &hours))
        return 0;
    p += 3;
    if (pm_civil_digits(p, end, 2, &minutes))
        p += 2;
    else if (p < end && *p == ':' && pm_civil_digits(p + 1, end, 2, &minutes))
        p += 3;
    if (hours > 15 || minutes > 59 || pm_civil_run(p, end))
        return 0;
    minutes += hours * 60;
    *out = (pm_zone){PM_ZONE_OFFSET, *from == '-' ? -minutes : minutes};
    return (size_t)(p - from);
}

bool pm_civil_digits(const char *p, const char *end, int width, int *out)
{
    uint64_t v;

    if (end - p < width || pm_num_dec(p, p + width, &v) != (size_t)width)
        return false;
    *out = (int)v;
    return true;
}

size_t pm_civil_run(const char *p, const char *end)
{
    const char *from = p;

    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return (size_t)(p - from);
}
