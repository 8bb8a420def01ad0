/* hash: XXH3 of 64 bits, the same values as libxxhash, compiled from its header. The library of a
 * distribution is compiled for size and takes twice as long. */
#ifndef PM_BASE_HASH_H
#define PM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash also depends on the seed: 0, the hash of the bytes before these, or any number that must
 * distinguish equal bytes. */
uint64_t pm_hash(const void *bytes, size_t n, uint64_t seed);

/* The hash of bytes that are added in parts: the state of XXH3, which wants a whole cache line. */
typedef struct pm_hash_parts {
    _Alignas(64) unsigned char state[576];
} pm_hash_parts;
void pm_hash_parts_begin(pm_hash_parts *h);
void pm_hash_parts_add(pm_hash_parts *h, const void *bytes, size_t n);
uint64_t pm_hash_parts_end(pm_hash_parts *h);

#endif
