/* unpack_limit: how much of one packed file is unpacked.
 *
 * Unless the caller names a number, 64 GiB, and beyond the first GiB no more than 1,000 times what
 * was read of the file: captures pack 40:1 to 150:1, the log of an idle process 700:1, of which a
 * year is 2 GiB; gzip cannot do more than 1,030:1, the others make 10,000:1 of zeros. */
#ifndef PM_SOURCE_UNPACK_LIMIT_H
#define PM_SOURCE_UNPACK_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define PM_UNPACK_BYTES ((uint64_t)64 << 30)
#define PM_UNPACK_SURE ((uint64_t)1 << 30)
#define PM_UNPACK_RATIO 1000
/* What may stand before one member: libarchive keeps it, a sparse map of this size in 400 MB. */
#define PM_UNPACK_HEADER ((uint64_t)16 << 20)

/* Zeroed, it is the usual. */
typedef struct pm_unpack_limit {
    uint64_t most;
    char why[112]; /* empty until it is reached */
} pm_unpack_limit;

/* True once one of the three is more than may be, and from then on. */
bool pm_unpack_limit_reached(pm_unpack_limit *l, uint64_t unpacked, uint64_t read, uint64_t header);

#endif
