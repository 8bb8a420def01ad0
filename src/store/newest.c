/* newest: what the writer remembers of each process to append its next capture. */
#include "store/newest.h"

#include <stdlib.h>

#define REMEMBERED_ROWS 1000000 /* about 300 MB */
#define FIRST_SLOTS 64
#define ENDED_LEAST 256
#define ENDED_TURNS 3 /* so many times all others were asked for and this one was not */

static void stream_free(pm_stream *s)
{
    if (!s)
        return;
    pm_stream_free(s);
    free(s);
}

static void state_free(pm_newest_of *p)
{
    if (!p)
        return;
    pm_timeline_free(&p->tail);
    for (size_t i = 0; i < PM_STREAMS; i++)
        stream_free(p->stream[i]);
    free(p);
}

void pm_newest_free(pm_newest *w)
{
    for (size_t i = 0; i < w->size; i++)
        state_free(w->processes[i]);
    free(w->processes);
    w->processes = NULL;
    w->size = w->used = w->kept = w->rows = 0;
}

static size_t slot_of(const pm_newest *w, int64_t process_id)
{
    size_t at = (size_t)process_id & (w->size - 1);

    while (w->processes[at] && w->processes[at]->process_id != process_id)
        at = (at + 1) & (w->size - 1);
    return at;
}

/* Into a table of this size, or the first one. */
static pmapdb_status rehash(pm_newest *w, size_t new_size, pmapdb_error *err)
{
    pm_newest_of **old = w->processes;
    size_t size = w->size;

    w->size = new_size ? new_size : FIRST_SLOTS;
    w->processes = calloc(w->size, sizeof(pm_newest_of *));
    if (!w->processes) {
        w->processes = old;
        w->size = size;
        return pm_fail_nomem(err);
    }
    for (size_t i = 0; old && i < size; i++)
        if (old[i])
            w->processes[slot_of(w, old[i]->process_id)] = old[i];
    free(old);
    return PMAPDB_OK;
}

/* A process that goes on is asked for as often as others. Whoever captures for a year meets many
 * that do not. */
static pmapdb_status drop_ended(pm_newest *w, pmapdb_error *err)
{
    const size_t turns = ENDED_TURNS * w->used;

    if (w->used < 2 * w->kept + ENDED_LEAST)
        return PMAPDB_OK;
    for (size_t i = 0; i < w->size; i++) {
        pm_newest_of *p = w->processes[i];

        if (!p || w->calls - p->used_at <= turns)
            continue;
        pm_newest_forget(w, p);
        state_free(p);
        w->processes[i] = NULL;
        w->used--;
    }
    w->kept = w->used;
    return rehash(w, w->size, err); /* what stood behind a gap is found again */
}

pmapdb_status pm_newest_get(pm_put *p, pm_newest *w, pm_newest_of **out, pmapdb_error *err)
{
    size_t at;
    pmapdb_status st;

    w->calls++;
    if (w->rows > REMEMBERED_ROWS)
        pm_newest_free(w);
    st = drop_ended(w, err);
    if (st == PMAPDB_OK && w->used * 2 >= w->size)
        st = rehash(w, w->size * 2, err);
    if (st != PMAPDB_OK || !w->processes)
        return st;
    at = slot_of(w, p->process_id);
    if (!w->processes[at]) {
        pm_newest_of *made = calloc(1, sizeof *made);

        if (!made)
            return pm_fail_nomem(err);
        made->process_id = p->process_id;
        w->processes[at] = made;
        w->used++;
    }
    *out = w->processes[at];
    (*out)->used_at = w->calls;
    return PMAPDB_OK;
}

pmapdb_status pm_newest_tail(pm_put *p, pm_newest_of *state, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    if (!state->has_tail)
        st = pm_timeline_load_tail(p->sql, p->process_id, p->sweep_ms, &state->tail, err);
    state->has_tail = st == PMAPDB_OK;
    return st;
}

void pm_newest_forget(pm_newest *w, pm_newest_of *state)
{
    for (size_t i = 0; i < PM_STREAMS; i++) {
        w->rows -= state->stream[i] ? state->stream[i]->rows.n : 0;
        stream_free(state->stream[i]);
        state->stream[i] = NULL;
    }
    state->has_tail = false;
}

pmapdb_status pm_newest_stream(pm_put *p, pm_newest *w, pm_newest_of *state, pm_dialect dialect,
                               pm_state kind, pm_stream **out, pmapdb_error *err)
{
    pm_stream **s = &state->stream[(size_t)dialect * PM_STATES + (size_t)kind];
    pmapdb_status st = PMAPDB_OK;

    if (!*s) {
        pm_stream *made = calloc(1, sizeof *made);

        if (!made)
            return pm_fail_nomem(err);
        st = pm_stream_load_head(p->sql, p->process_id, dialect, kind, made, err);
        if (st == PMAPDB_OK && made->epoch_id)
            st = pm_stream_load_rows(p->sql, p->objects, made, err);
        if (st != PMAPDB_OK) {
            stream_free(made);
            return st;
        }
        w->rows += made->rows.n;
        *s = made;
    }
    *out = *s;
    return st;
}

void pm_newest_shorten(pm_newest_of *state)
{
    pm_timeline *tail = &state->tail;
    size_t keep = 4 * (size_t)PM_DIALECT_COUNT;

    if (tail->n < 8 * keep)
        return;
    for (size_t i = tail->n - keep; i > 0; i--)
        if (tail->item[i].leads && tail->item[i].base == i - 1 &&
            tail->item[i - 1].leads) { /* a beat of its own: nothing behind looks further back */
            memmove(tail->item, &tail->item[i], (tail->n - i) * sizeof *tail->item);
            tail->n -= i;
            tail->whole = false;
            return;
        }
}
