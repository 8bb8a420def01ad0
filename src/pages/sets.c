/* sets: which processes share which pages. */
#include "pages/sets.h"

#include "pages/varint.h"
#include <inttypes.h>
#include <stdlib.h>

#define NODES_MAX ((size_t)1 << 30)
#define SPACES_MAX ((uint32_t)1 << (64 - PM_SPACE_BITS))
#define FIRST_SPACE 2
#define NO_LEAF UINT32_MAX
#define LEAVES_OF_BLOCK ((size_t)1 << (PM_BLOCK_BITS - PM_LEAF_BITS))
#define LEAVES_MAX (((size_t)1 << (32 - PM_LEAF_BITS)) - 1) /* their states have 32-bit numbers */

void pm_sets_keep(pm_sets *s, pmapdb_status st)
{
    if (s->st == PMAPDB_OK)
        s->st = st;
}

/* Returns 0 after a failure. */
static uint32_t new_node(pm_sets *s, uint32_t up, uint32_t process)
{
    pmapdb_error err;

    if (s->n_nodes >= NODES_MAX)
        pm_sets_keep(s, pm_fail(&s->error, PMAPDB_NOMEM, "the pages are in more than 2^30 sets"));
    else if (pm_grow(&s->node, &s->cap_nodes, s->n_nodes, sizeof *s->node, &err) != PMAPDB_OK)
        pm_sets_keep(s, pm_fail_nomem(&s->error));
    else {
        s->node[s->n_nodes] = (struct pm_set_node){.up = up, .process = process};
        return (uint32_t)s->n_nodes++;
    }
    return 0;
}

void pm_sets_begin(pm_sets *s, uint64_t max_bytes)
{
    pm_sets_free(s);
    *s = (pm_sets){.max_bytes = max_bytes, .n_spaces = FIRST_SPACE};
    new_node(s, 0, UINT32_MAX);
}

void pm_sets_free(pm_sets *s)
{
    for (size_t i = 0; i < s->n_blocks; i++)
        free(s->blocks[i]);
    free(s->blocks);
    free(s->node);
    free(s->alone);
    free(s->kept);
    pm_map_free(&s->leaf_of);
    pm_map_free(&s->space_of);
    pm_map_free(&s->child);
    *s = (pm_sets){0};
}

uint32_t pm_sets_child(pm_sets *s, uint32_t node, uint32_t process)
{
    uint64_t key = (uint64_t)node << 32 | process;
    int64_t found;

    if (pm_map_get(&s->child, key, &found))
        return (uint32_t)found;
    found = new_node(s, node, process);
    if (found)
        pm_sets_keep(s, pm_map_put(&s->child, key, found, &s->error));
    return (uint32_t)found;
}

void pm_sets_process(pm_sets *s, uint32_t process)
{
    if (s->st != PMAPDB_OK)
        return;
    s->process = process;
    s->first = pm_sets_child(s, 0, process);
    s->from = s->to = UINT32_MAX; /* the state of no page */
    pm_sets_keep(s, pm_grow(&s->alone, &s->cap_alone, s->n_alone, sizeof *s->alone, &s->error));
    if (s->st == PMAPDB_OK)
        s->alone[s->n_alone++] = (struct pm_set_alone){.node = s->first};
}

uint64_t pm_sets_space(pm_sets *s, uint64_t key)
{
    int64_t space;

    if (pm_map_get(&s->space_of, key, &space))
        return (uint64_t)space << PM_SPACE_BITS;
    if (s->n_spaces >= SPACES_MAX) {
        pm_sets_keep(s, pm_fail(&s->error, PMAPDB_NOMEM, "the processes map more than 2^20 files"));
        return 0;
    }
    pm_sets_keep(s, pm_map_put(&s->space_of, key, s->n_spaces, &s->error));
    return (uint64_t)s->n_spaces++ << PM_SPACE_BITS;
}

/* Counts bytes against the most that the caller allows. */
static void take_bytes(pm_sets *s, size_t n)
{
    if (n <= s->max_bytes - s->bytes)
        s->bytes += n;
    else if (s->st == PMAPDB_OK)
        pm_sets_keep(s, pm_fail(&s->error, PMAPDB_NOMEM,
                                "the pages of the processes need more than %" PRIu64
                                " MiB to be counted",
                                s->max_bytes >> 20));
}

/* Makes room for the next leaf. */
static void make_block(pm_sets *s)
{
    size_t size = sizeof(uint32_t) << PM_BLOCK_BITS;

    take_bytes(s, size);
    if (s->st == PMAPDB_OK)
        pm_sets_keep(
            s, pm_grow(&s->blocks, &s->cap_blocks, s->n_blocks, sizeof *s->blocks, &s->error));
    if (s->st == PMAPDB_OK && !(s->blocks[s->n_blocks] = calloc(1, size)))
        pm_sets_keep(s, pm_fail_nomem(&s->error));
    s->n_blocks += s->st == PMAPDB_OK;
}

/* Returns the index of the leaf; NO_LEAF after a failure. */
static uint32_t new_leaf(pm_sets *s, uint64_t leaf)
{
    if (s->n_leaves >= LEAVES_MAX)
        pm_sets_keep(s,
                     pm_fail(&s->error, PMAPDB_NOMEM, "the processes have more than 2^32 pages"));
    if (s->st == PMAPDB_OK && s->n_leaves == s->n_blocks * LEAVES_OF_BLOCK)
        make_block(s);
    if (s->st == PMAPDB_OK)
        pm_sets_keep(s, pm_map_put(&s->leaf_of, leaf, (int64_t)s->n_leaves, &s->error));
    return s->st == PMAPDB_OK ? (uint32_t)s->n_leaves++ : NO_LEAF;
}

/* After a failure, *out is an empty leaf: nothing that is counted then is given out. */
static uint32_t leaf_of(pm_sets *s, uint64_t leaf, uint32_t **out)
{
    int64_t found;
    uint32_t i = pm_map_get(&s->leaf_of, leaf, &found) ? (uint32_t)found : new_leaf(s, leaf);

    *out =
        i == NO_LEAF ? memset(s->spare, 0, sizeof s->spare) : pm_sets_state(s, i << PM_LEAF_BITS);
    return i;
}

static void keep_cell(pm_sets *s, uint32_t cell)
{
    if (s->n_kept == s->cap_kept)
        take_bytes(s, (s->cap_kept + 1) * sizeof *s->kept); /* its size doubles */
    pm_sets_keep(s, pm_grow(&s->kept, &s->cap_kept, s->n_kept, sizeof *s->kept, &s->error));
    if (s->st == PMAPDB_OK)
        s->kept[s->n_kept++] = cell;
}

/* Returns the next state of a page that has this state: the node of the set with the current
 * process. */
static uint32_t step(pm_sets *s, uint32_t state)
{
    uint32_t node = state >> 2;

    if (s->st != PMAPDB_OK || s->node[node].process == s->process)
        return state;
    s->from = state;
    s->to = pm_sets_child(s, node, s->process) << 2 | (state & 3);
    return s->to;
}

/* Frames are anywhere in memory, and the kernel has just used the caches: the states of the next
 * pages are fetched while those of the others are computed. */
#define AHEAD 32

/* Finds the states of up to AHEAD pages; returns how many. *used: pages that were looked at. */
static size_t find_states(pm_sets *s, const uint64_t *page, size_t n, uint64_t mask, uint64_t skip,
                          uint32_t *state[AHEAD], size_t *used)
{
    uint32_t *leaf = NULL;
    uint64_t at = PM_NO_PAGE;
    uint32_t i_leaf = 0;
    size_t found = 0, i = 0;

    for (; i < n && i < AHEAD; i++) {
        uint64_t p = page[i] & mask;

        if (p == skip)
            continue;
        if (p >> PM_LEAF_BITS != at)
            i_leaf = leaf_of(s, at = p >> PM_LEAF_BITS, &leaf);
        if (s->keeps)
            keep_cell(s, i_leaf << PM_LEAF_BITS | p % PM_LEAF_PAGES);
        state[found] = leaf + p % PM_LEAF_PAGES;
        __builtin_prefetch(state[found++], 1);
    }
    *used = i;
    return found;
}

size_t pm_sets_see(pm_sets *s, const uint64_t *page, size_t n, uint64_t mask, uint64_t skip,
                   pm_page_class class)
{
    uint32_t *state[AHEAD], first = s->first << 2 | class, from = s->from, to = s->to;
    size_t seen = 0;

    for (size_t i = 0, used; i < n; i += used) {
        size_t found = find_states(s, page + i, n - i, mask, skip, state, &used);

        for (size_t k = 0; k < found; k++) {
            uint32_t was = *state[k];

            if (was == from) {
                *state[k] = to;
            } else if (was == 0) {
                *state[k] = first;
            } else {
                *state[k] = step(s, was);
                from = s->from;
                to = s->to;
            }
        }
        seen += found;
    }
    return seen;
}

/* ---- writing ---- */

static void count_pages(const pm_sets *s, int64_t (*pages)[PM_PAGE_CLASSES])
{
    for (size_t i = 0; i < s->n_alone; i++)
        for (int c = 0; c < PM_PAGE_CLASSES; c++)
            pages[s->alone[i].node][c] += s->alone[i].pages[c];
    for (size_t i = 0; i < s->n_leaves << PM_LEAF_BITS; i++) {
        uint32_t state = *pm_sets_state(s, (uint32_t)i);

        pages[state >> 2][state & 3]++;
    }
}

/* number[node]: 0 if the node is not written. */
static uint32_t give_numbers(const pm_sets *s, int64_t (*pages)[PM_PAGE_CLASSES], uint32_t *number)
{
    uint32_t n = 0;

    for (size_t i = s->n_nodes; i-- > 1;) {
        for (int c = 0; c < PM_PAGE_CLASSES; c++)
            number[i] |= pages[i][c] > 0;
        number[s->node[i].up] |= number[i];
    }
    number[0] = 0;
    for (size_t i = 1; i < s->n_nodes; i++)
        if (number[i])
            number[i] = ++n;
    return n;
}

pmapdb_status pm_sets_write(pm_sets *s, pm_buf *out, pmapdb_error *err)
{
    int64_t(*pages)[PM_PAGE_CLASSES] = calloc(s->n_nodes + 1, sizeof *pages);
    uint32_t *number = calloc(s->n_nodes + 1, sizeof *number);

    if (s->st == PMAPDB_OK && (!pages || !number))
        pm_sets_keep(s, pm_fail_nomem(&s->error));
    if (s->st == PMAPDB_OK) {
        count_pages(s, pages);
        pm_buf_add(out, &(char){PM_SETS_VERSION}, 1, NULL);
        pm_varint_put(out, give_numbers(s, pages, number));
        for (size_t i = 1; i < s->n_nodes; i++) {
            if (!number[i])
                continue;
            pm_varint_put(out, number[i] - number[s->node[i].up]);
            pm_varint_put(out, s->node[i].process);
            for (int c = 0; c < PM_PAGE_CLASSES; c++)
                pm_varint_put(out, (uint64_t)pages[i][c]);
        }
        pm_sets_keep(s, pm_buf_status(out, &s->error));
    }
    free(pages);
    free(number);
    if (s->st != PMAPDB_OK && err)
        *err = s->error;
    return s->st;
}
