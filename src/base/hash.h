/* hash: XXH3, by the widest registers of this machine where the library knows how. The value is the
 * same everywhere. */
#ifndef PM_BASE_HASH_H
#define PM_BASE_HASH_H

#include <xxhash.h>

#ifdef PMAPDB_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#endif

#endif
