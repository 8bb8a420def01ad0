/* target: what a live capture remembers about each process between beats. */
#include "api/capture/run.h"

#include <stdlib.h>

static void free_target(pm_target *target)
{
    pm_live_map_free(target->map);
    pm_buf_free(&target->memory);
    pm_buf_free(&target->cmdline);
    pm_buf_free(&target->environment);
    free(target);
}

static void forget(pm_targets *t, pm_target *target)
{
    t->bytes -= target->bytes;
    t->ended_bytes += target->bytes;
    free_target(target);
}

pm_target *pm_targets_get(pm_targets *t, int64_t pid, int64_t start_time)
{
    size_t at = t->n;
    pm_target *new;

    while (at > 0 && t->item[at - 1]->pid >= pid)
        at--;
    if (at < t->n && t->item[at]->pid == pid && t->item[at]->start_time == start_time)
        return t->item[at];
    if (pm_grow(&t->item, &t->cap, t->n, sizeof(pm_target *), NULL) != PMAPDB_OK)
        return NULL;
    new = calloc(1, sizeof *new);
    if (!new)
        return NULL;
    *new = (pm_target){.pid = pid, .start_time = start_time, .rss_kib = PMAPDB_UNKNOWN};
    if (at < t->n && t->item[at]->pid == pid) {
        forget(t, t->item[at]);
    } else {
        memmove(t->item + at + 1, t->item + at, (t->n - at) * sizeof(pm_target *));
        t->n++;
    }
    return t->item[at] = new;
}

void pm_targets_sweep(pm_targets *t, uint64_t beat)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->n; i++)
        if (t->item[i]->beat == beat)
            t->item[kept++] = t->item[i];
        else
            forget(t, t->item[i]);
    t->n = kept;
}

void pm_targets_free(pm_targets *t)
{
    for (size_t i = 0; i < t->n; i++)
        free_target(t->item[i]);
    free(t->item);
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
