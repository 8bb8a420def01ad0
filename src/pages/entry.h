/* entry: one entry of /proc/PID/pagemap, 64 bits for a virtual page, and the bits of
 * /proc/kpageflags. */
#ifndef PM_PAGES_ENTRY_H
#define PM_PAGES_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#define PM_ENTRY_PRESENT ((uint64_t)1 << 63)
#define PM_ENTRY_SWAPPED ((uint64_t)1 << 62)   /* also guard regions and pages that migrate */
#define PM_ENTRY_FILE ((uint64_t)1 << 61)      /* of a file, or shared memory */
#define PM_ENTRY_GUARD ((uint64_t)1 << 58)     /* Linux 6.15 */
#define PM_ENTRY_EXCLUSIVE ((uint64_t)1 << 56) /* mapped once */
#define PM_ENTRY_DIRTIED ((uint64_t)1 << 55)   /* soft-dirty */
#define PM_ENTRY_FRAME (((uint64_t)1 << 55) - 1)

/* A bit of the frame that no machine uses: the reader marks the zero page with it. */
#define PM_ENTRY_ZERO ((uint64_t)1 << 54)

/* Entries of this type and of higher types are not in a swap area: migration, poison, device
 * memory, markers. */
#define PM_SWAP_TYPES 23

/* Bits of /proc/kpageflags. */
enum {
    PM_KPF_DIRTY = 4,
    PM_KPF_LRU = 5,
    PM_KPF_SLAB = 7,
    PM_KPF_WRITEBACK = 8,
    PM_KPF_BUDDY = 10,
    PM_KPF_ANON = 12,
    PM_KPF_SWAPCACHE = 13,
    PM_KPF_SWAPBACKED = 14,
    PM_KPF_HEAD = 15, /* the first frame of a folio of several, */
    PM_KPF_TAIL = 16, /* and its other frames */
    PM_KPF_HUGE = 17,
    PM_KPF_UNEVICTABLE = 18,
    PM_KPF_HWPOISON = 19,
    PM_KPF_NOPAGE = 20,
    PM_KPF_KSM = 21,
    PM_KPF_THP = 22,
    PM_KPF_ZERO = 24
};

static inline bool pm_entry_is_swap(uint64_t e)
{
    return (e & (PM_ENTRY_PRESENT | PM_ENTRY_SWAPPED | PM_ENTRY_GUARD)) == PM_ENTRY_SWAPPED &&
           (e & 31) < PM_SWAP_TYPES;
}

/* The slot in the swap area: below 2^50. */
static inline uint64_t pm_entry_slot(uint64_t e)
{
    return (e & PM_ENTRY_FRAME) >> 5;
}

#endif
