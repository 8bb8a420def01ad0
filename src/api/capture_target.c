/* capture_target: what a live capture remembers of each process between beats. */
#include "api/capture_run.h"

#include <stdlib.h>

static size_t place_of(const pm_targets *t, int64_t pid)
{
    size_t low = 0, high = t->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (t->item[middle]->pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void target_free(pm_target *target)
{
    pm_live_map_free(target->map);
    pm_buf_free(&target->memory);
    pm_buf_free(&target->cmdline);
    pm_buf_free(&target->environment);
    free(target);
}

static void let_go(pm_targets *t, pm_target *target)
{
    t->bytes -= target->bytes;
    t->ended_bytes += target->bytes;
    target_free(target);
}

static pm_target *target_new(int64_t pid, int64_t start_time)
{
    pm_target *target = calloc(1, sizeof *target);

    if (!target)
        return NULL;
    target->pid = pid;
    target->start_time = start_time;
    target->rss_kib = PMAPDB_UNKNOWN;
    return target;
}

pmapdb_status pm_targets_get(pm_targets *t, int64_t pid, int64_t start_time, pm_target **out,
                             pmapdb_error *err)
{
    size_t at = place_of(t, pid);
    bool there = at < t->n && t->item[at]->pid == pid;

    if (there && t->item[at]->start_time == start_time) {
        *out = t->item[at];
        return PMAPDB_OK;
    }
    if (pm_grow(&t->item, &t->cap, t->n, sizeof(pm_target *), err) != PMAPDB_OK)
        return PMAPDB_NOMEM;
    *out = target_new(pid, start_time);
    if (!*out)
        return pm_fail_nomem(err);
    if (there) {
        let_go(t, t->item[at]);
    } else {
        for (size_t i = t->n++; i > at; i--)
            t->item[i] = t->item[i - 1];
    }
    t->item[at] = *out;
    return PMAPDB_OK;
}

void pm_targets_sweep(pm_targets *t, uint64_t beat)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->n; i++) {
        if (t->item[i]->beat == beat)
            t->item[kept++] = t->item[i];
        else
            let_go(t, t->item[i]);
    }
    t->n = kept;
}

void pm_targets_free(pm_targets *t)
{
    for (size_t i = 0; i < t->n; i++)
        target_free(t->item[i]);
    free(t->item);
}

pmapdb_status pm_target_begin_map(pm_target *target, pm_dialect dialect, pmapdb_error *err)
{
    pmapdb_status st = target->map ? PMAPDB_OK : pm_live_map_new(&target->map, err);

    return st == PMAPDB_OK ? pm_live_map_begin(target->map, dialect, err) : st;
}

void pm_target_weigh(pm_targets *t, pm_target *target)
{
    size_t bytes = target->map ? pm_live_map_bytes(target->map) : 0;

    t->bytes += bytes - target->bytes;
    target->bytes = bytes;
}

void pm_target_forget_map(pm_targets *t, pm_target *target)
{
    pm_live_map_free(target->map);
    target->map = NULL;
    pm_target_weigh(t, target);
}
