/* reorder: events in the order of their times, within a window. */
#include "store/perf/reorder.h"

#include <stdlib.h>

typedef struct pm_reorder_turn turn;

pmapdb_status pm_reorder_init(pm_reorder *r, pmapdb_error *err)
{
    *r = (pm_reorder){.last_ns = INT64_MIN};
    r->turn = calloc(PM_REORDER_WINDOW, sizeof *r->turn);
    r->event = calloc(PM_REORDER_WINDOW, sizeof *r->event);
    return r->turn && r->event ? PMAPDB_OK : pm_fail_nomem(err);
}

void pm_reorder_free(pm_reorder *r)
{
    free(r->turn);
    free(r->event);
    *r = (pm_reorder){0};
}

static bool goes_before(const turn *a, const turn *b)
{
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->read < b->read);
}

/* Text is nearly always in order: the newest then stays where it is. */
static void add(pm_reorder *r, turn new)
{
    size_t at = r->n++;

    for (; at && goes_before(&new, &r->turn[(at - 1) / 2]); at = (at - 1) / 2)
        r->turn[at] = r->turn[(at - 1) / 2];
    r->turn[at] = new;
}

static turn take_first(pm_reorder *r)
{
    turn first = r->turn[0], last = r->turn[--r->n];
    size_t at = 0, child;

    while ((child = 2 * at + 1) < r->n) {
        child += child + 1 < r->n && goes_before(&r->turn[child + 1], &r->turn[child]);
        if (!goes_before(&r->turn[child], &last))
            break;
        r->turn[at] = r->turn[child];
        at = child;
    }
    r->turn[at] = last;
    return first;
}

void pm_reorder_put(pm_reorder *r, const pm_trace_event *event, pm_trace_event *out, bool *has)
{
    turn new = {event->time_ns, r->read++, r->n};

    *has = true;
    if (event->time_ns < r->last_ns) {
        r->late++;
        *out = *event;
        return;
    }
    *has = r->n == PM_REORDER_WINDOW;
    if (*has) {
        turn first = take_first(r);

        *out = r->event[first.at];
        r->last_ns = first.time_ns;
        new.at = first.at;
    }
    r->event[new.at] = *event;
    add(r, new);
}

void pm_reorder_next(pm_reorder *r, pm_trace_event *out, bool *has)
{
    *has = r->n > 0;
    if (*has)
        *out = r->event[take_first(r).at];
}
