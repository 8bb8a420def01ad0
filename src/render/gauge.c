/* gauge: names and labels of Prometheus' samples. */
#include "render/gauge.h"
#include "base/utf8.h"
#include "render/number.h"

#include <inttypes.h>
#include <stdio.h>

/* Numbers that only identify. */
static bool is_identity(pm_text name)
{
    return pm_text_ends(name, PM_TEXT("_id")) || pm_text_ends(name, PM_TEXT("pid")) ||
           pm_text_starts(name, PM_TEXT("pid_")) || pm_text_equal(name, PM_TEXT("inode"));
}

static pm_role role_of(const pm_column *c, const pm_held_kinds *kinds)
{
    pm_text name = pm_text_of(c->name);

    switch (c->unit) {
    case PM_UNIT_SNAPSHOT:
    case PM_UNIT_ADDRESS:
        return PM_ROLE_NEITHER;
    case PM_UNIT_TIME:
        return PM_ROLE_AGE;
    case PM_UNIT_CATEGORY:
    case PM_UNIT_PROCESS:
    case PM_UNIT_LINEAGE:
        return PM_ROLE_LABEL;
    case PM_UNIT_TEXT:
        if (pm_text_equal(name, PM_TEXT("source")))
            return PM_ROLE_NEITHER;
        if (kinds->text || !kinds->number)
            return PM_ROLE_LABEL;
        break;
    default:
        break;
    }
    if (pm_text_equal(name, PM_TEXT("ts")))
        return PM_ROLE_AGE;
    return is_identity(name) ? PM_ROLE_LABEL : PM_ROLE_GAUGE;
}

static const char *base_unit(const pm_column *c, pm_role role)
{
    if (role == PM_ROLE_AGE || c->unit == PM_UNIT_DURATION)
        return "seconds";
    return c->unit == PM_UNIT_KIB     ? "bytes"
           : c->unit == PM_UNIT_RATE  ? "bytes_per_second"
           : c->unit == PM_UNIT_RATIO ? "ratio"
                                      : "";
}

static void add(pm_render *r, pm_buf *out, const char *bytes, size_t n)
{
    if (r->st == PMAPDB_OK)
        r->st = pm_buf_add(out, bytes, n, &r->error);
}

static void add_word(pm_render *r, pm_buf *out, const char *word)
{
    add(r, out, word, strlen(word));
}

static bool is_name_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Appends the letters and digits of t, and one underscore for each run of other bytes between them.
 * Names that begin with an underscore are reserved. */
static void add_name(pm_render *r, pm_buf *out, pm_text t)
{
    size_t begin = out->len;

    for (size_t i = 0; i < t.len; i++) {
        if (!is_name_char(t.data[i]))
            continue;
        if (out->len > begin && !is_name_char(t.data[i - 1]))
            add_word(r, out, "_");
        add(r, out, t.data + i, 1);
    }
    if (out->len == begin)
        add_word(r, out, "column");
}

static bool cut_end(pm_text *t, const char *end)
{
    pm_text tail = pm_text_of(end);

    if (t->len <= tail.len || !pm_text_ends(*t, tail))
        return false;
    t->len -= tail.len;
    return true;
}

/* Appends the name of the column without its unit, because the base unit ends the name of the
 * metric. */
static void add_stem(pm_render *r, pm_buf *out, const pm_column *c)
{
    pm_text t = pm_text_of(c->name);
    const char *kib = c->unit == PM_UNIT_KIB ? strstr(c->name, "_kib_") : NULL;
    bool per_hour = cut_end(&t, "_per_h");

    if (kib) { /* rss_kib_delta -> rss_delta */
        add_name(r, out, (pm_text){t.data, (size_t)(kib - t.data)});
        add_word(r, out, "_");
        t = pm_text_from(t, (size_t)(kib - t.data) + 5);
    }
    if (c->unit == PM_UNIT_KIB || c->unit == PM_UNIT_RATE)
        cut_end(&t, "_kib");
    if (c->unit == PM_UNIT_DURATION && !cut_end(&t, "_ms"))
        cut_end(&t, "_h");
    add_name(r, out, t);
    if (per_hour && c->unit != PM_UNIT_RATE)
        add_word(r, out, "_per_hour");
}

static void name_metric(pm_render *r, pm_gauge *m, const pm_column *c)
{
    pm_text query = r->options.about ? r->options.about->name : PM_TEXT(""),
            name = pm_text_of(c->name);

    add_word(r, &m->name, "pmapdb_");
    if (query.len) {
        add_name(r, &m->name, query);
        add_word(r, &m->name, "_");
    }
    if (m->role == PM_ROLE_AGE) {
        if (!cut_end(&name, "_at"))
            cut_end(&name, "_ms");
        if (!pm_text_equal(name, PM_TEXT("taken")) && !pm_text_equal(name, PM_TEXT("ts"))) {
            add_name(r, &m->name, name);
            add_word(r, &m->name, "_");
        }
        add_word(r, &m->name, "age");
    } else {
        add_stem(r, &m->name, c);
    }
    if (*m->unit && !pm_text_ends(pm_buf_text(&m->name), pm_text_of(m->unit))) {
        add_word(r, &m->name, "_");
        add_word(r, &m->name, m->unit);
    }
}

void pm_gauge_add_help(pm_render *r, pm_buf *out, pm_text t, const char *quote)
{
    pm_buf good = {0};

    if (r->st == PMAPDB_OK)
        r->st = pm_utf8_repair(t, &good, &r->error);
    for (size_t i = 0; i < good.len; i++) {
        char c = good.data[i];

        if (c == '\n' || c == '\\' || c == '"')
            add_word(r, out, c == '\n' ? "\\n" : c == '\\' ? "\\\\" : quote);
        else
            add(r, out, &c, 1);
    }
    pm_buf_free(&good);
}

void pm_gauge_add_label(pm_render *r, pm_buf *out, pm_text name, pm_text value)
{
    if (!value.len)
        return;
    add(r, out, ",", out->len > 0);
    add(r, out, name.data, name.len);
    add_word(r, out, "=\"");
    pm_gauge_add_help(r, out, value, "\\\"");
    add_word(r, out, "\"");
}

void pm_gauge_add_value_label(pm_render *r, pm_buf *out, pm_text name, const pm_value *v)
{
    char text[PM_NUMBER_TEXT];

    if (pm_value_unknown(v))
        return;
    if (v->kind == PM_VALUE_INT)
        snprintf(text, sizeof text, "%" PRId64, v->i);
    else if (v->kind == PM_VALUE_REAL)
        pm_number_exact(v->r, text);
    pm_gauge_add_label(r, out, name, v->kind == PM_VALUE_TEXT ? v->t : pm_text_of(text));
}

void pm_gauge_name(pm_render *r, const pm_column *c, const pm_held_kinds *kinds, pm_gauge *out)
{
    out->role = role_of(c, kinds);
    out->unit = base_unit(c, out->role);
    if (out->role == PM_ROLE_LABEL) {
        if (c->name[0] >= '0' && c->name[0] <= '9')
            add_word(r, &out->name, "n");
        add_name(r, &out->name, pm_text_of(c->name));
    } else if (out->role != PM_ROLE_NEITHER) {
        name_metric(r, out, c);
    }
}
