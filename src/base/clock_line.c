/* clock_line: is this line what `date` printed, in whatever locale and decoration? */
#include "base/clock.h"

#include "base/civil.h"

#define DECORATION " \t\r#=*-~<>[](){}|\"'`+_/\\!:;,.%&$"
#define MAX_WORDS 8 /* "sob," "21" "lis" "2026," "02:05:32" "AM" "CET" is the longest form */

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A word as the tables below have it: ASCII lower case without dots; every run of other bytes is
 * one '?', so that UTF-8, Latin-1 and a terminal's own '?' are alike. False where it is longer
 * than any word of the tables. */
static bool fold(pm_text t, char out[16])
{
    size_t n = 0;

    for (size_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.data[i];

        if (c == '.' || (c >= 0x80 && n && out[n - 1] == '?'))
            continue;
        if (n == 15)
            return false;
        out[n++] = (char)(c >= 0x80 ? '?' : c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    out[n] = '\0';
    return n > 0;
}

/* Position of a word in a list of words between blanks, from 0; -1 where it is not there. */
static int word_index(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (int i = 0; *list; i++) {
        size_t n = strcspn(list, " ");

        if (n == len && memcmp(list, word, n) == 0)
            return i;
        list += n + (list[n] == ' ');
    }
    return -1;
}

/* 1 to 12, or 0. No word means two months in two languages. */
static int month_of(const char *word)
{
    static const char *const languages[] = {
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "january february march april may june july august september october november december",
        "jan feb m?r apr mai jun jul aug sep okt nov dez",          /* German */
        "j?n feb m?rz apr mai juni juli aug sept okt nov dez",      /* Austrian */
        "janv f?vr mars avril mai juin juil ao?t sept oct nov d?c", /* French */
        "ene feb mar abr may jun jul ago sep oct nov dic",          /* Spanish */
        "jan fev mar abr mai jun jul ago set out nov dez",          /* Portuguese */
        "gen feb mar apr mag giu lug ago set ott nov dic",          /* Italian */
        "sty lut mar kwi maj cze lip sie wrz pa? lis gru",          /* Polish */
    };
    int i = -1;

    for (size_t k = 0; i < 0 && k < sizeof languages / sizeof *languages; k++)
        i = word_index(languages[k], word);
    return i + 1;
}

static bool is_weekday(const char *word)
{
    static const char days[] = "sun mon tue wed thu fri sat sunday monday tuesday wednesday "
                               "thursday friday saturday "
                               "so mo di mi do fr sa dim lun mar mer jeu ven sam dom mi? jue vie "
                               "s?b seg ter qua qui sex gio sab nie pon wto ?ro czw pi? sob "
                               "niedz wt ?r pt";

    return word_index(days, word) >= 0;
}

/* What the words of a line have told so far. */
typedef struct words {
    pm_civil c;
    bool has_time, has_zone, month_may_be_weekday;
    bool pm, am;
} words;

/* "02:05:32", "2:05", "02:05:32.123" */
static bool take_time(words *w, const char *p, const char *end)
{
    size_t digits = pm_civil_run(p, end);

    if (w->has_time || digits < 1 || digits > 2 || p + digits == end || p[digits] != ':' ||
        !pm_civil_digits(p, end, (int)digits, &w->c.hour))
        return false;
    p += digits + 1;
    if (pm_civil_run(p, end) != 2 || !pm_civil_digits(p, end, 2, &w->c.minute))
        return false;
    p += 2;
    w->has_time = true;
    if (p == end)
        return true;
    if (*p != ':' || pm_civil_run(p + 1, end) != 2)
        return false;
    pm_civil_digits(p + 1, end, 2, &w->c.second);
    p += 3;
    if (p < end && (*p == '.' || *p == ',') && pm_civil_run(p + 1, end) >= 3) {
        pm_civil_digits(p + 1, end, 3, &w->c.ms);
        p += 1 + pm_civil_run(p + 1, end);
    }
    return p == end;
}

/* A year, a day ("21", German "21."), a time of day. */
static bool take_number(words *w, pm_text t)
{
    const char *end = t.data + t.len;
    size_t digits = pm_civil_run(t.data, end);

    if (digits == 4 && t.len == 4 && !w->c.year)
        return pm_civil_digits(t.data, end, 4, &w->c.year);
    if ((digits == 1 || digits == 2) && !w->c.day &&
        (t.len == digits || (t.len == digits + 1 && *(end - 1) == '.')))
        return pm_civil_digits(t.data, end, (int)digits, &w->c.day);
    return take_time(w, t.data, end);
}

static bool take_zone(words *w, pm_text t)
{
    if (w->has_zone || !w->has_time)
        return false;
    w->has_zone = pm_civil_offset(t.data, t.data + t.len, &w->c.zone) == t.len ||
                  pm_civil_zone(t, &w->c.zone);
    return w->has_zone;
}

static bool take_word(words *w, pm_text t)
{
    char word[16];
    int month;

    if (*t.data >= '0' && *t.data <= '9')
        return take_number(w, t);
    if (!fold(t, word))
        return false;
    if (w->has_time && !w->am && !w->pm && (strcmp(word, "am") == 0 || strcmp(word, "pm") == 0)) {
        *(*word == 'a' ? &w->am : &w->pm) = true;
        return true;
    }
    month = month_of(word);
    /* "mar" is March, and Tuesday in French, Spanish and Italian: a second month's name settles it
     */
    if (month && (!w->c.month || w->month_may_be_weekday)) {
        w->month_may_be_weekday = !w->c.month && strcmp(word, "mar") == 0;
        w->c.month = month;
        return true;
    }
    return (!w->has_zone && take_zone(w, t)) || is_weekday(word);
}

/* Twelve-hour clocks count 12, 1, 2 ... 11. */
static bool settle_half(words *w)
{
    if (!w->am && !w->pm)
        return true;
    if (w->c.hour < 1 || w->c.hour > 12)
        return false;
    w->c.hour = w->c.hour % 12 + (w->pm ? 12 : 0);
    return true;
}

static bool parse_words(pm_text t, int64_t *ms)
{
    words w = {0};
    size_t i = 0;

    for (int n = 0; i < t.len; n++) {
        size_t from = i;

        while (i < t.len && t.data[i] != ' ' && t.data[i] != ',')
            i++;
        if (n == MAX_WORDS || i == from || !take_word(&w, (pm_text){t.data + from, i - from}))
            return false;
        while (i < t.len && is_one_of(t.data[i], " ,"))
            i++;
    }
    return w.c.year && w.c.month && w.c.day && w.has_time && settle_half(&w) &&
           pm_civil_to_ms(&w.c, ms);
}

/* The pmap header of an unnamed process is "PID:   ": a bare number, a colon, blanks. */
static bool is_header(pm_text number, pm_text tail)
{
    return pm_civil_run(number.data, number.data + number.len) == number.len && tail.len > 1 &&
           tail.data[0] == ':';
}

static bool parse_core(pm_text core, pm_text tail, int64_t *ms)
{
    /* a lone number of eight digits is a sum that some script printed, rather than a date */
    if (core.len < 9 || is_header(core, tail))
        return false;
    return (pm_clock_parse(core, ms) || parse_words(core, ms)) && pm_civil_plausible(*ms);
}

static bool is_label(pm_text t)
{
    static const char labels[] = "date time timestamp datetime ts epoch now at on taken captured "
                                 "capture snapshot sample started start begin run iteration";
    char word[16];

    return fold(t, word) && word_index(labels, word) >= 0;
}

/* Steps over a label ("timestamp:", "snapshot 3 at"), or a loop's counter behind one or behind a
 * '#'. Returns how many characters, 0 for neither. */
static size_t skip_label(pm_text t, bool counter_may_stand_here)
{
    size_t n = pm_civil_run(t.data, t.data + t.len);

    if (n)
        return counter_may_stand_here && n <= 6 && n < t.len && is_one_of(t.data[n], " \t:") ? n
                                                                                             : 0;
    while (n < t.len && is_letter(t.data[n]))
        n++;
    return n && n < t.len && is_label((pm_text){t.data, n}) ? n : 0;
}

bool pm_clock_parse_line(pm_text t, int64_t *ms)
{
    bool counter_may_stand_here = false;
    pm_text tail;

    if (t.len == 0)
        return false;
    tail = pm_text_from(t, t.len);
    for (; t.len && is_one_of(t.data[t.len - 1], DECORATION); t.len--)
        tail = (pm_text){tail.data - 1, tail.len + 1};
    for (;;) {
        int64_t found;
        size_t n;

        for (; t.len && is_one_of(*t.data, DECORATION); t = pm_text_from(t, 1))
            counter_may_stand_here = counter_may_stand_here || *t.data == '#' || *t.data == '=';
        if (parse_core(t, tail, &found)) {
            *ms = found;
            return true;
        }
        n = skip_label(t, counter_may_stand_here);
        if (n == 0)
            return false;
        counter_may_stand_here = is_letter(*t.data);
        t = pm_text_from(t, n);
    }
}
