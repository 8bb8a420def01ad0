/* guess: classifies lines by their shape. */
#include "parse/guess.h"

#include "base/err.h"
#include "base/num.h"

size_t pm_guess_perms(const char *p, const char *end, char out[5])
{
    size_t n;

    if (end - p < 4 || (p[0] != 'r' && p[0] != '-') || (p[1] != 'w' && p[1] != '-') ||
        (p[2] != 'x' && p[2] != '-') || (p[3] != 'p' && p[3] != 's' && p[3] != '-'))
        return 0;
    n = end - p > 4 && (p[4] == '-' || p[4] == 'R') ? 5 : 4;
    if (end - p > (ptrdiff_t)n && p[n] != ' ')
        return 0;
    /* pmap prints '-' for private, the kernel prints 'p', and the pmap of openSUSE prints both:
     * "r-xp-". */
    if (n == 4 && p[3] == '-')
        return 0;
    memcpy(out, p, 3);
    out[3] = p[3] == 's' ? 's' : 'p';
    out[4] = '\0';
    return n;
}

/* Returns the length of a word that somebody wrote in place of the pid: "PROCESS", "<pid>", "$PID".
 */
static size_t word_for_pid(pm_text line)
{
    size_t n = 0;

    while (n < line.len && n < 32 && line.data[n] != ':' && line.data[n] != ' ')
        n++;
    return n < line.len && line.data[n] == ':' ? n : 0;
}

/* True for the numbers of a line of /proc/interrupts ("101:   12345678          0   PCI-MSI"),
 * which has no command. */
static bool is_count(pm_text command)
{
    uint64_t v;

    return pm_num_take(&command, &v) && pm_text_starts(command, PM_TEXT(" "));
}

bool pm_guess_pid(pm_text line, int64_t *pid, pm_text *command, bool *tentative)
{
    pm_text t = pm_text_skip(line, " "), rest = t;
    uint64_t v = 0;
    bool digits = pm_num_take(&rest, &v), whole = t.len == line.len;
    bool number = digits && v <= PM_PID_MAX && pm_text_starts(rest, PM_TEXT(":"));
    size_t n = digits ? t.len - rest.len : word_for_pid(t), blanks;

    rest = pm_text_from(t, n + 1);
    blanks = rest.len - pm_text_skip(rest, " ").len;
    if ((digits && !number) || !n || !blanks || (!number && (blanks != 3 || !whole)))
        return false;
    *pid = number ? (int64_t)v : PMAPDB_UNKNOWN;
    *command = pm_text_from(rest, blanks < 3 ? blanks : 3);
    /* procps prints three blanks; busybox, toybox and people write one. */
    *tentative = !number || blanks != 3 || !whole || is_count(*command);
    return true;
}

const char *pm_guess_denied(pm_text line, int64_t *pid)
{
    static const struct {
        const char *end, *say;
    } words[] = {{"Permission denied", "permission denied"},
                 {"Operation not permitted", "permission denied"},
                 {"No such process", "the process is gone"},
                 {"No such file or directory", "the process is gone"}};
    const char *proc = line.len ? memmem(line.data, line.len, "/proc/", 6) : NULL;
    uint64_t v;

    if (!proc || !memmem(proc, (size_t)(line.data + line.len - proc), "maps", 4))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!pm_text_ends(line, pm_text_of(words[i].end)))
            continue;
        *pid = pm_num_dec(proc + 6, line.data + line.len, &v) && v <= INT32_MAX ? (int64_t)v
                                                                                : PMAPDB_UNKNOWN;
        return words[i].say;
    }
    return NULL;
}

/* True if the line has two of these words, or three if neither "Address" nor two blanks show
 * columns. A header in another language keeps at least two of them in English. `df` and `ls` print
 * one of them. */
static bool is_columns(pm_text line)
{
    static const char *const words[] = {"Kbytes", "RSS",  "Dirty",   "Mode",  "Mapping",
                                        "PSS",    "Size", "Rss",     "Pss",   "Perm",
                                        "SIZE",   "PERM", "MAPPING", "DIRTY", "VmFlags"};
    enum { N = sizeof words / sizeof *words };
    bool apart = pm_text_holds(line, "  ") || pm_text_has(line, PM_BLANKS, PM_TEXT("Address"));
    unsigned seen = 0; /* bit N: another word */
    pm_text word;

    while ((word = pm_text_word(&line, PM_BLANKS)).len)
        seen |= 1U << pm_text_index(word, words, N);
    return __builtin_popcount(seen & ((1U << N) - 1)) >= (apart ? 2 : 3);
}

bool pm_guess_is_flag(pm_text line, size_t at)
{
    const char *p = line.data + at;

    if (at + 2 > line.len || (at + 2 < line.len && p[2] != ' '))
        return false;
    return ((p[0] >= 'a' && p[0] <= 'z') || p[0] == '?') &&
           ((p[1] >= 'a' && p[1] <= 'z') || p[1] == '?');
}

bool pm_guess_has_perms(pm_text t, int words)
{
    const char *p = t.data, *end = p + t.len;
    char perms[5];

    for (; p < end && words; words--) {
        if (pm_guess_perms(p, end, perms))
            return true;
        while (p < end && *p != ' ')
            p++;
        p = pm_skip_blanks(p, end);
    }
    return false;
}

static pm_line_kind guess_row(const char *p, const char *end, bool indented)
{
    size_t n = pm_num_hex_run(p, end);
    const char *next = p + n;
    char perms[5];

    if (n < PM_ADDRESS_MIN || n > PM_ADDRESS_MAX)
        return PM_LINE_OTHER;
    if (next == end)
        return PM_LINE_BROKEN;
    if (*next == '-' && (next + 1 == end || pm_num_hex_run(next + 1, next + 2)))
        return PM_LINE_RANGE;
    if (*next != ' ')
        return PM_LINE_OTHER;
    next = pm_skip_blanks(next, end);
    if (pm_guess_perms(next, end, perms) == 4)
        return PM_LINE_WIDE;
    if (next < end && *next >= '0' && *next <= '9' &&
        (!indented || pm_guess_has_perms((pm_text){next, (size_t)(end - next)}, 8)))
        return PM_LINE_NARROW;
    return PM_LINE_BROKEN;
}

/* True if the line contains only blanks and at least three '=' or ten '-'. */
static bool is_rule(pm_text line)
{
    const char mark[] = {*pm_text_skip(line, " \t").data, ' ', '\0'};
    size_t n = 0;

    for (size_t i = 0; i < line.len; i++)
        n += line.data[i] == *mark;
    return n >= (*mark == '=' ? 3 : 10) && pm_char_in(*mark, "=-") && !pm_text_skip(line, mark).len;
}

pm_line_kind pm_guess(pm_text line)
{
    pm_text word = pm_text_skip(line, " \t"), command;
    pm_line_kind kind = guess_row(word.data, word.data + word.len, word.len < line.len);
    int64_t pid;
    bool tentative;

    if (kind != PM_LINE_OTHER)
        return kind;
    if (!word.len)
        return PM_LINE_BLANK;
    if (pm_guess_pid(line, &pid, &command, &tentative))
        return PM_LINE_PID;
    if (is_rule(line))
        return PM_LINE_RULE;
    if (pm_guess_denied(line, &pid))
        return PM_LINE_DENIED;
    return is_columns(line) ? PM_LINE_COLUMNS : PM_LINE_OTHER;
}
