/* pid_word: "PID 4711", "(pid: 4711)", "/proc/4711/maps" in a line of text. */
#include "parse/pid_word.h"

#include "base/num.h"
#include <strings.h>

#define PID_MAX 4194304 /* the kernel's PID_MAX_LIMIT on 64 bits */
#define PID_DIGITS 7

static bool is_name_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The number at the beginning of a text, if it can be a PID; *used becomes its length. */
static bool take_number(pm_text t, size_t *used, int64_t *pid)
{
    uint64_t v;
    size_t n = pm_num_dec(t.data, t.data + t.len, &v);

    if (n == 0 || n > PID_DIGITS || *t.data == '0' || v > PID_MAX)
        return false;
    *used = n;
    *pid = (int64_t)v;
    return true;
}

/* The number is not a part of something: a longer word, a range, a ratio, a fraction, a list, a
 * path ("3/10", "4711-4712", "12.5", "4711,4712", "10%"). */
static bool stands_alone(pm_text after)
{
    if (after.len == 0)
        return true;
    if (is_name_byte(*after.data) || *after.data == '/' || *after.data == '%' ||
        pm_text_starts(after, PM_TEXT(" of ")))
        return false;
    if (*after.data == '-')
        return after.len == 1 || !is_name_byte(after.data[1]);
    return after.len == 1 || !pm_char_in(*after.data, ",.:+|") || after.data[1] < '0' ||
           after.data[1] > '9';
}

/* "pid" or "process" in any case, with a number after blanks or signs. */
static bool at_word(pm_text t, int64_t *pid)
{
    size_t n, used;

    if (t.len > 3 && strncasecmp(t.data, "pid", 3) == 0)
        n = 3;
    else if (t.len > 7 && strncasecmp(t.data, "process", 7) == 0)
        n = 7;
    else
        return false;
    t = pm_text_from(t, n);
    for (n = 0; n < t.len && pm_char_in(t.data[n], " \t:=#\"'([<");)
        n++;
    t = pm_text_from(t, n);
    return n && take_number(t, &used, pid) && stands_alone(pm_text_from(t, used));
}

static bool at_path(pm_text t, int64_t *pid)
{
    static const pm_text files[] = {
        {"/smaps", 6},
        {"/smaps_rollup", 13},
        {"/maps", 5},
    };
    size_t used;

    if (!pm_text_starts(t, PM_TEXT("/proc/")))
        return false;
    t = pm_text_from(t, 6);
    if (!take_number(t, &used, pid))
        return false;
    t = pm_text_from(t, used);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (pm_text_starts(t, files[i]) &&
            (t.len == files[i].len || !is_name_byte(t.data[files[i].len])))
            return true;
    return false;
}

/* "ppid", "my_pid", "redis.pid", "run/pid" and "parent-pid" are other words than "pid". */
static bool begins_word(pm_text line, size_t i)
{
    const char *before = i ? line.data + i - 1 : " ";

    if (*before == '-')
        return i < 2 || !is_name_byte(before[-1]);
    return !is_name_byte(*before) && *before != '.' && *before != '/';
}

bool pm_pid_in_words(pm_text line, int64_t *pid)
{
    int64_t named = 0, found;

    for (size_t i = 0; i < line.len; i++) {
        pm_text t = pm_text_from(line, i);
        char c = line.data[i];

        if (c != '/' && c != 'p' && c != 'P')
            continue;
        if (c == '/' ? !at_path(t, &found) : !begins_word(line, i) || !at_word(t, &found))
            continue;
        if (named && named != found)
            return false;
        named = found;
    }
    if (named)
        *pid = named;
    return named != 0;
}
