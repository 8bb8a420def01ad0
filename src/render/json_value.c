/* json_value: names, strings and values as JSON. */
#include "render/json_value.h"
#include "render/number.h"
#include "render/utf8.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

typedef struct dump {
    pm_buf *out;
    pmapdb_error *err;
} dump;

static int add_dumped(const char *bytes, size_t n, void *ctx)
{
    dump *d = ctx;

    return pm_buf_add(d->out, bytes, n, d->err) == PMAPDB_OK ? 0 : -1;
}

/* t is UTF-8, so that only memory can be what jansson lacks. */
static pmapdb_status add_utf8(pm_buf *out, pm_text t, pmapdb_error *err)
{
    json_t *string = json_stringn(t.len ? t.data : "", t.len);
    dump d = {out, err};
    int failed;

    if (!string)
        return pm_fail_nomem(err);
    failed = json_dump_callback(string, add_dumped, &d, JSON_ENCODE_ANY);
    json_decref(string);
    return failed ? pm_fail_nomem(err) : PMAPDB_OK;
}

pmapdb_status pm_json_add_string(pm_buf *out, pm_text t, pmapdb_error *err)
{
    pm_buf repaired = {0};
    pmapdb_status st;

    if (pm_utf8_valid(t))
        return add_utf8(out, t, err);
    st = pm_utf8_repair(t, &repaired, err);
    if (st == PMAPDB_OK)
        st = add_utf8(out, pm_buf_text(&repaired), err);
    pm_buf_free(&repaired);
    return st;
}

pmapdb_status pm_json_add_key(pm_buf *out, const char *name, pmapdb_error *err)
{
    pmapdb_status st = pm_json_add_string(out, pm_text_of(name), err);

    return st == PMAPDB_OK ? pm_buf_add(out, ":", 1, err) : st;
}

pmapdb_status pm_json_add_hex_key(pm_buf *out, const char *name, pmapdb_error *err)
{
    pm_buf key = {0};
    pmapdb_status st = pm_buf_addf(&key, err, "%s_hex", name);

    if (st == PMAPDB_OK)
        st = pm_buf_add(out, ",", 1, err);
    if (st == PMAPDB_OK)
        st = pm_json_add_key(out, key.data, err);
    pm_buf_free(&key);
    return st;
}

pmapdb_status pm_json_add_hex(pm_buf *out, pm_text t, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_add(out, "\"", 1, err);

    for (size_t i = 0; i < t.len && st == PMAPDB_OK; i++)
        st = pm_buf_addf(out, err, "%02x", (unsigned char)t.data[i]);
    return st == PMAPDB_OK ? pm_buf_add(out, "\"", 1, err) : st;
}

bool pm_json_has(const pm_value *v)
{
    return v->kind != PM_VALUE_NULL && (v->kind != PM_VALUE_REAL || isfinite(v->r));
}

/* 1 that is a real stays 1.0: readers in typed languages decide by the point. */
static pmapdb_status add_real(pm_buf *out, double v, pmapdb_error *err)
{
    char text[PM_NUMBER_TEXT];

    pm_number_exact(v, text);
    return pm_buf_addf(out, err, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

pmapdb_status pm_json_add_value(pm_buf *out, pm_unit unit, const pm_value *v, pmapdb_error *err)
{
    if (v->kind == PM_VALUE_TEXT)
        return pm_json_add_string(out, v->t, err);
    if (v->kind == PM_VALUE_REAL)
        return add_real(out, v->r, err);
    if (unit == PM_UNIT_BOOL)
        return pm_buf_addf(out, err, "%s", v->i ? "true" : "false");
    if (unit == PM_UNIT_ADDRESS)
        return pm_buf_addf(out, err, "\"%" PRIx64 "\"", (uint64_t)v->i);
    return pm_buf_addf(out, err, "%" PRId64, v->i);
}
