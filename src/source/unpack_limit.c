/* unpack_limit: how much of one packed file is unpacked. */
#include "source/unpack_limit.h"

#include <stdio.h>

bool pm_unpack_limit_reached(pm_unpack_limit *l, uint64_t unpacked, uint64_t read, uint64_t header)
{
    uint64_t most = l->most ? l->most : PM_UNPACK_BYTES;
    bool ratio = !l->most && unpacked > PM_UNPACK_SURE && unpacked / PM_UNPACK_RATIO > read;

    if (l->why[0])
        return true;
    if (header > PM_UNPACK_HEADER)
        snprintf(l->why, sizeof l->why, "more than %d MiB of header before one member",
                 (int)(PM_UNPACK_HEADER >> 20));
    else if (ratio)
        snprintf(l->why, sizeof l->why,
                 "unpacks to more than %d times its size: --max-unpacked SIZE reads on",
                 PM_UNPACK_RATIO);
    else if (unpacked > most)
        snprintf(l->why, sizeof l->why, "unpacks to more than %llu MiB: --max-unpacked SIZE %s",
                 (unsigned long long)(most >> 20), l->most ? "said so" : "reads on");
    return l->why[0] != '\0';
}
