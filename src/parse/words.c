/* words: informative lines that are not rows: moments, omissions, refusals by the system, process
 * names, headers of other tools. */
#include "parse/block.h"

#include "base/clock/clock.h"
#include "base/num.h"
#include <strings.h>

/* A remark about a capture is short and is directly above the capture. */
#define REMARK_MAX 80
#define REMARK_LINES 3

/* Lines that people and loops write between captures are at most this long. */
#define WORDS_MAX 512

/* ---- the pid of a process in words ---- */

#define DIGITS "0123456789"
#define NAME_BYTES DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* Cuts a number that can be a PID off *t. */
static bool take_pid(pm_text *t, int64_t *pid)
{
    uint64_t v;

    if (pm_text_starts(*t, PM_TEXT("0")) || !pm_num_take(t, &v) || v > PM_PID_MAX)
        return false;
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

    return n && number.len < t.len - n && take_pid(&number, pid) && stands_alone(number);
}

static bool at_path(pm_text t, int64_t *pid)
{
    if (!pm_text_take(&t, "/proc/") || !take_pid(&t, pid) || !pm_text_take(&t, "/"))
        return false;
    t.len -= pm_text_skip(t, NAME_BYTES).len;
    return pm_text_listed(t, " smaps smaps_rollup maps ");
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

/* ---- moments ---- */

static void hint_pid(pm_reader *r, pm_text words)
{
    int64_t pid;

    r->hinted_pid = pm_pid_in_words(words, &pid) ? pid : PMAPDB_UNKNOWN;
    r->hint_until = UINT64_MAX;
}

/* Sets the time of the following blocks. If the line goes back in time, it may be from the second
 * half of a doubled hour. */
static void set_time(pm_reader *r, const pm_clock_line *at)
{
    bool back = r->time_ms != PMAPDB_UNKNOWN && at->ms < r->time_ms && at->second_ms >= r->time_ms;

    r->time_ms = back ? at->second_ms : at->ms;
    r->second_line = back ? r->line : 0;
    r->no_date_line = 0;
}

/* True if a tool printed the text, not the loop around the tool. */
static bool is_of_capture(const pm_reader *r, pm_text t)
{
    pm_text command;
    bool tentative;
    int64_t pid;

    switch (pm_guess(t)) {
    case PM_LINE_PID:
        return pm_guess_pid(t, &pid, &command, &tentative) && !tentative;
    case PM_LINE_RANGE:
    case PM_LINE_NARROW:
    case PM_LINE_WIDE:
    case PM_LINE_COLUMNS:
        return true;
    default:
        return (r->b.open && ((r->smaps.open && pm_smaps_is_key(t, false)) || r->b.rule)) ||
               pm_footer_alone(t);
    }
}

/* "redis pid 4711 total kB 1 2 3": a loop's words about the process, and its sums. Finds the sums;
 * *t becomes the sums. */
static bool find_sums(pm_reader *r, pm_text *t)
{
    static const char *const begins[] = {"total kB", "mapped:"};

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *at = memmem(t->data, t->len, begins[i], strlen(begins[i]));
        pm_text head = {t->data, at ? (size_t)(at - t->data) : 0};

        if (head.len == 0 || at[-1] != ' ' || !pm_footer_alone(pm_text_from(*t, head.len)))
            continue;
        hint_pid(r, head);
        *t = pm_text_from(*t, head.len);
        return true;
    }
    return false;
}

bool pm_words_stamped(pm_reader *r, pm_text *t)
{
    pm_clock_line at = {.rest = *t};

    if (t->len > WORDS_MAX)
        return false;
    /* If two loggers added a moment, the inner moment is closer to the tool. */
    while (pm_clock_read_line(at.rest, &at) == PM_CLOCK_MOMENT && at.rest.len)
        if (is_of_capture(r, at.rest) || find_sums(r, &at.rest)) {
            set_time(r, &at);
            *t = at.rest;
            return true;
        }
    return false;
}

/* "[2026-11-21 02:05:32] ---------------- ------- -------": true for the rule above the sums in a
 * log with a moment before each line. Outside such a block the dashes would decorate the moment. */
static bool is_stamped_rule(const pm_open *b, pm_text t)
{
    char c = b->rows == PM_LINE_WIDE ? '=' : '-';
    size_t n = t.len, marks = 0, groups = 0;

    if (!b->open || !b->columns_line || !b->n_rows || t.data[0] == c)
        return false;
    for (; n && (t.data[n - 1] == c || t.data[n - 1] == ' '); n--) {
        marks += t.data[n - 1] == c;
        groups += t.data[n - 1] == c && (n == t.len || t.data[n] == ' ');
    }
    return groups >= 2 && marks >= 10;
}

bool pm_words_time(pm_reader *r, pm_text t)
{
    pm_clock_line at;
    pm_clock_kind kind;

    if (t.len == 0 || t.len > WORDS_MAX)
        return false;
    if (is_stamped_rule(&r->b, t)) {
        r->b.rule |= r->b.rows == PM_LINE_WIDE;
        pm_block_line(r);
        return true;
    }
    kind = pm_clock_read_line(t, &at);
    /* digits before permissions are an address */
    if (kind == PM_CLOCK_NONE || (at.rest.len && pm_guess_has_perms(t, 3)))
        return false;
    pm_block_end(r);
    if (kind == PM_CLOCK_MOMENT) {
        set_time(r, &at);
    } else {
        r->time_ms = PMAPDB_UNKNOWN;
        r->second_line = 0;
        r->no_date_line = r->line;
    }
    hint_pid(r, at.rest);
    return true;
}

/* ---- omissions ---- */

/* True if the line marks omitted rows: "...", "[...]", "…", "<truncated>", "(snip)", "...省略3行".
 */
static bool is_elision(pm_text t)
{
    static const char *const words[] = {"truncated", "snip", "omitted", "skipped", "省略"};
    pm_text rest = pm_text_skip(t, ". \t[]()<>");
    size_t dots = 0;

    for (; pm_text_starts(rest, PM_TEXT("…")); dots += 3)
        rest = pm_text_skip(pm_text_from(rest, strlen("…")), ". \t[]()<>");
    for (const char *p = t.data; p < rest.data; p++)
        dots += *p == '.';
    if (rest.len == 0)
        return dots >= 2;
    for (size_t i = 0; t.len < 64 && i < sizeof words / sizeof *words; i++)
        if (pm_text_holds(t, words[i]) && (dots >= 2 || pm_char_in(t.data[0], "[(<-")))
            return true;
    return false;
}

/* True for a message that pmap prints before it exits, even in the middle of a map. */
static bool is_failure(pm_text t)
{
    return pm_text_starts(t, PM_TEXT("pmap: ")) ||
           pm_text_starts(t, PM_TEXT("ERROR: inconsistent"));
}

/* ---- another tool, the name of a process ---- */

/* Reports the output of another tool, only once per stream; later output is skipped. */
static void foreign_header(pm_reader *r, const char *why)
{
    pm_block_end(r);
    r->foreign_told = true;
    pm_block_open(r);
    r->b.empty = why;
    pm_block_line(r);
    pm_block_end(r);
}

/* "==> /proc/4711/smaps <==", "# cat /proc/4711/maps", "#  SIGSEGV (0xb) at pc=0x1, pid=4711, ...":
 * the line names the process of the map below. A remark of a loop ("PID 4711") applies only to the
 * next few lines. */
static bool name_process(pm_reader *r, pm_text t)
{
    bool far = pm_text_holds(t, "/proc/") || pm_text_holds(t, " pid="),
         busy = r->b.open && r->b.n_rows;
    int64_t pid;

    if ((!far && (busy || t.len > REMARK_MAX)) || !pm_pid_in_words(t, &pid))
        return false;
    if (busy)
        pm_block_end(r);
    r->hinted_pid = pid;
    r->hint_until = far ? UINT64_MAX : r->line + REMARK_LINES;
    r->foreign++;
    return true;
}

bool pm_words_line(pm_reader *r, pm_text t)
{
    const char *why;

    if (pm_words_time(r, t))
        return true;
    if (t.len > WORDS_MAX || t.len == 0)
        return false;
    if (is_elision(t)) {
        if (r->b.open)
            pm_block_mark(r, PM_MARK_ELIDED, r->line);
        r->stray_line = r->line;
        r->stray = PM_MARK_ELIDED;
        r->foreign++;
        return true;
    }
    if (is_failure(t) && r->b.open && r->b.n_rows) {
        pm_block_mark(r, PM_MARK_GAVE_UP, r->line);
        return true;
    }
    why = r->foreign_told ? NULL : pm_form_foreign(t);
    if (!why)
        return name_process(r, t);
    foreign_header(r, why);
    return true;
}
