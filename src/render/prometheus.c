/* prometheus: rows as gauges, in a text that OpenMetrics 1.0 and node_exporter's textfile collector
 * (Prometheus' older format) both read. All samples are held, because those of a metric stand
 * together.
 *
 * A gauge says how things are now. Two rows with equal labels are refused: choosing the newest, or
 * adding them up, is the query's. */
#include "base/clock/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/utf8.h"
#include "render/gauge.h"
#include "render/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_SAMPLES 10000 /* more cost the server memory, and are a mistake */

typedef struct gauges {
    pm_gauge *columns;
    pm_buf *samples;  /* one per column: its lines */
    pm_map by_labels; /* hashes of the labels of all rows */
    size_t n_samples;
} gauges;

/* NULL where no column before `end` has the name. */
static const pm_column *find_name(const pm_render *r, pm_text name, size_t end)
{
    const gauges *all = r->state;

    for (size_t i = 0; i < end; i++)
        if (name.len && pm_text_equal(pm_buf_text(&all->columns[i].name), name))
            return &r->columns[i];
    return NULL;
}

static void refuse_equal_names(pm_render *r)
{
    gauges *all = r->state;

    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++) {
        const pm_buf *name = &all->columns[i].name;
        const pm_column *same = find_name(r, pm_buf_text(name), i);

        if (same)
            r->st = pm_fail(&r->error, PMAPDB_USAGE,
                            "the columns '%s' and '%s' are both '%s' in prometheus", same->name,
                            r->columns[i].name, name->data);
    }
}

/* ---- rows ---- */

/* True if a column has the time of the row. */
static bool has_moment(const pm_render *r)
{
    static const char *const names[] = {"taken_at", "ts", "last_at", "to_at"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < r->n_columns; i++)
            if (strcmp(r->columns[i].name, names[k]) == 0)
                return true;
    return false;
}

static void open_prometheus(pm_render *r)
{
    gauges *all = r->state = pm_render_alloc(r, 1, sizeof *all);

    if (!all)
        return;
    all->columns = pm_render_alloc(r, r->n_columns, sizeof *all->columns);
    all->samples = pm_render_alloc(r, r->n_columns, sizeof *all->samples);
    for (size_t i = 0; r->st == PMAPDB_OK && i < r->n_columns; i++)
        if (r->columns[i].unit != PM_UNIT_TEXT)
            pm_gauge_name(r, &all->columns[i], &r->columns[i], false);
}

static void close_prometheus(pm_render *r)
{
    gauges *all = r->state;

    if (!all)
        return;
    for (size_t i = 0; i < r->n_columns; i++) {
        if (all->columns)
            pm_buf_free(&all->columns[i].name);
        if (all->samples)
            pm_buf_free(&all->samples[i]);
    }
    pm_map_free(&all->by_labels);
    free(all->samples);
    free(all->columns);
    free(all);
}

/* The moment of an ISO time, or of seconds since 1970. */
static bool moment_of(const pm_value *v, int64_t *ms)
{
    double seconds = v->kind == PM_VALUE_INT ? (double)v->i : v->r;

    if (v->kind == PM_VALUE_TEXT)
        return pm_clock_parse(v->t, ms);
    if (v->kind == PM_VALUE_NULL || !(fabs(seconds) < 1e12))
        return false;
    *ms = llround(seconds * 1000);
    return true;
}

static int64_t now_ms(const pm_render *r)
{
    return r->options.now_ms ? r->options.now_ms : pm_clock_now();
}

/* A real has a point or an exponent; infinity has a sign and a capital. */
static void add_real(pm_render *r, pm_buf *out, double v)
{
    char text[PM_NUMBER_TEXT];
    const char *shown = isinf(v) ? v > 0 ? "+Inf" : "-Inf" : text;

    pm_number_exact(v, text);
    PM_STEP(r->st, pm_buf_addf(out, &r->error, "%s%s", shown, strpbrk(shown, ".ef") ? "" : ".0"));
}

/* Adds nothing for an unknown value. */
static void add_value(pm_render *r, pm_buf *out, const pm_measure *is, const pm_value *v)
{
    double real = v->kind == PM_VALUE_INT ? (double)v->i : v->r;
    int64_t i;

    if (is->role == PM_ROLE_AGE) {
        if (moment_of(v, &i))
            add_real(r, out, (double)(now_ms(r) - i) / 1000);
    } else if (v->kind == PM_VALUE_TEXT || pm_value_unknown(v)) {
        return;
    } else if (v->kind == PM_VALUE_INT && is->down == 1 &&
               !__builtin_mul_overflow(v->i, is->up, &i)) {
        PM_STEP(r->st, pm_buf_addf(out, &r->error, "%" PRId64, i));
    } else {
        add_real(r, out, real * is->up / is->down);
    }
}

static void add_value_label(pm_render *r, pm_buf *out, pm_text name, const pm_value *v)
{
    char text[PM_NUMBER_TEXT];

    if (pm_value_unknown(v))
        return;
    if (v->kind == PM_VALUE_INT)
        snprintf(text, sizeof text, "%" PRId64, v->i);
    else if (v->kind == PM_VALUE_REAL)
        pm_number_exact(v->r, text);
    pm_gauge_label(r, out, name, v->kind == PM_VALUE_TEXT ? v->t : pm_text_of(text));
}

/* A column takes precedence over an argument with the same name. */
static void add_labels(pm_render *r, pm_buf *out, const pm_value *values)
{
    const gauges *all = r->state;
    const pm_about *about = pm_gauge_about(r);

    for (size_t i = 0; i < r->n_columns; i++)
        if (all->columns[i].is.role == PM_ROLE_LABEL)
            add_value_label(r, out, pm_buf_text(&all->columns[i].name), &values[i]);
    for (size_t i = 0; i < about->n_labels; i++)
        if (!find_name(r, about->labels[i].name, r->n_columns))
            pm_gauge_label(r, out, about->labels[i].name, about->labels[i].value);
}

static void refuse_equal_labels(pm_render *r, pm_text labels)
{
    gauges *all = r->state;
    uint64_t hash = pm_hash(labels.data, labels.len);
    int64_t before;

    if (pm_map_get(&all->by_labels, hash, &before))
        PM_STEP(r->st,
                pm_fail(&r->error, PMAPDB_USAGE,
                        "two rows have the labels {%.*s}: prometheus shows one moment, and needs a "
                        "column that tells rows apart, or GROUP BY in the query",
                        (int)pm_utf8_head(labels, 200).len, labels.data));
    PM_STEP(r->st, pm_map_put(&all->by_labels, hash, 0, &r->error));
}

/* Adds NAME{LABELS} VALUE; nothing for an unknown value. */
static void add_sample(pm_render *r, size_t column, pm_text labels, const pm_value *v)
{
    gauges *all = r->state;
    const pm_gauge *g = &all->columns[column];
    pm_buf value = {0};

    add_value(r, &value, &g->is, v);
    if (value.len && ++all->n_samples > MOST_SAMPLES)
        r->st = pm_fail(&r->error, PMAPDB_USAGE,
                        "more than %d samples are too many for prometheus: --top N takes the first "
                        "rows",
                        MOST_SAMPLES);
    if (value.len)
        PM_STEP(r->st,
                pm_buf_addf(&all->samples[column], &r->error, "%s%s%s%s %s\n", g->name.data,
                            labels.len ? "{" : "", labels.data, labels.len ? "}" : "", value.data));
    pm_buf_free(&value);
}

static void row(pm_render *r, const pm_value *values)
{
    gauges *all = r->state;
    pm_buf labels = {0};

    for (size_t i = 0; i < r->n_columns; i++)
        if (!all->columns[i].known && !pm_value_unknown(&values[i]))
            pm_gauge_name(r, &all->columns[i], &r->columns[i], values[i].kind == PM_VALUE_TEXT);
    add_labels(r, &labels, values);
    refuse_equal_labels(r, pm_buf_text(&labels));
    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++)
        if (all->columns[i].is.role >= PM_ROLE_GAUGE)
            add_sample(r, i, pm_buf_text(&labels), &values[i]);
    pm_buf_free(&labels);
}

/* ---- the file ---- */

/* HELP is one line: the meaning of the column, and the query. */
static void put_head(pm_render *r, const pm_gauge *g, const char *since, pm_text help)
{
    const char *name = g->name.data;
    pm_text title = pm_gauge_about(r)->title;

    pm_putf(r, "# TYPE %s gauge\n", name);
    if (*g->is.unit)
        pm_putf(r, "# UNIT %s %s\n", name, g->is.unit);
    pm_putf(r, "# HELP %s %s", name, since);
    pm_gauge_escape(r, &r->line, help, "'");
    if (title.len) {
        pm_putf(r, ". ");
        pm_gauge_escape(r, &r->line, title, "'");
    }
    pm_putf(r, "\n");
}

/* A metric without a known value is absent. */
static void put_metric(pm_render *r, size_t column)
{
    const gauges *all = r->state;
    const pm_gauge *g = &all->columns[column];
    pm_text help = pm_gauge_about(r)->help ? pm_gauge_about(r)->help[column] : PM_TEXT("");

    if (!all->samples[column].len)
        return;
    put_head(r, g, g->is.role == PM_ROLE_AGE ? "Seconds since then: " : "",
             help.len ? help : pm_text_of(r->columns[column].name));
    pm_put(r, all->samples[column].data, all->samples[column].len);
}

/* Without a time column, the age of the snapshot is a gauge with one sample. */
static void put_age(pm_render *r)
{
    const pm_column when = {"taken_at", PM_UNIT_TIME};
    const pm_about *about = pm_gauge_about(r);
    pm_gauge age = {0};
    pm_buf labels = {0};

    if (!about->moment_ms || r->n_rows == 0 || has_moment(r))
        return;
    pm_gauge_name(r, &age, &when, false);
    for (size_t i = 0; i < about->n_labels; i++)
        pm_gauge_label(r, &labels, about->labels[i].name, about->labels[i].value);
    if (r->st == PMAPDB_OK) {
        put_head(r, &age, "", PM_TEXT("Seconds since the snapshot"));
        pm_putf(r, "%s", age.name.data);
        if (labels.len) {
            pm_put(r, "{", 1);
            pm_put(r, labels.data, labels.len);
            pm_put(r, "}", 1);
        }
        pm_putf(r, " %.3f\n", (double)(now_ms(r) - about->moment_ms) / 1000);
    }
    pm_buf_free(&labels);
    pm_buf_free(&age.name);
}

static void end(pm_render *r)
{
    refuse_equal_names(r);
    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++)
        put_metric(r, i);
    if (r->st == PMAPDB_OK)
        put_age(r);
    pm_putf(r, "# EOF\n");
}

const pm_render_ops pm_render_prometheus = {
    .open = open_prometheus,
    .close = close_prometheus,
    .row = row,
    .end = end,
};
