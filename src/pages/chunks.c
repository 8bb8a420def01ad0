/* chunks: runs of entries that are equal in several processes. */
#include "pages/chunks.h"

#include "base/hash.h"
#include <stdlib.h>

#define SEEN_ONCE (-1)

void pm_chunks_clear(pm_chunks *c)
{
    pm_map_clear(&c->of);
    c->n = 0;
}

void pm_chunks_free(pm_chunks *c)
{
    pm_map_free(&c->of);
    free(c->item);
    *c = (pm_chunks){0};
}

bool pm_chunks_saw(pm_chunks *c, pm_sets *sets, const uint64_t *entries, uint64_t seed,
                   pm_page_counts *counts, pm_chunk_sight *sight)
{
    uint64_t hash = pm_hash(entries, PM_CHUNK_PAGES * sizeof *entries, seed);
    struct pm_chunk *chunk;
    int64_t i;

    *sight = (pm_chunk_sight){.hash = hash, .before = *counts, .first = sets->n_kept};
    if (!pm_map_get(&c->of, hash, &i)) {
        pm_sets_keep(sets, pm_map_put(&c->of, hash, SEEN_ONCE, &sets->error));
        return false;
    }
    if (i == SEEN_ONCE) {
        sets->keeps = true;
        return false;
    }
    chunk = &c->item[i];
    pm_page_counts_add(counts, &chunk->counts, 1);
    if (chunk->n && sets->node[chunk->waiting].process != sets->process)
        chunk->waiting = pm_sets_child(sets, chunk->waiting, sets->process);
    return true;
}

void pm_chunks_keep(pm_chunks *c, pm_sets *sets, const pm_page_counts *counts,
                    const pm_chunk_sight *sight)
{
    pm_page_counts here = *counts;

    if (!sets->keeps)
        return;
    sets->keeps = false;
    pm_page_counts_add(&here, &sight->before, -1);
    pm_sets_keep(sets, pm_grow(&c->item, &c->cap, c->n, sizeof *c->item, &sets->error));
    pm_sets_keep(sets, pm_map_put(&c->of, sight->hash, (int64_t)c->n, &sets->error));
    if (sets->st == PMAPDB_OK)
        c->item[c->n++] = (struct pm_chunk){
            .counts = here, .first = sight->first, .n = (uint32_t)(sets->n_kept - sight->first)};
}

/* ---- joining sets: processes are numbered as they are read, so all paths are ascending ---- */

typedef struct joiner {
    pm_sets *sets;
    pm_map known; /* node << 32 | node -> node */
    uint32_t *process;
    size_t cap;
} joiner;

/* Returns the node of the set that has the processes of both nodes. */
static uint32_t join(joiner *j, uint32_t a, uint32_t b)
{
    pm_sets *s = j->sets;
    uint64_t key = (uint64_t)a << 32 | b;
    uint32_t node = 0;
    int64_t known;
    size_t n = 0;

    if (pm_map_get(&j->known, key, &known))
        return (uint32_t)known;
    while (a || b) {
        uint32_t p = a && (!b || s->node[a].process >= s->node[b].process) ? s->node[a].process
                                                                           : s->node[b].process;

        pm_sets_keep(s, pm_grow(&j->process, &j->cap, n, sizeof *j->process, &s->error));
        if (s->st != PMAPDB_OK)
            return 0;
        j->process[n++] = p;
        a = a && s->node[a].process == p ? s->node[a].up : a;
        b = b && s->node[b].process == p ? s->node[b].up : b;
    }
    while (n)
        node = pm_sets_child(s, node, j->process[--n]);
    pm_sets_keep(s, pm_map_put(&j->known, key, node, &s->error));
    return node;
}

void pm_chunks_end(pm_chunks *c, pm_sets *sets)
{
    joiner j = {.sets = sets};

    for (size_t i = 0; i < c->n && sets->st == PMAPDB_OK; i++) {
        const struct pm_chunk *chunk = &c->item[i];
        uint32_t from = UINT32_MAX, to = 0; /* the state of no page */

        for (uint32_t k = 0; chunk->waiting && k < chunk->n; k++) {
            uint32_t cell = sets->kept[chunk->first + k];
            uint32_t *state = pm_sets_state(sets, cell);

            if (*state != from) {
                from = *state;
                to = join(&j, from >> 2, chunk->waiting) << 2 | (from & 3);
            }
            *state = to;
        }
    }
    pm_map_free(&j.known);
    free(j.process);
}
