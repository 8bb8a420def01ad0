/* clock_line: is this line a moment, or does it begin with one? With whatever decoration and labels
 * loops print before it. */
#include "base/clock.h"

#include "base/clock_read.h"

#define DECORATION " \t\r#=*-~<>[](){}|\"'`+_/\\!:;,.%&$"
#define PARTING " \t\r:;,|-=#*~>])}\"'`" /* between a moment and the text after it */
#define EDGE " \t\r:;,|=#*>])}\"'`[({<"  /* may touch a moment from the right */
#define BEGIN_MAX 160                    /* bytes before a moment that a line begins with */

/* Skips a label ("timestamp:", "snapshot 3 at"), or a loop's counter after one or after a '#' or
 * '='. Returns how many bytes, 0 for neither. */
static size_t skip_label(pm_text t, bool counter)
{
    size_t n = pm_digits(t);

    if (n)
        return counter && n <= 6 && n < t.len && pm_char_in(t.data[n], " \t:") ? n : 0;
    while (n < t.len && pm_is_letter(t.data[n]))
        n++;
    return n < t.len && pm_clock_is_word_of(t, "date time timestamp datetime ts epoch now at on "
                                               "taken captured capture snapshot sample started "
                                               "start begin run iteration")
               ? n
               : 0;
}

static bool is_end(pm_text after)
{
    return after.len == 0 || pm_char_in(*after.data, EDGE) ||
           (pm_char_in(*after.data, "-.") && (after.len == 1 || pm_char_in(after.data[1], " -")));
}

/* Signs, paths and names run on into what looks like a moment: "+1795226732", "/2026-11-21",
 * "snapshot-2026-11-21"; rows of dashes do not. */
static bool stands_free(pm_text before, bool number)
{
    const char *last = before.data + before.len - 1;

    if (before.len == 0)
        return true;
    if (*last == '-')
        return !number && before.len >= 2 && last[-1] == '-';
    return !pm_char_in(*last, "/\\.+_$%&~");
}

/* Digits after a day are its time of day or a number of the text; as that cannot be told, such a
 * line has no moment. Eight digits alone are rather a sum. */
static bool begins_with_date(pm_text before, pm_text t, pm_moment *m)
{
    pm_text after;

    if (!pm_clock_read_date(t, false, m) || !pm_clock_plausible(m->ms) ||
        !stands_free(before, false))
        return false;
    after = pm_text_from(t, m->len);
    if (!is_end(after))
        return false;
    if (m->has_time)
        return true;
    after = pm_text_skip(after, PARTING);
    return pm_char_in(t.data[4], "-/") && !pm_digits(after) && !pm_clock_has_time_of_day(after);
}

/* The number is the first of a row of numbers: of sums as pmap -XX prints them ("1073763972 9372
 * KB"), or of sizes with a mode after them ("132 20 0 r-x--") and an address of decimal digits.
 * A number with zeroes before it is that address, after a moment. */
static bool begins_row(pm_text after)
{
    pm_text t = pm_text_skip(after, " \t");

    if (pm_digits(t) >= 8 && *t.data == '0')
        return false;
    t = pm_text_skip(after, "0123456789 \tKB");
    return t.len == 0 || (after.len - t.len > 1 && t.len >= 4 && pm_char_in(t.data[0], "r-") &&
                          pm_char_in(t.data[1], "w-") && pm_char_in(t.data[2], "x-") &&
                          pm_char_in(t.data[3], "ps-"));
}

/* "2026112102" is rather what date +%Y%m%d%H prints than a moment in 2034. */
static bool is_date_and_hour(pm_text digits)
{
    pm_moment m;

    return pm_clock_read_date((pm_text){digits.data, 8}, false, &m) && pm_clock_plausible(m.ms);
}

/* "kB gesamt  35904  8076": the footer of pmap -x in some languages, rather than a unit. */
static bool is_footer(pm_text t)
{
    t = pm_text_skip(t, " ");
    if (!pm_text_starts(t, PM_TEXT("kB ")))
        return false;
    for (t = pm_text_from(t, 3); t.len && *t.data != ' '; t = pm_text_from(t, 1))
        ;
    return pm_digits(pm_text_skip(t, " ")) > 0;
}

/* A number may be many things: only seconds of ten digits, milliseconds and nanoseconds count, and
 * not if it is a quantity, the PID of a header, what du prints, or one of many in a row. */
static bool begins_with_unix(pm_text before, pm_text t, pm_moment *m)
{
    size_t digits = pm_digits(t);
    bool marked = *t.data == '@';
    pm_text after;

    if (!pm_clock_read_unix(t, false, m) ||
        (!marked && digits != 10 && digits != 13 && digits != 19) || !pm_clock_plausible(m->ms) ||
        !stands_free(before, true))
        return false;
    after = pm_text_from(t, m->len);
    if (marked || after.len == 0)
        return is_end(after);
    if (!is_end(after) || pm_char_in(*after.data, "-=") || pm_text_starts(after, PM_TEXT(":   ")) ||
        pm_text_starts(after, PM_TEXT(":\t")) || pm_text_starts(after, PM_TEXT("\t/")) ||
        (digits == 10 && is_date_and_hour(t)))
        return false;
    if (pm_text_skip(after, DECORATION).len == 0)
        return true;
    /* a number after blanks only is a cell of a column */
    return (before.len == 0 || pm_text_skip(before, " \t").len > 0) &&
           (!pm_clock_is_unit(after) || is_footer(after)) && !begins_row(after);
}

/* A lone word of capitals is an unknown zone: then the moment is not known either. */
static bool is_unknown_zone(pm_text rest)
{
    size_t n = 0;

    while (n < rest.len && rest.data[n] >= 'A' && rest.data[n] <= 'Z')
        n++;
    return n >= 3 && n <= 5 && pm_text_skip(pm_text_from(rest, n), DECORATION).len == 0;
}

/* Reads the moment that a line begins with; *rest is what follows. */
static bool read_line(pm_text line, int64_t *ms, pm_text *rest)
{
    bool counter = false; /* may stand here */
    pm_text t = line, before = {line.data, 0};
    pm_moment m;
    size_t n;

    for (;;) {
        for (; t.len && pm_char_in(*t.data, DECORATION); t = pm_text_from(t, 1))
            counter |= *t.data == '#' || *t.data == '=';
        before.len = line.len - t.len;
        if (t.len == 0 || before.len > BEGIN_MAX)
            return false;
        if (begins_with_date(before, t, &m) || begins_with_unix(before, t, &m))
            break;
        n = skip_label(t, counter);
        if (n == 0)
            return false;
        counter = !pm_digits(t);
        t = pm_text_from(t, n);
    }
    *ms = m.ms;
    *rest = pm_text_skip(pm_text_from(t, m.len), PARTING);
    return m.has_zone || !is_unknown_zone(*rest);
}

bool pm_clock_parse_line(pm_text t, int64_t *ms)
{
    pm_text rest;
    int64_t found;

    if (!read_line(t, &found, &rest) || pm_text_skip(rest, DECORATION).len)
        return false;
    *ms = found;
    return true;
}

bool pm_clock_parse_prefix(pm_text line, int64_t *ms, pm_text *rest)
{
    int64_t found;
    pm_text text;

    if (!read_line(line, &found, &text) || pm_text_skip(text, DECORATION).len == 0)
        return false;
    *ms = found;
    *rest = text;
    return true;
}
