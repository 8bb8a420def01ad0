/* clock_zone: reads abbreviations and offsets of zones in moments, and checks values of TZ. */
#include "base/clock/clock.h"

#include "base/clock/clock_read.h"
#include <limits.h>
#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define TZ_DATABASE "/usr/share/zoneinfo"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

bool pm_clock_is_word_of(pm_text t, const char *list)
{
    size_t n = 0;

    while (n < t.len && pm_is_letter(t.data[n]))
        n++;
    for (; n && *list; list += strspn(list, " ")) {
        size_t len = strcspn(list, " ");

        if (len == n && (*list | 32) == (*t.data | 32) && strncasecmp(list, t.data, n) == 0)
            return true;
        list += len;
    }
    return false;
}

bool pm_clock_is_unit(pm_text t)
{
    while (t.len && *t.data == ' ')
        t = pm_text_from(t, 1);
    return pm_clock_is_word_of(t, "k kb kib mb mib gb gib byte bytes page pages ns us ms sec secs "
                                  "second seconds times");
}

/* For an abbreviation with several meanings (CST, IST, BST), the table has the meaning on most
 * hosts. A host with another meaning is served by its own zone, which is searched first. */
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

/* Searches the names of the local zone, then the table. tzname contains the local names too, but
 * localtime in another thread changes tzname temporarily. */
static bool find_zone(pm_text name, pm_zone *z)
{
    tzset();
    for (int i = 0; i < 8; i++) { /* summer and winter, now and in the decades before */
        struct tm tm = {.tm_year = 125 - i / 2 * 10, .tm_mon = i % 2 * 6, .tm_mday = 15};
        time_t t = timegm(&tm);

        if (localtime_r(&t, &tm) && pm_text_equal(name, pm_text_of(tm.tm_zone))) {
            *z = (pm_zone){.known = true, .is_dst = tm.tm_isdst > 0};
            return true;
        }
    }
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (pm_text_equal(name, pm_text_of(zones[i].name))) {
            *z = (pm_zone){.known = true, .fixed = true, .minutes = zones[i].minutes};
            return true;
        }
    return false;
}

/* Reads "+01:00", "-0500", "+01". Returns the number of bytes read, or 0. */
static size_t read_offset(const char *p, pm_zone *z)
{
    struct tm tm = {0};
    const char *end = *p == '+' || *p == '-' ? strptime(p, "%z", &tm) : NULL;

    if (!end || pm_is_digit(*end) || labs(tm.tm_gmtoff) >= 16L * 3600)
        return 0;
    *z = (pm_zone){.known = true, .fixed = true, .minutes = (int)(tm.tm_gmtoff / 60)};
    return (size_t)(end - p);
}

/* True for "+12 kB", "+12.5" and "+12%", but not for "+05". */
static bool is_quantity(const char *offset, size_t len)
{
    char after = offset[len];

    return offset[1] != '0' && !memchr(offset, ':', len) &&
           (after == '%' || after == '.' || pm_is_letter(after) ||
            pm_clock_is_unit(pm_text_of(offset + len)));
}

size_t pm_clock_read_zone(const char *p, bool apart, pm_zone *z)
{
    size_t name = strspn(p, CAPITALS), offset;
    pm_zone wanted;

    if (name &&
        (pm_is_letter(p[name]) || pm_is_digit(p[name]) || !find_zone((pm_text){p, name}, &wanted)))
        return 0;
    offset = !name || strncmp(p, "GMT", name) == 0 || strncmp(p, "UTC", name) == 0
                 ? read_offset(p + name, &wanted)
                 : 0;
    if (offset && !name && apart && is_quantity(p, offset))
        offset = 0;
    if (name + offset)
        *z = wanted;
    return name + offset;
}

/* ---- TZ ---- */

static bool is_zone_file(const char *path)
{
    char magic[4];
    FILE *file = fopen(path, "rbe");
    bool is = file && fread(magic, sizeof magic, 1, file) == 1 && memcmp(magic, "TZif", 4) == 0;

    if (file)
        fclose(file);
    return is;
}

static bool is_in_database(const char *name)
{
    const char *dir = getenv("TZDIR");
    char path[PATH_MAX];
    int n;

    if (*name == '/')
        return is_zone_file(name);
    n = snprintf(path, sizeof path, "%s/%s", dir && *dir ? dir : TZ_DATABASE, name);
    return *name && n < (int)sizeof path && is_zone_file(path);
}

/* POSIX, "Environment Variables", TZ: std offset dst offset,change/time,change/time */
#define NAME "([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
#define TIME(hours) "[+-]?0*(" hours ")(:0*[1-5]?[0-9]){0,2}"
#define HOURS TIME("1?[0-9]|2[0-4]")
#define DAY                                                                                  \
    ",(M0*([1-9]|1[0-2])\\.0*[1-5]\\.0*[0-6]|J0*([1-9]|[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|" \
    "36[0-5])|0*([0-9]|[1-9][0-9]|[12][0-9]{2}|3[0-5][0-9]|36[0-5]))"
#define CHANGE DAY "(/" TIME("[0-9]{1,2}|1[0-5][0-9]|16[0-7]") ")?"

static bool is_rule(const char *text)
{
    regex_t rule;
    bool is;

    if (regcomp(&rule, "^" NAME HOURS "(" NAME "(" HOURS ")?(" CHANGE CHANGE ")?)?$",
                REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    is = regexec(&rule, text, 0, NULL, 0) == 0;
    regfree(&rule);
    return is;
}

bool pm_clock_is_zone(const char *zone)
{
    if (*zone == ':')
        return is_in_database(zone + 1);
    /* these two need no database */
    return strcmp(zone, "UTC") == 0 || strcmp(zone, "GMT") == 0 || is_in_database(zone) ||
           is_rule(zone);
}
