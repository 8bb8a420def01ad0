/* place: the facts about a capture in the path of its file. */
#include "api/import/place.h"

#include "base/clock/clock.h"
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
    static const pm_text endings[] = {{"smaps", 5}, {"maps", 4}, {"pmap", 4},
                                      {"x", 1},     {"X", 1},    {"XX", 2},
                                      {"d", 1},     {"log", 3},  {"smaps_rollup", 12}};
    pm_text stem = pm_place_stem(name);

    if (stem.len == name.len)
        return true;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (pm_text_equal(pm_text_from(name, stem.len + 1), endings[i]))
            return true;
    return false;
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
    pm_text stem = pm_place_stem(name), moment;
    size_t from = stem.len, digits;
    bool dotted;
    int64_t ms;

    while (from > 0 && is_digit(stem.data[from - 1]))
        from--;
    digits = stem.len - from;
    if (!digits || (from && !strchr("-_.", stem.data[from - 1])))
        return PMAPDB_UNKNOWN;
    dotted = !from || stem.data[from - 1] == '.';
    if (dotted && (digits < 3 || is_time_of_day(pm_text_from(stem, from)) ||
                   (from && !names_a_capture(name))))
        return PMAPDB_UNKNOWN;
    if (!pm_clock_in_name(name, &ms, &moment)) {
        if (digits < 3 && !names_a_capture(name))
            return PMAPDB_UNKNOWN;
    } else if (moment.data < stem.data + stem.len &&
               stem.data + from < moment.data + moment.len + (dotted ? 2 : 0)) {
        return PMAPDB_UNKNOWN;
    }
    return pid_of(pm_text_from(stem, from));
}

static bool is_proc_file(pm_text name)
{
    return pm_text_equal(name, PM_TEXT("smaps")) || pm_text_equal(name, PM_TEXT("maps")) ||
           pm_text_equal(name, PM_TEXT("smaps_rollup"));
}

static bool is_delimiter(const char *c)
{
    return *c == '.' || *c == '-' || *c == '_';
}

static bool is_letter_or_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The last of these words that is a whole word in the name; of two at one place, the first. Empty
 * if the name has none of them. */
static pm_text find_word(pm_text name, const pm_text *words, size_t n_words)
{
    for (size_t at = name.len; at > 0; at--) {
        pm_text rest = pm_text_from(name, at - 1);

        if (at > 1 && is_letter_or_digit(name.data[at - 2]))
            continue;
        for (size_t i = 0; i < n_words; i++)
            if (pm_text_starts(rest, words[i]) &&
                (rest.len == words[i].len || !is_letter_or_digit(rest.data[words[i].len])))
                return (pm_text){rest.data, words[i].len};
    }
    return (pm_text){"", 0};
}

static pm_slot around(pm_text name, pm_text word)
{
    size_t at = (size_t)(word.data - name.data);

    return (pm_slot){{name.data, at}, {"", 0}, pm_text_from(name, at + word.len)};
}

/* The slot around the last of these words; without one, after a dot in place of the extension. */
static pm_slot slot_of(pm_text name, const pm_text *words, size_t n_words)
{
    pm_text word = find_word(name, words, n_words);

    if (word.len)
        return around(name, word);
    return (pm_slot){pm_place_stem(name), {".", 1}, {"", 0}};
}

static bool is_word(pm_text name, pm_slot slot, pm_text word)
{
    size_t n = name.len - slot.before.len - slot.after.len;

    return pm_text_equal((pm_text){name.data + slot.before.len, n}, word);
}

static pm_text leading_digits(pm_text t)
{
    size_t n = 0;

    while (n < t.len && is_digit(t.data[n]))
        n++;
    return (pm_text){t.data, n};
}

/* The number beside the word for the kind of file: 1234.smaps, smaps.1234, 1234.nmt, if there is no
 * other number. One or two digits may just number the files: 1.smaps, maps.2. They do count for the
 * report of a JVM, which must also fit the map of that process. */
static int64_t lone_number(pm_text name)
{
    static const pm_text words[] = {
        {"smaps_rollup", 12}, {"smaps", 5}, {"maps", 4}, {"pmap", 4}, {"nmt", 3}};
    pm_slot slot = slot_of(name, words, sizeof words / sizeof *words);
    pm_text affix = slot.before.len ? slot.before : slot.after, number, rest;

    if (slot.dot.len || affix.len == 0 ||
        !is_delimiter(slot.before.len ? affix.data + affix.len - 1 : affix.data))
        return PMAPDB_UNKNOWN;
    number = leading_digits(slot.before.len ? affix : pm_text_from(affix, 1));
    rest = slot.before.len ? slot.after : pm_text_from(affix, number.len + 1);
    if ((number.len < 3 && !is_word(name, slot, PM_TEXT("nmt"))) || is_time_of_day(number) ||
        (slot.before.len && number.len + 1 != slot.before.len))
        return PMAPDB_UNKNOWN;
    for (size_t i = 0; i < rest.len; i++)
        if (is_digit(rest.data[i]))
            return PMAPDB_UNKNOWN;
    return pid_of(number);
}

int64_t pm_place_folder_pid(pm_text dir)
{
    while (dir.len && dir.data[dir.len - 1] == '/')
        dir.len--;
    return pid_of(pm_text_basename(dir));
}

int64_t pm_place_pid(pm_text dir, pm_text name)
{
    int64_t pid;

    if (is_proc_file(name))
        return pm_place_folder_pid(dir);
    pid = after_word_pid(name);
    if (pid == PMAPDB_UNKNOWN)
        pid = last_number(name);
    return pid == PMAPDB_UNKNOWN ? lone_number(name) : pid;
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

pm_slot pm_place_slot(pm_text name)
{
    static const pm_text words[] = {{"smaps_rollup", 12}, {"smaps", 5}, {"maps", 4}, {"pmap", 4}};

    return slot_of(name, words, sizeof words / sizeof *words);
}

pm_text pm_place_sibling(pm_text name, pm_slot *slot, bool *only)
{
    static const pm_text kinds[] = {
        {"stat", 4}, {"status", 6}, {"comm", 4}, {"cmdline", 7}, {"smaps_rollup", 12}};
    pm_text kind = find_word(name, kinds, sizeof kinds / sizeof *kinds);

    *only = false;
    if (kind.len == 0)
        return kind;
    *slot = around(name, kind);
    *only = slot->after.len == 0 &&
            (slot->before.len == 0 || slot->before.data[slot->before.len - 1] == '.') &&
            !pm_text_equal(kind, PM_TEXT("smaps_rollup"));
    return kind;
}

int64_t pm_place_path_pid(const char *path, const char *name)
{
    pm_text whole = pm_text_of(path);

    return pm_place_pid((pm_text){path, whole.len - pm_text_basename(whole).len}, pm_text_of(name));
}

bool pm_place_is_sibling(const char *name)
{
    pm_slot slot;
    bool only;

    return pm_place_sibling(pm_text_of(name), &slot, &only).len > 0 && only;
}
