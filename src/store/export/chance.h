/* chance: random numbers that nobody can guess, from getrandom(2). */
#ifndef PM_STORE_EXPORT_CHANCE_H
#define PM_STORE_EXPORT_CHANCE_H

#include "base/err.h"

/* Below n, which is not 0. */
pmapdb_status pm_chance_below(uint64_t n, uint64_t *out, pmapdb_error *err);

#endif
