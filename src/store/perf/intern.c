/* intern: frames and stacks, each once in the store. */
#include "store/perf/intern.h"

#include "base/buf.h"
#include "parse/perf.h"
#include <stdlib.h>
#include <xxhash.h>

#define REMEMBERED ((size_t)1 << 15)

struct pm_intern {
    pm_sql *sql;
    struct known_frame {
        uint64_t hash;
        int64_t frame_id; /* 0: none */
    } * frame;
    struct known_stack {
        int64_t caller_id, frame_id, stack_id; /* 0: none */
    } * stack;
    pm_frame_texts *chain; /* of the chain at hand, callee first */
    size_t n, cap;
};

pmapdb_status pm_intern_new(pm_sql *sql, pm_intern **out, pmapdb_error *err)
{
    pm_intern *i = calloc(1, sizeof *i);

    if (i) {
        i->frame = calloc(REMEMBERED, sizeof *i->frame);
        i->stack = calloc(REMEMBERED, sizeof *i->stack);
    }
    if (!i || !i->frame || !i->stack) {
        pm_intern_free(i);
        return pm_fail_nomem(err);
    }
    i->sql = sql;
    *out = i;
    return PMAPDB_OK;
}

void pm_intern_free(pm_intern *i)
{
    if (!i)
        return;
    free(i->frame);
    free(i->stack);
    free(i->chain);
    free(i);
}

static uint64_t hash_of(const pm_frame_texts *f)
{
    uint64_t number[3] = {f->offset, f->inlined, f->symbol.len};
    uint64_t hash = XXH3_64bits(number, sizeof number);

    hash = XXH3_64bits_withSeed(f->symbol.data, f->symbol.len, hash);
    return XXH3_64bits_withSeed(f->dso.data, f->dso.len, hash);
}

/* '' and not NULL where it is unknown. */
static pm_text or_empty(pm_text t)
{
    return t.len ? t : PM_TEXT("");
}

static pmapdb_status find_frame(pm_intern *i, const pm_frame_texts *f, int64_t *frame_id,
                                pmapdb_error *err)
{
    const pm_arg args[] = {PM_T(or_empty(f->symbol)), PM_BITS(f->offset), PM_T(or_empty(f->dso)),
                           PM_I(f->inlined)};
    pmapdb_status st = pm_sql_int(i->sql,
                                  "SELECT frame_id FROM frame WHERE symbol = ?1 AND offset = ?2 "
                                  "AND dso = ?3 AND inlined = ?4",
                                  args, 4, 0, frame_id, err);

    if (st != PMAPDB_OK || *frame_id)
        return st;
    st = pm_sql_run(i->sql,
                    "INSERT INTO frame (symbol, offset, dso, inlined) VALUES (?1, ?2, ?3, ?4)",
                    args, 4, err);
    *frame_id = pm_sql_last_id(i->sql);
    return st;
}

pmapdb_status pm_intern_frame(pm_intern *i, const pm_frame_texts *f, int64_t *frame_id,
                              pmapdb_error *err)
{
    uint64_t hash = hash_of(f);
    struct known_frame *known = &i->frame[hash % REMEMBERED];

    if (!known->frame_id || known->hash != hash) {
        pmapdb_status st = find_frame(i, f, frame_id, err);
        if (st != PMAPDB_OK)
            return st;
        *known = (struct known_frame){hash, *frame_id};
    }
    *frame_id = known->frame_id;
    return PMAPDB_OK;
}

static pmapdb_status find_stack(pm_intern *i, int64_t caller_id, int64_t frame_id,
                                int64_t *stack_id, pmapdb_error *err)
{
    const pm_arg args[] = {PM_I(caller_id), PM_I(frame_id)};
    pmapdb_status st =
        pm_sql_int(i->sql, "SELECT stack_id FROM stack WHERE caller_id = ?1 AND frame_id = ?2",
                   args, 2, 0, stack_id, err);

    if (st != PMAPDB_OK || *stack_id)
        return st;
    st =
        pm_sql_run(i->sql, "INSERT INTO stack (caller_id, frame_id) VALUES (?1, ?2)", args, 2, err);
    *stack_id = pm_sql_last_id(i->sql);
    return st;
}

pmapdb_status pm_intern_stack(pm_intern *i, int64_t caller_id, int64_t frame_id, int64_t *stack_id,
                              pmapdb_error *err)
{
    uint64_t mixed = ((uint64_t)caller_id * 31 + (uint64_t)frame_id) * 0x9e3779b97f4a7c15U;
    struct known_stack *known = &i->stack[(mixed >> 32) % REMEMBERED];

    if (!known->stack_id || known->caller_id != caller_id || known->frame_id != frame_id) {
        pmapdb_status st = find_stack(i, caller_id, frame_id, stack_id, err);

        if (st != PMAPDB_OK)
            return st;
        *known = (struct known_stack){caller_id, frame_id, *stack_id};
    }
    *stack_id = known->stack_id;
    return PMAPDB_OK;
}

pmapdb_status pm_intern_chain(pm_intern *i, pm_text chain, int64_t *stack_id, size_t *depth,
                              pmapdb_error *err)
{
    pm_perf_frame f;
    size_t at = 0;
    pmapdb_status st = PMAPDB_OK;

    i->n = 0;
    while (st == PMAPDB_OK && pm_perf_next_frame(chain, &at, &f)) {
        st = pm_grow(&i->chain, &i->cap, i->n, sizeof *i->chain, err);
        if (st == PMAPDB_OK)
            i->chain[i->n++] =
                (pm_frame_texts){f.symbol, f.dso, f.symbol.len ? f.offset : f.address, f.inlined};
    }
    *stack_id = 0;
    *depth = i->n;
    while (st == PMAPDB_OK && i->n) {
        int64_t frame_id;

        st = pm_intern_frame(i, &i->chain[--i->n], &frame_id, err);
        if (st == PMAPDB_OK)
            st = pm_intern_stack(i, *stack_id, frame_id, stack_id, err);
    }
    return st;
}
