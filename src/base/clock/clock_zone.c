/* clock_zone: checks values of TZ. */
#include "base/clock/clock.h"

#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

/* True for the name of a file of the tz database. */
static bool is_in_database(const char *name)
{
    const char *dir = getenv("TZDIR");
    char path[PATH_MAX], magic[4];
    FILE *file;
    bool is;

    snprintf(path, sizeof path, "%s/%s", dir && *dir ? dir : "/usr/share/zoneinfo", name);
    file = fopen(*name == '/' ? name : path, "rbe");
    is = file && fread(magic, sizeof magic, 1, file) == 1 && memcmp(magic, "TZif", 4) == 0;
    if (file)
        fclose(file);
    return is;
}

/* True for a rule of POSIX: std offset dst offset,change/time,change/time. */
static bool is_rule(const char *text)
{
#define NAME "([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
#define OFFSET "[+-]?([01]?[0-9]|2[0-4])(:[0-5][0-9]){0,2}"
#define CHANGE \
    ",(M(0?[1-9]|1[0-2])\\.[1-5]\\.[0-6]|J?[0-9]{1,3})(/[+-]?[0-9]{1,3}(:[0-5][0-9]){0,2})?"
    regex_t rule;
    bool is;

    if (regcomp(&rule, "^" NAME OFFSET "(" NAME "(" OFFSET ")?(" CHANGE CHANGE ")?)?$",
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
