/* place: what the path of a file says about the capture in it. */
#include "api/place.h"

#include "base/clock.h"
#include "base/num.h"
#include "pmapdb.h"

#define PID_MAX_DIGITS 7 /* pid_max is at most 4194304 */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits that can be a pid: 1 to 7, no leading zero. */
static int64_t pid_of(pm_text t)
{
    uint64_t pid;

    if (t.len == 0 || t.len > PID_MAX_DIGITS || t.data[0] == '0' || !pm_num_all(t, &pid))
        return PMAPDB_UNKNOWN;
    return (int64_t)pid;
}

static int64_t after_word_pid(pm_text name)
{
    for (size_t i = 0; i + 3 < name.len; i++) {
        size_t from = i + 3, to;

        if (strncasecmp(name.data + i, "pid", 3) != 0)
            continue;
        if (from < name.len && strchr("-_=.", name.data[from]))
            from++;
        for (to = from; to < name.len && is_digit(name.data[to]);)
            to++;
        if (to > from)
            return pid_of((pm_text){name.data + from, to - from});
    }
    return PMAPDB_UNKNOWN;
}

static bool names_a_capture(pm_text name)
{
    static const pm_text endings[] = {{"smaps", 5}, {"maps", 4}, {"pmap", 4}, {"x", 1},
                                      {"X", 1},     {"XX", 2},   {"d", 1},    {"log", 3}};
    pm_text stem = pm_place_stem(name);

    if (stem.len == name.len)
        return true;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (pm_text_equal(pm_text_from(name, stem.len + 1), endings[i]))
            return true;
    return false;
}

/* "-1234" before the last dot, or at the end, where it is not part of the name's moment. Without a
 * moment beside it, small ones only in the name of a capture: notes-2.txt is no process 2. */
static int64_t last_number(pm_text name)
{
    pm_text stem = pm_place_stem(name), moment;
    size_t from = stem.len;
    int64_t ms;

    while (from > 0 && is_digit(stem.data[from - 1]))
        from--;
    if (from == 0 || from == stem.len || !strchr("-_", stem.data[from - 1]))
        return PMAPDB_UNKNOWN;
    if (!pm_clock_find_in_name(name, &ms, &moment)) {
        if (stem.len - from < 3 && !names_a_capture(name))
            return PMAPDB_UNKNOWN;
    } else if (moment.data < stem.data + stem.len && stem.data + from < moment.data + moment.len) {
        return PMAPDB_UNKNOWN;
    }
    return pid_of(pm_text_from(stem, from));
}

static bool is_proc_file(pm_text name)
{
    return pm_text_equal(name, PM_TEXT("smaps")) || pm_text_equal(name, PM_TEXT("maps")) ||
           pm_text_equal(name, PM_TEXT("smaps_rollup"));
}

int64_t pm_place_pid(pm_text dir, pm_text name)
{
    int64_t pid;

    if (is_proc_file(name))
        return pid_of(pm_text_basename(dir));
    pid = after_word_pid(name);
    return pid == PMAPDB_UNKNOWN ? last_number(name) : pid;
}

pm_text pm_place_name(pm_text command)
{
    static const pm_text deleted = {" (deleted)", 10};
    const char *blank;
    pm_text word = command;

    if (pm_text_ends(word, deleted))
        word.len -= deleted.len;
    blank = word.len ? memchr(word.data, ' ', word.len) : NULL;
    if (blank)
        word.len = (size_t)(blank - word.data);
    word = pm_text_basename(word);
    while (word.len && word.data[word.len - 1] == ':')
        word.len--;
    return word;
}

pm_text pm_place_stem(pm_text name)
{
    const char *dot = name.len ? memrchr(name.data, '.', name.len) : NULL;

    return dot && dot > name.data ? (pm_text){name.data, (size_t)(dot - name.data)} : name;
}

pm_text pm_place_sibling(pm_text name, pm_text *stem)
{
    static const pm_text kinds[] = {{"stat", 4}, {"status", 6}, {"comm", 4}, {"cmdline", 7}};
    pm_text base = pm_place_stem(name);
    pm_text kind = base.len < name.len ? pm_text_from(name, base.len + 1) : name;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (pm_text_equal(kind, kinds[i])) {
            *stem = base.len < name.len ? base : PM_TEXT("");
            return kinds[i];
        }
    return (pm_text){"", 0};
}
