/* prometheus: rows as gauges, in a text that OpenMetrics 1.0 and node_exporter's textfile collector
 * (the older format of Prometheus) both read. Keeps every row, because the samples of a metric must
 * be adjacent.
 *
 * A gauge is a current value: of rows with equal labels the newest counts. Two such rows of one
 * moment are refused: the query can add them up with GROUP BY. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/utf8.h"
#include "render/gauge.h"
#include "render/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MOST_SAMPLES 10000 /* more cost the server memory, and are a mistake */

typedef struct sample_row {
    pm_value *values;
    pm_buf labels;
    int64_t moment; /* or PMAPDB_UNKNOWN */
    bool old;       /* there is a newer row with the same labels */
} sample_row;

typedef struct gauges {
    pm_gauge *metrics;    /* one per column */
    pm_held_kinds *kinds; /* likewise */
    size_t when;          /* the column of the row's moment, or n_columns */
    sample_row *rows;
    size_t n, cap, n_samples;
} gauges;

/* ---- columns ---- */

/* The column with the time of the row. */
static size_t moment_column(const pm_render *r)
{
    static const char *const names[] = {"taken_at", "ts", "last_at", "to_at"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < r->n_columns; i++)
            if (strcmp(r->columns[i].name, names[k]) == 0)
                return i;
    return r->n_columns;
}

static void open_prometheus(pm_render *r)
{
    gauges *g = r->state = pm_render_alloc(r, 1, sizeof *g);

    if (!g)
        return;
    g->metrics = pm_render_alloc(r, r->n_columns, sizeof *g->metrics);
    g->kinds = pm_render_alloc(r, r->n_columns, sizeof *g->kinds);
    g->when = moment_column(r);
}

static void close_prometheus(pm_render *r)
{
    gauges *g = r->state;

    if (!g)
        return;
    for (size_t i = 0; i < g->n; i++) {
        free(g->rows[i].values);
        pm_buf_free(&g->rows[i].labels);
    }
    for (size_t i = 0; g->metrics && i < r->n_columns; i++)
        pm_buf_free(&g->metrics[i].name);
    free(g->rows);
    free(g->metrics);
    free(g->kinds);
    free(g);
}

static void name_columns(pm_render *r)
{
    gauges *g = r->state;

    for (size_t i = 0; i < r->n_columns && r->st == PMAPDB_OK; i++) {
        const pm_gauge *m = &g->metrics[i];

        pm_gauge_name(r, &r->columns[i], &g->kinds[i], &g->metrics[i]);
        for (size_t k = 0; k < i && r->st == PMAPDB_OK; k++)
            if (m->name.len &&
                pm_text_equal(pm_buf_text(&g->metrics[k].name), pm_buf_text(&m->name)))
                r->st = pm_fail(&r->error, PMAPDB_USAGE,
                                "the columns '%s' and '%s' are both '%s' in prometheus",
                                r->columns[k].name, r->columns[i].name, m->name.data);
    }
}

/* ---- labels ---- */

/* A column takes precedence over an argument with the same name. */
static bool is_column(const pm_render *r, pm_text label)
{
    const gauges *g = r->state;

    for (size_t i = 0; i < r->n_columns; i++)
        if (g->metrics[i].role == PM_ROLE_LABEL &&
            pm_text_equal(pm_buf_text(&g->metrics[i].name), label))
            return true;
    return false;
}

static void add_labels(pm_render *r, sample_row *row)
{
    const gauges *g = r->state;
    const pm_about *about = r->options.about;

    for (size_t i = 0; i < r->n_columns; i++)
        if (g->metrics[i].role == PM_ROLE_LABEL)
            pm_gauge_add_value_label(r, &row->labels, pm_buf_text(&g->metrics[i].name),
                                     &row->values[i]);
    for (size_t i = 0; about && i < about->n_labels; i++)
        if (!is_column(r, about->labels[i].name))
            pm_gauge_add_label(r, &row->labels, about->labels[i].name, about->labels[i].value);
}

/* ---- rows ---- */

/* Copies the values and their texts into one allocation; NULL if memory runs out. */
static pm_value *copy_values(const pm_value *values, size_t n)
{
    size_t bytes = n * sizeof *values;
    pm_value *copy;
    char *text;

    for (size_t i = 0; i < n; i++)
        bytes += values[i].kind == PM_VALUE_TEXT ? values[i].t.len : 0;
    copy = malloc(bytes);
    if (!copy)
        return NULL;
    memcpy(copy, values, n * sizeof *values);
    text = (char *)(copy + n);
    for (size_t i = 0; i < n; i++) {
        if (values[i].kind != PM_VALUE_TEXT)
            continue;
        copy[i].t.data = text;
        if (values[i].t.len)
            text = mempcpy(text, values[i].t.data, values[i].t.len);
    }
    return copy;
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

static void row(pm_render *r, const pm_value *values)
{
    gauges *g = r->state;
    sample_row new = {.values = copy_values(values, r->n_columns), .moment = PMAPDB_UNKNOWN};

    if (new.values)
        r->st = pm_grow(&g->rows, &g->cap, g->n, sizeof *g->rows, &r->error);
    else
        r->st = pm_fail_nomem(&r->error);
    if (r->st != PMAPDB_OK) {
        free(new.values);
        return;
    }
    for (size_t i = 0; i < r->n_columns; i++)
        pm_note_kinds(&g->kinds[i], &values[i]);
    if (g->when < r->n_columns)
        moment_of(&values[g->when], &new.moment);
    g->rows[g->n++] = new;
}

typedef struct same_labels {
    const gauges *g;
    pm_text labels;
} same_labels;

/* The newer row takes the place of the first; the other one is marked as old. */
static void keep_newer(sample_row *first, sample_row *second)
{
    sample_row older = first->moment < second->moment ? *first : *second;

    if (first->moment < second->moment)
        *first = *second;
    *second = older;
    second->old = true;
}

static bool has_labels(const void *wanted, int64_t row)
{
    const same_labels *same = wanted;

    return pm_text_equal(pm_buf_text(&same->g->rows[row].labels), same->labels);
}

/* Of rows with equal labels only the newest counts. */
static void drop_old_rows(pm_render *r)
{
    gauges *g = r->state;
    pm_map rows = {0};
    int64_t at;

    for (size_t i = 0; i < g->n && r->st == PMAPDB_OK; i++) {
        same_labels same = {g, pm_buf_text(&g->rows[i].labels)};
        uint64_t hash = pm_hash(same.labels.data, same.labels.len);

        if (!pm_map_find(&rows, hash, has_labels, &same, &at))
            r->st = pm_map_add(&rows, hash, (int64_t)i, &r->error);
        else if (g->rows[at].moment == g->rows[i].moment)
            r->st = pm_fail(&r->error, PMAPDB_USAGE,
                            "two rows have the labels {%.*s}: prometheus needs a column that tells "
                            "them apart, or GROUP BY in the query",
                            (int)pm_utf8_head(same.labels, 200).len, same.labels.data);
        else
            keep_newer(&g->rows[at], &g->rows[i]);
    }
    pm_map_free(&rows);
}

/* ---- the text ---- */

static int64_t now_ms(const pm_render *r)
{
    return r->options.now_ms ? r->options.now_ms : pm_clock_now();
}

static bool is_known(const pm_gauge *m, const pm_value *v)
{
    int64_t ms;

    if (m->role == PM_ROLE_AGE)
        return moment_of(v, &ms);
    return (v->kind == PM_VALUE_INT || v->kind == PM_VALUE_REAL) && !pm_value_unknown(v);
}

/* A real has a point or an exponent; infinity has a sign and a capital. */
static void put_real(pm_render *r, double v)
{
    char text[PM_NUMBER_TEXT];

    pm_number_exact(v, text);
    if (isinf(v))
        pm_putf(r, v > 0 ? "+Inf" : "-Inf");
    else
        pm_putf(r, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void put_value(pm_render *r, const pm_gauge *m, pm_unit unit, const pm_value *v)
{
    double real = v->kind == PM_VALUE_INT ? (double)v->i : v->r;
    int64_t i = v->i;

    if (m->role == PM_ROLE_AGE && moment_of(v, &i))
        put_real(r, (double)(now_ms(r) - i) / 1000);
    else if (unit == PM_UNIT_RATE)
        put_real(r, real * 1024 / 3600);
    else if (unit == PM_UNIT_DURATION)
        put_real(r, real / 1000);
    else if (v->kind == PM_VALUE_INT &&
             !(unit == PM_UNIT_KIB && __builtin_mul_overflow(v->i, 1024, &i)))
        pm_putf(r, "%" PRId64, i);
    else
        put_real(r, unit == PM_UNIT_KIB ? real * 1024 : real);
}

/* HELP is one line: the meaning of the column, and the query. */
static void put_head(pm_render *r, const pm_gauge *m, const char *since, pm_text help)
{
    const pm_about *about = r->options.about;
    const char *name = m->name.data;

    pm_putf(r, "# TYPE %s gauge\n", name);
    if (*m->unit)
        pm_putf(r, "# UNIT %s %s\n", name, m->unit);
    pm_putf(r, "# HELP %s %s", name, since);
    pm_gauge_add_help(r, &r->line, help, "'");
    if (about && about->title.len) {
        pm_putf(r, ". ");
        pm_gauge_add_help(r, &r->line, about->title, "'");
    }
    pm_putf(r, "\n");
}

static void put_sample_name(pm_render *r, const pm_gauge *m, const pm_buf *labels)
{
    pm_put(r, m->name.data, m->name.len);
    if (labels->len) {
        pm_put(r, "{", 1);
        pm_put(r, labels->data, labels->len);
        pm_put(r, "}", 1);
    }
    pm_put(r, " ", 1);
}

/* A metric without a known value is absent. */
static void put_metric(pm_render *r, size_t column)
{
    gauges *g = r->state;
    const pm_gauge *m = &g->metrics[column];
    const pm_text *help = r->options.about ? r->options.about->help : NULL;
    bool begun = false;

    for (size_t k = 0; k < g->n && m->role >= PM_ROLE_GAUGE && r->st == PMAPDB_OK; k++) {
        const pm_value *v = &g->rows[k].values[column];

        if (g->rows[k].old || !is_known(m, v))
            continue;
        if (++g->n_samples > MOST_SAMPLES)
            r->st = pm_fail(&r->error, PMAPDB_USAGE,
                            "more than %d samples are too many for prometheus: --top N takes the "
                            "first rows",
                            MOST_SAMPLES);
        if (!begun)
            put_head(r, m, m->role == PM_ROLE_AGE ? "Seconds since then: " : "",
                     help && help[column].len ? help[column] : pm_text_of(r->columns[column].name));
        begun = true;
        put_sample_name(r, m, &g->rows[k].labels);
        put_value(r, m, r->columns[column].unit, v);
        pm_put(r, "\n", 1);
    }
}

/* Without a time column, the age of the snapshot is a gauge with one sample. */
static void put_age(pm_render *r)
{
    const pm_column when = {"taken_at", PM_UNIT_TIME};
    const gauges *g = r->state;
    const pm_about *about = r->options.about;
    pm_gauge age = {0};
    pm_buf labels = {0};

    if (!about || !about->moment_ms || g->when < r->n_columns || g->n == 0)
        return;
    pm_gauge_name(r, &when, NULL, &age);
    for (size_t i = 0; i < about->n_labels; i++)
        pm_gauge_add_label(r, &labels, about->labels[i].name, about->labels[i].value);
    if (r->st == PMAPDB_OK) {
        put_head(r, &age, "", PM_TEXT("Seconds since the snapshot"));
        put_sample_name(r, &age, &labels);
        pm_putf(r, "%.3f\n", (double)(now_ms(r) - about->moment_ms) / 1000);
    }
    pm_buf_free(&labels);
    pm_buf_free(&age.name);
}

static void end(pm_render *r)
{
    gauges *g = r->state;

    name_columns(r);
    for (size_t i = 0; i < g->n; i++)
        add_labels(r, &g->rows[i]);
    drop_old_rows(r);
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
