/* family: what a column is to Prometheus. */
#include "render/family.h"
#include "render/format.h"
#include "render/held.h"
#include "render/number.h"
#include "render/utf8.h"

#include <inttypes.h>
#include <math.h>

static pm_family_kind kind_of(const pm_column *c, bool numbers)
{
    switch (c->unit) {
    case PM_UNIT_SNAPSHOT:
    case PM_UNIT_ADDRESS:
        return PM_FAMILY_NONE;
    case PM_UNIT_TIME:
        return PM_FAMILY_AGE;
    case PM_UNIT_CATEGORY:
        return PM_FAMILY_LABEL;
    case PM_UNIT_TEXT:
        if (strcmp(c->name, "source") == 0)
            return PM_FAMILY_NONE;
        if (!numbers)
            return PM_FAMILY_LABEL;
        break;
    default:
        break;
    }
    if (strcmp(c->name, "ts") == 0)
        return PM_FAMILY_AGE;
    return pm_held_is_identity(c) ? PM_FAMILY_LABEL : PM_FAMILY_GAUGE;
}

static bool is_name_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters and digits, all else one underscore; none at the ends: names that begin with one are
 * reserved. */
static pmapdb_status add_name(pm_buf *out, pm_text t, pmapdb_error *err)
{
    size_t begin = out->len;
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < t.len && st == PMAPDB_OK; i++) {
        if (!is_name_char(t.data[i]))
            continue;
        if (out->len > begin && !is_name_char(t.data[i - 1]))
            st = pm_buf_add(out, "_", 1, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(out, t.data + i, 1, err);
    }
    if (st == PMAPDB_OK && out->len == begin)
        st = pm_buf_addf(out, err, "column");
    return st;
}

static pm_text without_end(pm_text t, const char *end)
{
    pm_text tail = pm_text_of(end);

    if (t.len > tail.len && pm_text_ends(t, tail))
        t.len -= tail.len;
    return t;
}

/* What the name says of the unit it had: the unit it gets comes at the end. */
static pm_text stem_of(pm_text t, pm_family *f, pm_unit unit)
{
    if (f->kind == PM_FAMILY_AGE) {
        t = without_end(without_end(t, "_at"), "_ms");
        return pm_text_equal(t, PM_TEXT("taken")) || pm_text_equal(t, PM_TEXT("ts")) ? PM_TEXT("")
                                                                                     : t;
    }
    if (unit == PM_UNIT_RATE)
        return without_end(without_end(t, "_per_h"), "_kib");
    if (unit == PM_UNIT_DURATION)
        return without_end(without_end(t, "_ms"), "_h");
    if (unit == PM_UNIT_KIB)
        return without_end(t, "_kib");
    return t;
}

static const char *base_unit(const pm_family *f, pm_unit unit)
{
    if (f->kind == PM_FAMILY_AGE || unit == PM_UNIT_DURATION)
        return "seconds";
    return unit == PM_UNIT_KIB     ? "bytes"
           : unit == PM_UNIT_RATE  ? "bytes_per_second"
           : unit == PM_UNIT_RATIO ? "ratio"
                                   : "";
}

/* rss_kib_delta -> rss_delta: the unit may stand in the middle. */
static pmapdb_status add_stem(pm_buf *out, pm_text t, pm_unit unit, pmapdb_error *err)
{
    const char *kib = unit == PM_UNIT_KIB ? memmem(t.data, t.len, "_kib_", 5) : NULL;
    pmapdb_status st;

    if (!kib)
        return add_name(out, t, err);
    st = add_name(out, (pm_text){t.data, (size_t)(kib - t.data)}, err);
    if (st == PMAPDB_OK)
        st = pm_buf_add(out, "_", 1, err);
    return st == PMAPDB_OK ? add_name(out, pm_text_from(t, (size_t)(kib - t.data) + 5), err) : st;
}

static pmapdb_status add_metric(pm_family *f, const pm_column *c, pm_text query, pmapdb_error *err)
{
    pm_text stem = stem_of(pm_text_of(c->name), f, c->unit);
    pmapdb_status st = pm_buf_addf(&f->name, err, "pmapdb_");

    if (st == PMAPDB_OK && query.len) {
        st = add_name(&f->name, query, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(&f->name, "_", 1, err);
    }
    if (st == PMAPDB_OK && stem.len) {
        st = add_stem(&f->name, stem, c->unit, err);
        if (st == PMAPDB_OK && f->kind == PM_FAMILY_AGE)
            st = pm_buf_addf(&f->name, err, "_");
    }
    if (st == PMAPDB_OK && f->kind == PM_FAMILY_AGE)
        st = pm_buf_addf(&f->name, err, "age");
    /* Only words: "h" could be anything. */
    if (st == PMAPDB_OK && pm_text_ends(stem, PM_TEXT("_per_h")))
        st = pm_buf_addf(&f->name, err, "our");
    if (st == PMAPDB_OK && *f->unit && !pm_text_ends(stem, pm_text_of(f->unit)))
        st = pm_buf_addf(&f->name, err, "_%s", f->unit);
    return st;
}

pmapdb_status pm_family_of(const pm_column *c, pm_text query, bool numbers, pm_family *out,
                           pmapdb_error *err)
{
    pmapdb_status st;

    out->kind = kind_of(c, numbers);
    out->additive = pm_held_is_additive(c);
    out->unit = base_unit(out, c->unit);
    if (out->kind == PM_FAMILY_NONE)
        return PMAPDB_OK;
    if (out->kind != PM_FAMILY_LABEL)
        return add_metric(out, c, query, err);
    st = is_name_char(c->name[0]) && c->name[0] <= '9' ? pm_buf_addf(&out->name, err, "n")
                                                       : PMAPDB_OK;
    return st == PMAPDB_OK ? add_name(&out->name, pm_text_of(c->name), err) : st;
}

/* ---- values ---- */

bool pm_family_known(const pm_value *v)
{
    return (v->kind == PM_VALUE_INT || v->kind == PM_VALUE_REAL) && !pm_value_unknown(v);
}

/* A real has a point or an exponent, an infinite one its sign and a capital. */
static pmapdb_status add_real(pm_buf *out, double v, pmapdb_error *err)
{
    char text[PM_NUMBER_TEXT];

    if (isinf(v))
        return pm_buf_addf(out, err, "%s", v > 0 ? "+Inf" : "-Inf");
    pm_number_exact(v, text);
    return pm_buf_addf(out, err, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

pmapdb_status pm_family_add_value(pm_buf *out, pm_unit unit, const pm_value *v, pmapdb_error *err)
{
    double real = v->kind == PM_VALUE_INT ? (double)v->i : v->r;
    int64_t bytes;

    switch (unit) {
    case PM_UNIT_KIB:
        if (v->kind == PM_VALUE_INT && !__builtin_mul_overflow(v->i, 1024, &bytes))
            return pm_buf_addf(out, err, "%" PRId64, bytes);
        return add_real(out, real * 1024, err);
    case PM_UNIT_RATE:
        return add_real(out, real * 1024 / 3600, err);
    case PM_UNIT_DURATION:
        return add_real(out, real / 1000, err);
    default:
        if (v->kind == PM_VALUE_INT)
            return pm_buf_addf(out, err, "%" PRId64, v->i);
        return add_real(out, real, err);
    }
}

/* ---- texts ---- */

static pmapdb_status add_escaped(pm_buf *out, pm_text t, const char *quote, pmapdb_error *err)
{
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < t.len && st == PMAPDB_OK; i++) {
        char c = t.data[i];
        const char *as = c == '\n' ? "\\n" : c == '\\' ? "\\\\" : c == '"' ? quote : NULL;

        st = as ? pm_buf_addf(out, err, "%s", as) : pm_buf_add(out, &c, 1, err);
    }
    return st;
}

static pmapdb_status add_repaired(pm_buf *out, pm_text t, const char *quote, pmapdb_error *err)
{
    pm_buf good = {0};
    pmapdb_status st = pm_utf8_repair(t, &good, err);

    if (st == PMAPDB_OK)
        st = add_escaped(out, pm_buf_text(&good), quote, err);
    pm_buf_free(&good);
    return st;
}

pmapdb_status pm_family_add_label(pm_buf *out, pm_text name, pm_text value, pmapdb_error *err)
{
    pmapdb_status st;

    if (!value.len)
        return PMAPDB_OK;
    st = pm_buf_addf(out, err, "%s%.*s=\"", out->len ? "," : "", (int)name.len, name.data);
    if (st == PMAPDB_OK)
        st = add_repaired(out, value, "\\\"", err);
    return st == PMAPDB_OK ? pm_buf_add(out, "\"", 1, err) : st;
}

pmapdb_status pm_family_add_help(pm_buf *out, pm_text help, pmapdb_error *err)
{
    return add_repaired(out, help, "'", err);
}
