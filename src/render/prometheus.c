/* prometheus: rows as gauges, in a text that OpenMetrics 1.0 and node_exporter's textfile collector
 * (Prometheus' older format) both read. Holds every row back: a family's samples stand together.
 *
 * A gauge says how things are: of rows that carry the moment they were taken at, only the newest of
 * each process count. Rows that then differ in no label are added up where that means something
 * (KiB, counts), and refused where it does not. The moment itself is a gauge of its own, the age:
 * samples with times of their own are refused by the collector. */
#include "base/clock.h"
#include "render/format.h"
#include "render/gauges.h"
#include "render/held.h"

#include <stdlib.h>

#define MOST_SAMPLES 10000 /* more in one file is a mistake that somebody pays for in memory */

static pmapdb_status open_prometheus(pm_render *r, pmapdb_error *err)
{
    pm_gauges *g = r->state = calloc(1, sizeof *g);
    pmapdb_status st;

    if (!g)
        return pm_fail_nomem(err);
    st = pm_gauges_open(g, r->columns, r->n_columns, err);
    if (r->options.about) {
        g->labels = r->options.about->labels;
        g->n_labels = r->options.about->n_labels;
    }
    return st;
}

static void close_prometheus(pm_render *r)
{
    if (r->state)
        pm_gauges_close(r->state);
    free(r->state);
}

static pmapdb_status row(pm_render *r, const pm_value *values, pmapdb_error *err)
{
    return pm_gauges_add(r->state, values, err);
}

/* ---- what the columns are ---- */

static pmapdb_status refuse_equal_names(const pm_render *r, pmapdb_error *err)
{
    const pm_gauges *g = r->state;

    for (size_t i = 0; i < r->n_columns; i++)
        for (size_t k = 0; k < i; k++) {
            const pm_family *a = &g->families[k], *b = &g->families[i];

            if (a->name.len && pm_text_equal(pm_buf_text(&a->name), pm_buf_text(&b->name)))
                return pm_fail(err, PMAPDB_USAGE,
                               "the columns '%s' and '%s' are both '%s' in prometheus",
                               r->columns[k].name, r->columns[i].name, a->name.data);
        }
    return PMAPDB_OK;
}

static pmapdb_status find_families(pm_render *r, pmapdb_error *err)
{
    pm_gauges *g = r->state;
    pm_text query = r->options.about ? r->options.about->name : PM_TEXT("");
    pmapdb_status st = PMAPDB_OK;

    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++)
        st = pm_family_of(&r->columns[i], query, g->has_number[i] && !g->has_text[i],
                          &g->families[i], err);
    return st == PMAPDB_OK ? refuse_equal_names(r, err) : st;
}

/* ---- the text ---- */

static bool value_of(const pm_render *r, const pm_gauge_line *l, size_t column, pm_value *out)
{
    const pm_gauges *g = r->state;
    int64_t ms, now = r->options.now_ms ? r->options.now_ms : pm_clock_now();

    *out = l->values[column];
    if (g->families[column].kind != PM_FAMILY_AGE)
        return pm_family_known(out);
    if (!pm_held_moment(out, &ms))
        return false;
    *out = (pm_value){.kind = PM_VALUE_REAL, .r = (double)(now - ms) / 1000};
    return true;
}

static pmapdb_status refuse_too_many(const pm_render *r, pmapdb_error *err)
{
    const pm_gauges *g = r->state;
    size_t samples = 0;
    pm_value v;

    for (size_t i = 0; i < r->n_columns; i++)
        for (size_t k = 0; k < g->n; k++)
            samples += g->families[i].kind >= PM_FAMILY_GAUGE && value_of(r, &g->lines[k], i, &v);
    if (samples <= MOST_SAMPLES)
        return PMAPDB_OK;
    return pm_fail(err, PMAPDB_USAGE,
                   "%zu samples from %zu rows are too many for prometheus, which gets at most %d: "
                   "--top N takes the first rows",
                   samples, g->n, MOST_SAMPLES);
}

/* TYPE, UNIT, HELP: what the column is, of which query. */
static pmapdb_status write_head(pm_render *r, size_t column, pmapdb_error *err)
{
    const pm_gauges *g = r->state;
    const pm_family *f = &g->families[column];
    const pm_about *about = r->options.about;
    pm_text help = about && about->help ? about->help[column] : PM_TEXT("");
    pm_buf *out = &r->line;
    pmapdb_status st = pm_buf_addf(out, err, "# TYPE %s gauge\n", f->name.data);

    if (st == PMAPDB_OK && *f->unit)
        st = pm_buf_addf(out, err, "# UNIT %s %s\n", f->name.data, f->unit);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(out, err, "# HELP %s %s", f->name.data,
                         f->kind == PM_FAMILY_AGE ? "Seconds since then: " : "");
    if (st == PMAPDB_OK)
        st = pm_family_add_help(out, help.len ? help : pm_text_of(r->columns[column].name), err);
    if (st == PMAPDB_OK && about && about->title.len) {
        st = pm_buf_addf(out, err, ". ");
        if (st == PMAPDB_OK)
            st = pm_family_add_help(out, about->title, err);
    }
    return st == PMAPDB_OK ? pm_buf_add(out, "\n", 1, err) : st;
}

static pmapdb_status write_sample(pm_render *r, size_t column, const pm_gauge_line *l,
                                  const pm_value *v, pmapdb_error *err)
{
    const pm_gauges *g = r->state;
    const pm_family *f = &g->families[column];
    pm_unit unit = f->kind == PM_FAMILY_AGE ? PM_UNIT_REAL : r->columns[column].unit;
    pmapdb_status st = pm_buf_add(&r->line, f->name.data, f->name.len, err);

    if (st == PMAPDB_OK && l->key.len) {
        st = pm_buf_add(&r->line, "{", 1, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(&r->line, l->key.data, l->key.len, err);
        if (st == PMAPDB_OK)
            st = pm_buf_add(&r->line, "}", 1, err);
    }
    if (st == PMAPDB_OK)
        st = pm_buf_add(&r->line, " ", 1, err);
    if (st == PMAPDB_OK)
        st = pm_family_add_value(&r->line, unit, v, err);
    return st == PMAPDB_OK ? pm_buf_add(&r->line, "\n", 1, err) : st;
}

/* A family without a known value is not there. */
static pmapdb_status write_family(pm_render *r, size_t column, pmapdb_error *err)
{
    const pm_gauges *g = r->state;
    bool begun = false;
    pm_value v;
    pmapdb_status st = PMAPDB_OK;

    if (g->families[column].kind < PM_FAMILY_GAUGE)
        return PMAPDB_OK;
    for (size_t k = 0; k < g->n && st == PMAPDB_OK; k++) {
        if (!value_of(r, &g->lines[k], column, &v))
            continue;
        if (!begun)
            st = write_head(r, column, err);
        begun = true;
        if (st == PMAPDB_OK)
            st = write_sample(r, column, &g->lines[k], &v, err);
        if (st == PMAPDB_OK)
            st = pm_render_flush(r, err);
    }
    return st;
}

/* Rows of one snapshot do not say when it was: its age is a gauge of one sample. */
static pmapdb_status write_age(pm_render *r, pmapdb_error *err)
{
    const pm_column when = {"taken_at", PM_UNIT_TIME};
    const pm_gauges *g = r->state;
    const pm_about *about = r->options.about;
    int64_t now = r->options.now_ms ? r->options.now_ms : pm_clock_now();
    pm_gauge_line line = {0};
    pm_family age = {0};
    pm_buf *out = &r->line;
    pmapdb_status st;

    if (!about || !about->moment_ms || g->moment < g->n_columns || g->n == 0)
        return PMAPDB_OK;
    st = pm_family_of(&when, about->name, false, &age, err);
    for (size_t i = 0; i < about->n_labels && st == PMAPDB_OK; i++)
        st = pm_family_add_label(&line.key, about->labels[i].name, about->labels[i].value, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(
            out, err, "# TYPE %s gauge\n# UNIT %s seconds\n# HELP %s Seconds since the snapshot\n",
            age.name.data, age.name.data, age.name.data);
    if (st == PMAPDB_OK)
        st =
            pm_buf_addf(out, err, line.key.len ? "%s{%s} %.3f\n" : "%s%s %.3f\n", age.name.data,
                        line.key.len ? line.key.data : "", (double)(now - about->moment_ms) / 1000);
    pm_buf_free(&line.key);
    pm_buf_free(&age.name);
    return st == PMAPDB_OK ? pm_render_flush(r, err) : st;
}

static pmapdb_status end(pm_render *r, pmapdb_error *err)
{
    pm_gauges *g = r->state;
    size_t top = r->options.top;
    pmapdb_status st = find_families(r, err);

    if (st == PMAPDB_OK)
        st = pm_gauges_keep_newest(g, err);
    if (st == PMAPDB_OK)
        st = pm_gauges_merge(g, err);
    if (st == PMAPDB_OK && top && g->n > top) {
        r->n_left_out = g->n - top;
        pm_gauges_cut(g, top);
    }
    if (st == PMAPDB_OK)
        st = refuse_too_many(r, err);
    for (size_t i = 0; i < r->n_columns && st == PMAPDB_OK; i++)
        st = write_family(r, i, err);
    if (st == PMAPDB_OK)
        st = write_age(r, err);
    if (st == PMAPDB_OK)
        st = pm_buf_addf(&r->line, err, "# EOF\n");
    return st == PMAPDB_OK ? pm_render_flush(r, err) : st;
}

const pm_render_ops pm_render_prometheus = {
    .open = open_prometheus,
    .close = close_prometheus,
    .row = row,
    .end = end,
    .own_top = true,
};
