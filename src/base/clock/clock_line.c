/* clock_line: recognises lines that are moments or begin with a moment, after any decoration and
 * labels that loops print. */
#include "base/clock/clock.h"

#include "base/clock/clock_read.h"

#define DECORATION " \t\r#=*-~<>[](){}|\"'`+_/\\!:;,.%&$"
#define PARTING " \t\r:;,|-=#*~>])}\"'`" /* between a moment and the text after it */
#define EDGE " \t\r:;,|=#*>])}\"'`[({<"  /* characters that may directly follow a moment */
#define BEGIN_MAX 160                    /* most bytes of a line before its moment */

/* Skips a label ("timestamp:", "snapshot 3 at"), or the counter of a loop after a label, '#' or
 * '='. Returns the number of bytes skipped. */
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

/* True if the text before does not join the moment. Signs, paths and names join it: "+1795226732",
 * "/2026-11-21", "snapshot-2026-11-21"; rows of dashes do not. */
static bool stands_free(pm_text before, bool number)
{
    const char *last = before.data + before.len - 1;

    if (before.len == 0)
        return true;
    if (*last == '-')
        return !number && before.len >= 2 && last[-1] == '-';
    return !pm_char_in(*last, "/\\.+_$%&~");
}

/* True for a colon between digits, as in "2:0". */
static bool has_time_of_day(pm_text t)
{
    for (size_t i = 1; i + 1 < t.len; i++)
        if (t.data[i] == ':' && pm_is_digit(t.data[i - 1]) && pm_is_digit(t.data[i + 1]))
            return true;
    return false;
}

/* True if t begins with a date. Digits after a date may be its time of day or another number;
 * because the two cannot be distinguished, such a line has no moment. Eight digits alone are more
 * likely a sum. */
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
    return pm_char_in(t.data[4], "-/") && !pm_digits(after) && !has_time_of_day(after);
}

/* True if the number before `after` is the first of several numbers: of sums as pmap -XX prints
 * them ("1073763972 9372 KB"), or, being an address of decimal digits, of a row with sizes and a
 * mode ("132 20 0 r-x--"). False if the next number has leading zeroes: then it is the address,
 * after a moment. */
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

/* True if t begins with a Unix time: seconds with ten digits, milliseconds or nanoseconds. False
 * for a quantity, the PID of a header, output of du, or a number in a row of numbers. */
static bool begins_with_unix(pm_text before, pm_text t, pm_moment *m)
{
    size_t digits = pm_digits(t);
    bool marked = *t.data == '@';
    pm_text after;

    if (!pm_clock_read_unix(t, false, m) || !pm_clock_plausible(m->ms) ||
        !stands_free(before, true))
        return false;
    after = pm_text_from(t, m->len);
    if (marked)
        return is_end(after);
    /* 2026112102 is more likely the hour of date +%Y%m%d%H than a moment in 2034 */
    if ((digits != 10 && digits != 13 && digits != 19) || (digits == 10 && *t.data >= '2') ||
        !is_end(after) || pm_text_starts(after, PM_TEXT("-")) ||
        pm_text_starts(after, PM_TEXT("=")) || pm_text_starts(after, PM_TEXT(":   ")) ||
        pm_text_starts(after, PM_TEXT(":\t")) || pm_text_starts(after, PM_TEXT("\t/")))
        return false;
    if (pm_text_skip(after, DECORATION).len == 0)
        return true;
    /* a number that follows only blanks is in a column */
    return (before.len == 0 || pm_text_skip(before, " \t").len > 0) && !pm_clock_is_unit(after) &&
           !begins_row(after);
}

/* True if a single word in capitals follows. It is an unknown zone, so the moment is unknown too.
 */
static bool is_unknown_zone(pm_text rest)
{
    size_t n = 0;

    while (n < rest.len && rest.data[n] >= 'A' && rest.data[n] <= 'Z')
        n++;
    return n >= 3 && n <= 5 && pm_text_skip(pm_text_from(rest, n), DECORATION).len == 0;
}

/* Skips decoration and labels up to the moment of a line. False if something else comes first,
 * which is then the rest. */
static bool find_moment(pm_text line, pm_moment *m, pm_text *rest)
{
    bool counter = false; /* a counter may follow */
    pm_text t = line, before = {line.data, 0};
    size_t n = 0;

    do {
        counter = n ? !pm_digits(t) : counter;
        t = pm_text_from(t, n);
        for (; t.len && pm_char_in(*t.data, DECORATION); t = pm_text_from(t, 1))
            counter |= *t.data == '#' || *t.data == '=';
        before.len = line.len - t.len;
        *rest = t;
        if (t.len == 0 || before.len > BEGIN_MAX)
            return false;
        if (begins_with_date(before, t, m) || begins_with_unix(before, t, m)) {
            *rest = pm_text_from(t, m->len);
            return true;
        }
        n = skip_label(t, counter);
    } while (n);
    return false;
}

pm_clock_kind pm_clock_read_line(pm_text line, pm_clock_line *out)
{
    pm_text rest;
    pm_moment m;

    *out = (pm_clock_line){.rest = PM_TEXT("")};
    if (!find_moment(line, &m, &rest)) {
        pm_clock_read_date(rest, false, &m);
        return m.is_no_date ? PM_CLOCK_NO_DATE : PM_CLOCK_NONE;
    }
    rest = pm_text_skip(rest, PARTING);
    if (!m.has_zone && is_unknown_zone(rest))
        return PM_CLOCK_NO_DATE;
    out->ms = m.ms;
    out->second_ms = m.second_ms;
    if (pm_text_skip(rest, DECORATION).len)
        out->rest = rest;
    return PM_CLOCK_MOMENT;
}

/* ---- names of files ---- */

/* True if the digits are part of a hex number with letters: "3f1795219566ab" is an id. */
static bool is_in_hex_id(pm_text name, size_t from, size_t to)
{
    static const char hex[] = "0123456789abcdefABCDEF";
    size_t digits = to - from;

    while (from > 0 && pm_char_in(name.data[from - 1], hex))
        from--;
    while (to < name.len && pm_char_in(name.data[to], hex))
        to++;
    return to - from > digits && (from == 0 || !pm_is_letter(name.data[from - 1])) &&
           (to == name.len || !pm_is_letter(name.data[to]));
}

bool pm_clock_in_name(pm_text name, int64_t *ms, pm_text *where)
{
    bool found = false, has_time = false;
    size_t i = 0;

    while (i < name.len && !has_time) {
        pm_text t = pm_text_from(name, i);
        size_t digits = pm_digits(t);
        pm_moment m;

        if ((!digits || !pm_clock_read_date(t, true, &m) || !pm_clock_plausible(m.ms)) &&
            !pm_clock_read_unix(t, true, &m)) {
            i += digits ? digits : 1;
            continue;
        }
        if ((m.has_time || !found) && pm_clock_plausible(m.ms) &&
            !is_in_hex_id(name, i, i + m.len)) {
            found = true;
            has_time = m.has_time;
            *ms = m.ms;
            *where = (pm_text){t.data, m.len};
        }
        i += m.len;
    }
    return found;
}
