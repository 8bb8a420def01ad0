/* buf: growable bytes.
 *
 * After memory has run out, nothing more is added. So a caller may build a text step by step and
 * check the status once at the end.
 *
 * Invariants: data[len] is '\0' after anything was added; cap > len. pm_buf_clear keeps the memory,
 * pm_buf_free releases it; a zeroed pm_buf is empty and valid.
 */
#ifndef PM_BASE_BUF_H
#define PM_BASE_BUF_H

#include "base/err.h"
#include "base/text.h"

typedef struct pm_buf {
    char *data;
    size_t len, cap;
    bool failed; /* memory ran out; reset by pm_buf_clear and pm_buf_free */
} pm_buf;

pmapdb_status pm_buf_add(pm_buf *buf, const void *bytes, size_t n, pmapdb_error *err);
pmapdb_status pm_buf_addf(pm_buf *buf, pmapdb_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a text as a part of a JSON string, without the quotes. Bytes that are not UTF-8 stay. */
void pm_buf_add_json(pm_buf *buf, pm_text text);
/* Returns PMAPDB_OK, or PMAPDB_NOMEM if any step failed. */
static inline pmapdb_status pm_buf_status(const pm_buf *buf, pmapdb_error *err)
{
    return buf->failed ? pm_fail_nomem(err) : PMAPDB_OK;
}

static inline void pm_buf_clear(pm_buf *buf)
{
    buf->failed = false;
    buf->len = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

void pm_buf_free(pm_buf *buf);

static inline pm_text pm_buf_text(const pm_buf *buf)
{
    return (pm_text){buf->data ? buf->data : "", buf->len};
}

/* Makes room for one more element of a growable array: *items has *cap elements of `size` bytes, of
 * which `count` are in use. Doubles *cap. */
pmapdb_status pm_grow(void *items, size_t *cap, size_t count, size_t size, pmapdb_error *err);

#endif
