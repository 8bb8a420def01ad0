/* lately: the newest moment of each name, in memory. */
#include "store/lately.h"

#include "base/buf.h"
#include <stdlib.h>

#define FIRST_SLOTS 64
#define NAMES_MAX 16384 /* all are forgotten then: most are of the past */

typedef struct newest {
    int64_t name_id;
    int64_t moment_ms, newest_ms; /* of the first and the last item */
    pm_moment_item *item;
    size_t n, cap; /* n 0: nothing is known */
    bool live;     /* one of them is */
} newest;

struct pm_lately {
    int64_t sweep_ms;
    newest **slots; /* open addressing by name_id */
    size_t size, used;
};

/* ---- order ---- */

int pm_moment_compare(const pm_moment_item *a, const pm_moment_item *b)
{
    if (a->taken_ms != b->taken_ms)
        return a->taken_ms < b->taken_ms ? -1 : 1;
    if (a->ordinal != b->ordinal)
        return a->ordinal < b->ordinal ? -1 : 1;
    if (a->dialect != b->dialect)
        return a->dialect < b->dialect ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

int pm_moment_compare_worth(const pm_moment_item *a, const pm_moment_item *b)
{
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if (a->dialect != b->dialect)
        return a->dialect < b->dialect ? -1 : 1;
    return -pm_moment_compare(a, b);
}

/* ---- names ---- */

pmapdb_status pm_lately_new(int64_t sweep_ms, pm_lately **out, pmapdb_error *err)
{
    pm_lately *l = calloc(1, sizeof *l);

    if (!l)
        return pm_fail_nomem(err);
    l->sweep_ms = sweep_ms;
    *out = l;
    return PMAPDB_OK;
}

static void forget_all(pm_lately *l)
{
    for (size_t i = 0; i < l->size; i++)
        if (l->slots[i]) {
            free(l->slots[i]->item);
            free(l->slots[i]);
        }
    free(l->slots);
    l->slots = NULL;
    l->size = l->used = 0;
}

void pm_lately_free(pm_lately *l)
{
    if (!l)
        return;
    forget_all(l);
    free(l);
}

static newest **slot_of(newest **slots, size_t size, int64_t name_id)
{
    size_t at = (size_t)name_id & (size - 1);

    while (slots[at] && slots[at]->name_id != name_id)
        at = (at + 1) & (size - 1);
    return &slots[at];
}

static newest *find(const pm_lately *l, int64_t name_id)
{
    return l->size ? *slot_of(l->slots, l->size, name_id) : NULL;
}

static pmapdb_status grow(pm_lately *l, pmapdb_error *err)
{
    size_t size = l->size ? l->size * 2 : FIRST_SLOTS;
    newest **slots;

    if (l->used * 2 < l->size)
        return PMAPDB_OK;
    slots = calloc(size, sizeof(newest *));
    if (!slots)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < l->size; i++)
        if (l->slots[i])
            *slot_of(slots, size, l->slots[i]->name_id) = l->slots[i];
    free(l->slots);
    l->slots = slots;
    l->size = size;
    return PMAPDB_OK;
}

pmapdb_status pm_lately_set(pm_lately *l, int64_t name_id, int64_t moment_ms,
                            const pm_moment_item *items, size_t n, pmapdb_error *err)
{
    newest **slot;
    pmapdb_status st;

    if (l->used >= NAMES_MAX)
        forget_all(l);
    st = grow(l, err);
    if (st != PMAPDB_OK)
        return st;
    slot = slot_of(l->slots, l->size, name_id);
    if (!*slot) {
        *slot = calloc(1, sizeof **slot);
        if (!*slot)
            return pm_fail_nomem(err);
        (*slot)->name_id = name_id;
        l->used++;
    }
    (*slot)->n = 0;
    (*slot)->live = false;
    (*slot)->moment_ms = (*slot)->newest_ms = moment_ms;
    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        st = pm_grow(&(*slot)->item, &(*slot)->cap, i, sizeof *items, err);
        if (st != PMAPDB_OK)
            break;
        (*slot)->item[(*slot)->n++] = items[i];
        (*slot)->live |= items[i].live;
        if (items[i].taken_ms > (*slot)->newest_ms)
            (*slot)->newest_ms = items[i].taken_ms;
    }
    return st;
}

void pm_lately_forget(pm_lately *l, int64_t name_id)
{
    newest *name = find(l, name_id);

    if (name)
        name->n = 0;
}

/* ---- a moment ---- */

/* Of this process and dialect, before that time. */
static bool came_before(const newest *name, const pm_moment_item *item)
{
    for (size_t i = 0; i < name->n; i++)
        if (name->item[i].process_id == item->process_id &&
            name->item[i].dialect == item->dialect && name->item[i].taken_ms < item->taken_ms)
            return true;
    return false;
}

static pmapdb_status join(newest *name, pm_moment_item *item, int64_t *demoted, pmapdb_error *err)
{
    pm_moment_item *best = NULL;
    pmapdb_status st = pm_grow(&name->item, &name->cap, name->n, sizeof *item, err);

    if (st != PMAPDB_OK)
        return st;
    for (size_t i = 0; i < name->n; i++)
        if (name->item[i].process_id == item->process_id && name->item[i].preferred)
            best = &name->item[i];
    item->moment_ms = name->moment_ms;
    item->preferred = !best || pm_moment_compare_worth(item, best) < 0;
    if (best && item->preferred) {
        best->preferred = false;
        *demoted = best->snapshot_id;
    }
    name->newest_ms = item->taken_ms;
    name->live |= item->live;
    name->item[name->n++] = *item;
    return PMAPDB_OK;
}

static pmapdb_status begin(newest *name, pm_moment_item *item, pmapdb_error *err)
{
    int64_t none;

    name->n = 0;
    name->live = false;
    name->moment_ms = item->taken_ms;
    return join(name, item, &none, err);
}

pmapdb_status pm_lately_add(pm_lately *l, int64_t name_id, pm_moment_item *item, int64_t *demoted,
                            bool *known, pmapdb_error *err)
{
    newest *name = find(l, name_id);
    bool again, alone;

    *demoted = 0;
    *known = name && name->n && item->taken_ms >= name->newest_ms;
    if (!*known) {
        pm_lately_forget(l, name_id);
        return PMAPDB_OK;
    }
    alone = name->live || item->live;
    again = came_before(name, item);
    if (item->taken_ms - name->moment_ms > l->sweep_ms ||
        ((again || alone) && item->taken_ms > name->newest_ms))
        return begin(name, item, err);
    if (!again && !(alone && item->taken_ms > name->moment_ms))
        return join(name, item, demoted, err);
    *known = false; /* what was taken at one time stays together: its others leave with it */
    pm_lately_forget(l, name_id);
    return PMAPDB_OK;
}
