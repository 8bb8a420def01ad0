/* hash: compiles XXH3. A separate file, because the build compiles it with -O3. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t pm_hash(const void *bytes, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, n, seed);
}

_Static_assert(sizeof(XXH3_state_t) <= sizeof(pm_hash_parts), "the state has its place");

static XXH3_state_t *state_of(pm_hash_parts *h)
{
    return (XXH3_state_t *)(void *)h;
}

void pm_hash_parts_begin(pm_hash_parts *h)
{
    XXH3_64bits_reset(state_of(h));
}

void pm_hash_parts_add(pm_hash_parts *h, const void *bytes, size_t n)
{
    XXH3_64bits_update(state_of(h), bytes, n);
}

uint64_t pm_hash_parts_end(pm_hash_parts *h)
{
    return XXH3_64bits_digest(state_of(h));
}
