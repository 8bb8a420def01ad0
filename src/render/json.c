/* json: rows as an array of objects or as one object per line, and single objects. jansson writes
 * the strings, but not the numbers, because it writes 0.1 as 0.10000000000000001. */
#include "base/utf8.h"
#include "render/format.h"
#include "render/number.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* True for a string that needs no escape, like most strings. */
static bool is_plain(pm_text t)
{
    for (size_t i = 0; i < t.len; i++)
        if (t.data[i] < ' ' || t.data[i] > '~' || t.data[i] == '"' || t.data[i] == '\\')
            return false;
    return true;
}

/* Malformed bytes become U+FFFD. */
static void put_string(pm_render *r, pm_text t)
{
    pm_buf good = {0};
    json_t *string;
    char *text;

    if (is_plain(t)) {
        pm_put(r, "\"", 1);
        pm_put(r, t.data, t.len);
        pm_put(r, "\"", 1);
        return;
    }
    PM_STEP(r->st, pm_utf8_repair(t, &good, &r->error));
    string = json_stringn(pm_buf_text(&good).data, good.len);
    text = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    if (!text && r->st == PMAPDB_OK)
        r->st = pm_fail_nomem(&r->error);
    pm_put(r, text, text ? strlen(text) : 0);
    free(text);
    json_decref(string);
    pm_buf_free(&good);
}

/* Adds a comma after the member before, the name, and the colon. */
static void put_key(pm_render *r, pm_text name)
{
    pm_put(r, ",", r->line.len && r->line.data[r->line.len - 1] != '{');
    put_string(r, name);
    pm_put(r, ":", 1);
}

/* Adds NAME_hex, the bytes of a text that is not UTF-8. */
static void put_hex(pm_render *r, const char *name, pm_text t)
{
    pm_buf key = {0};

    PM_STEP(r->st, pm_buf_addf(&key, &r->error, "%s_hex", name));
    put_key(r, pm_buf_text(&key));
    pm_buf_free(&key);
    pm_put(r, "\"", 1);
    for (size_t i = 0; i < t.len; i++)
        pm_putf(r, "%02x", (unsigned char)t.data[i]);
    pm_put(r, "\"", 1);
}

static void put_value(pm_render *r, pm_unit unit, const pm_value *v)
{
    char text[PM_NUMBER_TEXT + 2]; /* with room for ".0" */

    if (v->kind == PM_VALUE_TEXT) {
        put_string(r, v->t);
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
    pm_put(r, text, strlen(text));
}

static void put_member(pm_render *r, const char *name, pm_unit unit, const pm_value *v)
{
    /* JSON has no word for the unknown, nor for infinity: such a member is absent. */
    if (v->kind == PM_VALUE_NULL || (v->kind == PM_VALUE_REAL && !isfinite(v->r)))
        return;
    put_key(r, pm_text_of(name));
    put_value(r, unit, v);
    if (v->kind == PM_VALUE_TEXT && !pm_utf8_valid(v->t))
        put_hex(r, name, v->t);
}

/* ---- rows ---- */

static void put_row(pm_render *r, const pm_value *values)
{
    pm_put(r, "{", 1);
    for (size_t i = 0; i < r->n_columns; i++)
        put_member(r, r->columns[i].name, r->columns[i].unit, &values[i]);
    pm_put(r, "}", 1);
}

static void array_begin(pm_render *r)
{
    pm_put(r, "[", 1);
}

/* The comma or the bracket after a row ends its line. */
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
    pm_render r = {.st = PMAPDB_OK};

    pm_put(&r, "{", 1);
    for (size_t i = 0; i < n; i++) {
        const pm_pair *p = &pairs[i];

        if (!p->list) {
            put_member(&r, p->key, p->boolean ? PM_UNIT_BOOL : PM_UNIT_TEXT, &p->value);
            continue;
        }
        put_key(&r, pm_text_of(p->key));
        pm_put(&r, "[", 1);
        for (size_t k = 0; k < p->n_list; k++) {
            pm_put(&r, ",", k > 0);
            put_string(&r, pm_text_of(p->list[k]));
        }
        pm_put(&r, "]", 1);
    }
    pm_put(&r, "}\n", 2);
    if (r.st == PMAPDB_OK)
        r.st = sink->write(sink->ctx, r.line.data, r.line.len, err);
    else if (err)
        *err = r.error;
    pm_buf_free(&r.line);
    return r.st;
}
