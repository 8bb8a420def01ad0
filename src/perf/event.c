/* event: one line of `perf script` that begins an event, or says that some were lost.
 *
 * The name of a thread is any 15 bytes, including blanks, digits and colons, so a line cannot be
 * read from the left. The reader searches for the name of the event, which is longer than 15 bytes,
 * and reads the words before the name backwards. */
#include "base/num.h"
#include "perf/line.h"

#define EVENT PM_TEXT("syscalls:sys_e")
#define NS_DIGITS 9

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static pm_text trim(const char *p, const char *end)
{
    while (p < end && pm_perf_blank(*p))
        p++;
    while (p < end && pm_perf_blank(end[-1]))
        end--;
    return (pm_text){p, (size_t)(end - p)};
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && pm_perf_blank(*p))
        p++;
    return p;
}

/* The last word of [begin, *end); moves *end to the start of the word. */
static pm_text last_word(const char *begin, const char **end)
{
    const char *to = *end, *from;

    while (to > begin && pm_perf_blank(to[-1]))
        to--;
    for (from = to; from > begin && !pm_perf_blank(from[-1]);)
        from--;
    *end = from;
    return (pm_text){from, (size_t)(to - from)};
}

/* ---- time and thread ---- */

/* "1050.459042:" and "1050.459042123:"; a number with fewer digits need not be a time. */
static bool read_time(pm_text word, int64_t *ns)
{
    const char *p = word.data, *end = word.data + word.len - 1;
    uint64_t seconds, fraction;
    size_t n, digits;

    if (word.len < 9 || *end != ':')
        return false;
    n = pm_num_dec(p, end, &seconds);
    if (n == 0 || p[n] != '.' || seconds > INT64_MAX / 1000000000 - 1)
        return false;
    p += n + 1;
    digits = pm_num_dec(p, end, &fraction);
    if (p + digits != end || digits < 6 || digits > NS_DIGITS)
        return false;
    for (; digits < NS_DIGITS; digits++)
        fraction *= 10;
    *ns = (int64_t)(seconds * 1000000000 + fraction);
    return true;
}

/* "20745" and "20745/20756" */
static bool read_thread(pm_text word, int64_t *pid, int64_t *tid)
{
    pm_text first = word, second;
    const char *slash = word.len ? memchr(word.data, '/', word.len) : NULL;
    uint64_t a, b;

    if (slash)
        first.len = (size_t)(slash - word.data);
    second = slash ? pm_text_from(word, first.len + 1) : first;
    if (!pm_num_all(first, &a) || !pm_num_all(second, &b) || a > INT32_MAX || b > INT32_MAX)
        return false;
    *pid = slash ? (int64_t)a : PMAPDB_UNKNOWN;
    *tid = (int64_t)b;
    return true;
}

/* Reads the words before the name of an event: comm, thread, time, and an optional period. The CPU,
 * letters (-F +misc) or a date (-F +tod) may follow the thread. Returns the reason of a failure. */
static const char *read_front(const char *begin, const char *end, pm_perf_event *event)
{
    pm_text word;

    do
        word = last_word(begin, &end);
    while (word.len && is_digit(word.data[0]) && is_digit(word.data[word.len - 1]));
    if (!word.len || !read_time(word, &event->time_ns))
        return "no time in front of the event";
    do
        word = last_word(begin, &end);
    while (word.len && !read_thread(word, &event->pid, &event->tid));
    if (!word.len)
        return "no thread in front of the event";
    event->comm = trim(begin, end);
    return NULL;
}

/* ---- parameters ---- */

static const unsigned needed[PM_CALL_COUNT] = {
    [PM_CALL_MMAP] = 3,   [PM_CALL_MUNMAP] = 3,   [PM_CALL_BRK] = 1,
    [PM_CALL_MREMAP] = 7, [PM_CALL_MPROTECT] = 3,
};

/* "0x7f02" before a blank, a comma or the end: its length; 0: not such a number. */
static size_t read_hex(const char *p, const char *end, uint64_t *out)
{
    size_t n = end - p > 2 && p[0] == '0' && p[1] == 'x' ? pm_num_hex(p + 2, end, out) : 0;

    return n && (p + 2 + n == end || pm_perf_blank(p[2 + n]) || p[2 + n] == ',') ? n + 2 : 0;
}

/* The index of the parameter with that name. The kernel prints parameters in order, so the search
 * begins at `next`. */
static int find_parameter(pm_call_kind kind, pm_text name, int next)
{
    for (int i = 0; i < PM_CALL_ARGS; i++) {
        int k = (next + i) % PM_CALL_ARGS;
        const char *known = pm_call_arg_name(kind, k);

        if (known && pm_text_equal(name, pm_text_of(known)))
            return k;
    }
    return -1;
}

/* Reads "addr: 0x00000000, len: 0x00002000" and returns its end. A value in words counts as
 * unknown. */
static const char *read_parameters(const char *p, const char *end, pm_perf_event *event)
{
    for (int next = 0; p < end; next++) {
        const char *colon = memchr(p, ':', (size_t)(end - p));
        uint64_t value;
        int which;
        size_t n;

        if (!colon)
            return p;
        which = find_parameter(event->kind, trim(p, colon), next);
        p = skip_blanks(colon + 1, end);
        n = read_hex(p, end, &value);
        if (n && which >= 0) {
            event->arg[which] = value;
            event->has |= 1u << which;
        }
        while (!n && p < end && *p != ',' && !pm_perf_blank(*p))
            p++;
        p += n;
        if (p == end || *p != ',')
            return p;
        p++;
    }
    return p;
}

/* `p` is after the name. Without a recorded chain, perf prints the address of the call (-F +ip) in
 * the same line. */
static const char *read_rest(const char *p, const char *end, pm_perf_line *out)
{
    pm_perf_event *event = &out->event;

    p = skip_blanks(p, end);
    if (event->exit) {
        size_t n = read_hex(p, end, &event->ret);

        if (!n)
            return "the value that the call returned cannot be read";
        p += n;
    } else {
        p = read_parameters(p, end, event);
        if ((event->has & needed[event->kind]) != needed[event->kind])
            return "a parameter is missing or cannot be read";
    }
    p = skip_blanks(p, end);
    if (p < end && pm_perf_is_frame((pm_text){p, (size_t)(end - p)}))
        out->frame = (pm_text){p, (size_t)(end - p)};
    return NULL;
}

/* ---- the name ---- */

/* Reads "nter_mmap: " or "xit_mmap:u: " after EVENT. Returns its end; NULL: not one of the calls.
 */
static const char *read_name(const char *p, const char *end, pm_perf_event *event)
{
    pm_text rest = {p, (size_t)(end - p)};

    event->exit = pm_text_starts(rest, PM_TEXT("xit_"));
    if (!event->exit && !pm_text_starts(rest, PM_TEXT("nter_")))
        return NULL;
    rest = pm_text_from(rest, event->exit ? 4 : 5);
    for (int kind = 0; kind < PM_CALL_COUNT; kind++) {
        pm_text name = pm_text_of(pm_call_name(kind));

        if (!pm_text_starts(rest, name) || rest.len == name.len || rest.data[name.len] != ':')
            continue;
        event->kind = kind;
        p = rest.data + name.len + 1;
        while (p < end && !pm_perf_blank(*p) && *p != ':') /* the modifier of the event */
            p++;
        return p < end && *p == ':' ? p + 1 : p;
    }
    return NULL;
}

/* The name of an event of the five calls; NULL: the line has no such name. The name of a thread may
 * begin like the name of an event. */
static const char *find_name(pm_text line, const char **after, pm_perf_event *event)
{
    const char *p = line.data, *end = p + line.len;

    for (; (p = memmem(p, (size_t)(end - p), EVENT.data, EVENT.len)); p += EVENT.len) {
        if (p > line.data && !pm_perf_blank(p[-1]))
            continue;
        *after = read_name(p + EVENT.len, end, event);
        if (*after)
            return p;
    }
    return NULL;
}

/* False: the line does not begin an event of the five calls. */
static bool read_call(pm_text line, pm_perf_line *out)
{
    const char *after = NULL;
    const char *at = find_name(line, &after, &out->event);

    if (!at)
        return false;
    memset(out->event.arg, 0, sizeof out->event.arg);
    out->event.has = 0;
    out->event.ret = 0;
    out->frame = (pm_text){NULL, 0};
    out->why = read_front(line.data, at, &out->event);
    if (!out->why)
        out->why = read_rest(after, line.data + line.len, out);
    out->kind = out->why ? PM_PERF_BAD : PM_PERF_CALL;
    return true;
}

/* ---- other lines ---- */

/* The text after the time in the line of any event; NULL: the line has no time. */
static const char *after_time(pm_text line)
{
    const char *end = line.data + line.len;

    for (const char *p = line.data; (p = memchr(p, ':', (size_t)(end - p))); p++) {
        const char *from = p;
        int64_t ns;

        while (from > line.data && (is_digit(from[-1]) || from[-1] == '.'))
            from--;
        if (read_time((pm_text){from, (size_t)(p + 1 - from)}, &ns))
            return p + 1;
    }
    return NULL;
}

/* The number after `word`, 0 if `word` is not in the text. */
static uint64_t number_after(pm_text t, const char *word)
{
    const char *at = memmem(t.data, t.len, word, strlen(word));
    uint64_t n;

    if (!at)
        return 0;
    at += strlen(word);
    return pm_num_dec(at, t.data + t.len, &n) ? n : 0;
}

/* The summary of perf: "Processed 697800 events and lost 345311 chunks!", where each chunk had at
 * least one event; "Processed 1654717 samples and lost 99.98%!" */
static uint64_t read_warning(pm_text line)
{
    uint64_t all = number_after(line, "Processed "), lost = number_after(line, " and lost ");
    const char *mark = line.data + line.len - 1;

    if (pm_text_ends(line, PM_TEXT(" chunks!")))
        return lost;
    if (!pm_text_ends(line, PM_TEXT("%!")) || lost > 100 || all > UINT64_MAX / 10000)
        return 0;
    if (mark - line.data > 5 && is_digit(mark[-2]) && is_digit(mark[-3]) && mark[-4] == '.')
        lost = lost * 100 + (uint64_t)(mark[-3] - '0') * 10 + (uint64_t)(mark[-2] - '0');
    else
        lost *= 100;
    return all * lost / 10000;
}

static pm_perf_kind read_record(pm_text record, pm_perf_line *out)
{
    out->loss = pm_text_starts(record, PM_TEXT("PERF_RECORD_LOST_SAMPLES")) ? PM_PERF_LOSS_SAMPLES
                                                                            : PM_PERF_LOSS_RECORDS;
    out->lost = number_after(record, " lost ");
    return pm_text_starts(record, PM_TEXT("PERF_RECORD_LOST")) ? PM_PERF_LOST : PM_PERF_JUNK;
}

static pm_perf_kind read_other(pm_text line, pm_perf_line *out)
{
    const char *p;
    pm_text rest;

    if (line.data[0] == '#')
        return PM_PERF_JUNK;
    if (pm_text_starts(line, PM_TEXT("Processed "))) {
        out->loss = PM_PERF_LOSS_WARNING;
        out->lost = read_warning(line);
        return PM_PERF_LOST;
    }
    p = after_time(line);
    if (!p)
        return pm_perf_is_frame(line) ? PM_PERF_FRAME : PM_PERF_JUNK;
    rest = trim(p, line.data + line.len);
    return pm_text_starts(rest, PM_TEXT("PERF_RECORD_")) ? read_record(rest, out) : PM_PERF_OTHER;
}

void pm_perf_read_line(pm_text line, pm_perf_line *out)
{
    /* Most lines are frames, and no other line begins with a tab and ends in a parenthesis. */
    if (line.data[0] == '\t' && line.data[line.len - 1] == ')')
        out->kind = PM_PERF_FRAME;
    else if (!read_call(line, out))
        out->kind = read_other(line, out);
}
