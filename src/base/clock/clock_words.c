/* clock_words: reads moments as people say them: 02:00, yesterday, 1 hour ago, now-2h; formats
 * moments as text; checks values of TZ. */
#include "base/clock/clock.h"

#include "base/num.h"
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS_MAX 40 /* bytes; no words are longer */

static pm_text without_blanks(pm_text t, char out[WORDS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < t.len && n < WORDS_MAX; i++)
        if (t.data[i] != ' ')
            out[n++] = t.data[i];
    return (pm_text){out, n};
}

/* Reads the time of day (empty: midnight) of the local day that is `back` days before `now`. */
static bool on_day(int64_t now, int back, pm_text time, int64_t *ms)
{
    time_t t = (time_t)(now / 1000);
    char text[WORDS_MAX * 2];
    struct tm tm = {0};
    size_t n;

    if (time.len >= WORDS_MAX || !localtime_r(&t, &tm))
        return false;
    tm.tm_mday -= back;
    tm.tm_hour = 12; /* exists on every day */
    tm.tm_isdst = -1;
    mktime(&tm);
    n = strftime(text, sizeof text, "%Y-%m-%d", &tm);
    snprintf(text + n, sizeof text - n, "%s%s%.*s", time.len ? "T" : "",
             time.len > 1 && time.data[1] == ':' ? "0" : "", (int)time.len, time.data);
    return pm_clock_parse(pm_text_of(text), ms);
}

bool pm_clock_parse_words(pm_text t, int64_t now, int64_t *ms)
{
    static const pm_text days[] = {{"today", 5}, {"yesterday", 9}};
    char memory[WORDS_MAX];
    pm_text words;
    int64_t span = 0;

    if (pm_clock_parse(t, ms))
        return true;
    words = without_blanks(t, memory);
    if (words.len == WORDS_MAX || !words.len)
        return false;
    for (int back = 0; back < 2; back++)
        if (pm_text_starts(words, days[back]))
            return on_day(now, back, pm_text_from(words, days[back].len), ms);
    if (pm_is_digit(*words.data) && memchr(words.data, ':', words.len))
        return on_day(now, 0, words, ms) && (*ms <= now || on_day(now, 1, words, ms));
    if (pm_text_ends(words, PM_TEXT("ago")))
        words.len -= 3;
    else if (pm_text_starts(words, PM_TEXT("now-")))
        words = pm_text_from(words, 4);
    else
        words = pm_text_equal(words, PM_TEXT("now")) ? PM_TEXT("0s") : PM_TEXT("");
    if (!pm_num_span(words, &span))
        return false;
    *ms = now - span;
    return true;
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

/* ---- values of TZ ---- */

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
