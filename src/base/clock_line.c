/* clock_line: is this line a moment, or does it begin with one? With whatever decoration and labels
 * loops print before it. */
#include "base/clock.h"

#include "base/clock_scan.h"
#include "base/clock_words.h"

#define DECORATION " \t\r#=*-~<>[](){}|\"'`+_/\\!:;,.%&$"

/* What may stand between a moment and the text behind it. */
#define PARTING " \t\r:;,|-=#*~>])}\"'`"

/* What may touch a moment from the right: the above, less what would go on with it, and brackets
 * that open something new. */
#define EDGE " \t\r:;,|=#*>])}\"'`[({<"

/* A line that begins with a moment has it within this many bytes. */
#define PREFIX_MAX 160

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The pmap header of an unnamed process is "PID:   ": a bare number, a colon, blanks. */
static bool is_header(pm_text number, pm_text tail)
{
    return pm_civil_run(number.data, number.data + number.len) == number.len && tail.len > 1 &&
           tail.data[0] == ':';
}

static bool parse_core(pm_text core, pm_text tail, int64_t *ms)
{
    pm_civil c = {0};

    /* a lone number of eight digits is a sum that some script printed, rather than a date */
    if (core.len < 9 || is_header(core, tail))
        return false;
    if (!pm_clock_parse(core, ms) &&
        (pm_clock_scan_words(core, &c) != core.len || !pm_civil_to_ms(&c, ms)))
        return false;
    return pm_civil_plausible(*ms);
}

/* Returns how many characters; *counter_may_stand_here is set behind a '#' or '='. */
static size_t skip_decoration(pm_text t, bool *counter_may_stand_here)
{
    size_t n = 0;

    for (; n < t.len && pm_char_in(t.data[n], DECORATION); n++)
        *counter_may_stand_here |= t.data[n] == '#' || t.data[n] == '=';
    return n;
}

/* Steps over a label ("timestamp:", "snapshot 3 at"), or a loop's counter behind one or behind a
 * '#'. Returns how many characters, 0 for neither. */
static size_t skip_label(pm_text t, bool *counter_may_stand_here)
{
    size_t n = pm_civil_run(t.data, t.data + t.len);
    bool may = *counter_may_stand_here;

    *counter_may_stand_here = n == 0;
    if (n)
        return may && n <= 6 && n < t.len && pm_char_in(t.data[n], " \t:") ? n : 0;
    while (n < t.len && is_letter(t.data[n]))
        n++;
    return n && n < t.len && pm_clock_word(PM_WORD_LABEL, (pm_text){t.data, n}) >= 0 ? n : 0;
}

bool pm_clock_parse_line(pm_text t, int64_t *ms)
{
    bool counter_may_stand_here = false;
    pm_text tail;

    if (t.len == 0)
        return false;
    tail = pm_text_from(t, t.len);
    for (; t.len && pm_char_in(t.data[t.len - 1], DECORATION); t.len--)
        tail = (pm_text){tail.data - 1, tail.len + 1};
    for (;;) {
        int64_t found;
        size_t n;

        t = pm_text_from(t, skip_decoration(t, &counter_may_stand_here));
        if (parse_core(t, tail, &found)) {
            *ms = found;
            return true;
        }
        n = skip_label(t, &counter_may_stand_here);
        if (n == 0)
            return false;
        t = pm_text_from(t, n);
    }
}

/* A moment that was found at the beginning of a text. */
typedef struct found {
    int64_t ms;
    size_t len;
    bool has_time, has_zone;
} found;

static bool is_end(pm_text behind)
{
    return behind.len == 0 || pm_char_in(*behind.data, EDGE) ||
           (pm_char_in(*behind.data, "-.") &&
            (behind.len == 1 || pm_char_in(behind.data[1], " -")));
}

static bool settle(const pm_civil *c, bool has_time, size_t len, found *out)
{
    *out = (found){0, len, has_time, c->zone.kind != PM_ZONE_LOCAL};
    return len && pm_civil_to_ms(c, &out->ms) && pm_civil_plausible(out->ms);
}

static bool begins_with_words(pm_text t, found *out)
{
    pm_civil c = {0};
    size_t n = pm_clock_scan_words(t, &c);

    return settle(&c, true, n, out) && is_end(pm_text_from(t, n));
}

/* Digits behind a day are its time of day or a number of the text; where that cannot be told, the
 * line has no moment. */
static bool begins_with_iso(pm_text t, found *out)
{
    pm_civil c = {0};
    bool has_time;
    size_t n = pm_clock_scan_iso(t, &c, &has_time);
    const char *blank = n ? memchr(t.data, ' ', n) : NULL;
    pm_text behind = pm_text_from(t, n);

    if (!settle(&c, has_time, n, out) || !is_end(behind))
        return false;
    if (has_time)
        return !blank || pm_civil_run(blank + 1, t.data + n) <= 2;
    while (behind.len && pm_char_in(*behind.data, PARTING))
        behind = pm_text_from(behind, 1);
    return pm_char_in(t.data[4], "-/") && behind.len && !is_digit(*behind.data) &&
           !pm_clock_has_time_of_day(behind);
}

/* The number is the first of a row of numbers: of sums as pmap -XX prints them ("1073763972 9372
 * KB"), or of sizes with a mode behind them ("132 20 0 r-x--") whose address has only decimal
 * digits. A number with zeroes before it is that address, behind a moment. */
static bool begins_row(pm_text behind)
{
    size_t i = 0;

    while (i < behind.len && pm_char_in(behind.data[i], " \t"))
        i++;
    if (pm_civil_run(behind.data + i, behind.data + behind.len) >= 8 && behind.data[i] == '0')
        return false;
    while (i < behind.len && (is_digit(behind.data[i]) || pm_char_in(behind.data[i], " \tKB")))
        i++;
    behind = pm_text_from(behind, i);
    return behind.len == 0 ||
           (i > 1 && behind.len >= 4 && pm_char_in(behind.data[0], "r-") &&
            pm_char_in(behind.data[1], "w-") && pm_char_in(behind.data[2], "x-") &&
            pm_char_in(behind.data[3], "ps-"));
}

/* "2026112102" is rather what date +%Y%m%d%H prints than a moment in 2034. */
static bool is_date_and_hour(pm_text number)
{
    pm_civil c = {0};
    bool compact;
    int64_t ms;

    return pm_clock_scan_date(number, &c, &compact) && pm_civil_to_ms(&c, &ms) &&
           pm_civil_plausible(ms);
}

/* Signs, paths and names run on into what looks like a moment: "+1795226732", "/2026-11-21",
 * "snapshot-2026-11-21"; rows of dashes do not. Numbers with nothing but blanks before them stand
 * in columns. */
static bool stands_free(pm_text before, bool number)
{
    const char *last;

    if (before.len == 0)
        return true;
    last = before.data + before.len - 1;
    if (*last == '-')
        return !number && before.len >= 2 && last[-1] == '-';
    if (pm_char_in(*last, "/\\.+_$%&~"))
        return false;
    while (number && before.len && pm_char_in(before.data[before.len - 1], " \t"))
        before.len--;
    return before.len > 0 || !number;
}

/* "kB gesamt  35904  8076": the footer of pmap -x in some languages, rather than a unit. */
static bool is_footer(pm_text t)
{
    for (; t.len && *t.data == ' '; t = pm_text_from(t, 1))
        ;
    if (!pm_text_starts(t, PM_TEXT("kB ")))
        return false;
    t = pm_text_from(t, 3);
    t = pm_text_from(t, pm_clock_word_run(t.data, t.data + t.len));
    for (; t.len && *t.data == ' '; t = pm_text_from(t, 1))
        ;
    return t.len && is_digit(*t.data);
}

/* Numbers are many things: only seconds of ten digits, milliseconds and nanoseconds count, and not
 * what is a quantity, the PID of a header, what du prints, or one of many in a row. */
static bool begins_with_unix(pm_text before, pm_text t, found *out)
{
    size_t n = pm_clock_scan_unix(t, &out->ms), digits = pm_civil_run(t.data, t.data + t.len);
    pm_text behind = pm_text_from(t, n);
    bool marked = *t.data == '@';

    if (n == 0 || (!marked && digits != 10 && digits != 13 && digits != 19) || !is_end(behind) ||
        !pm_civil_plausible(out->ms) || !stands_free(before, true))
        return false;
    out->len = n;
    out->has_time = out->has_zone = true;
    if (marked || behind.len == 0)
        return marked;
    return !pm_char_in(*behind.data, "-=") && !pm_text_starts(behind, PM_TEXT(":   ")) &&
           !pm_text_starts(behind, PM_TEXT(":\t")) && !pm_text_starts(behind, PM_TEXT("\t/")) &&
           (!pm_clock_unit_follows(behind) || is_footer(behind)) && !begins_row(behind) &&
           (digits != 10 || !is_date_and_hour(t));
}

static bool begins_with_moment(pm_text before, pm_text t, found *out)
{
    bool digit = is_digit(*t.data);

    if ((digit || pm_clock_is_word_byte(*t.data)) &&
        (begins_with_words(t, out) || (digit && begins_with_iso(t, out))))
        return stands_free(before, false);
    return (digit || *t.data == '@') && begins_with_unix(before, t, out);
}

/* A lone word of capitals is a zone that is not known: then the moment is not known either. */
static bool is_unknown_zone(pm_text rest)
{
    size_t n = 0;

    while (n < rest.len && rest.data[n] >= 'A' && rest.data[n] <= 'Z')
        n++;
    return n >= 3 && n <= 5 && (n == rest.len || pm_char_in(rest.data[n], DECORATION)) &&
           skip_decoration(pm_text_from(rest, n), &(bool){false}) == rest.len - n;
}

bool pm_clock_parse_prefix(pm_text line, int64_t *ms, pm_text *rest)
{
    bool counter_may_stand_here = false;
    pm_text t = line, behind;
    found moment;
    int64_t whole;

    for (;;) {
        size_t n = skip_decoration(t, &counter_may_stand_here);
        size_t begin = line.len - t.len + n;

        t = pm_text_from(t, n);
        if (t.len == 0 || begin > PREFIX_MAX)
            return false;
        if (begins_with_moment((pm_text){line.data, begin}, t, &moment))
            break;
        n = skip_label(t, &counter_may_stand_here);
        if (n == 0)
            return false;
        t = pm_text_from(t, n);
    }
    behind = pm_text_from(t, moment.len);
    while (behind.len && pm_char_in(*behind.data, PARTING))
        behind = pm_text_from(behind, 1);
    if (skip_decoration(behind, &counter_may_stand_here) == behind.len ||
        (!moment.has_zone && is_unknown_zone(behind)) || pm_clock_parse_line(line, &whole))
        return false;
    *ms = moment.ms;
    *rest = behind;
    return true;
}
