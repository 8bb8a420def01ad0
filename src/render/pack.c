/* pack: text -> raw deflate -> base64; text -> gzip. */
#include "render/pack.h"

#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#define RAW (-15) /* no header, no checksum; the largest window */
#define GZIP (15 + 16)
#define LEVEL 6  /* 9 takes eight times as long, for 4 % less */
#define MEMORY 9 /* the most */

/* Returns the deflated text, which the caller frees; NULL if memory ran out. */
static unsigned char *deflate_all(pm_text text, int window, size_t *n)
{
    z_stream z = {.avail_in = (uInt)text.len};
    unsigned char *out = NULL;
    uLong most;
    int rc;

    *n = 0;
    if (text.len > UINT32_MAX ||
        deflateInit2(&z, LEVEL, Z_DEFLATED, window, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    most = deflateBound(&z, (uLong)text.len);
    out = malloc(most);
    z.next_in = (z_const Bytef *)text.data;
    z.next_out = out;
    z.avail_out = (uInt)most;
    rc = out ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
    *n = z.total_out;
    deflateEnd(&z);
    if (rc == Z_STREAM_END)
        return out;
    free(out);
    return NULL;
}

static void base64(const unsigned char *in, size_t n, pm_buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        unsigned bits = (unsigned)in[i] << 16 | (i + 1 < n ? (unsigned)in[i + 1] << 8 : 0) |
                        (i + 2 < n ? in[i + 2] : 0);
        char four[] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                       digits[bits & 63]};

        if (i + 1 >= n)
            four[2] = '=';
        if (i + 2 >= n)
            four[3] = '=';
        pm_buf_add(out, four, sizeof four, NULL);
    }
}

pmapdb_status pm_pack(pm_text text, pm_packing how, pm_buf *out, pmapdb_error *err)
{
    size_t n;
    unsigned char *packed = deflate_all(text, how == PM_PACK_GZIP ? GZIP : RAW, &n);

    if (!packed)
        return pm_fail_nomem(err);
    if (how == PM_PACK_GZIP)
        pm_buf_add(out, packed, n, NULL);
    else
        base64(packed, n, out);
    free(packed);
    return pm_buf_status(out, err);
}
