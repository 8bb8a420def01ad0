/* again_known: what one program read of a map, handed to the next. */
#include "parse/again_state.h"

pm_again_mark pm_again_mark_of(const pm_again *a, size_t i)
{
    return (pm_again_mark){a->last.piece[i].hash, a->last.piece[i].len};
}

const pm_pool *pm_again_pool(const pm_again *a)
{
    return a->pool;
}

void pm_again_know_nothing(pm_again *a, pm_dialect dialect)
{
    pm_again_forget(a);
    a->dialect = dialect;
}

pmapdb_status pm_again_know(pm_again *a, const pm_mapping *m, pm_again_mark mark, uint32_t *id,
                            pmapdb_error *err)
{
    pm_reading *r = &a->last;
    pm_piece p = {.hash = mark.hash, .start = m->start, .end = m->end, .len = mark.len};
    pmapdb_status st = pm_grow(&r->piece, &r->cap, r->n, sizeof p, err);

    if (st == PMAPDB_OK && r->n && m->start < r->piece[r->n - 1].end)
        st = pm_fail(err, PMAPDB_INPUT, "the mappings overlap");
    if (st == PMAPDB_OK)
        st = pm_pool_mapping(a->pool, m, &p.id, err);
    if (st != PMAPDB_OK) {
        pm_again_forget(a);
        return st;
    }
    pm_running_add(&r->sums, m);
    r->piece[r->n++] = p;
    a->fresh_bytes = pm_pool_bytes(a->pool); /* all of it is in use */
    *id = p.id;
    return PMAPDB_OK;
}
