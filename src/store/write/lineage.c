/* lineage: which mapping of the next capture continues which mapping of the one before. */
#include "store/write/lineage.h"

#include <stdlib.h>

static uint64_t end_of(const pm_place *p)
{
    return p->start + p->length - 1; /* the last byte: a mapping may end at 2^64 */
}

static uint64_t shared_bytes(const pm_place *a, const pm_place *b)
{
    uint64_t from = a->start > b->start ? a->start : b->start;
    uint64_t to = end_of(a) < end_of(b) ? end_of(a) : end_of(b);

    return from <= to ? to - from + 1 : 0;
}

static bool is_file(const pm_place *p)
{
    return p->object->has_inode && p->object->inode != 0;
}

/* True if the offsets allow one place to continue the other. The offset of anonymous memory has no
 * meaning (Linux before 2.6.25 shows the address). */
static bool offset_fits(const pm_place *a, const pm_place *b)
{
    if (!a->has_offset || !b->has_offset || !is_file(a) || !is_file(b))
        return true;
    return a->offset - a->start == b->offset - b->start;
}

static bool continues(const pm_place *old, const pm_place *new)
{
    return shared_bytes(old, new) > 0 && offset_fits(old, new) &&
           pm_object_alike(old->object, new->object);
}

static pm_reason reason_of(const pm_place *old, const pm_place *new)
{
    if (old->start == new->start)
        return old->length == new->length ? PM_REASON_SAME : PM_REASON_SAME_START;
    return end_of(old) == end_of(new) ? PM_REASON_SAME_END : PM_REASON_OVERLAP;
}

/* The bytes of one lineage inside `new`, over the old mappings from..to. */
static uint64_t bytes_of_lineage(const pm_row *old, size_t from, size_t to, int64_t lineage,
                                 const pm_place *new)
{
    uint64_t sum = 0;

    for (size_t i = from; i < to; i++)
        if (old[i].at.lineage == lineage && continues(&old[i].at, new))
            sum += shared_bytes(&old[i].at, new);
    return sum;
}

/* Chooses the lineage of `new` among several mappings: the one with most bytes. */
static void choose(const pm_row *old, size_t from, size_t to, const pm_place *new, bool *taken,
                   pm_descent *out)
{
    uint64_t most = 0;

    for (size_t i = from; i < to; i++) {
        const pm_place *at = &old[i].at;
        uint64_t bytes;

        if (!continues(at, new) || (most && at->lineage == out->lineage))
            continue;
        bytes = bytes_of_lineage(old, i, to, at->lineage, new);
        if (bytes > most) {
            most = bytes;
            *out = (pm_descent){at->lineage, at->kept, PM_REASON_OVERLAP};
        }
    }
    for (size_t i = from; most && i < to; i++)
        if (continues(&old[i].at, new)) {
            pm_reason reason = reason_of(&old[i].at, new);

            taken[i] = true;
            if (old[i].at.lineage == out->lineage && reason < out->reason)
                out->reason = reason;
        }
}

/* Finds the lineage of `new`. old[from..to) are the mappings that can share addresses with it,
 * usually one. Marks the mappings that it continues as taken. */
static void descend(const pm_row *old, size_t from, size_t to, const pm_place *new, bool *taken,
                    pm_descent *out)
{
    *out = (pm_descent){PM_NO_LINEAGE, 0, PM_REASON_NEW};
    if (to - from > 1) {
        choose(old, from, to, new, taken, out);
    } else if (to > from && continues(&old[from].at, new)) {
        const pm_place *at = &old[from].at;

        taken[from] = true;
        *out = (pm_descent){at->lineage, at->kept, reason_of(at, new)};
    }
}

/* ---- mappings that moved ---- */

/* Finds the same piece of the same file at another address: equal length first, then the lowest. */
static void find_moved(const pm_rows *old, const pm_place *new, bool *taken, pm_descent *out)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < old->n; i++) {
        const pm_place *o = &old->row[i].at;

        if (taken[i] || !o->has_offset || o->offset != new->offset ||
            o->object->inode != new->object->inode || !pm_object_alike(o->object, new->object))
            continue;
        if (found == SIZE_MAX || o->length == new->length)
            found = i;
        if (o->length == new->length)
            break;
    }
    if (found == SIZE_MAX)
        return;
    taken[found] = true;
    *out = (pm_descent){old->row[found].at.lineage, old->row[found].at.kept, PM_REASON_FILE_OFFSET};
}

static void pair(const pm_rows *old, const pm_rows *new, bool *taken, pm_descent *out)
{
    size_t from = 0;

    for (size_t i = 0; i < new->n; i++) {
        const pm_place *at = &new->row[i].at;
        size_t to;

        while (from < old->n && end_of(&old->row[from].at) < at->start)
            from++;
        for (to = from; to < old->n && old->row[to].at.start <= end_of(at);)
            to++;
        descend(old->row, from, to, at, taken, &out[i]);
    }
    for (size_t i = 0; i < new->n; i++)
        if (out[i].lineage == PM_NO_LINEAGE && new->row[i].at.has_offset &&
            is_file(&new->row[i].at))
            find_moved(old, &new->row[i].at, taken, &out[i]);
}

pmapdb_status pm_rows_descent(const pm_rows *older, const pm_rows *own, pm_descent **out,
                              pmapdb_error *err)
{
    bool *taken = calloc(older->n + 1, sizeof *taken);
    pm_descent *descent = calloc(own->n + 1, sizeof *descent);

    if (!taken || !descent) {
        free(taken);
        free(descent);
        return pm_fail_nomem(err);
    }
    pair(older, own, taken, descent);
    free(taken);
    *out = descent;
    return PMAPDB_OK;
}
