/* hash: XXH3, compiled here. A file of its own: the build says how. */
#include "base/hash.h"

#include <endian.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t pm_hash(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

uint64_t pm_hash_seeded(const void *bytes, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, n, seed);
}

uint64_t pm_hash_number(uint64_t number, uint64_t seed)
{
    number = htole64(number);
    return XXH3_64bits_withSeed(&number, sizeof number, seed);
}
