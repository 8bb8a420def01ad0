/* json: rows as an array of objects or as one object per line, and single objects. */
#include "render/format.h"
#include "render/json_value.h"
#include "render/utf8.h"

#include <stdlib.h>

/* The keys of a row, encoded once: keys[at[i]] up to at[i + 1]. */
typedef struct json {
    pm_buf keys;
    size_t *at;
} json;

static pmapdb_status open_json(pm_render *r, pmapdb_error *err)
{
    json *j = r->state = calloc(1, sizeof *j);
    pmapdb_status st = PMAPDB_OK;

    if (!j)
        return pm_fail_nomem(err);
    j->at = calloc(r->n_columns + 1, sizeof *j->at);
    if (!j->at)
        return pm_fail_nomem(err);
    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        st = pm_json_add_key(&j->keys, r->columns[i].name, err);
        j->at[i + 1] = j->keys.len;
    }
    return st;
}

static void close_json(pm_render *r)
{
    json *j = r->state;

    if (!j)
        return;
    pm_buf_free(&j->keys);
    free(j->at);
    free(j);
}

static pmapdb_status add_members(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    const json *j = r->state;
    pmapdb_status st = PMAPDB_OK;
    size_t comma = 0;

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++) {
        const pm_value *v = &values[i];

        if (!pm_json_has(v))
            continue;
        st = pm_buf_add(&r->line, ",", comma, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(&r->line, j->keys.data + j->at[i], j->at[i + 1] - j->at[i], err);
        if (st == PMAPDB_OK)
            st = pm_json_add_value(&r->line, r->columns[i].unit, v, err);
        if (st == PMAPDB_OK && v->kind == PM_VALUE_TEXT && !pm_utf8_valid(v->t)) {
            st = pm_json_add_hex_key(&r->line, r->columns[i].name, err);
            if (st == PMAPDB_OK)
                st = pm_json_add_hex(&r->line, v->t, err);
        }
        comma = 1;
    }
    return st;
}

static pmapdb_status add_object(pm_render *r, const char *before, const pm_value *values,
                                const char *after, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_addf(&r->line, err, "%s{", before);

    if (st == PMAPDB_OK)
        st = add_members(r, values, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&r->line, err, "}%s", after);
    return st == PMAPDB_OK ? pm_render_flush(r, err) : st;
}

static pmapdb_status array_begin(pm_render *r, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_add(&r->line, "[", 1, err);

    return st == PMAPDB_OK ? pm_render_flush(r, err) : st;
}

/* A row's line is ended by what comes next: a comma or the bracket. */
static pmapdb_status array_row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    return add_object(r, r->n_rows ? ",\n" : "\n", values, "", err);
}

static pmapdb_status array_end(pm_render *r, pmapdb_error *err)
{
    pmapdb_status st = pm_buf_addf(&r->line, err, "%s]\n", r->n_rows ? "\n" : "");

    return st == PMAPDB_OK ? pm_render_flush(r, err) : st;
}

static pmapdb_status line_row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    return add_object(r, "", values, "\n", err);
}

const pm_render_ops pm_render_json = {
    .open = open_json,
    .close = close_json,
    .begin = array_begin,
    .row = array_row,
    .end = array_end,
};

const pm_render_ops pm_render_ndjson = {
    .open = open_json,
    .close = close_json,
    .row = line_row,
};

/* Adds the texts of a list, each by `add`. */
static pmapdb_status add_list(pm_buf *out, const pm_pair *p,
                              pmapdb_status (*add)(pm_buf *out, pm_text t, pmapdb_error *err),
                              pmapdb_error *err)
{
    pmapdb_status st = pm_buf_add(out, "[", 1, err);

    for (size_t i = 0; i < p->n_list && st == PMAPDB_OK; i++) {
        if (i)
            st = pm_buf_add(out, ",", 1, err);
        if (st == PMAPDB_OK)
            st = add(out, pm_text_of(p->list[i]), err);
    }
    return st == PMAPDB_OK ? pm_buf_add(out, "]", 1, err) : st;
}

static bool pair_is_utf8(const pm_pair *p)
{
    if (!p->list)
        return p->value.kind != PM_VALUE_TEXT || pm_utf8_valid(p->value.t);
    for (size_t i = 0; i < p->n_list; i++)
        if (!pm_utf8_valid(pm_text_of(p->list[i])))
            return false;
    return true;
}

static pmapdb_status add_pair(pm_buf *out, const pm_pair *p, pmapdb_error *err)
{
    pm_unit unit = p->boolean ? PM_UNIT_BOOL : PM_UNIT_TEXT;
    pmapdb_status st = pm_json_add_key(out, p->key, err);

    if (st == PMAPDB_OK)
        st = p->list ? add_list(out, p, pm_json_add_string, err)
                     : pm_json_add_value(out, unit, &p->value, err);
    if (st != PMAPDB_OK || pair_is_utf8(p))
        return st;
    st = pm_json_add_hex_key(out, p->key, err);
    if (st != PMAPDB_OK)
        return st;
    return p->list ? add_list(out, p, pm_json_add_hex, err) : pm_json_add_hex(out, p->value.t, err);
}

pmapdb_status pm_render_object(const pm_sink *sink, const pm_pair *pairs, size_t n,
                               pmapdb_error *err)
{
    pm_buf out = {0};
    pmapdb_status st = pm_buf_add(&out, "{", 1, err);

    for (size_t i = 0; i < n && st == PMAPDB_OK; i++) {
        if (!pairs[i].list && !pm_json_has(&pairs[i].value))
            continue;
        if (out.len > 1)
            st = pm_buf_add(&out, ",", 1, err);
        if (st == PMAPDB_OK)
            st = add_pair(&out, &pairs[i], err);
    }
    if (st == PMAPDB_OK)
        st = pm_buf_add(&out, "}\n", 2, err);
    if (st == PMAPDB_OK)
        st = sink->write(sink->ctx, out.data, out.len, err);
    pm_buf_free(&out);
    return st;
}
