/* json: rows as an array of objects or as one object per line, and single objects. Strings are
 * jansson's; numbers are ours, because jansson writes 0.1 as 0.10000000000000001. */
#include "base/utf8.h"
#include "render/format.h"
#include "render/number.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* One object in the making. */
typedef struct object {
    pm_buf *out;
    bool any; /* it has a member */
    pmapdb_status st;
    pmapdb_error *err;
} object;

static void put(object *o, const char *bytes, size_t n)
{
    PM_STEP(o->st, pm_buf_add(o->out, bytes, n, o->err));
}

/* t is valid UTF-8, so only memory can be lacking. */
static void put_utf8(object *o, pm_text t)
{
    json_t *string = json_stringn(t.len ? t.data : "", t.len);
    char *text = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

    if (!text && o->st == PMAPDB_OK)
        o->st = pm_fail_nomem(o->err);
    put(o, text, text ? strlen(text) : 0);
    free(text);
    json_decref(string);
}

/* Most strings are: they need no escape. */
static bool is_plain(pm_text t)
{
    for (size_t i = 0; i < t.len; i++)
        if (t.data[i] < ' ' || t.data[i] > '~' || t.data[i] == '"' || t.data[i] == '\\')
            return false;
    return true;
}

/* Malformed bytes become U+FFFD. */
static void put_string(object *o, pm_text t)
{
    pm_buf repaired = {0};

    if (is_plain(t)) {
        put(o, "\"", 1);
        put(o, t.data, t.len);
        put(o, "\"", 1);
        return;
    }
    if (o->st == PMAPDB_OK && !pm_utf8_valid(t)) {
        o->st = pm_utf8_repair(t, &repaired, o->err);
        t = pm_buf_text(&repaired);
    }
    put_utf8(o, t);
    pm_buf_free(&repaired);
}

/* The comma after the member before, the name, the colon. */
static void put_key(object *o, pm_text name)
{
    put(o, ",", o->any);
    put_string(o, name);
    put(o, ":", 1);
    o->any = true;
}

/* Adds NAME_hex, the bytes of a text that is not UTF-8. */
static void put_hex(object *o, const char *name, pm_text t)
{
    pm_buf key = {0};

    PM_STEP(o->st, pm_buf_addf(&key, o->err, "%s_hex", name));
    put_key(o, pm_buf_text(&key));
    pm_buf_free(&key);
    put(o, "\"", 1);
    for (size_t i = 0; i < t.len && o->st == PMAPDB_OK; i++)
        o->st = pm_buf_addf(o->out, o->err, "%02x", (unsigned char)t.data[i]);
    put(o, "\"", 1);
}

static void put_value(object *o, pm_unit unit, const pm_value *v)
{
    char text[PM_NUMBER_TEXT + 2]; /* with room for ".0" */

    if (v->kind == PM_VALUE_TEXT) {
        put_string(o, v->t);
        return;
    }
    if (v->kind == PM_VALUE_REAL) {
        pm_number_exact(v->r, text);
        if (!strpbrk(text, ".e")) /* typed languages decide by the point */
            memcpy(text + strlen(text), ".0", sizeof ".0");
    } else if (unit == PM_UNIT_BOOL) {
        snprintf(text, sizeof text, "%s", v->i ? "true" : "false");
    } else if (unit == PM_UNIT_ADDRESS) {
        snprintf(text, sizeof text, "\"%" PRIx64 "\"", (uint64_t)v->i);
    } else {
        snprintf(text, sizeof text, "%" PRId64, v->i);
    }
    put(o, text, strlen(text));
}

static void put_member(object *o, const char *name, pm_unit unit, const pm_value *v)
{
    /* JSON has no word for the unknown, nor for infinity: such a member is absent. */
    if (v->kind == PM_VALUE_NULL || (v->kind == PM_VALUE_REAL && !isfinite(v->r)))
        return;
    put_key(o, pm_text_of(name));
    put_value(o, unit, v);
    if (v->kind == PM_VALUE_TEXT && !pm_utf8_valid(v->t))
        put_hex(o, name, v->t);
}

/* ---- rows ---- */

static void put_row(pm_render *r, const pm_value *values)
{
    object o = {.out = &r->line, .st = r->st, .err = &r->error};

    put(&o, "{", 1);
    for (size_t i = 0; i < r->n_columns; i++)
        put_member(&o, r->columns[i].name, r->columns[i].unit, &values[i]);
    put(&o, "}", 1);
    r->st = o.st;
}

static void array_begin(pm_render *r)
{
    pm_put(r, "[", 1);
}

/* A row's line is ended by what follows it: a comma or the bracket. */
static void array_row(pm_render *r, const pm_value *values)
{
    pm_putf(r, r->n_rows ? ",\n" : "\n");
    put_row(r, values);
}

static void array_end(pm_render *r)
{
    pm_putf(r, r->n_rows ? "\n]\n" : "]\n");
}

static void line_row(pm_render *r, const pm_value *values)
{
    put_row(r, values);
    pm_put(r, "\n", 1);
}

const pm_render_ops pm_render_json = {.begin = array_begin, .row = array_row, .end = array_end};
const pm_render_ops pm_render_ndjson = {.row = line_row};

/* ---- single objects ---- */

pmapdb_status pm_render_object(const pm_sink *sink, const pm_pair *pairs, size_t n,
                               pmapdb_error *err)
{
    pm_buf out = {0};
    object o = {.out = &out, .err = err};

    put(&o, "{", 1);
    for (size_t i = 0; i < n; i++) {
        const pm_pair *p = &pairs[i];

        if (!p->list) {
            put_member(&o, p->key, p->boolean ? PM_UNIT_BOOL : PM_UNIT_TEXT, &p->value);
            continue;
        }
        put_key(&o, pm_text_of(p->key));
        put(&o, "[", 1);
        for (size_t k = 0; k < p->n_list; k++) {
            put(&o, ",", k > 0);
            put_string(&o, pm_text_of(p->list[k]));
        }
        put(&o, "]", 1);
    }
    put(&o, "}\n", 2);
    if (o.st == PMAPDB_OK)
        o.st = sink->write(sink->ctx, out.data, out.len, err);
    pm_buf_free(&out);
    return o.st;
}
