/* prometheus: rows as gauges, in a text that OpenMetrics 1.0 and node_exporter's textfile collector
 * (Prometheus' older format) both read. All samples are held, because those of a metric stand
 * together.
 *
 * The type of a column in the query's header says what it is. Text, categories, processes and
 * numbers that only identify are labels; other numbers are gauges in their base unit; a time is a
 * gauge of its age, because the collector refuses samples with times of their own. Snapshots,
 * addresses and sources are left out, because each capture would begin new series.
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
    pm_gauge *column;
    pm_map by_labels; /* hashes of the labels of all rows */
    size_t n_samples;
} gauges;

/* NULL where no column before `end` has the name. */
static const pm_column *find_name(const pm_render *r, pm_text name, size_t end)
{
    const gauges *all = r->state;

    for (size_t i = 0; i < end; i++)
        if (name.len && pm_text_equal(pm_buf_text(&all->column[i].name), name))
            return &r->columns[i];
    return NULL;
}

static void open_prometheus(pm_render *r)
{
    gauges *all = r->state = pm_render_alloc(r, 1, sizeof *all);

    if (all)
        all->column = pm_render_alloc(r, r->n_columns, sizeof *all->column);
    for (size_t i = 0; r->st == PMAPDB_OK && i < r->n_columns; i++)
        if (r->columns[i].unit != PM_UNIT_TEXT)
            pm_gauge_decide(r, &all->column[i], &r->columns[i], false);
}

static void close_prometheus(pm_render *r)
{
    gauges *all = r->state;

    if (!all)
        return;
    for (size_t i = 0; all->column && i < r->n_columns; i++) {
        pm_buf_free(&all->column[i].name);
        pm_buf_free(&all->column[i].samples);
    }
    pm_map_free(&all->by_labels);
    free(all->column);
    free(all);
}

/* ---- rows ---- */

static int64_t now_ms(const pm_render *r)
{
    return r->options.now_ms ? r->options.now_ms : pm_clock_now();
}

/* A real has a point or an exponent; infinity has a sign and a capital. */
static void add_real(pm_buf *out, double v)
{
    char text[PM_NUMBER_TEXT];
    const char *shown = isinf(v) ? v > 0 ? "+Inf" : "-Inf" : text;

    pm_number_exact(v, text);
    pm_buf_addf(out, NULL, "%s%s", shown, strpbrk(shown, ".ef") ? "" : ".0");
}

/* Adds nothing for an unknown value. */
static void add_value(const pm_render *r, pm_buf *out, const pm_measure *is, const pm_value *v)
{
    double real = v->kind == PM_VALUE_INT ? (double)v->i : v->r;
    int64_t i;

    if (is->role == PM_ROLE_AGE) {
        if (v->kind == PM_VALUE_TEXT && pm_clock_parse(v->t, &i))
            add_real(out, (double)(now_ms(r) - i) / 1000);
    } else if (v->kind == PM_VALUE_TEXT || pm_value_unknown(v)) {
        return;
    } else if (v->kind == PM_VALUE_INT && is->down == 1 &&
               !__builtin_mul_overflow(v->i, is->up, &i)) {
        pm_buf_addf(out, NULL, "%" PRId64, i);
    } else {
        add_real(out, real * is->up / is->down);
    }
}

static void add_value_label(pm_buf *out, pm_text name, const pm_value *v)
{
    char text[PM_NUMBER_TEXT] = "";

    if (v->kind == PM_VALUE_INT)
        snprintf(text, sizeof text, "%" PRId64, v->i);
    else if (!pm_value_unknown(v) && v->kind == PM_VALUE_REAL)
        pm_number_exact(v->r, text);
    pm_gauge_label(out, name, v->kind == PM_VALUE_TEXT ? v->t : pm_text_of(text));
}

/* A column takes precedence over an argument with the same name. */
static void add_labels(const pm_render *r, pm_buf *out, const pm_value *values)
{
    const gauges *all = r->state;
    const pm_about *about = pm_gauge_about(r);

    for (size_t i = 0; values && i < r->n_columns; i++)
        if (all->column[i].is.role == PM_ROLE_LABEL)
            add_value_label(out, pm_buf_text(&all->column[i].name), &values[i]);
    for (size_t i = 0; i < about->n_labels; i++)
        if (!values || !find_name(r, about->labels[i].name, r->n_columns))
            pm_gauge_label(out, about->labels[i].name, about->labels[i].value);
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
static void add_sample(pm_render *r, pm_gauge *g, pm_text labels, const pm_value *v)
{
    gauges *all = r->state;
    pm_buf value = {0};

    add_value(r, &value, &g->is, v);
    if (value.len && ++all->n_samples > MOST_SAMPLES)
        r->st = pm_fail(&r->error, PMAPDB_USAGE,
                        "more than %d samples are too many for prometheus: --top N takes the first "
                        "rows",
                        MOST_SAMPLES);
    if (value.len)
        pm_buf_addf(&g->samples, NULL, "%s%s%s%s %s\n", g->name.data, labels.len ? "{" : "",
                    labels.data, labels.len ? "}" : "", value.data);
    g->samples.failed |= value.failed;
    PM_STEP(r->st, pm_buf_status(&g->samples, &r->error));
    pm_buf_free(&value);
}

static void row(pm_render *r, const pm_value *values)
{
    gauges *all = r->state;
    pm_buf labels = {0};

    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++)
        if (!all->column[i].is.role && !pm_value_unknown(&values[i]))
            pm_gauge_decide(r, &all->column[i], &r->columns[i], values[i].kind == PM_VALUE_TEXT);
    add_labels(r, &labels, values);
    PM_STEP(r->st, pm_buf_status(&labels, &r->error));
    if (r->st == PMAPDB_OK)
        refuse_equal_labels(r, pm_buf_text(&labels));
    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++)
        if (all->column[i].is.role >= PM_ROLE_GAUGE)
            add_sample(r, &all->column[i], pm_buf_text(&labels), &values[i]);
    pm_buf_free(&labels);
}

/* ---- the file ---- */

/* A metric without a known value is absent. HELP is one line: the meaning of the column, and the
 * query. */
static void put_metric(pm_render *r, const pm_gauge *g, const char *since, pm_text help)
{
    const char *name = g->name.data;
    pm_text title = pm_gauge_about(r)->title;

    if (!g->samples.len)
        return;
    pm_putf(r, "# TYPE %s gauge\n", name);
    if (*g->is.unit)
        pm_putf(r, "# UNIT %s %s\n", name, g->is.unit);
    pm_putf(r, "# HELP %s %s", name, since);
    pm_gauge_escape(&r->line, help, "'");
    pm_putf(r, title.len ? ". " : "");
    pm_gauge_escape(&r->line, title, "'");
    pm_putf(r, "\n");
    pm_put(r, g->samples.data, g->samples.len);
}

static void put_column(pm_render *r, size_t i)
{
    const pm_gauge *g = &((const gauges *)r->state)->column[i];
    const pm_column *same = find_name(r, pm_buf_text(&g->name), i);
    const pm_text *help = pm_gauge_about(r)->help;

    if (same)
        r->st = pm_fail(&r->error, PMAPDB_USAGE,
                        "the columns '%s' and '%s' are both '%s' in prometheus", same->name,
                        r->columns[i].name, g->name.data);
    else
        put_metric(r, g, g->is.role == PM_ROLE_AGE ? "Seconds since then: " : "",
                   help && help[i].len ? help[i] : pm_text_of(r->columns[i].name));
}

/* True if a column has the time of the row. */
static bool has_moment(const pm_render *r)
{
    for (size_t i = 0; i < r->n_columns; i++)
        if (pm_text_listed(pm_text_of(r->columns[i].name), " taken_at last_at to_at "))
            return true;
    return false;
}

/* Without a time column, the age of the snapshot is a gauge with one sample. */
static void put_age(pm_render *r)
{
    const pm_column when = {"taken_at", PM_UNIT_TIME};
    pm_gauge age = {0};
    pm_buf labels = {0};

    if (!pm_gauge_about(r)->moment_ms || r->n_rows == 0 || has_moment(r))
        return;
    pm_gauge_decide(r, &age, &when, false);
    add_labels(r, &labels, NULL);
    pm_buf_addf(&age.samples, NULL, "%s%s%s%s %.3f\n", pm_buf_text(&age.name).data,
                labels.len ? "{" : "", pm_buf_text(&labels).data, labels.len ? "}" : "",
                (double)(now_ms(r) - pm_gauge_about(r)->moment_ms) / 1000);
    PM_STEP(r->st, pm_buf_status(&labels, &r->error));
    PM_STEP(r->st, pm_buf_status(&age.samples, &r->error));
    if (r->st == PMAPDB_OK)
        put_metric(r, &age, "", PM_TEXT("Seconds since the snapshot"));
    pm_buf_free(&labels);
    pm_buf_free(&age.name);
    pm_buf_free(&age.samples);
}

static void end(pm_render *r)
{
    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++)
        put_column(r, i);
    if (r->st == PMAPDB_OK)
        put_age(r);
    pm_putf(r, "# EOF\n");
    PM_STEP(r->st, pm_buf_status(&r->line, &r->error));
}

const pm_render_ops pm_render_prometheus = {
    .open = open_prometheus, .close = close_prometheus, .row = row, .end = end};
