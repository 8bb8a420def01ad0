/* pid_word: finds "PID 4711", "(pid: 4711)", "/proc/4711/maps" in a line of text. */
#include "parse/block.h"

#include "base/num.h"
#include <strings.h>

#define PID_MAX 4194304 /* the kernel's PID_MAX_LIMIT on 64 bits */
#define DIGITS "0123456789"
#define NAME_BYTES DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* Cuts a number that can be a PID off *t. */
static bool take_number(pm_text *t, int64_t *pid)
{
    uint64_t v;
    size_t n = pm_num_dec(t->data, t->data + t->len, &v);

    if (n == 0 || *t->data == '0' || v > PID_MAX)
        return false;
    *t = pm_text_from(*t, n);
    *pid = (int64_t)v;
    return true;
}

/* True if the number before `after` is not a part of a longer word, a range, a ratio, a fraction, a
 * list or a path ("3/10", "4711-4712", "12.5", "4711,4712", "10%"). */
static bool stands_alone(pm_text after)
{
    char next = after.len > 1 ? after.data[1] : '\0';

    if (after.len == 0)
        return true;
    if (pm_char_in(*after.data, NAME_BYTES "/%") || pm_text_starts(after, PM_TEXT(" of ")))
        return false;
    return *after.data == '-' ? !pm_char_in(next, NAME_BYTES)
                              : !pm_char_in(*after.data, ",.:+|") || !pm_char_in(next, DIGITS);
}

/* True if t begins with "pid" or "process" in any case, then blanks or signs, then a number. */
static bool at_word(pm_text t, int64_t *pid)
{
    size_t n = t.len > 3 && strncasecmp(t.data, "pid", 3) == 0       ? 3
               : t.len > 7 && strncasecmp(t.data, "process", 7) == 0 ? 7
                                                                     : 0;
    pm_text number = pm_text_skip(pm_text_from(t, n), " \t:=#\"'([<");

    return n && number.len < t.len - n && take_number(&number, pid) && stands_alone(number);
}

static bool at_path(pm_text t, int64_t *pid)
{
    if (!pm_text_starts(t, PM_TEXT("/proc/")))
        return false;
    t = pm_text_from(t, 6);
    if (!take_number(&t, pid))
        return false;
    t.len -= pm_text_skip(pm_text_from(t, 1), NAME_BYTES).len;
    return pm_text_listed(t, " /smaps /smaps_rollup /maps ");
}

/* True if a word begins at i. "ppid", "my_pid", "redis.pid", "run/pid" and "parent-pid" are
 * different words from "pid". */
static bool begins_word(pm_text line, size_t i)
{
    char before = i ? line.data[i - 1] : ' ';

    if (before == '-')
        return i < 2 || !pm_char_in(line.data[i - 2], NAME_BYTES);
    return !pm_char_in(before, NAME_BYTES "./");
}

bool pm_pid_in_words(pm_text line, int64_t *pid)
{
    int64_t named = 0, found;

    for (size_t i = 0; i < line.len; i++) {
        pm_text t = pm_text_from(line, i);

        if (!pm_char_in(*t.data, "/pP") ||
            !(*t.data == '/' ? at_path(t, &found) : begins_word(line, i) && at_word(t, &found)))
            continue;
        if (named && named != found)
            return false;
        named = found;
    }
    if (named)
        *pid = named;
    return named != 0;
}
