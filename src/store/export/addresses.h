/* addresses: of a redacted export. How things lie to one another stays, where they lie does not.
 *
 * The addresses of one process fall into clusters, which gaps of 1 TiB and more part: the program
 * and its heap, the libraries and the stack, what lies at fixed places. Each cluster is moved as a
 * whole by a multiple of 64 MiB that getrandom(2) draws: the order of all addresses, what touches
 * what, the distances inside a cluster, and the alignment that rules ask for (pages, 2 MiB, the
 * arenas of glibc) are as before. Nothing else is: of an address, the lowest 26 bits can be told.
 * 0 is no address, and the kernel's half stays.
 *
 * First all addresses are noted, then they are settled, then translated.
 */
#ifndef PM_STORE_EXPORT_ADDRESSES_H
#define PM_STORE_EXPORT_ADDRESSES_H

#include "base/err.h"

typedef struct pm_addresses pm_addresses;

pmapdb_status pm_addresses_new(pm_addresses **out, pmapdb_error *err);
void pm_addresses_free(pm_addresses *p);

/* `space`: whose addresses they are, not 0. A length that runs over the end counts as none. */
pmapdb_status pm_addresses_note(pm_addresses *p, int64_t space, int64_t start, int64_t length,
                                pmapdb_error *err);
/* Both are moved alike: an address is known in both. */
pmapdb_status pm_addresses_join(pm_addresses *p, int64_t space, int64_t other, pmapdb_error *err);

pmapdb_status pm_addresses_settle(pm_addresses *p, pmapdb_error *err);

/* One that was not noted goes with the cluster below it. */
int64_t pm_addresses_translate(const pm_addresses *p, int64_t space, int64_t address);

/* ---- for the owner's map ---- */

typedef struct pm_cluster {
    int64_t space;
    int64_t start, end, moved; /* bytes; how far it was moved */
} pm_cluster;

size_t pm_addresses_count(const pm_addresses *p);
pm_cluster pm_addresses_at(const pm_addresses *p, size_t index);

#endif
