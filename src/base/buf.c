/* buf: growable bytes and growable arrays. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pmapdb_status reserve(pm_buf *buf, size_t extra, pmapdb_error *err)
{
    size_t need, cap;
    char *data;

    buf->failed |= extra > SIZE_MAX / 4 - buf->len;
    need = buf->len + extra + 1;
    if (buf->failed || need <= buf->cap)
        return pm_buf_status(buf, err);
    for (cap = buf->cap ? buf->cap : 64; cap < need; cap *= 2)
        ;
    data = realloc(buf->data, cap);
    buf->failed = !data;
    if (!data)
        return pm_fail_nomem(err);
    buf->data = data;
    buf->cap = cap;
    return PMAPDB_OK;
}

pmapdb_status pm_buf_add(pm_buf *buf, const void *bytes, size_t n, pmapdb_error *err)
{
    pmapdb_status st = reserve(buf, n, err);

    if (st != PMAPDB_OK)
        return st;
    if (n)
        memcpy(buf->data + buf->len, bytes, n);
    buf->len += n;
    buf->data[buf->len] = '\0';
    return PMAPDB_OK;
}

pmapdb_status pm_buf_addf(pm_buf *buf, pmapdb_error *err, const char *format, ...)
{
    va_list args;
    pmapdb_status st;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    st = n < 0 ? pm_fail_nomem(err) : reserve(buf, (size_t)n, err);
    if (st != PMAPDB_OK)
        return st;
    va_start(args, format);
    vsnprintf(buf->data + buf->len, (size_t)n + 1, format, args);
    va_end(args);
    buf->len += (size_t)n;
    return PMAPDB_OK;
}

void pm_buf_add_json(pm_buf *buf, pm_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if ((unsigned char)c < ' ')
            pm_buf_addf(buf, NULL, "\\u%04x", c);
        pm_buf_add(buf, "\\", c == '"' || c == '\\', NULL);
        pm_buf_add(buf, &c, (unsigned char)c >= ' ', NULL);
    }
}

void pm_buf_free(pm_buf *buf)
{
    free(buf->data);
    *buf = (pm_buf){0};
}

pmapdb_status pm_grow(void *items, size_t *cap, size_t count, size_t size, pmapdb_error *err)
{
    size_t want = *cap ? *cap * 2 : 16;
    void *grown, *old;

    if (count < *cap)
        return PMAPDB_OK;
    if (want > SIZE_MAX / 2 / size)
        return pm_fail_nomem(err);
    memcpy(&old, items, sizeof old);
    grown = realloc(old, want * size);
    if (!grown)
        return pm_fail_nomem(err);
    memcpy(items, &grown, sizeof grown);
    *cap = want;
    return PMAPDB_OK;
}
