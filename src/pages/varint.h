/* varint: numbers of 7 bits a byte, the lowest first; the last byte has its highest bit set. */
#ifndef PM_PAGES_VARINT_H
#define PM_PAGES_VARINT_H

#include "base/buf.h"

static inline void pm_varint_put(pm_buf *out, uint64_t v)
{
    for (; v > 127; v >>= 7)
        pm_buf_add(out, &(char){(char)(v & 127)}, 1, NULL);
    pm_buf_add(out, &(char){(char)(v | 128)}, 1, NULL);
}

/* Cuts a number off the text; sets *damaged if the text does not begin with a number. */
static inline uint64_t pm_varint_get(pm_text *t, bool *damaged)
{
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 64 && t->len; shift += 7) {
        unsigned char byte = (unsigned char)t->data[0];

        *t = pm_text_from(*t, 1);
        v |= (uint64_t)(byte & 127) << shift;
        if (byte & 128)
            return v;
    }
    *damaged = true;
    return 0;
}

#endif
