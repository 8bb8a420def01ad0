/* chance: random numbers that nobody can guess. */
#include "store/export/chance.h"

#include <errno.h>
#include <sys/random.h>

pmapdb_status pm_chance_below(uint64_t n, uint64_t *out, pmapdb_error *err)
{
    uint64_t drawn, most = UINT64_MAX - UINT64_MAX % n;

    do {
        ssize_t got = getrandom(&drawn, sizeof drawn, 0);

        if (got < 0 && errno != EINTR)
            return pm_fail_io(err, errno, "cannot draw random numbers");
        if (got != (ssize_t)sizeof drawn)
            drawn = UINT64_MAX;
    } while (drawn >= most); /* what is left behind the last whole n would be drawn too often */
    *out = drawn % n;
    return PMAPDB_OK;
}
