/* hash_test: the hashes equal those of libxxhash. They are in stores, so every machine must compute
 * the same values. */
#include "unit.h"

#include "base/hash.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#define LONGEST 2100 /* XXH3 scrambles its sums after every 1,024 bytes */

/* The bytes of every length end with their heap block: the sanitizer sees a read past the end. */
TEST(as_the_library)
{
    const uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);

    for (size_t n = 0; n < LONGEST; n++) {
        size_t shift = n % 16; /* from an aligned address */
        unsigned char *block = malloc(n + shift + !n), *bytes = block + shift;

        assert_non_null(block);
        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)(i * i * 31 + n);
        assert_true(pm_hash(bytes, n, 0) == XXH3_64bits(bytes, n));
        assert_true(pm_hash(bytes, n, seed * n) == XXH3_64bits_withSeed(bytes, n, seed * n));
        free(block);
    }
}

RUN_TESTS(NULL, NULL)
