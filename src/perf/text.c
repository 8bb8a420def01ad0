/* text: lines of `perf script` become events.
 *
 * The name of a thread is any 15 bytes, including blanks, digits and colons, so a line cannot be
 * read from the left. The reader searches for the name of the event, which is longer than 15 bytes,
 * and reads the words before the name backwards. */
#include "perf/text.h"

#include "base/num.h"

#define EVENT PM_TEXT("syscalls:sys_e")
#define BLANKS " \t"
#define NS_DIGITS 9

/* ---- time and thread ---- */

/* Cuts the last word off the text. */
static pm_text last_word(pm_text *t)
{
    pm_text word = pm_text_trim(*t, BLANKS);
    size_t n = word.len;

    while (n && !pm_char_in(word.data[n - 1], BLANKS))
        n--;
    *t = (pm_text){word.data, n};
    return pm_text_from(word, n);
}

/* "1050.459042:" and "1050.459042123:"; a number with fewer digits need not be a time. */
static bool read_time(pm_text word, int64_t *ns)
{
    pm_text rest = word, whole = pm_text_cut(&rest, '.');
    size_t digits = pm_digits(rest);
    uint64_t seconds, fraction;

    if (!pm_num_all(whole, &seconds) || seconds > INT64_MAX / 1000000000 - 1 || digits < 6 ||
        digits > NS_DIGITS || !pm_num_take(&rest, &fraction) || !pm_text_equal(rest, PM_TEXT(":")))
        return false;
    for (; digits < NS_DIGITS; digits++)
        fraction *= 10;
    *ns = (int64_t)(seconds * 1000000000 + fraction);
    return true;
}

/* "20745" and "20745/20756" */
static bool read_thread(pm_text word, int64_t *pid, int64_t *tid)
{
    pm_text second = word, first = pm_text_cut(&second, '/');
    bool both = first.len < word.len;
    uint64_t a, b;

    if (!pm_num_all(first, &a) || !pm_num_all(both ? second : first, &b) || a > INT32_MAX ||
        b > INT32_MAX)
        return false;
    *pid = both ? (int64_t)a : PMAPDB_UNKNOWN;
    *tid = (int64_t)b;
    return true;
}

/* Reads the words before the name of an event: comm, thread, time, and an optional period. The CPU,
 * letters (-F +misc) or a date (-F +tod) may follow the thread. */
static bool read_front(pm_text front, pm_perf_event *event)
{
    pm_text word;

    do
        word = last_word(&front);
    while (word.len && pm_is_digit(word.data[0]) && pm_is_digit(word.data[word.len - 1]));
    if (!word.len || !read_time(word, &event->time_ns))
        return false;
    do
        word = last_word(&front);
    while (word.len && !read_thread(word, &event->pid, &event->tid));
    event->comm = pm_text_trim(front, BLANKS);
    return word.len > 0;
}

/* ---- parameters ---- */

static const unsigned needed[PM_CALL_COUNT] = {
    [PM_CALL_MMAP] = 3,   [PM_CALL_MUNMAP] = 3,   [PM_CALL_BRK] = 1,
    [PM_CALL_MREMAP] = 7, [PM_CALL_MPROTECT] = 3,
};

/* Cuts "0x7f02" off the text; a blank, a comma or the end follows. */
static bool take_hex(pm_text *t, uint64_t *out)
{
    pm_text rest = *t;

    if (!pm_text_take(&rest, "0x") || !pm_num_take_hex(&rest, out) ||
        (rest.len && !pm_char_in(*rest.data, BLANKS ",")))
        return false;
    *t = rest;
    return true;
}

/* Reads "addr: 0x00000000, len: 0x00002000" and cuts it off the text. A value in words counts as
 * unknown. */
static void take_parameters(pm_text *t, pm_perf_event *event)
{
    while (t->len && memchr(t->data, ':', t->len)) {
        pm_text name = pm_text_trim(pm_text_cut(t, ':'), BLANKS);
        const char *known;
        uint64_t value;

        *t = pm_text_skip(*t, BLANKS);
        if (!take_hex(t, &value))
            while (t->len && !pm_char_in(*t->data, BLANKS ","))
                *t = pm_text_from(*t, 1);
        else
            for (int i = 0; i < PM_CALL_ARGS && (known = pm_call_arg_name(event->kind, i)); i++)
                if (pm_text_equal(name, pm_text_of(known))) {
                    event->arg[i] = value;
                    event->has |= 1u << i;
                }
        if (!t->len || *t->data != ',')
            return;
        *t = pm_text_from(*t, 1);
    }
}

/* Reads the text after the name. Without a recorded chain, perf prints the address of the call
 * (-F +ip) in the same line: it becomes *frame. */
static bool read_rest(pm_text t, pm_perf_event *event, pm_text *frame)
{
    unsigned all = needed[event->kind];

    t = pm_text_skip(t, BLANKS);
    if (!event->exit)
        take_parameters(&t, event);
    if (event->exit ? !take_hex(&t, &event->ret) : (event->has & all) != all)
        return false;
    t = pm_text_skip(t, BLANKS);
    *frame = t.len && pm_perf_is_frame(t) ? t : PM_TEXT("");
    return true;
}

/* ---- events ---- */

/* Reads "nter_mmap: " or "xit_mmap:u: " after EVENT and cuts it off. */
static bool take_name(pm_text *t, pm_perf_event *event)
{
    pm_text rest = *t, name;

    event->exit = pm_text_take(&rest, "xit_");
    if ((!event->exit && !pm_text_take(&rest, "nter_")) || !rest.len ||
        !memchr(rest.data, ':', rest.len))
        return false;
    name = pm_text_cut(&rest, ':');
    for (event->kind = 0; event->kind < PM_CALL_COUNT; event->kind++)
        if (pm_text_equal(name, pm_text_of(pm_call_name(event->kind))))
            break;
    while (rest.len && !pm_char_in(*rest.data, BLANKS ":")) /* the modifier of the event */
        rest = pm_text_from(rest, 1);
    pm_text_take(&rest, ":");
    *t = rest;
    return event->kind < PM_CALL_COUNT;
}

/* Finds the name of an event of the five calls. The name of a thread may begin like the name of an
 * event. *rest is the text after the name. Returns the position of the name; NULL: not found. */
static const char *find_name(pm_text line, pm_text *rest, pm_perf_event *event)
{
    const char *p = line.data, *end = p + line.len;

    for (; (p = memmem(p, (size_t)(end - p), EVENT.data, EVENT.len)); p += EVENT.len) {
        *rest = (pm_text){p + EVENT.len, (size_t)(end - p) - EVENT.len};
        if ((p == line.data || pm_char_in(p[-1], BLANKS)) && take_name(rest, event))
            return p;
    }
    return NULL;
}

/* Hands out the open event. */
static pmapdb_status end_event(pm_perf *p, pmapdb_error *err)
{
    pm_text text = pm_buf_text(&p->text);

    if (!p->in_call)
        return PMAPDB_OK;
    p->in_call = false;
    p->counts.taken++;
    p->event.comm = (pm_text){text.data, p->comm_len};
    p->event.chain = pm_text_from(text, p->comm_len);
    return p->on_event(p->ctx, &p->event, err);
}

static pmapdb_status too_long(pm_perf *p)
{
    p->in_call = false;
    p->counts.bad++;
    return PMAPDB_OK;
}

static pmapdb_status add_frame(pm_perf *p, pm_text frame, pmapdb_error *err)
{
    pmapdb_status st;

    if (!p->in_call || (p->lines.unended && frame.data[frame.len - 1] != ')'))
        return PMAPDB_OK;
    if (p->text.len + frame.len + 1 > PM_PERF_EVENT_MAX)
        return too_long(p);
    st = pm_buf_add(&p->text, frame.data, frame.len, err);
    PM_STEP(st, pm_buf_add(&p->text, "\n", 1, err));
    return st;
}

/* The first line of an event also ends the event above: perf prints blank lines only between events
 * with chains. */
static pmapdb_status begin_event(pm_perf *p, pmapdb_error *err)
{
    pmapdb_status st = end_event(p, err);

    p->counts.seen++;
    return st;
}

/* `event` has the kind of the call; `front` is the text before the name of the event, `rest` the
 * text after it. */
static pmapdb_status begin_call(pm_perf *p, pm_perf_event *event, pm_text front, pm_text rest,
                                pmapdb_error *err)
{
    pm_text frame = PM_TEXT("");
    bool is_good = read_front(front, event) && read_rest(rest, event, &frame) && !p->lines.unended;
    pmapdb_status st = begin_event(p, err);

    p->counts.bad += !is_good;
    if (st != PMAPDB_OK || !is_good)
        return st;
    p->event = *event;
    p->event.line = p->line;
    p->comm_len = event->comm.len;
    p->in_call = true;
    pm_buf_clear(&p->text);
    st = pm_buf_add(&p->text, event->comm.data, p->comm_len, err);
    return st == PMAPDB_OK && frame.len ? add_frame(p, frame, err) : st;
}

/* ---- lines ---- */

/* The text after the time in the line of any event; data NULL: the line has no time. */
static pm_text after_time(pm_text line)
{
    pm_text word;
    int64_t ns;

    while ((word = pm_text_word(&line, BLANKS)).len)
        if (read_time(word, &ns))
            return pm_text_skip(line, BLANKS);
    return (pm_text){NULL, 0};
}

/* Adds the number of "PERF_RECORD_LOST lost 12" or "PERF_RECORD_LOST_SAMPLES lost 12". */
static void add_lost(pm_perf *p, pm_text record)
{
    bool samples = pm_text_starts(record, PM_TEXT("PERF_RECORD_LOST_SAMPLES"));
    uint64_t *lost = samples ? &p->counts.lost_samples : &p->counts.lost_records, n;
    const char *at = memmem(record.data, record.len, " lost ", 6);

    if (at && pm_text_starts(record, PM_TEXT("PERF_RECORD_LOST")) &&
        pm_num_dec(at + 6, record.data + record.len, &n) && __builtin_add_overflow(*lost, n, lost))
        *lost = UINT64_MAX;
}

static pmapdb_status take_line(void *ctx, pm_text line, pmapdb_error *err)
{
    pm_perf *p = ctx;
    pm_perf_event event = {.line = 0};
    pm_text rest;
    const char *name;

    p->line++;
    if (p->lines.cut)
        return too_long(p);
    if (pm_text_ends(line, PM_TEXT("\r")))
        line.len--;
    if (pm_text_skip(line, BLANKS).len == 0)
        return end_event(p, err);
    /* Most lines are frames, and no other line begins with a tab and ends in a parenthesis. */
    if (*line.data == '\t' && line.data[line.len - 1] == ')')
        return add_frame(p, line, err);
    name = find_name(line, &rest, &event);
    if (name)
        return begin_call(p, &event, (pm_text){line.data, (size_t)(name - line.data)}, rest, err);
    if (*line.data == '#') /* --header */
        return PMAPDB_OK;
    rest = after_time(line);
    if (!rest.data)
        return pm_perf_is_frame(line) ? add_frame(p, line, err) : PMAPDB_OK;
    if (!pm_text_starts(rest, PM_TEXT("PERF_RECORD_")))
        return begin_event(p, err);
    add_lost(p, rest);
    return PMAPDB_OK;
}

/* ---- the reader ---- */

void pm_perf_init(pm_perf *p, pm_perf_fn on_event, void *ctx)
{
    *p = (pm_perf){.on_event = on_event,
                   .ctx = ctx,
                   .lines = {.fn = take_line, .ctx = p, .max = PM_PERF_EVENT_MAX}};
}

void pm_perf_free(pm_perf *p)
{
    pm_buf_free(&p->lines.rest);
    pm_buf_free(&p->text);
}

pmapdb_status pm_perf_feed(pm_perf *p, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_lines_feed(&p->lines, bytes, n, err);
}

pmapdb_status pm_perf_finish(pm_perf *p, pmapdb_error *err)
{
    pmapdb_status st = pm_lines_finish(&p->lines, err);

    return st == PMAPDB_OK ? end_event(p, err) : st;
}
