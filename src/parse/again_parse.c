/* again_parse: the blocks that differ from those of the last reading: they are for the one parser.
 */
#include "parse/again_state.h"

static pmapdb_status take_mapping(void *again, const pm_mapping *m, pmapdb_error *err)
{
    pm_again *a = again;
    pm_piece *p = NULL;

    /* The reader hands on a row when the next begins: by then its piece is there. */
    if (a->n_parsed < a->n_changed && a->changed[a->n_parsed] < a->now.n)
        p = &a->now.piece[a->changed[a->n_parsed++]];
    if (!p || p->start != m->start || p->end != m->end)
        return pm_fail(err, PMAPDB_INPUT, "not what the kernel prints: two rows in one");
    pm_running_add(&a->now.sums, m);
    return pm_pool_mapping(a->pool, m, &p->id, err);
}

static pmapdb_status take_verdict(void *again, const pm_block *block, pmapdb_error *err)
{
    pm_again *a = again;

    (void)err;
    a->verdict = *block;
    return PMAPDB_OK;
}

pmapdb_status pm_again_parse(pm_again *a, pm_text text, pmapdb_error *err)
{
    const pm_reader_events events = {a, take_mapping, take_verdict};
    pmapdb_status st = pm_grow(&a->changed, &a->cap_changed, a->n_changed, sizeof *a->changed, err);

    if (st == PMAPDB_OK && !a->reader) {
        st = pm_reader_new(&events, a->dialect, &a->reader, err);
        if (st == PMAPDB_OK)
            pm_reader_unhashed(a->reader); /* the hash is of the whole text, made here */
    }
    if (st != PMAPDB_OK)
        return st;
    a->changed[a->n_changed++] = a->now.n;
    return pm_reader_feed(a->reader, text.data, text.len, err);
}

pmapdb_status pm_again_end_parse(pm_again *a, pmapdb_error *err)
{
    pmapdb_status st;

    if (!a->n_changed)
        return PMAPDB_OK;
    a->verdict.state = PM_STATE_PARTIAL; /* unless it says otherwise */
    a->verdict.missing = PM_TEXT("");
    st = pm_reader_finish(a->reader, err);
    if (st != PMAPDB_OK)
        return st;
    if (a->n_parsed < a->n_changed || a->verdict.state != PM_STATE_COMPLETE ||
        a->verdict.dialect != a->dialect)
        return pm_fail(err, PMAPDB_INPUT, "not what the kernel prints%s%.*s",
                       a->verdict.missing.len ? ": of the mappings that changed, " : "",
                       (int)a->verdict.missing.len, a->verdict.missing.data);
    a->n_changed = a->n_parsed = 0;
    return PMAPDB_OK;
}
