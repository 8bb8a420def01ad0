/* places: addresses of a redacted export: where things lie to one another stays, where they lie
 * does not.
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
#ifndef PM_STORE_EXPORT_PLACES_H
#define PM_STORE_EXPORT_PLACES_H

#include "base/err.h"

typedef struct pm_places pm_places;

pmapdb_status pm_places_new(pm_places **out, pmapdb_error *err);
void pm_places_free(pm_places *p);

/* `space`: whose addresses they are, not 0. A length that runs over the end counts as none. */
pmapdb_status pm_places_note(pm_places *p, int64_t space, int64_t start, int64_t length,
                             pmapdb_error *err);
/* Both are moved alike: an address is known in both. */
pmapdb_status pm_places_join(pm_places *p, int64_t space, int64_t other, pmapdb_error *err);

pmapdb_status pm_places_settle(pm_places *p, pmapdb_error *err);

/* One that was not noted goes with the cluster below it. */
int64_t pm_places_translate(const pm_places *p, int64_t space, int64_t address);

/* ---- for the owner's map ---- */

typedef struct pm_place {
    int64_t space;
    int64_t start, end, moved; /* of a cluster: bytes; how far */
} pm_place;

size_t pm_places_count(const pm_places *p);
pm_place pm_places_at(const pm_places *p, size_t index);

#endif
