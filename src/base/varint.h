/* varint: numbers in as few bytes as they need, seven bits in each, the lowest first; small signed
 * ones of either sign stay short. */
#ifndef PM_BASE_VARINT_H
#define PM_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

#define PM_VARINT_MAX 10 /* bytes */

/* There is room for PM_VARINT_MAX at p. One past what was written. */
static inline unsigned char *pm_varint_put(unsigned char *p, uint64_t v)
{
    for (; v > 127; v >>= 7)
        *p++ = (unsigned char)(v | 128);
    *p++ = (unsigned char)v;
    return p;
}

static inline unsigned char *pm_varint_put_signed(unsigned char *p, int64_t v)
{
    return pm_varint_put(p, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

/* Reads from bytes that nobody vouches for: past the end, or where a number has more than 64 bits,
 * `bad` is set, and all further numbers are 0. */
typedef struct pm_varints {
    const unsigned char *p, *end;
    bool bad;
} pm_varints;

uint64_t pm_varint_long(pm_varints *v);

static inline uint64_t pm_varint_next(pm_varints *v)
{
    return v->p < v->end && *v->p < 128 ? *v->p++ : pm_varint_long(v);
}

static inline int64_t pm_varint_next_signed(pm_varints *v)
{
    uint64_t u = pm_varint_next(v);

    return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
}

#endif
