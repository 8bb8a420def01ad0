/* words: lines that are no rows and still say something: moments, omissions, refusals of the
 * system, the name of a process, another tool's header. */
#include "parse/block.h"

#include "base/clock.h"
#include "parse/pid_word.h"

/* A remark about the capture below is short and stands right above it. */
#define REMARK_MAX 80
#define REMARK_LINES 3

/* Longer lines are none of what people and loops write between captures. */
#define WORDS_MAX 512

static bool holds(pm_text t, const char *what)
{
    return memmem(t.data, t.len, what, strlen(what)) != NULL;
}

/* ---- moments ---- */

static pmapdb_status new_moment(pm_reader *r, int64_t ms, pm_text rest, pmapdb_error *err)
{
    pmapdb_status st = pm_block_end(r, err);
    int64_t pid;

    r->time_ms = ms;
    r->hinted_pid = pm_pid_in_words(rest, &pid) ? pid : PMAPDB_UNKNOWN;
    r->hint_until = UINT64_MAX;
    return st;
}

/* Something that a tool prints, and no words of a loop. */
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
        return (r->b.open && r->smaps.open && pm_smaps_is_key(t)) || (r->b.open && r->b.rule) ||
               pm_footer_alone(t);
    }
}

/* "redis pid 4711 total kB 1 2 3": what a loop says of the process, and its sums. *t becomes the
 * sums. */
static bool find_sums(pm_reader *r, pm_text *t)
{
    static const char *const begins[] = {"total kB", "mapped:"};
    int64_t pid;

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *at = memmem(t->data, t->len, begins[i], strlen(begins[i]));
        pm_text head = {t->data, at ? (size_t)(at - t->data) : 0};

        if (head.len == 0 || at[-1] != ' ' || !pm_footer_alone(pm_text_from(*t, head.len)))
            continue;
        r->hinted_pid = pm_pid_in_words(head, &pid) ? pid : PMAPDB_UNKNOWN;
        r->hint_until = UINT64_MAX;
        *t = pm_text_from(*t, head.len);
        return true;
    }
    return false;
}

bool pm_words_stamped(pm_reader *r, pm_text *t)
{
    pm_text rest = *t;
    int64_t ms;

    if (t->len > WORDS_MAX)
        return false;
    /* Where two loggers stamped it, the inner moment is nearer to the tool. */
    while (pm_clock_parse_prefix(rest, &ms, &rest))
        if (is_of_capture(r, rest) || find_sums(r, &rest)) {
            r->time_ms = ms;
            *t = rest;
            return true;
        }
    return false;
}

/* "[2026-11-21 02:05:32] ---------------- ------- -------": the rule above the sums, in a log with
 * a moment before each line; without one it would be decoration of the moment. */
static bool is_stamped_rule(const pm_open *b, pm_text t)
{
    char c = b->family == PM_FAMILY_WIDE ? '=' : '-';
    size_t n = t.len, marks = 0, groups = 0;

    if (!b->open || !b->columns_line || !b->n_rows || t.data[0] == c)
        return false;
    for (; n && (t.data[n - 1] == c || t.data[n - 1] == ' '); n--) {
        marks += t.data[n - 1] == c;
        groups += t.data[n - 1] == c && (n == t.len || t.data[n] == ' ');
    }
    return groups >= 2 && marks >= 10;
}

pmapdb_status pm_words_time(pm_reader *r, pm_text line, pm_text t, bool *used, pmapdb_error *err)
{
    pm_text rest = PM_TEXT("");
    int64_t ms;

    *used = t.len && t.len <= WORDS_MAX && is_stamped_rule(&r->b, t);
    if (*used) {
        r->b.rule |= r->b.family == PM_FAMILY_WIDE;
        pm_block_line(r, line);
        return PMAPDB_OK;
    }
    *used =
        t.len <= WORDS_MAX && (pm_clock_parse_line(t, &ms) || pm_clock_parse_prefix(t, &ms, &rest));
    return *used ? new_moment(r, ms, rest, err) : PMAPDB_OK;
}

/* ---- omissions ---- */

#define ELLIPSIS "\xe2\x80\xa6"

/* "...", "... ...", "[...]", "…". *dots: how many there are before anything else. */
static bool is_dots(pm_text t, size_t *dots)
{
    size_t i = 0;

    *dots = 0;
    while (i < t.len) {
        bool ellipsis = pm_text_starts(pm_text_from(t, i), PM_TEXT(ELLIPSIS));

        if (!ellipsis && !pm_char_in(t.data[i], ". \t[]()<>"))
            return false;
        *dots += ellipsis ? 3 : t.data[i] == '.';
        i += ellipsis ? strlen(ELLIPSIS) : 1;
    }
    return *dots >= 2;
}

/* Rows stood here: dots alone, or "<truncated>", "(snip)", "...省略3行". */
static bool is_elision(pm_text t)
{
    static const char *const words[] = {"truncated", "snip", "omitted", "skipped", "省略"};
    size_t dots;

    if (is_dots(t, &dots))
        return true;
    for (size_t i = 0; t.len < 64 && i < sizeof words / sizeof *words; i++)
        if (holds(t, words[i]) && (dots >= 2 || pm_char_in(t.data[0], "[(<-")))
            return true;
    return false;
}

/* pmap says that and goes, wherever it is. */
static bool is_failure(pm_text t)
{
    return pm_text_starts(t, PM_TEXT("pmap: ")) ||
           pm_text_starts(t, PM_TEXT("ERROR: inconsistent"));
}

/* ---- other tools ---- */

const char *pm_words_foreign(pm_text t)
{
    static const struct {
        const char *words[4];
        const char *without, *whose;
    } headers[] = {
        {{"Address", "Kbytes", "Mapped File"}, NULL, PM_SOLARIS},
        {{"Address", "RSS", "Mode", "Mapping"}, "Kbytes", PM_PSUTIL},
        {{"COMMAND", "PID", "FD", "NODE"}, NULL, "lsof: open files, no memory map"},
        {{"Start Addr", "End Addr", "Size"},
         NULL,
         "gdb's info proc mappings: sizes of mappings, nothing of what is resident; capture smaps"},
        {{"REGION TYPE", "START", "END"}, NULL, "vmmap of macOS, not a map of Linux"},
        {{"PID", "START", "END", "PRT"}, NULL, "procstat -v of FreeBSD, not a map of Linux"},
        {{"Native Memory Tracking:"},
         NULL,
         "a JVM's own counts (NMT), no map: import takes the names of ranges from them"},
        {{"PID", "User", "USS", "PSS"}, NULL, "smem: sums of processes, no memory map"},
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const char *without = headers[i].without;
        bool all = !without || !holds(t, without);

        for (int k = 0; k < 4 && headers[i].words[k] && all; k++)
            all = holds(t, headers[i].words[k]);
        if (all)
            return headers[i].whose;
    }
    return NULL;
}

/* Another tool's output is named once in a stream; what it holds is passed over. */
static pmapdb_status foreign_header(pm_reader *r, pm_text line, const char *whose,
                                    pmapdb_error *err)
{
    pmapdb_status st = pm_block_end(r, err);

    if (st != PMAPDB_OK)
        return st;
    r->foreign_told = true;
    pm_block_open(r);
    r->b.empty = whose;
    pm_block_line(r, line);
    return pm_block_end(r, err);
}

/* ---- a process named in passing ---- */

/* "==> /proc/4711/smaps <==", "# cat /proc/4711/maps", "#  SIGSEGV (0xb) at pc=0x1, pid=4711, ...":
 * it is that of the map below. A loop's "PID 4711" is that of what follows at once. */
static pmapdb_status name_process(pm_reader *r, pm_text t, bool *used, pmapdb_error *err)
{
    bool far = holds(t, "/proc/") || holds(t, " pid="), busy = r->b.open && r->b.n_rows;
    int64_t pid;

    *used = (far || (!busy && t.len <= REMARK_MAX)) && pm_pid_in_words(t, &pid);
    if (!*used)
        return PMAPDB_OK;
    if (busy) {
        pmapdb_status st = pm_block_end(r, err);

        if (st != PMAPDB_OK)
            return st;
    }
    r->hinted_pid = pid;
    r->hint_until = far ? UINT64_MAX : r->line + REMARK_LINES;
    r->foreign++;
    return PMAPDB_OK;
}

int64_t pm_words_pid(const pm_reader *r)
{
    return r->line <= r->hint_until ? r->hinted_pid : PMAPDB_UNKNOWN;
}

pmapdb_status pm_words_line(pm_reader *r, pm_text line, pm_text t, bool *used, pmapdb_error *err)
{
    const char *whose;
    pmapdb_status st = pm_words_time(r, line, t, used, err);

    if (st != PMAPDB_OK || *used || t.len > WORDS_MAX || t.len == 0)
        return st;
    *used = true;
    if (is_elision(t)) {
        if (r->b.open && !r->b.elided_line)
            r->b.elided_line = r->line;
        r->foreign++;
        return PMAPDB_OK;
    }
    if (is_failure(t) && r->b.open && r->b.n_rows) {
        r->b.gave_up_line = r->line;
        return PMAPDB_OK;
    }
    whose = r->foreign_told ? NULL : pm_words_foreign(t);
    if (whose)
        return foreign_header(r, line, whose, err);
    return name_process(r, t, used, err);
}
