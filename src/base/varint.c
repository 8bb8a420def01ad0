/* varint: numbers of several bytes. */
#include "base/varint.h"

uint64_t pm_varint_long(pm_varints *v)
{
    uint64_t out = 0;

    for (unsigned shift = 0; v->p < v->end && shift < 64; shift += 7) {
        uint64_t byte = *v->p++;

        if (shift == 63 && byte > 1)
            break;
        out |= (byte & 127) << shift;
        if (byte < 128)
            return out;
    }
    v->bad = true;
    v->p = v->end;
    return 0;
}
