/* clock_zone: whether the C library knows a time zone. */
#include "base/clock.h"

#include "base/num.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define TZ_DATABASE "/usr/share/zoneinfo"

/* ---- files ---- */

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

/* ---- rules: POSIX, "Environment Variables", TZ. Each part ends where it was read to, or in NULL.
 * ---- */

static const char *read_number(const char *p, uint64_t least, uint64_t most)
{
    uint64_t n;
    size_t digits = p ? pm_num_dec(p, p + strlen(p), &n) : 0;

    return digits && n >= least && n <= most ? p + digits : NULL;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* "CET", "<+0330>" */
static const char *read_name(const char *p)
{
    const char *from = p;

    if (*p == '<') {
        for (p++; is_letter(*p) || (*p >= '0' && *p <= '9') || *p == '+' || *p == '-'; p++)
            ;
        return *p == '>' && p - from > 3 ? p + 1 : NULL;
    }
    while (is_letter(*p))
        p++;
    return p - from >= 3 ? p : NULL;
}

/* "-1", "3:30", "-02:00:00" */
static const char *read_hours(const char *p, uint64_t most)
{
    p = read_number(p + (*p == '+' || *p == '-'), 0, most);
    for (int i = 0; i < 2 && p && *p == ':'; i++)
        p = read_number(p + 1, 0, 59);
    return p;
}

/* ",M3.5.0/2", ",J60", ",59" */
static const char *read_change(const char *p)
{
    if (!p || *p++ != ',')
        return NULL;
    if (*p == 'M') {
        p = read_number(p + 1, 1, 12);
        p = p && *p == '.' ? read_number(p + 1, 1, 5) : NULL;
        p = p && *p == '.' ? read_number(p + 1, 0, 6) : NULL;
    } else if (*p == 'J') {
        p = read_number(p + 1, 1, 365);
    } else {
        p = read_number(p, 0, 365);
    }
    return p && *p == '/' ? read_hours(p + 1, 167) : p;
}

static bool is_rule(const char *p)
{
    p = read_name(p);
    p = p ? read_hours(p, 24) : NULL;
    if (!p || !*p)
        return p != NULL;
    p = read_name(p);
    if (p && *p && *p != ',')
        p = read_hours(p, 24);
    if (!p || !*p)
        return p != NULL;
    p = read_change(read_change(p));
    return p && !*p;
}

bool pm_clock_is_zone(const char *zone)
{
    if (*zone == ':')
        return is_in_database(zone + 1);
    /* Where there is no database, these mean what they say all the same. */
    return strcmp(zone, "UTC") == 0 || strcmp(zone, "GMT") == 0 || is_in_database(zone) ||
           is_rule(zone);
}
