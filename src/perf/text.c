/* text: lines of `perf script` become events. */
#include "perf/text.h"

#include "base/line.h"
#include "perf/line.h"

#include <stdlib.h>

typedef enum state {
    BETWEEN, /* no event is open */
    IN_CALL, /* in the chain of a call */
    IN_OTHER /* in an event that is skipped */
} state;

struct pm_perf {
    pm_perf_events events;
    pm_lines lines;
    bool unended;  /* the line is the last one and has no newline */
    uint64_t line; /* number of the last line */
    uint64_t seen, taken;
    uint64_t lost[PM_PERF_LOSS_COUNT];
    state state;
    pm_perf_line now;    /* the last line */
    pm_perf_event event; /* IN_CALL: the open event without its texts */
    pm_buf text;         /* IN_CALL: comm, followed by the chain */
    size_t comm_len;
};

static pmapdb_status bad(pm_perf *p, uint64_t line, const char *why, pmapdb_error *err)
{
    return p->events.bad ? p->events.bad(p->events.ctx, line, why, err) : PMAPDB_OK;
}

/* Hands out the open event. */
static pmapdb_status end_event(pm_perf *p, pmapdb_error *err)
{
    pm_text text = pm_buf_text(&p->text);
    state was = p->state;

    p->state = BETWEEN;
    if (was != IN_CALL)
        return PMAPDB_OK;
    p->taken++;
    p->event.comm = (pm_text){text.data, p->comm_len};
    p->event.chain = pm_text_from(text, p->comm_len);
    return p->events.event ? p->events.event(p->events.ctx, &p->event, err) : PMAPDB_OK;
}

static pmapdb_status too_long(pm_perf *p, pmapdb_error *err)
{
    uint64_t line = p->state == IN_CALL ? p->event.line : p->line;

    p->state = IN_OTHER;
    return bad(p, line, "an event of more than 1 MiB", err);
}

static pmapdb_status add_frame(pm_perf *p, pm_text frame, pmapdb_error *err)
{
    pmapdb_status st;

    if (p->text.len + frame.len + 1 > PM_PERF_EVENT_MAX)
        return too_long(p, err);
    st = pm_buf_add(&p->text, frame.data, frame.len, err);
    return st == PMAPDB_OK ? pm_buf_add(&p->text, "\n", 1, err) : st;
}

static pmapdb_status begin_call(pm_perf *p, pmapdb_error *err)
{
    pmapdb_status st;

    p->event = p->now.event;
    p->event.line = p->line;
    p->comm_len = p->event.comm.len;
    pm_buf_clear(&p->text);
    st = pm_buf_add(&p->text, p->event.comm.data, p->comm_len, err);
    p->state = IN_CALL;
    return st == PMAPDB_OK && p->now.frame.len ? add_frame(p, p->now.frame, err) : st;
}

/* The first line of an event also ends the event above: perf prints blank lines only between events
 * with chains. */
static pmapdb_status begin_event(pm_perf *p, pmapdb_error *err)
{
    pmapdb_status st = end_event(p, err);

    p->seen++;
    p->state = IN_OTHER;
    if (st != PMAPDB_OK || p->now.kind == PM_PERF_OTHER)
        return st;
    if (p->now.kind == PM_PERF_BAD)
        return bad(p, p->line, p->now.why, err);
    return p->unended ? bad(p, p->line, "cut off", err) : begin_call(p, err);
}

/* Records add up. Warnings are totals, which may be repeated: the largest counts. */
static void add_lost(pm_perf *p, pm_perf_loss loss, uint64_t n)
{
    uint64_t *lost = &p->lost[loss];

    if (loss == PM_PERF_LOSS_WARNING)
        *lost = n > *lost ? n : *lost;
    else if (__builtin_add_overflow(*lost, n, lost))
        *lost = UINT64_MAX;
}

static bool is_blank_line(pm_text line)
{
    while (line.len && pm_perf_blank(line.data[line.len - 1]))
        line.len--;
    return line.len == 0;
}

static pmapdb_status take_line(void *ctx, pm_text line, pmapdb_error *err)
{
    pm_perf *p = ctx;

    p->line++;
    if (p->lines.cut)
        return too_long(p, err);
    if (line.len && line.data[line.len - 1] == '\r')
        line.len--;
    if (is_blank_line(line))
        return end_event(p, err);
    pm_perf_read_line(line, &p->now);
    switch (p->now.kind) {
    case PM_PERF_CALL:
    case PM_PERF_BAD:
    case PM_PERF_OTHER:
        return begin_event(p, err);
    case PM_PERF_FRAME:
        if (p->state == IN_CALL && (!p->unended || line.data[line.len - 1] == ')'))
            return add_frame(p, line, err);
        break;
    case PM_PERF_LOST:
        add_lost(p, p->now.loss, p->now.lost);
        break;
    case PM_PERF_JUNK:
        break;
    }
    return PMAPDB_OK;
}

/* ---- the reader ---- */

pmapdb_status pm_perf_new(const pm_perf_events *events, pm_perf **out, pmapdb_error *err)
{
    pm_perf *p = calloc(1, sizeof *p);

    if (!p)
        return pm_fail_nomem(err);
    p->events = *events;
    p->lines = (pm_lines){.fn = take_line, .ctx = p, .max = PM_PERF_EVENT_MAX};
    *out = p;
    return PMAPDB_OK;
}

void pm_perf_free(pm_perf *p)
{
    if (!p)
        return;
    pm_lines_free(&p->lines);
    pm_buf_free(&p->text);
    free(p);
}

pmapdb_status pm_perf_feed(pm_perf *p, const char *bytes, size_t n, pmapdb_error *err)
{
    return pm_lines_feed(&p->lines, bytes, n, err);
}

pmapdb_status pm_perf_finish(pm_perf *p, pmapdb_error *err)
{
    uint64_t lost = 0;
    pmapdb_status st;

    p->unended = true;
    st = pm_lines_finish(&p->lines, err);
    if (st == PMAPDB_OK)
        st = end_event(p, err);
    for (int i = 0; i < PM_PERF_LOSS_COUNT; i++)
        lost = p->lost[i] > lost ? p->lost[i] : lost;
    if (st != PMAPDB_OK || !lost || !p->events.lost)
        return st;
    return p->events.lost(p->events.ctx, lost, err);
}

uint64_t pm_perf_seen(const pm_perf *p)
{
    return p->seen;
}

uint64_t pm_perf_taken(const pm_perf *p)
{
    return p->taken;
}
