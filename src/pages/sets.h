/* sets: which processes share which pages. Pure.
 *
 * Every page has a state: the set of the processes that were seen to map it, as a node of a tree
 * whose paths are sets (node = the node before, and one more process). The processes are read one
 * after another; the pages that a process maps move from their node to its child for the process.
 * At the end, the pages of each node are counted: a machine of 50 processes has some 350 nodes with
 * pages. They answer for any groups of the processes which pages each group has, and which it has
 * alone (groups.h).
 *
 * A page is a number: a physical frame, a slot of a swap area, or a page of a space, which stands
 * for a file or a family of forked processes. States take 4 bytes a page in leaves of 32 pages,
 * made when a page is first seen.
 *
 * The first failure is kept: nothing more is counted, and pm_sets_write() returns it. */
#ifndef PM_PAGES_SETS_H
#define PM_PAGES_SETS_H

#include "base/buf.h"
#include "base/map.h"

/* The class of a page, which keeps the class of its first sight. */
typedef enum pm_page_class {
    PM_PAGE_ANON,  /* anonymous memory, also the private copies of pages of a file */
    PM_PAGE_FILE,  /* a page of a file on a disk */
    PM_PAGE_SHMEM, /* shared memory: SysV, POSIX, memfd, tmpfs, shared anonymous memory */
    PM_PAGE_SWAP,  /* a page in a swap area */
    PM_PAGE_CLASSES
} pm_page_class;

/* Few pages in a leaf: the frames of a machine that ran for long are scattered. */
#define PM_LEAF_BITS 5
#define PM_LEAF_PAGES (1u << PM_LEAF_BITS)
#define PM_SPACE_BITS 44 /* of the number of a page inside its space */

typedef struct pm_sets {
    uint64_t max_bytes, bytes; /* of the leaves, and of `kept` */
    uint32_t **blocks;         /* of 2^PM_BLOCK_BITS states: leaves one after another */
    size_t n_blocks, cap_blocks, n_leaves;
    pm_map leaf_of; /* page >> PM_LEAF_BITS -> index of the leaf */
    uint32_t spare[PM_LEAF_PAGES];
    pm_map space_of; /* hash -> space */
    uint32_t n_spaces;
    struct pm_set_node {
        uint32_t up, process;
    } * node;
    size_t n_nodes, cap_nodes;
    struct pm_set_alone { /* pages without a number, of each process */
        uint32_t node;
        int64_t pages[PM_PAGE_CLASSES];
    } * alone;
    size_t n_alone, cap_alone;
    pm_map child; /* node << 32 | process -> node */
    uint32_t process;
    uint32_t first;    /* the node of the current process alone */
    uint32_t from, to; /* the last step of a state: node << 2 | class */
    bool keeps;        /* while pages are seen, keep where their states are */
    uint32_t *kept;
    size_t n_kept, cap_kept;
    pmapdb_status st;
    pmapdb_error error;
} pm_sets;

#define PM_BLOCK_BITS 14

/* The state of a page by its place: leaf * 32 + page. */
static inline uint32_t *pm_sets_state(const pm_sets *s, uint32_t place)
{
    return s->blocks[place >> PM_BLOCK_BITS] + place % (1u << PM_BLOCK_BITS);
}

/* max_bytes: the most memory for states; more is PMAPDB_NOMEM. */
void pm_sets_begin(pm_sets *s, uint64_t max_bytes);
void pm_sets_free(pm_sets *s);
/* Keeps the first failure. */
void pm_sets_keep(pm_sets *s, pmapdb_status st);

/* Makes `process` the current one: a number that the caller gives out, used once. */
void pm_sets_process(pm_sets *s, uint32_t process);

/* Returns the number of page 0 of the space that the key names; spaces of frames and slots have the
 * numbers 0 and 1. */
uint64_t pm_sets_space(pm_sets *s, uint64_t key);
#define PM_SPACE_SLOTS ((uint64_t)1 << PM_SPACE_BITS)

/* Counts pages that only the current process maps and that have no number. */
static inline void pm_sets_add_alone(pm_sets *s, pm_page_class class, int64_t n)
{
    if (s->st == PMAPDB_OK)
        s->alone[s->n_alone - 1].pages[class] += n;
}

/* The current process maps the pages whose numbers are the bits of page[i] in `mask`; the number
 * `skip` is skipped. Returns how many were not skipped. A page that is seen again changes nothing.
 */
size_t pm_sets_see(pm_sets *s, const uint64_t *page, size_t n, uint64_t mask, uint64_t skip,
                   pm_page_class class);
#define PM_NO_PAGE UINT64_MAX

/* Returns the node of the set with one more process; 0 after a failure. */
uint32_t pm_sets_child(pm_sets *s, uint32_t node, uint32_t process);

/* Appends the nodes that have pages, and the nodes before them: a byte for the version, then
 * numbers of 7 bits a byte, the lowest first: the count of the nodes, and for each node how far
 * back the node before it is, the process, and its pages of each class. The root has no entry and
 * is number 0. */
pmapdb_status pm_sets_write(pm_sets *s, pm_buf *out, pmapdb_error *err);

#define PM_SETS_VERSION 1

#endif
