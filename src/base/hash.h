/* hash: XXH3 of 64 bits, the same numbers as those of libxxhash, from its source. Distributions
 * compile that for size: sums that fit the registers go through memory, and it takes twice as long.
 * For all text that is read; where little is hashed the library is as good. */
#ifndef PM_BASE_HASH_H
#define PM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t pm_hash(const void *bytes, size_t n);
uint64_t pm_hash_seeded(const void *bytes, size_t n, uint64_t seed);

/* Of its eight bytes, the lowest first. */
uint64_t pm_hash_number(uint64_t number, uint64_t seed);

#endif
