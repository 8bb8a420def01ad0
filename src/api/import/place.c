/* place: the facts about a capture in the path of its file. */
#include "api/import/place.h"

#include "base/clock/clock.h"
#include "base/num.h"
#include "pmapdb.h"

#define PID_MAX_DIGITS 7 /* pid_max is at most 4194304 */

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
    for (; name.len > 3; name = pm_text_from(name, 1)) {
        pm_text rest = pm_text_from(name, 3);

        if (strncasecmp(name.data, "pid", 3) != 0)
            continue;
        rest = pm_text_from(rest, pm_char_in(*rest.data, "-_=."));
        if (pm_digits(rest))
            return pid_of((pm_text){rest.data, pm_digits(rest)});
    }
    return PMAPDB_UNKNOWN;
}

static bool names_a_capture(pm_text name)
{
    pm_text stem = pm_place_stem(name);

    return stem.len == name.len || pm_text_listed(pm_text_from(name, stem.len + 1),
                                                  " smaps maps pmap x X XX d log smaps_rollup ");
}

/* True for a time of day like 142530: such numbers in names do not tell processes apart. */
static bool is_time_of_day(pm_text t)
{
    return t.len == 6 && t.data[0] <= '2' && t.data[2] <= '5' && t.data[4] <= '5';
}

/* "-1234" or "1234" before the last dot or at the end, outside of the moment in the name. Without a
 * moment in the name, small numbers count only in the name of a capture: notes-2.txt is not process
 * 2. ".1234" counts only before the extension of a capture: in 1795219566.123 it is a fraction. */
static int64_t last_number(pm_text name)
{
    pm_text stem = pm_place_stem(name), number = {stem.data + stem.len, 0}, moment;
    bool first, dotted, small;
    int64_t ms;

    for (; number.data > stem.data && pm_is_digit(number.data[-1]); number.len++)
        number.data--;
    first = number.data == stem.data;
    dotted = first || number.data[-1] == '.';
    small = number.len < 3;
    if (!number.len || (!first && !pm_char_in(number.data[-1], "-_.")) ||
        (dotted && (small || is_time_of_day(number) || (!first && !names_a_capture(name)))))
        return PMAPDB_UNKNOWN;
    if (pm_clock_in_name(name, &ms, &moment)
            ? moment.data < stem.data + stem.len &&
                  number.data < moment.data + moment.len + (dotted ? 2 : 0)
            : small && !names_a_capture(name))
        return PMAPDB_UNKNOWN;
    return pid_of(number);
}

/* ---- words in names ---- */

/* Longer words come before their beginnings. */
static const char *const captures[] = {"smaps_rollup", "smaps", "maps", "pmap", NULL};
static const char *const numbered[] = {"smaps_rollup", "smaps", "maps", "pmap", "nmt", NULL};
static const char *const siblings[] = {"status", "stat", "comm", "cmdline", "smaps_rollup", NULL};

static bool is_word(char c)
{
    return pm_is_digit(c) || pm_is_letter(c);
}

/* The slot around the last of these words that is a whole word in the name. Returns the word, empty
 * if the name has none of them. */
static pm_text find_word(pm_text name, const char *const *words, pm_slot *slot)
{
    for (size_t at = name.len; at-- > 0;) {
        pm_text rest = pm_text_from(name, at);

        if (at > 0 && is_word(name.data[at - 1]))
            continue;
        for (const char *const *word = words; *word; word++) {
            size_t n = strlen(*word);

            if (!pm_text_starts(rest, pm_text_of(*word)) || (rest.len > n && is_word(rest.data[n])))
                continue;
            *slot = (pm_slot){{name.data, at}, {"", 0}, pm_text_from(rest, n)};
            return (pm_text){rest.data, n};
        }
    }
    return PM_TEXT("");
}

/* The number beside the word for the kind of file: 1234.smaps, smaps.1234, 1234.nmt, if there is no
 * other number. One or two digits may just number the files: 1.smaps, maps.2. They do count for the
 * report of a JVM, which must also fit the map of that process. */
static int64_t lone_number(pm_text name)
{
    pm_slot slot;
    pm_text kind = find_word(name, numbered, &slot), number, rest;

    if (!kind.len || (!slot.before.len && !slot.after.len))
        return PMAPDB_UNKNOWN;
    number = slot.before.len ? slot.before : pm_text_from(slot.after, 1);
    rest = slot.before.len ? slot.after : pm_text_from(number, pm_digits(number));
    number.len = pm_digits(number);
    if (!pm_char_in(slot.before.len ? slot.before.data[slot.before.len - 1] : *slot.after.data,
                    ".-_") ||
        (slot.before.len && number.len + 1 != slot.before.len) || is_time_of_day(number) ||
        (number.len < 3 && !pm_text_equal(kind, PM_TEXT("nmt"))))
        return PMAPDB_UNKNOWN;
    for (size_t i = 0; i < rest.len; i++)
        if (pm_is_digit(rest.data[i]))
            return PMAPDB_UNKNOWN;
    return pid_of(number);
}

/* ---- the pid ---- */

int64_t pm_place_folder_pid(pm_text dir)
{
    while (dir.len && dir.data[dir.len - 1] == '/')
        dir.len--;
    return pid_of(pm_text_basename(dir));
}

int64_t pm_place_pid(pm_text dir, pm_text name)
{
    int64_t pid;

    if (pm_text_listed(name, " smaps maps smaps_rollup "))
        return pm_place_folder_pid(dir);
    pid = after_word_pid(name);
    if (pid == PMAPDB_UNKNOWN)
        pid = last_number(name);
    return pid == PMAPDB_UNKNOWN ? lone_number(name) : pid;
}

pm_text pm_place_name(pm_text command)
{
    pm_text word = pm_text_basename(pm_text_cut(&command, ' '));

    while (word.len && word.data[word.len - 1] == ':')
        word.len--;
    return word;
}

pm_text pm_place_stem(pm_text name)
{
    const char *dot = name.len ? memrchr(name.data, '.', name.len) : NULL;

    return dot && dot > name.data ? (pm_text){name.data, (size_t)(dot - name.data)} : name;
}

pm_slot pm_place_slot(pm_text name)
{
    pm_slot slot;

    if (find_word(name, captures, &slot).len)
        return slot;
    return (pm_slot){pm_place_stem(name), {".", 1}, {"", 0}};
}

pm_text pm_place_sibling(pm_text name, pm_slot *slot, bool *only)
{
    pm_text kind = find_word(name, siblings, slot);

    *only = kind.len && slot->after.len == 0 && !pm_text_equal(kind, PM_TEXT("smaps_rollup")) &&
            (slot->before.len == 0 || slot->before.data[slot->before.len - 1] == '.');
    return kind;
}

bool pm_place_is_sibling(const char *name)
{
    pm_slot slot;
    bool only;

    return pm_place_sibling(pm_text_of(name), &slot, &only).len && only;
}
