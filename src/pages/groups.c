/* groups: the pages of groups of processes. */
#include "pages/groups.h"

#include "pages/sets.h"
#include "pages/varint.h"
#include <stdlib.h>

#define PAGES_MAX ((uint64_t)1 << 52) /* no machine has more: sums do not overflow */
#define NODE_BYTES 6                  /* the shortest node */

typedef struct node {
    uint32_t up, group;
} node;

typedef struct reading {
    pm_text rest;
    bool damaged;
} reading;

static uint64_t read_pages(reading *r)
{
    uint64_t v = pm_varint_get(&r->rest, &r->damaged);

    r->damaged |= v > PAGES_MAX;
    return r->damaged ? 0 : v;
}

static void add(pm_group_pages *g, const int64_t n[PM_PAGE_CLASSES], bool alone)
{
    int64_t rss = n[PM_PAGE_ANON] + n[PM_PAGE_FILE] + n[PM_PAGE_SHMEM];

    g->rss += rss;
    g->anon += n[PM_PAGE_ANON];
    g->shmem += n[PM_PAGE_SHMEM];
    g->swap += n[PM_PAGE_SWAP];
    g->alone += alone ? rss : 0;
    g->swap_alone += alone ? n[PM_PAGE_SWAP] : 0;
}

/* The groups on the path of a node, each once: last[group] is the last node that met the group. */
static void add_path(const node *nodes, uint32_t at, uint32_t *last,
                     const int64_t n[PM_PAGE_CLASSES], pm_group_pages *out, uint32_t n_groups)
{
    uint32_t met = 0;

    for (uint32_t i = at; i; i = nodes[i].up)
        if (last[nodes[i].group] != at) {
            last[nodes[i].group] = at;
            met++;
        }
    if (met == 1 && last[0] == at) /* no group has them */
        return;
    for (uint32_t i = at; i; i = nodes[i].up)
        if (nodes[i].group && last[nodes[i].group] == at) {
            add(&out[nodes[i].group], n, met == 1);
            last[nodes[i].group] = 0;
        }
    add(&out[0], n, last[0] != at);
    if (met > 1)
        add(&out[n_groups + 1], n, false);
}

static void read_nodes(reading *r, node *nodes, uint32_t count, const uint32_t *group_of,
                       size_t n_processes, uint32_t *last, pm_group_pages *out, uint32_t n_groups)
{
    for (uint32_t i = 1; i <= count && !r->damaged; i++) {
        uint64_t back = pm_varint_get(&r->rest, &r->damaged),
                 process = pm_varint_get(&r->rest, &r->damaged);
        int64_t pages[PM_PAGE_CLASSES], any = 0;

        for (int c = 0; c < PM_PAGE_CLASSES; c++)
            any |= pages[c] = (int64_t)read_pages(r);
        r->damaged |= back == 0 || back > i;
        if (r->damaged)
            return;
        nodes[i] = (node){i - (uint32_t)back, process < n_processes ? group_of[process] : 0};
        if (any)
            add_path(nodes, i, last, pages, out, n_groups);
    }
}

pmapdb_status pm_group_pages_of(pm_text sets, const uint32_t *group_of, size_t n_processes,
                                pm_group_pages *out, uint32_t n_groups, pmapdb_error *err)
{
    reading r = {.rest = sets};
    bool known = sets.len && sets.data[0] == PM_SETS_VERSION;
    uint64_t count;
    node *nodes;
    uint32_t *last;

    r.rest = pm_text_from(r.rest, known);
    count = known ? pm_varint_get(&r.rest, &r.damaged) : 0;
    if (!known || r.damaged || count > r.rest.len / NODE_BYTES)
        return pm_fail(err, PMAPDB_INPUT, "the sets of pages are damaged");
    memset(out, 0, (n_groups + (size_t)2) * sizeof *out);
    nodes = calloc(count + 1, sizeof *nodes);
    last = calloc(n_groups + (size_t)1, sizeof *last);
    if (nodes && last)
        read_nodes(&r, nodes, (uint32_t)count, group_of, n_processes, last, out, n_groups);
    free(last);
    free(nodes);
    if (!nodes || !last)
        return pm_fail_nomem(err);
    return r.damaged || r.rest.len ? pm_fail(err, PMAPDB_INPUT, "the sets of pages are damaged")
                                   : PMAPDB_OK;
}
